#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models by dnnl-onnx and by another program in turn, and writes a table: the largest
difference of the outputs, the time of both, and the ratio.

    compare.py --ours build/release/examples/onnx/dnnl-onnx --peer "node run.js" CASES.json

CASES.json is a list of {"model": FILE, "inputs": {NAME: [EXTENTS] or NUMBER or FILE}}; files are
relative to the list. Extents are filled with random numbers of [-1, 1); a NUMBER is a scalar of 64
bits; a FILE is a .npy.

The other program takes MODEL --threads N --repeat R --out DIR and --input NAME=FILE.npy for each
input, writes each output as DIR/NAME.npy and prints a line "ms BEST MEDIAN". ONNX Runtime is one,
with a script of a page around it.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import numpy


def write_inputs(case, folder, root):
    generator = numpy.random.default_rng(1)
    arguments = []
    for k, (name, what) in enumerate(case["inputs"].items()):
        if isinstance(what, str):
            arguments += ["--input", f"{name}={root / what}"]
            continue
        if isinstance(what, list):
            values = generator.uniform(-1, 1, what).astype(numpy.float32)
        else:
            values = numpy.array(what, numpy.int64)
        file = folder / f"input{k}.npy"
        numpy.save(file, values)
        arguments += ["--input", f"{name}={file}"]
    return arguments


def run(command, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: {done.stderr.strip()}")
    return done.stdout


def ours(options, model, inputs, folder):
    run([options.ours, "run", model, *inputs, "--out", str(folder)], 1)
    text = run([options.ours, "bench", model, *inputs, "--json", "--seconds", str(options.seconds)],
               options.threads)
    return json.loads(text)["best_ms"]


def theirs(options, model, inputs, folder, repeat):
    text = run([*shlex.split(options.peer), model, *inputs, "--threads", str(options.threads), "--repeat",
                str(repeat), "--out", str(folder)], options.threads)
    return float(re.search(r"^ms ([\d.]+)", text, re.M).group(1))


def largest_difference(first, second):
    worst = 0.0
    for file in sorted(second.glob("*.npy")):
        wanted, found = numpy.load(file).astype(float), numpy.load(first / file.name).astype(float)
        if wanted.shape != found.shape:
            sys.exit(f"{file.name}: {found.shape} instead of {wanted.shape}")
        if wanted.size:
            worst = max(worst, float(abs(found - wanted).max() / max(abs(wanted).max(), 1e-30)))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases")
    parser.add_argument("--ours", required=True, help="the program dnnl-onnx")
    parser.add_argument("--peer", required=True, help="the other program's command")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3, help="how often each program runs, in turn")
    parser.add_argument("--seconds", type=float, default=1, help="of one round")
    options = parser.parse_args()
    cases = json.loads(pathlib.Path(options.cases).read_text())
    ratios = []
    print(f"| model | inputs | largest difference | ours, ms | theirs, ms | theirs / ours |\n{'|---' * 6}|")
    for case in cases:
        model = str(pathlib.Path(options.cases).parent / case["model"])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            inputs = write_inputs(case, folder, pathlib.Path(options.cases).parent)
            own, other = [], []
            repeat = 3
            for _ in range(options.rounds):
                own.append(ours(options, model, inputs, folder / "ours"))
                repeat = max(3, int(1000 * options.seconds / own[-1]))
                other.append(theirs(options, model, inputs, folder / "theirs", repeat))
            difference = largest_difference(folder / "ours", folder / "theirs")
        ratio = min(other) / min(own)
        ratios.append(ratio)
        sizes = " ".join("x".join(map(str, what)) if isinstance(what, list) else str(what)
                         for what in case["inputs"].values())
        print(f"| {pathlib.Path(model).name} | {sizes} | {difference:.1e} | {min(own):.3f} | "
              f"{min(other):.3f} | {ratio:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\n{options.threads} thread(s): geometric mean {mean:.2f}, least {min(ratios):.2f}")


main()
