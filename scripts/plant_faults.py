#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies src/ and plants the faults of a catalogue in the copy, each behind a switch.

usage: plant_faults.py <source folder> <output folder> <catalogue.toml>...

A catalogue lists [[fault]] tables:
  name        what DNNL_PLANTED_FAULT is set to
  file        below src/
  find        text that occurs exactly once in the file
  occurrence  which one, from 1, where it occurs more often
  fault       what stands in its place while the fault is on
  kind        "expression" (default), or "statement": whole statements
  cases       arguments of dnnl-conformance that must notice it

The output holds src/ with the faults, planted.hpp (included before every source) and planted.cpp.
Files whose text does not change are left alone, so that a second run rebuilds nothing.
"""
import pathlib
import re
import sys
import tomllib


def write_if_changed(path, text):
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def switched(fault, number):
    condition = f"::dnnl_planted_fault == {number}"
    if fault.get("kind", "expression") == "statement":
        return f"if ({condition}) {{ {fault['fault']} }} else {{ {fault['find']} }}"
    return f"({condition} ? ({fault['fault']}) : ({fault['find']}))"


def planted_text(name, text, faults):
    """The text of one file with all its faults; `faults` are pairs of number and table."""
    places = []
    for number, fault in faults:
        found = [m.start() for m in re.finditer(re.escape(fault["find"]), text)]
        if len(found) != 1 and not 0 < fault.get("occurrence", 0) <= len(found):
            sys.exit(f"{fault['name']}: its text occurs {len(found)} times in {name}")
        start = found[fault.get("occurrence", 1) - 1]
        places.append((start, start + len(fault["find"]), switched(fault, number)))
    places.sort()
    for (_, end, _), (start, _, _) in zip(places, places[1:]):
        if start < end:
            sys.exit(f"{name}: two faults overlap")
    for start, end, replacement in reversed(places):
        text = text[:start] + replacement + text[end:]
    return text


SWITCH = """// The number of the fault that is on, 0 for none.
extern "C" int dnnl_planted_fault;
"""

CHOICE = """#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char *const names[] = {{{names}}};

static int number_of_fault() {{
    const char *wanted = std::getenv("DNNL_PLANTED_FAULT");
    if (!wanted || !*wanted) return 0;
    for (int i = 0; i < static_cast<int>(sizeof names / sizeof *names); ++i)
        if (std::strcmp(names[i], wanted) == 0) return i + 1;
    std::fprintf(stderr, "DNNL_PLANTED_FAULT: no fault is called %s\\n", wanted);
    std::exit(3);
}}

extern "C" {{
int dnnl_planted_fault = number_of_fault();
}}
"""


def main():
    source, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    faults = []
    for catalogue in sys.argv[3:]:
        faults += tomllib.loads(pathlib.Path(catalogue).read_text())["fault"]
    names = [fault["name"] for fault in faults]
    if len(set(names)) != len(names):
        sys.exit("two faults have one name")
    by_file = {}
    for number, fault in enumerate(faults, 1):
        by_file.setdefault(fault["file"], []).append((number, fault))
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        name = path.relative_to(source).as_posix()
        text = planted_text(name, path.read_text(), by_file.pop(name, []))
        write_if_changed(output / "src" / name, text)
    if by_file:
        sys.exit(f"no such file: {', '.join(by_file)}")
    write_if_changed(output / "planted.hpp", SWITCH)
    listed = ", ".join(f'"{name}"' for name in names)
    write_if_changed(output / "planted.cpp", CHOICE.format(names=listed))


if __name__ == "__main__":
    main()
