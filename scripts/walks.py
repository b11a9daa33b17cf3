#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the source files that a plain product and a plain convolution run through, from the C functions
to the kernel, and compares them with the table "Two walks" of doc/architecture.md.

usage: walks.py PROGRAM [--write]

PROGRAM is tests/walks/walk of a build of the preset `release`, whose line tables say which line an
instruction is from, that of an inlined function in a header too. valgrind counts the instructions of a
run at the AVX2 level. A file is on a walk where at least 15 of its lines run, give or take 5 by the
compiler and the caches; others answer a question on the way. --write makes the table; what it says of a
file that is already there stays. Ends with 77 where there is no valgrind.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
DOCUMENT = ROOT / "doc/architecture.md"
WALKS = ("matmul", "convolution")
# What is counted of a run: the search for an implementation, and an execution.
COUNTED = ("dnnl_matmul_primitive_desc_create", "dnnl_convolution_forward_primitive_desc_create",
           "dnnl_primitive_create", "dnnl_primitive_execute")
LEAST_LINES, LEEWAY = 15, 5
# Files and lines of files that a walk may have at most.
LIMITS = {"matmul": (20, 4050), "convolution": (22, 4700)}
ROW = re.compile(r"^\| (both|matmul|convolution) \| `([^`]+)` \| (.*) \|$", re.MULTILINE)
COUNTS = "A matmul is {} files of about {:,} lines, a convolution {} of about {:,}."


def executed(program, walk):
    """The number of lines that ran of each file below src, as callgrind tells them."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--collect-atstart=no",
                   "--zero-before=counted_run", *(f"--toggle-collect={name}" for name in COUNTED), program, walk]
        environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2", "OMP_NUM_THREADS": "1",
                       "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "0"}  # every creation searches the table
        run = subprocess.run(command, capture_output=True, text=True, env=environment)
        if run.returncode:
            sys.exit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr}")
        text = out.read_text(encoding="utf-8")
    # Lines of costs: a line number, absolute, relative to the one before (+3, -3) or the same (*); after
    # "calls=" comes what a call costs, at the line of the call.
    names, lines, file, number = {}, {}, None, 0
    for text_line in text.splitlines():
        if match := re.match(r"(fl|fi|fe|cfi|cfl)=(\(\d+\))(?: (.*))?$", text_line):
            names[match[2]] = match[3] or names[match[2]]
            if match[1] in ("fl", "fi", "fe"):
                file = names[match[2]]
        elif match := re.match(r"([+-]?)(\d+) |\* ", text_line):
            if match[2]:
                number = int(match[2]) + (0 if not match[1] else number if match[1] == "+" else number - 2 * int(match[2]))
            lines.setdefault(file, set()).add(number)
    found = {}
    for file, numbers in lines.items():
        match = re.search(r"(?:^|/)(src/.*)$", os.path.normpath(file or ""))
        if match and (ROOT / match[1]).is_file():
            found.setdefault(match[1], set()).update(numbers)
    return {file: len(numbers) for file, numbers in found.items()}


def files_of(text):
    """The files that the table of the document lists, by walk."""
    return {walk: {"src/" + file for which, file, _ in ROW.findall(text) if which in ("both", walk)} for walk in WALKS}


def extent(files):
    there = [ROOT / file for file in files if (ROOT / file).is_file()]
    return len(files), sum(len(file.read_text(encoding="utf-8").splitlines()) for file in there)


def counts_of(listed):
    return COUNTS.format(*(number for walk in WALKS for files, lines in [extent(listed[walk])]
                           for number in (files, round(lines, -2))))


def rewritten(text, lines):
    """The document with the table of what is executed now, in the order that it has."""
    told = {file: what for _, file, what in ROW.findall(text)}
    order = {name: place for place, name in enumerate(told)}
    walks = {walk: {file for file, count in lines[walk].items() if count >= LEAST_LINES} for walk in WALKS}
    rows = []
    for path in sorted(walks["matmul"] | walks["convolution"]):
        which, file = [walk for walk in WALKS if path in walks[walk]], path.removeprefix("src/")
        rows.append(("both" if len(which) == 2 else which[0], file, told.get(file, "")))
    rows.sort(key=lambda row: order.get(row[1], len(order)))
    places = [match.span() for match in ROW.finditer(text)]
    table = "\n".join(f"| {which} | `{file}` | {what} |" for which, file, what in rows)
    text = text[:places[0][0]] + table + text[places[-1][1]:]
    before = COUNTS.replace(".", r"\.").replace("{:,}", r"[\d,]+").replace("{}", r"\d+").replace(" ", r"\s+")
    return re.sub(before, counts_of(files_of(text)), text)


def main():
    if not shutil.which("valgrind"):
        print("valgrind is not here")
        sys.exit(77)
    lines = {walk: executed(sys.argv[1], walk) for walk in WALKS}
    text = DOCUMENT.read_text(encoding="utf-8")
    if "--write" in sys.argv:
        text = rewritten(text, lines)
        DOCUMENT.write_text(text, encoding="utf-8")
    listed, wrong = files_of(text), []
    for walk in WALKS:
        wrong += [f"{file}: {count} of its lines run on the walk of {walk}, which does not list it"
                  for file, count in lines[walk].items() if count >= LEAST_LINES + LEEWAY and file not in listed[walk]]
        wrong += [f"{file}: the walk of {walk} lists it, where {lines[walk].get(file, 0)} of its lines run"
                  for file in listed[walk] if lines[walk].get(file, 0) < LEAST_LINES - LEEWAY]
        files, length = extent(listed[walk])
        if files > LIMITS[walk][0] or length > LIMITS[walk][1]:
            wrong.append(f"the walk of {walk} is {files} files and {length} lines, at most {LIMITS[walk][0]} and {LIMITS[walk][1]}")
    wrong += [f"{file}: the document does not say what happens there" for _, file, what in ROW.findall(text) if not what]
    if counts_of(listed) not in " ".join(text.split()):
        wrong.append(f"the document does not say: {counts_of(listed)}")
    print("\n".join(wrong) or counts_of(listed))
    sys.exit(1 if wrong else 0)


main()
