#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the test cases of tests/api/call_*.cpp with the list of exported functions: each
function is called by exactly one of them. usage: check_calls.py <project folder>"""
import collections
import pathlib
import re
import sys

project = pathlib.Path(sys.argv[1])
listed = re.findall(r"^ *(\w+);", (project / "cmake/exports.map").read_text(), re.MULTILINE)


def plain(symbol):
    """The name of a function; that of C++ stands behind its length in the symbol."""
    mangled = re.match(r"_Z(\d+)", symbol)
    return symbol[mangled.end() :][: int(mangled[1])] if mangled else symbol


exported = {plain(symbol) for symbol in listed}
called = collections.Counter()
for source in (project / "tests/api").glob("call_*.cpp"):
    called.update(re.findall(r"^(?:CALL|NAMED)\((dnnl_\w+)", source.read_text(), re.MULTILINE))
# The functions of a thread pool exist in that build only; tests/api/threadpool.cpp calls them.
missing = {name for name in exported - set(called) if "threadpool_interop" not in name}
problems = [f"no test calls {name}" for name in sorted(missing)]
problems += [f"{name} is not exported" for name in sorted(set(called) - exported)]
problems += [f"{name} has {count} tests" for name, count in called.items() if count > 1]
print("\n".join(problems) or f"{len(called)} functions are called")
sys.exit(bool(problems))
