#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of doc/primitives: types, attributes, layouts and results in place of each primitive, as
the library answers when it is asked (tests/facts).

usage: primitive_pages.py <dnnl-facts> [--check]
--check exits with 1 where a page differs from the answers, or where a page or its tables are missing.
"""
import collections
import json
import pathlib
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parent.parent / "doc/primitives"
BEGIN, END = "<!-- tables: scripts/primitive_pages.py -->\n", "<!-- end of the tables -->\n"
ORDER = ["f32", "bf16", "f16", "f8_e5m2", "f8_e4m3", "f64", "s32", "s8", "u8", "s4", "u4", "f4_e2m1",
         "f4_e3m0", "e8m0"]


def listed(names):
    """Types in a fixed order, joined."""
    return ", ".join(sorted(names, key=ORDER.index))


def blocks(combinations):
    """The combinations as few products of sets: those of the last tensor that all types of a set of the
    tensors before it share, and so on."""
    if len(next(iter(combinations))) == 1:
        return [(frozenset(c[0] for c in combinations),)]
    rests = collections.OrderedDict()
    for first, *rest in combinations:
        rests.setdefault(first, set()).add(tuple(rest))
    shared = collections.OrderedDict()
    for first, rest in rests.items():
        shared.setdefault(frozenset(rest), []).append(first)
    return [(frozenset(first), *block) for rest, first in shared.items()
            for block in blocks(sorted(rest, key=lambda c: [ORDER.index(t) for t in c]))]


def joined(found):
    """Blocks that differ in one tensor alone become one."""
    found = list(found)
    for i, a in enumerate(found):
        for b in found[i + 1:]:
            differing = [k for k, (x, y) in enumerate(zip(a, b)) if x != y]
            if len(differing) == 1:
                k = differing[0]
                one = a[:k] + (a[k] | b[k],) + a[k + 1:]
                return joined([one if c is a else c for c in found if c is not b])
    return found


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + ":--|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def types(subject):
    found = joined(blocks([tuple(c) for c in subject["types"]]))
    return table(subject["tensors"], [[listed(names) for names in block] for block in found])


def masks(entry):
    names = entry["dimensions"]
    if len(entry["masks"]) == 1 << len(names):
        text = "every mask"
    else:
        text = ", ".join(f"{mask} (" + (" and ".join(n for d, n in enumerate(names) if mask >> d & 1)
                         if mask else "one value") + ")" for mask in entry["masks"])
    if entry["groups"]:
        text += "; groups as " + " or ".join(entry["groups"])
    return text


def quantization(subject, kind, word):
    """Rows of the masks and types of `kind`, one for each tensor and set of configurations."""
    rows = []
    for configuration in subject["attributes"]:
        for entry in configuration[kind]:
            values = listed(entry["types"]) + (", host scalar" if entry["host"] else "")
            row = [f"{word} of {entry['tensor']}", masks(entry), values]
            same = [r for r in rows if r[0] == row[0] and r[2:] == row[1:]]
            if same:
                same[0][1].append(configuration["types"])
            else:
                rows.append([row[0], [configuration["types"]], *row[1:]])
    every = [c["types"] for c in subject["attributes"]]
    return [[r[0], "all" if r[1] == every and len(every) > 1 else ", ".join(r[1]), *r[2:]] for r in rows]


def attributes(subject):
    rows = quantization(subject, "scales", "scales") + quantization(subject, "zero_points", "zero points")
    text = "Quantisation:\n\n" + table(["attribute", "types of the tensors", "masks", "types of the values"], rows) \
        if rows else "No scales and zero points.\n"
    for word, kind in (("Post-ops", "post_ops"), ("Also", "others")):
        answers = collections.OrderedDict()
        for c in subject["attributes"]:
            answers.setdefault(", ".join(c[kind]), []).append(c["types"])
        if list(answers) == [""]:
            text += "\nNo post-ops.\n" if kind == "post_ops" else ""
        elif len(answers) == 1:
            text += f"\n{word}: {next(iter(answers))}.\n"
        else:
            for answer, names in answers.items():
                text += f"\n{word} ({', '.join(names)}): {answer or 'none'}.\n"
    return text


def layouts(subject):
    found = subject["layouts"]
    text = "\nLayout `any`: " + (", ".join(found["any"]) or "none") + ".\n"
    if found["in_place"]:
        text += "\nIn place: " + ", ".join(f"{o} may be the buffer of {i}" for o, i in found["in_place"]) \
            + ", where both have one type and one layout.\n"
    else:
        text += "\nIn place: no.\n"
    return text


def tables(subjects):
    """One part for each direction; directions of equal answers share one."""
    parts = collections.OrderedDict()
    for subject in subjects:
        body = "Types:\n\n" + types(subject) + "\n" + attributes(subject) + layouts(subject)
        parts.setdefault(body, []).append(subject["direction"])
    return "".join("\n### " + '; '.join(names).capitalize() + f"\n\n{body}" for body, names in parts.items()) + "\n"


def main():
    program, check = sys.argv[1], "--check" in sys.argv[2:]
    done = subprocess.run([program], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program}: {done.stderr}")
    by_page, wrong = collections.OrderedDict(), 0
    for subject in json.loads(done.stdout):
        by_page.setdefault(subject["page"], []).append(subject)
    for name, subjects in by_page.items():
        page = PAGES / f"{name}.md"
        text = page.read_text() if page.exists() else ""
        if BEGIN not in text or END not in text:
            print(f"{page}: no place for tables ({BEGIN.strip()} ... {END.strip()})")
            wrong += 1
            continue
        made = text[:text.index(BEGIN)] + BEGIN + tables(subjects) + text[text.index(END):]
        if made != text and check:
            print(f"{page}: its tables are not what the library answers: scripts/primitive_pages.py {program}")
            wrong += 1
        elif made != text:
            page.write_text(made)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
