#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every row of tests/api/misuse_rows.txt is tested by the file that it names.

usage: check_misuse_rows.py [project root]

A line of the list is `id | status | file`. A file tests a row when the id stands in one of its
strings or comments, or in the name of a test case (with _ for -). `-` instead of a file marks a row
without a test; the list says why.
"""
import re
import sys
from pathlib import Path


def is_tested(row, text):
    name = re.escape(row.replace("-", "_"))
    quoted = rf'(["]|//)[^\n]*(?<![A-Za-z0-9]){re.escape(row)}(?![0-9])'
    case = rf"(TEST_CASE\(|define )\w*(?<![A-Z0-9]){name}(?![0-9])"
    return re.search(quoted, text) or re.search(case, text)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    texts, rows, open_rows, failures = {}, set(), 0, 0
    for line in (root / "tests/api/misuse_rows.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        row, _, place = (cell.strip() for cell in line.split("|"))
        if row in rows:
            print(f"{row}: listed twice")
            failures += 1
        rows.add(row)
        if place.startswith("-"):
            open_rows += 1
            continue
        if place not in texts:
            path = root / "tests" / place
            texts[place] = path.read_text() if path.exists() else ""
        if not is_tested(row, texts[place]):
            print(f"{row}: tests/{place} has no such row")
            failures += 1
    print(f"{len(rows)} rows, {open_rows} without a test, {failures} failures")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
