#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs dnnl-conformance once without and once with each planted fault (see scripts/mutants).

usage: run_mutants.py <dnnl-conformance> <catalogue.toml>... [-- <name of a fault>...]
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

SECONDS_PER_RUN = 120
REQUIRED_SHARE = 0.95


def verdict(program, fault, name):
    """'passed', 'failed', or why the run counts as neither."""
    environment = dict(os.environ, DNNL_PLANTED_FAULT=name, OMP_NUM_THREADS="2",
                       OMP_WAIT_POLICY="passive", **fault.get("environment", {}))
    try:
        done = subprocess.run([program, *shlex.split(fault["cases"])], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS_PER_RUN)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS_PER_RUN} s"
    if done.returncode == 0:
        ran = re.search(r"^([0-9]+) passed, ", done.stdout, re.MULTILINE)
        return "passed" if ran and int(ran[1]) > 0 else "ran nothing"
    return "failed" if done.returncode == 1 else f"exit code {done.returncode}"


def judge(program, fault):
    """(name, outcome): caught, survived, or an error of the catalogue."""
    healthy = verdict(program, fault, "")
    if healthy != "passed":
        return fault["name"], f"ERROR: without a fault: {healthy}"
    sick = verdict(program, fault, fault["name"])
    return fault["name"], "survived" if sick == "passed" else f"caught ({sick})"


def main():
    arguments = sys.argv[1:]
    wanted = set()
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, wanted = arguments[:cut], set(arguments[cut + 1:])
    program = os.path.abspath(arguments[0])
    faults = []
    for catalogue in arguments[1:]:
        faults += tomllib.loads(pathlib.Path(catalogue).read_text())["fault"]
    faults = [fault for fault in faults if not wanted or fault["name"] in wanted]
    caught, survivors, errors = 0, [], []
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        for name, outcome in pool.map(lambda fault: judge(program, fault), faults):
            print(f"{name}: {outcome}", flush=True)
            caught += outcome.startswith("caught")
            if outcome == "survived":
                survivors.append(name)
            if outcome.startswith("ERROR"):
                errors.append(name)
    if survivors:
        print("survivors: " + ", ".join(survivors))
    print(f"{caught} of {len(faults)} faults caught")
    sys.exit(bool(errors) or not faults or caught < REQUIRED_SHARE * len(faults))


if __name__ == "__main__":
    main()
