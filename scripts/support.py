#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of doc/support.md: which implementation takes each primitive, propagation kind
and combination of types under each cap of the instruction set, asked of the library itself.

usage: support.py <dnnl-conformance> [--check]
Under caps that this machine lacks the document keeps what it says. --check compares the document with
the answers under the others, and exits with 1 where it differs.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = PROJECT / "doc/support.md"
CASES = PROJECT / "tests/conformance/cases/support.txt"
BEGIN, END = "<!-- tables: scripts/support.py -->\n", "<!-- end of the tables -->\n"
CAPS = ["SSE41", "AVX2", "AVX2_VNNI", "AVX512_CORE", "AVX512_CORE_VNNI", "AVX512_CORE_AMX"]
FLAGS = ["sse4_1", "avx2", "avx_vnni", "avx512bw", "avx512_vnni", "amx_int8"]  # of /proc/cpuinfo
TYPE_KNOBS = ("dt", "sdt", "ddt", "cfg")
KIND_KNOBS = ("dir", "prop", "alg")


def answers(program, cap):
    """The implementation that each case line gets under a cap, in the order of the cases."""
    environment = dict(os.environ, ONEDNN_MAX_CPU_ISA=cap)
    done = subprocess.run([program, "--canonical=true", "--mode=I", "-v5", "--conv",
                           f"--batch={CASES}"], env=environment, capture_output=True, text=True)
    found, line = collections.OrderedDict(), None
    for text in done.stdout.splitlines():
        if text.startswith("create: "):
            line = text.removeprefix("create: ")
        elif text.startswith("implementation: ") and line:
            if "--ddt=" in line and "--dtag=undef" in line:
                sys.exit(f"{line}: a destination without a layout takes the type of the source")
            found[line] = text.removeprefix("implementation: ")
        elif (refused := re.match(r"\d+:([A-Z_]+) \((.*)\) __REPRO: (.*)", text)):
            sys.exit(f"{cap}: {refused[3]}: {refused[1]}: {refused[2]}")
    if not found:
        sys.exit(f"no case ran under {cap}: {done.stdout}{done.stderr}")
    return found


def driver_of(line):
    return re.search(r"--(?!mode|canonical|[a-z-]+=)([a-z]+)(?= )", line)[1]


def settings(line, names):
    found = dict(re.findall(r"--([a-z_]+)=(\S*)", line))
    return [found[name] for name in names if name in found]


def table(lines, columns):
    """Rows of equal kind and equal implementations are one row with all their types."""
    rows = collections.OrderedDict()
    for line in lines:
        kind = " ".join(settings(line, KIND_KNOBS))
        cells = tuple(column.get(line, "") for column in columns)
        types = " to ".join(settings(line, TYPE_KNOBS))
        if types not in rows.setdefault((kind, cells), []):
            rows[kind, cells].append(types)
    text = "| kind | types | " + " | ".join(CAPS) + " |\n" + "|:--" * (2 + len(CAPS)) + "|\n"
    for (kind, cells), types in rows.items():
        text += f"| {kind} | {', '.join(types)} | " + " | ".join(cells) + " |\n"
    return text


def tables(columns):
    by_driver = collections.OrderedDict()
    for line in columns[0]:
        by_driver.setdefault(driver_of(line), []).append(line)
    return "".join(f"\n### {driver}\n\n{table(lines, columns)}" for driver, lines in by_driver.items())


def rows_in(text):
    """What tables say: driver, kind and types, with the implementations under all caps."""
    driver = None
    for line in text.splitlines():
        if line.startswith("### "):
            driver = line.removeprefix("### ")
        elif line.startswith("| ") and not line.startswith("| kind |"):
            kind, types, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            yield from (((driver, kind, one), cells) for one in types.split(", "))


def answers_in(text, caps):
    return {(*key, *(cells[CAPS.index(cap)] for cap in caps)) for key, cells in rows_in(text)}


def told_before(text, lines, cap):
    """The answers of a document under a cap that this machine lacks."""
    told = {key: cells[CAPS.index(cap)] for key, cells in rows_in(text)}
    key = lambda line: (driver_of(line), " ".join(settings(line, KIND_KNOBS)), " to ".join(settings(line, TYPE_KNOBS)))
    if new := [line for line in lines if key(line) not in told]:
        sys.exit(f"{new[0]}: new cases need a machine that has {', '.join(CAPS)}")
    return {line: told[key(line)] for line in lines}


def main():
    document = DOCUMENT.read_text()
    before, rest = document.split(BEGIN)
    old, after = rest.split(END)
    check = "--check" in sys.argv
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    there = [cap for cap, flag in zip(CAPS, FLAGS) if flag in flags]
    columns = {cap: answers(sys.argv[1], cap) for cap in there}
    lines = columns[there[0]]
    new = tables([columns.get(cap) or told_before(old, lines, cap) for cap in CAPS])
    if check:
        differences = answers_in(old, there) ^ answers_in(new, there)
        for difference in sorted(differences):
            print(*difference)
        print(f"doc/support.md {'is not' if differences else 'is'} what the library answers under "
              f"{', '.join(there)}")
        sys.exit(bool(differences))
    DOCUMENT.write_text(before + BEGIN + new + "\n" + END + after)


if __name__ == "__main__":
    main()
