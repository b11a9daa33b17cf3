# SPDX-License-Identifier: Apache-2.0
"""The pictures of doc/techniques.md, drawn from the files of bench/techniques: bars in groups, as text of SVG."""
import re

COLORS = ("#3465a4", "#b5761a", "#4e9a06")
WIDTH, LABEL, BAR, GAP, TOP = 760, 250, 14, 12, 44


def bars(title, series, groups, unit, largest=None):
    """groups: (name, values, published values); a value or a published one may be None."""
    numbers = [n for _, values, published in groups for n in (*values, *published) if n is not None]
    top = largest or max(numbers)
    x = lambda n: LABEL + n / top * (WIDTH - LABEL - 90)
    height = TOP + sum(len(values) * BAR + GAP for _, values, _ in groups) + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
           f'font-size="12"><title>{title}</title>', f'<rect width="{WIDTH}" height="{height}" fill="#fff" rx="8"/>']
    legend = LABEL
    for name, color in zip(series, COLORS):
        out.append(f'<rect x="{legend}" y="12" width="12" height="12" fill="{color}"/>'
                   f'<text x="{legend + 18}" y="22" fill="#222">{name}</text>')
        legend += 34 + 7 * len(name)
    if any(p is not None for _, _, published in groups for p in published):
        out.append(f'<path d="M{legend + 6} 10 V26" stroke="#222" stroke-width="2"/>'
                   f'<text x="{legend + 14}" y="22" fill="#222">published</text>')
    y = TOP
    for name, values, published in groups:
        out.append(f'<text x="{LABEL - 10}" y="{y + len(values) * BAR / 2 + 4:g}" text-anchor="end" '
                   f'fill="#222">{name}</text>')
        for color, value, told in zip(COLORS, values, published):
            if value is not None:
                out.append(f'<rect x="{LABEL}" y="{y}" width="{x(value) - LABEL:.1f}" height="{BAR - 2}" '
                           f'fill="{color}"/><text x="{max(x(value), x(told or 0)) + 6:.1f}" y="{y + 10}" '
                           f'fill="#222">{value:.3g}{unit}</text>')
            if told is not None:
                out.append(f'<path d="M{x(told):.1f} {y - 1} V{y + BAR - 1}" stroke="#222" stroke-width="2"/>')
            y += BAR
        y += GAP
    return "\n".join(out + ["</svg>", ""])


def number(text):
    found = re.match(r"-?[0-9.]+", text)
    return float(found[0]) if found else None


def sequences(machines):
    """Products in a nanosecond of the sequences of instructions, of each machine."""
    groups = {}
    for i, m in enumerate(machines.values()):
        for c in m["claims"]:
            found = re.match(r"(.*) over f32, (\d+) bits; .* (\d+) GMAC/s", c["statement"])
            if not found:
                continue
            of_floats = float(found[3]) / number(c["figure"])
            groups.setdefault(f"f32, {found[2]} bits", [None] * len(machines))[i] = of_floats
            groups.setdefault(f"{found[1]}, {found[2]} bits", [None] * len(machines))[i] = float(found[3])
    names = [f"{m['processor']} ({m['level']})" for m in machines.values()]
    rows = [(name, values, [None] * len(values)) for name, values in groups.items()]
    return bars("Products in a nanosecond by sequences of instructions", names, rows, " GMAC/s") if rows else None


def waste(machines):
    """Wasted steps by batch, of the newest machine: they depend on lengths, not on a processor."""
    claims = list(machines.values())[-1]["claims"]
    groups = {}
    for c in claims:
        found = re.match(r"wasted steps of batches of (\d+), (static|dynamic)", c["statement"])
        if found and found[1] != "1":
            at = 0 if found[2] == "static" else 1
            group = groups.setdefault(found[1], [[None, None], [None, None]])
            group[0][at], group[1][at] = number(c["figure"]), number(c["published"])
    rows = [(f"batch {batch}", *pair) for batch, pair in groups.items()]
    return bars("Wasted steps of a decoder by batch", ["static", "dynamic"], rows, " %") if rows else None


def bits(networks):
    """Accuracy by bits of weights, activations and first layers, as they are and after fine-tuning."""
    rows = []
    for n in networks:
        if n["kind"] != "accuracy":
            continue
        rows.append((f"{n['name']}: f32", [n["f32"]], [None]))
        rows += [(f"{n['name']}: {w} bits", list(pair), [None, None]) for w, pair in n["fixed_point"].items()]
    return bars("Accuracy by bits", ["as trained", "after fine-tuning"], rows, " %", 100)
