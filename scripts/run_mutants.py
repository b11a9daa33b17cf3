#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns on each planted fault in turn and has the smoke set judge the library (see scripts/mutants).

usage: run_mutants.py <build folder> [--slice K/N] [--resume] [--jobs=N] [<name or beginning of a name>]...

First the smoke set runs without a fault, in pieces of a few cases, once at the level of this machine
and once capped at AVX2, whose kernels are other ones. Each piece tells which faults its code passes
by. A fault is then judged by the pieces that reach it, up to the first case that fails. Before it
counts as a survivor the whole smoke set judges it at both levels, unless an explanation of its
survival is there. Groups of tests/mutants/sample.toml may name CTest entries that judge as well.
What no case reaches ran nothing, which is a failure. The verdicts are kept in <build
folder>/verdicts.json under a hash of all sources; --resume takes those that still hold.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

REQUIRED_SHARE = 0.95
THREADS = "2"
CASES_PER_PIECE = 40
# Each level's whole set, with its demands on the run as a whole, beyond those on each case.
LEVELS = {"": "the whole set", "AVX2": "AVX2 the whole set"}
WHOLE = list(LEVELS.values())
SWITCHES = 1 << 16
SWITCH_IS_UNKNOWN = 99  # exit code of planted.cpp


def one_line(text):
    return " ".join(text.split())


def level_of(case):
    return next((level for level in LEVELS if level and case.startswith(f"{level} ")), "")


class Cases:
    """What may judge: pieces of the smoke set as 'FIRST-LAST', at a cap 'AVX2 FIRST-LAST', and CTest
    entries as 'ctest NAME'."""

    def __init__(self, build):
        self.build = build
        self.program = str(build / "tests/conformance/dnnl-conformance")
        self.local = threading.local()
        self.temporary = tempfile.TemporaryDirectory(prefix="mutants.")
        self.folder = self.temporary.name

    def pieces(self):
        done = subprocess.run([self.program, "--mode=L", "--set=smoke", "--jobs=1"], text=True,
                              stdout=subprocess.PIPE, check=True)
        count = len(re.findall(r"^\d+:LISTED ", done.stdout, re.MULTILINE))
        return [f"{level} {first}-{min(count, first + CASES_PER_PIECE) - 1}".strip()
                for level in LEVELS for first in range(0, count, CASES_PER_PIECE)]

    def tests(self):
        done = subprocess.run(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"],
                              text=True, stdout=subprocess.PIPE, check=True)
        return [test["name"] for test in json.loads(done.stdout)["tests"]]

    def command(self, cases):
        """Cases are pieces of the set at one level, or one CTest entry, or a whole set."""
        if cases[0] in WHOLE:
            return [self.program, "--set=smoke", "--jobs=1", "--until-failure"]
        if cases[0].startswith("ctest "):
            name = re.escape(cases[0].removeprefix("ctest "))
            return ["ctest", "--test-dir", str(self.build), "-R", f"^{name}$"]
        pieces = [case.split()[-1] for case in cases]
        return [self.program, "--set=smoke", "--jobs=1", "--until-failure",
                f"--only={','.join(pieces)}"]

    def file(self, kind):
        if not hasattr(self.local, "number"):
            self.local.number = threading.get_native_id()
        return f"{self.folder}/{kind}.{self.local.number}"

    def run(self, cases, fault, seconds):
        """'passed', or how it failed; what was reached; seconds that it took."""
        reached = self.file("reached")
        pathlib.Path(reached).write_bytes(bytes(SWITCHES))
        environment = dict(os.environ, DNNL_PLANTED_FAULT=fault, DNNL_PLANTED_REACHED=reached,
                           OMP_NUM_THREADS=THREADS, OMP_WAIT_POLICY="passive")
        if level_of(cases[0]):
            environment["ONEDNN_MAX_CPU_ISA"] = level_of(cases[0])
        start = time.monotonic()
        process = subprocess.Popen(self.command(cases), env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   cwd=self.folder)
        try:
            output = process.communicate(timeout=seconds)[0].decode(errors="replace")
            verdict = self.verdict(cases, process.returncode, output)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            verdict = f"hangs: no end within {seconds:.0f} s"
        found = [m.start() for m in re.finditer(b"[^\0]", pathlib.Path(reached).read_bytes())]
        return verdict, found, time.monotonic() - start

    def verdict(self, cases, code, output):
        if cases[0].startswith("ctest "):
            return "passed" if code == 0 else f"{cases[0]} fails"
        if code == SWITCH_IS_UNKNOWN:
            sys.exit(output)
        if code < 0:
            return f"signal {-code}"
        if code > 0:
            failed = re.search(r"^\d+:(FAILED|INVALID_ARGUMENTS).*__REPRO: (.*)", output, re.MULTILINE)
            return f"failed: {failed[2]}" if failed else f"exit code {code}"
        ran = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped", output, re.MULTILINE)
        return "passed" if ran and int(ran[1]) + int(ran[3]) > 0 else "ran nothing"


class Judge:
    def __init__(self, cases, healthy, survivors):
        self.cases = cases
        self.healthy = healthy  # by case: seconds, what it reaches
        self.survivors = survivors

    def verdict(self, fault):
        reaching = sorted((seconds, case) for case, (seconds, reached) in self.healthy.items()
                          if fault["number"] in reached)
        pieces = [(s, case) for s, case in reaching if not case.startswith("ctest ")]
        tests = [(s, case) for s, case in reaching if case.startswith("ctest ") and fault["tests"]
                 and re.search(fault["tests"], case.removeprefix("ctest "))]
        if not pieces and not tests:
            return "ran nothing"
        batches = [batch for level in LEVELS
                   for batch in self.batches([p for p in pieces if level_of(p[1]) == level])]
        for batch in [*batches, *([test] for test in tests)]:
            outcome = self.cases.run([case for _, case in batch], fault["name"],
                                     20 + 10 * sum(s for s, _ in batch))[0]
            if outcome != "passed":
                return f"caught: {outcome}"
        for whole in [] if explanation_of(fault, self.survivors) else WHOLE:
            outcome = self.cases.run([whole], fault["name"], 120 + 10 * self.healthy[whole][0])[0]
            if outcome != "passed":
                return f"caught: {outcome}"
        return "survived"

    @staticmethod
    def batches(pieces):
        """The cheapest alone, so that a hang shows soon; then ever more."""
        size = 1
        while pieces:
            yield pieces[:size]
            pieces, size = pieces[size:], size * 4


def hash_of_sources(build):
    """Of everything that decides a verdict but the choice of mutants."""
    project = pathlib.Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for folder in ("src", "include", "tests/conformance", "tests/api", "cmake"):
        for path in sorted(p for p in (project / folder).rglob("*") if p.is_file()):
            digest.update(str(path.relative_to(project)).encode() + b"\0" + path.read_bytes())
    for script in ("plant_faults.py", "run_mutants.py"):
        digest.update((project / "scripts" / script).read_bytes())
    return digest.hexdigest()


class State:
    """Verdicts and what cases reach, kept from run to run."""

    def __init__(self, build, faults, resume):
        self.path, self.lock = build / "verdicts.json", threading.Lock()
        self.sources = hash_of_sources(build)
        planted = hashlib.sha256(json.dumps(sorted(f["identity"] for f in faults)).encode()).hexdigest()
        kept = json.loads(self.path.read_text()) if resume and self.path.exists() else {}
        if kept.get("sources") != self.sources:
            kept = {}
        self.verdicts = kept.get("verdicts", {})
        self.healthy = kept.get("healthy", {}) if kept.get("planted") == planted else {}
        self.planted = planted

    def save(self):
        with self.lock:
            text = json.dumps({"sources": self.sources, "planted": self.planted,
                               "verdicts": self.verdicts, "healthy": self.healthy}, indent=0)
            self.path.with_suffix(".new").write_text(text)
            self.path.with_suffix(".new").replace(self.path)


def run_healthy(cases, faults, state, pool):
    """Every case without a fault; ends the run if one fails."""
    patterns = {fault["tests"] for fault in faults if fault["tests"]}
    wanted = WHOLE + cases.pieces() + [f"ctest {name}" for name in cases.tests()
                              if any(re.search(pattern, name) for pattern in patterns)]
    missing = [case for case in wanted if case not in state.healthy]
    start, bad = time.monotonic(), []
    for case, (outcome, reached, seconds) in zip(
            missing, pool.map(lambda case: cases.run([case], "", 600), missing)):
        if outcome != "passed":
            bad.append(f"{case}: {outcome}")
        state.healthy[case] = seconds, [] if case in WHOLE else reached
    if bad or not wanted:
        sys.exit("\n".join(["without a fault:", *bad, f"0 passed, {max(1, len(bad))} failed, 0 skipped"]))
    state.healthy = {case: state.healthy[case] for case in wanted}
    state.save()
    print(f"{len(wanted)} cases without a fault: {time.monotonic() - start:.0f} s", flush=True)


def explanation_of(fault, survivors):
    for entry in survivors:
        if entry.get("name") == fault["name"]:
            return entry["reason"]
        if all(one_line(entry.get(key, "")) == one_line(fault[key])
               for key in ("file", "operator", "source", "original", "mutated")):
            return entry["reason"]
    return None


def summarize(faults, verdicts, survivors, skipped, seconds):
    groups, missed, nothing, unexplained = {}, [], [], []
    for fault in faults:
        verdict = verdicts[fault["identity"]]
        count = groups.setdefault(fault["group"] or "elsewhere", [0, 0])
        count[0] += verdict.startswith("caught")
        count[1] += 1
        if verdict.startswith("caught"):
            continue
        (nothing if verdict == "ran nothing" else missed).append(fault)
        reason = explanation_of(fault, survivors)
        print(f"{verdict}: {fault['name']} at {fault['file']}:{fault['line']}: "
              f"{one_line(fault['original'])}  ->  {one_line(fault['mutated'])}")
        print(f"    {reason or 'UNEXPLAINED'}")
        if verdict != "ran nothing" and not reason:
            unexplained.append(fault)
    for name, (caught, of) in groups.items():
        print(f"{name}: {caught} of {of} caught")
    caught = len(faults) - len(missed) - len(nothing)
    by_hand = sum(fault["operator"] == "by hand" for fault in faults)
    share = caught / len(faults) if faults else 0
    print(f"{len(faults)} faults, {by_hand} of them by hand: {caught} caught ({100 * share:.1f} %), "
          f"{len(missed)} survived, {len(nothing)} ran nothing; {seconds:.0f} s")
    # Survivors with an explanation are forgiven as long as they are few.
    forgiven = len(missed) - len(unexplained) if share >= REQUIRED_SHARE else 0
    failed = len(faults) - caught - forgiven
    print(f"{caught} passed, {failed} failed, {skipped + forgiven} skipped")
    sys.exit(failed > 0 or not faults)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--slice", default="1/1", metavar="K/N")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("names", nargs="*")
    o = parser.parse_intermixed_args()  # names after options, too
    slice_number, slices = (int(x) for x in o.slice.split("/"))
    if not 1 <= slice_number <= slices:
        parser.error("--slice is K/N with K from 1 to N")
    start = time.monotonic()
    build = o.build.resolve()
    planted = json.loads((build / "planted/faults.json").read_text())
    faults = planted["faults"]
    state = State(build, faults, o.resume)
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    chosen = [f for i, f in enumerate(sorted(faults, key=lambda f: f["identity"]))
              if i % slices == slice_number - 1]
    if o.names:
        chosen = [f for f in faults if any(f["name"].startswith(name) for name in o.names)]
    there = [f for f in chosen if not f["cpu"] or f["cpu"] in flags]
    for fault in chosen:
        if fault not in there:
            print(f"skipped: {fault['name']}: this machine lacks {fault['cpu']}")
    cases = Cases(build)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        run_healthy(cases, faults, state, pool)
        judge = Judge(cases, {case: (s, set(reached)) for case, (s, reached) in state.healthy.items()},
                      planted["survivors"])
        waiting = [f for f in there if f["identity"] not in state.verdicts]
        print(f"{len(there)} faults, {len(there) - len(waiting)} of them judged before", flush=True)
        running = {pool.submit(judge.verdict, fault): fault for fault in waiting}
        for future in concurrent.futures.as_completed(running):
            fault = running[future]
            state.verdicts[fault["identity"]] = future.result()
            state.save()
            print(f"{fault['name']}: {future.result()}", flush=True)
    summarize(there, state.verdicts, planted["survivors"], len(chosen) - len(there),
              time.monotonic() - start)


if __name__ == "__main__":
    main()
