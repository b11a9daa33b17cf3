#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the table of doc/performance.md as doc/pictures/performance.svg: a row of dots for each family, on a
logarithmic scale.

usage: plot_performance.py [--check]
"""
import math
import pathlib
import sys

DOC = pathlib.Path(__file__).resolve().parent.parent / "doc"
PICTURE = DOC / "pictures/performance.svg"
TYPES = (("f32", "#3465a4"), ("bf16", "#b5761a"), ("8-bit integers", "#4e9a06"))
LEFT, RIGHT, ROW, TOP = 330, 40, 22, 56
LEAST, LARGEST = 0.5, 4.0


def families():
    rows = []
    for line in (DOC / "performance.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0] not in ("family", "---"):
            rows.append((cells[0], [float(c) if c else None for c in cells[2:]]))
    return rows


def drawn(rows, width=760):
    def x(ratio):
        share = math.log(min(max(ratio, LEAST), LARGEST) / LEAST) / math.log(LARGEST / LEAST)
        return LEFT + share * (width - LEFT - RIGHT)

    height = TOP + ROW * len(rows) + 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           'font-size="13">', f'<rect width="{width}" height="{height}" fill="#fff" rx="8"/>']
    for i, (name, color) in enumerate(TYPES):
        out.append(f'<circle cx="{LEFT + 10 + i * 90}" cy="18" r="5" fill="{color}"/>'
                   f'<text x="{LEFT + 20 + i * 90}" y="22" fill="#222">{name}</text>')
    for tick in (0.5, 0.7, 1, 1.5, 2, 3, 4):
        strong = tick == 1
        out.append(f'<path d="M{x(tick):.1f} {TOP - 8} V{height - 34}" stroke="{"#222" if strong else "#ddd"}"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 16}" text-anchor="middle" fill="#222">{tick:g}</text>')
    out.append(f'<text x="{x(1) - 8:.1f}" y="{TOP - 14}" text-anchor="end" fill="#555">slower</text>'
               f'<text x="{x(1) + 8:.1f}" y="{TOP - 14}" fill="#555">faster than oneDNN 3.13.1</text>')
    for i, (name, ratios) in enumerate(rows):
        y = TOP + ROW * i + 10
        short = name.split(" (")[0]
        out.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end" fill="#222">{short}</text>')
        for (_, color), ratio in zip(TYPES, ratios):
            if ratio is None:
                continue
            beyond = f'<text x="{x(ratio) + 8:.1f}" y="{y + 4}" fill="{color}">{ratio:g}</text>' \
                if ratio > LARGEST else ""
            out.append(f'<circle cx="{x(ratio):.1f}" cy="{y}" r="5" fill="{color}" fill-opacity="0.85"/>{beyond}')
    return "\n".join(out + ["</svg>", ""])


def main():
    made = drawn(families())
    if "--check" in sys.argv[1:]:
        if not PICTURE.exists() or PICTURE.read_text() != made:
            sys.exit(f"{PICTURE} is not what the table says: scripts/plot_performance.py")
        return
    PICTURE.write_text(made)


if __name__ == "__main__":
    main()
