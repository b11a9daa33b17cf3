#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the source files that a plain product and a plain convolution run through, from the C functions
to the kernel, and compares them with the table "Two walks" of doc/architecture.md.

usage: walks.py PROGRAM [--write]

PROGRAM is tests/walks/walk of a build of the preset `release`, whose line tables say which line an
instruction is from, that of an inlined function in a header too. valgrind counts the instructions of a
run at the AVX2 level. A file is on a walk where at least 15 of its lines run; others answer a question on
the way. --write makes the table; what it says of a file that is already there stays. Ends with 77 where
there is no valgrind.
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
LEAST_LINES = 15
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
        environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2", "OMP_NUM_THREADS": "1"}
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


def main():
    if not shutil.which("valgrind"):
        print("valgrind is not here")
        sys.exit(77)
    walks = {walk: {file for file, count in executed(sys.argv[1], walk).items() if count >= LEAST_LINES}
             for walk in WALKS}
    counts = {walk: (len(files), sum(len((ROOT / file).read_text(encoding="utf-8").splitlines())
                                     for file in files)) for walk, files in walks.items()}
    text = DOCUMENT.read_text(encoding="utf-8")
    told = {file: (which, what) for which, file, what in ROW.findall(text)}
    rows = []
    for file in sorted(walks["matmul"] | walks["convolution"]):
        which = "both" if all(file in files for files in walks.values()) else next(
            walk for walk, files in walks.items() if file in files)
        rows.append((which, file.removeprefix("src/"), told.get(file.removeprefix("src/"), ("", ""))[1]))
    sentence = COUNTS.format(*(n for walk in WALKS for n in (counts[walk][0], round(counts[walk][1], -2))))
    if "--write" in sys.argv:
        order = {name: place for place, name in enumerate(told)}
        rows.sort(key=lambda row: order.get(row[1], len(order)))
        table = "\n".join(f"| {which} | `{file}` | {what} |" for which, file, what in rows)
        places = [match.span() for match in ROW.finditer(text)]
        text = text[:places[0][0]] + table + text[places[-1][1]:]
        told_before = COUNTS.replace(".", r"\.").replace("{:,}", r"[\d,]+").replace("{}", r"\d+").replace(" ", r"\s+")
        text = re.sub(told_before, sentence, text)
        DOCUMENT.write_text(text, encoding="utf-8")
    wrong = [f"{file}: on the walk of {which}, the document says {told.get(file, ('nothing',))[0]}"
             for which, file, what in rows if told.get(file, ("",))[0] != which]
    wrong += [f"{file}: the document does not say what happens there" for _, file, what in rows if not what]
    wrong += [f"{file}: no walk runs through it" for file in told if "src/" + file not in
              walks["matmul"] | walks["convolution"]]
    if sentence not in " ".join(text.split()):
        wrong.append(f"the document does not say: {sentence}")
    wrong += [f"the walk of {walk} is {count[0]} files and {count[1]} lines, at most {LIMITS[walk][0]} and {LIMITS[walk][1]}"
              for walk, count in counts.items() if count[0] > LIMITS[walk][0] or count[1] > LIMITS[walk][1]]
    print("\n".join(wrong) or sentence)
    sys.exit(1 if wrong else 0)


main()
