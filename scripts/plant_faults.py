#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies src/ and tests/conformance/ and plants faults in the copy, each behind a switch.

usage: plant_faults.py <project folder> <output folder> [<log of a failed build>]

The faults are those written by hand and a sample of all mutants (make_mutants.py), as the catalogues
of tests/mutants say. Each catalogue may hold these tables:

  [[fault]]        one written by hand:
    name             what DNNL_PLANTED_FAULT is set to
    file             below the project folder
    find             text that occurs exactly once in the file, or in all files if it has left this
                     one: an expression, or statements up to their last semicolon
    occurrence       which one, from 1, where it occurs more often
    fault            what stands in its place while the fault is on
    cpu              the flag of /proc/cpuinfo without which the code cannot run
  [[group]]        files to draw mutants from; a file belongs to the first group that names it:
    name, files      patterns below the project folder
    lines_per_mutant every file gives one mutant for so many lines, at least one; 0 for none at all
    tests            CTest entries that judge the group besides the smoke set, as a pattern
    cpu              as above
  [[equivalent]]   a mutant that changes nothing; another one is drawn instead:
    file, operator, original, mutated, proof, and source, the line of the file where it starts
  [[survivor]]     a mutant or fault that the judges miss, and why: either the same keys with `reason`
                   instead of `proof`, or `name` and `reason`
  [[needs]]        a mutant of code that only processors with a flag run: the same keys with `cpu`

Which mutants a file gives depends on their own text alone: an edit elsewhere changes none of them.

The output holds the copies, planted.hpp (included before every source), planted.cpp and faults.json
(what is planted, for run_mutants.py). Files whose text does not change are left alone, so that a
second run rebuilds nothing. With the log of a build, the mutants on lines with errors are rejected
for good (rejected.json).
"""
import fnmatch
import hashlib
import json
import pathlib
import re
import sys
import tomllib

import make_mutants

FOLDERS = ["src", "tests/conformance"]
SWITCHES = 1 << 16
FEWEST_CANDIDATES = 5  # files with fewer hold declarations


def write_if_changed(path, text):
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def one_line(text):
    return " ".join(text.split())


def catalogues_of(project):
    tables = {"fault": [], "group": [], "equivalent": [], "survivor": [], "needs": []}
    for path in sorted((project / "tests/mutants").glob("*.toml")):
        for key, found in tomllib.loads(path.read_text()).items():
            tables[key] += found
    return tables


def place_of(fault, texts):
    """File and position of a fault written by hand; or None and what is wrong. Text that has left its
    file is found in another one where it occurs only once in all of them."""
    def places(name):
        return [(name, m.start()) for m in re.finditer(re.escape(fault["find"]), texts[name])]
    found = places(fault["file"]) if fault["file"] in texts else []
    if not found:
        found = [place for name in texts for place in places(name)]
    if len(found) != 1 and not 0 < fault.get("occurrence", 0) <= len(found):
        return None, f"{fault['name']}: its text occurs {len(found)} times: {fault['file']}"
    return found[fault.get("occurrence", 1) - 1], None


def by_hand(faults, texts):
    planted = []
    places = [place_of(fault, texts) for fault in faults]
    if errors := [error for _, error in places if error]:
        sys.exit("\n".join(errors))
    for fault, ((name, start), _) in zip(faults, places):
        text, end = texts[name], start + len(fault["find"])
        planted.append({
            "name": fault["name"], "file": name, "line": text.count("\n", 0, start) + 1,
            "operator": "by hand", "source": "", "start": start, "end": end, "original": fault["find"],
            "mutated": fault["fault"], "kind": "statement" if fault["find"].endswith(";") else "expression",
            "cpu": fault.get("cpu", ""), "identity": hashlib.sha256(repr(fault).encode()).hexdigest()})
    return planted


def explained_key(table):
    """What tells a mutant from all others, wherever it moves in its file."""
    return tuple(one_line(table[key]) for key in ("file", "operator", "source", "original", "mutated"))


def described(mutant, text):
    """A mutant as a table of a catalogue has it."""
    return dict(mutant._asdict(), source=text.split("\n")[mutant.line - 1])


def overlaps(mutant, taken):
    return any(mutant.start < t["end"] and t["start"] < mutant.end for t in taken)


def drawn(group, name, text, taken, excluded, rejected):
    """The mutants of one file: the operators take turns, in an order that their own texts give."""
    if group["lines_per_mutant"] == 0:
        return []
    candidates = [m for m in make_mutants.mutants_of(name, text) if m.identity not in rejected]
    candidates = [m for m in candidates if explained_key(described(m, text)) not in excluded]
    if len(candidates) < FEWEST_CANDIDATES:
        return []
    wanted = max(1, round(text.count("\n") / group["lines_per_mutant"]))
    chosen, used = [], {}
    candidates.sort(key=lambda m: m.identity)
    while len(chosen) < wanted and candidates:
        fewest = min(used.get(m.operator, 0) for m in candidates)
        mutant = next(m for m in candidates if used.get(m.operator, 0) == fewest)
        candidates.remove(mutant)
        if overlaps(mutant, [*taken, *chosen]):
            continue
        used[mutant.operator] = used.get(mutant.operator, 0) + 1
        chosen.append(dict(described(mutant, text), cpu=group.get("cpu", ""), tests=group.get("tests", ""),
                           group=group["name"],
                           name=f"{name.removeprefix('src/')}:{mutant.operator}:{mutant.identity[:8]}"))
    return chosen


def group_of(groups, name):
    for group in groups:
        if any(fnmatch.fnmatch(name, pattern) for pattern in group["files"]):
            return group
    return None


def numbered(faults):
    """A switch for each, which the others change as little as possible."""
    taken = set()
    for fault in sorted(faults, key=lambda f: f["identity"]):
        number = int(fault["identity"][:4], 16)
        while number in taken or number == 0:
            number = (number + 1) % SWITCHES
        taken.add(number)
        fault["number"] = number


def switched(fault, original):
    condition = f"dnnl_planted({fault['number']})"
    mutated = one_line(fault["mutated"])
    if fault["kind"] == "statement":
        return f"{{ if ({condition}) {{ {mutated} }} else {{ {original} }} }}"
    if fault["kind"] == "condition":
        original = f"static_cast<bool>({original})"
    return f"({condition} ? ({mutated}) : ({original}))"


def planted_text(name, text, faults):
    """The text of one file with all its faults; line numbers stay what they are."""
    places = sorted((f["start"], f["end"], f) for f in faults)
    for (_, end, a), (start, _, b) in zip(places, places[1:]):
        if start < end:
            sys.exit(f"{name}: {a['name']} and {b['name']} overlap")
    for start, end, fault in reversed(places):
        text = text[:start] + switched(fault, text[start:end]) + text[end:]
    return text


SWITCH = """// The switches of the planted faults; see plant_faults.py.
extern "C" {
extern int dnnl_planted_fault;               // the number of the fault that is on, 0 for none
extern unsigned char *dnnl_planted_reached;  // by number: 1 once the code has run
}
__attribute__((always_inline, unused)) static inline bool dnnl_planted(int number) {
    if (!dnnl_planted_reached[number]) dnnl_planted_reached[number] = 1;
    return dnnl_planted_fault == number;
}
"""

CHOICE = """#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct { int number; const char *name; } faults[] = {
@faults@};

static unsigned char unread[@switches@];

extern "C" {
int dnnl_planted_fault = 0;
unsigned char *dnnl_planted_reached = unread;
}

// Before all other initialisers. The file that DNNL_PLANTED_REACHED names has a byte per switch; it
// is shared by every process of a run.
__attribute__((constructor(101))) static void read_environment() {
    const char *const wanted = std::getenv("DNNL_PLANTED_FAULT");
    bool found = !wanted || !*wanted;
    for (const auto &fault : faults)
        if (wanted && std::strcmp(fault.name, wanted) == 0) {
            dnnl_planted_fault = fault.number;
            found = true;
        }
    if (!found) {
        std::fprintf(stderr, "DNNL_PLANTED_FAULT: no fault is called %s\\n", wanted);
        _exit(99);
    }
    const char *const path = std::getenv("DNNL_PLANTED_REACHED");
    if (!path || !*path) return;
    const int file = open(path, O_RDWR);
    void *const memory = file < 0 ? MAP_FAILED
        : mmap(nullptr, sizeof unread, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        std::fprintf(stderr, "DNNL_PLANTED_REACHED: %s has no room\\n", path);
        _exit(99);
    }
    close(file);
    dnnl_planted_reached = static_cast<unsigned char *>(memory);
}
"""


def choice_text(faults):
    listed = "".join(f'    {{{f["number"]}, "{f["name"]}"}},\n' for f in faults)
    return CHOICE.replace("@faults@", listed).replace("@switches@", str(SWITCHES))


def reject(output, log):
    """Adds the mutants on lines with errors to those rejected; False if there are none."""
    faults = json.loads((output / "faults.json").read_text())["faults"]
    lines = set()
    for path, line in re.findall(re.escape(output.name) + r"/(\S+?):(\d+):\d+: (?:fatal )?error", log):
        lines.add((path, int(line)))
    bad = [f for f in faults
           if any((f["file"], line) in lines for line in range(f["line"], f["last_line"] + 1))]
    if written := [f["name"] for f in bad if f["operator"] == "by hand"]:
        sys.exit("does not compile: " + ", ".join(written))
    path = output / "rejected.json"
    before = json.loads(path.read_text()) if path.exists() else []
    for fault in bad:
        print(f"does not compile: {fault['name']}: {fault['original']} -> {fault['mutated']}")
    write_if_changed(path, json.dumps(sorted({*before, *(f["identity"] for f in bad)}), indent=1))
    return bool(bad)


def main():
    project, output = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    if len(sys.argv) > 3 and not reject(output, pathlib.Path(sys.argv[3]).read_text()):
        sys.exit("the build failed, but not on a line of a mutant")
    rejected_path = output / "rejected.json"
    rejected = set(json.loads(rejected_path.read_text())) if rejected_path.exists() else set()
    tables = catalogues_of(project)
    texts = {}
    for folder in FOLDERS:
        for path in sorted(p for p in (project / folder).rglob("*") if p.is_file()):
            texts[path.relative_to(project).as_posix()] = path.read_text()
    faults = by_hand(tables["fault"], texts)
    needs = {explained_key(e): e["cpu"] for e in tables["needs"]}
    excluded = {explained_key(e) for e in tables["equivalent"]}
    for name in sorted(texts):
        group = group_of(tables["group"], name)
        taken = [f for f in faults if f["file"] == name]
        for fault in taken:
            fault["group"] = group["name"] if group else ""
            fault["tests"] = group.get("tests", "") if group else ""
        if group and name.endswith(("pp", ".h")):
            faults += drawn(group, name, texts[name], taken, excluded, rejected)
    names = [fault["name"] for fault in faults]
    if len(set(names)) != len(names):
        sys.exit("two faults have one name")
    numbered(faults)
    for fault in faults:
        fault["cpu"] = needs.get(explained_key(fault), fault["cpu"])
        fault["last_line"] = fault["line"] + fault["original"].count("\n")
    for name, text in texts.items():
        own = [fault for fault in faults if fault["file"] == name]
        write_if_changed(output / name, planted_text(name, text, own))
    write_if_changed(output / "planted.hpp", SWITCH)
    write_if_changed(output / "planted.cpp", choice_text(faults))
    write_if_changed(output / "faults.json", json.dumps(
        {"faults": faults, "survivors": tables["survivor"]}, indent=1))


if __name__ == "__main__":
    main()
