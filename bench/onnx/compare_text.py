#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads lines of text by another program and compares them with what dnnl-onnx read.

    onnx_reading --reader MODEL --characters FILE --save FOLDER ...
    compare_text.py --peer "node run.js" --model MODEL --characters FILE FOLDER

FOLDER has batch*.npy, the inputs, and texts.txt, the lines that were read in f32, in the order of
the batches. The other program is called as by compare.py. Prints the lines that differ; exit status
1 if there are any.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys
import tempfile

import numpy


def decode(probabilities, characters):
    """The most probable class of each place; equal neighbours are one character."""
    best = probabilities.argmax(axis=1)
    kept = [c for i, c in enumerate(best) if i == 0 or c != best[i - 1]]
    return "".join(characters[c] for c in kept)


def lines_of(file):
    lines = pathlib.Path(file).read_text(encoding="utf-8").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True, help="command of the other program")
    parser.add_argument("--model", required=True)
    parser.add_argument("--characters", required=True, help="the character of each class per line")
    parser.add_argument("--input", default="x", help="name of the model's input")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    characters = ["", *lines_of(arguments.characters), " "]
    ours = lines_of(arguments.folder / "texts.txt")
    theirs = []
    for batch in sorted(arguments.folder.glob("batch*.npy")):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([*shlex.split(arguments.peer), arguments.model, "--threads", "1", "--repeat", "0",
                            "--out", out, "--input", f"{arguments.input}={batch}"],
                           check=True, stdout=subprocess.DEVNULL)
            result = numpy.load(next(pathlib.Path(out).glob("*.npy")))
        theirs += [decode(line, characters) for line in result]
    differ = [(a, b) for a, b in zip(ours, theirs) if a != b]
    for a, b in differ:
        print(f"ours   {a}\ntheirs {b}")
    print(f"{len(ours)} lines, {len(theirs)} by the other program, {len(differ)} differ")
    return 1 if differ or len(ours) != len(theirs) else 0


if __name__ == "__main__":
    sys.exit(main())
