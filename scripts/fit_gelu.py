#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of src/cpu/simd/gelu.hpp.

usage: fit_gelu.py > src/cpu/simd/gelu_tables.hpp

gelu(x) = x * gate(x). Each table has, for 32 intervals of t = |x| around t = i * width, the
coefficients of a polynomial of degree 6 in t - i * width that interpolates gate(-t) in Chebyshev
nodes: coefficient by coefficient, interval by interval. The worst relative error of each, in units
of 2^-24, goes to stderr; half of such a unit is the rounding of the first coefficient.
"""
import math
import struct
import sys

INTERVALS, DEGREE = 32, 6


def rounded(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def erf_gate(t):
    return 0.5 * math.erfc(t / math.sqrt(2))


def tanh_gate(t):
    return 1 / (1 + math.exp(2 * math.sqrt(2 / math.pi) * (t + 0.044715 * t**3)))


def interpolated(gate, center, width):
    """Coefficients of powers of t - center, by divided differences."""
    count = DEGREE + 1
    nodes = [width / 2 * math.cos(math.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    differences = [gate(center + x) for x in nodes]
    for j in range(1, count):
        for i in range(count - 1, j - 1, -1):
            rise = differences[i] - differences[i - 1]
            differences[i] = rise / (nodes[i] - nodes[i - j])
    powers = [differences[-1]]
    for i in range(count - 2, -1, -1):
        shifted = [0.0] + powers
        for k, a in enumerate(powers):
            shifted[k] -= a * nodes[i]
        shifted[0] += differences[i]
        powers = shifted
    return [rounded(c) for c in powers]


def worst_error(gate, rows, width):
    worst = 0.0
    for i, row in enumerate(rows):
        for step in range(-100, 101):
            t = i * width + width * step / 200
            value = 0.0
            for c in reversed(row):
                value = value * (t - i * width) + c
            worst = max(worst, abs(value / gate(t) - 1) if t >= 0 else 0.0)
    return worst * 2**24


def table(name, gate, width):
    rows = [interpolated(gate, i * width, width) for i in range(INTERVALS)]
    print(f"{name}: {worst_error(gate, rows, width):.2f}", file=sys.stderr)
    print(f"alignas(64) inline constexpr f32 {name}[{DEGREE + 1}][{INTERVALS}] = {{")
    for k in range(DEGREE + 1):
        print("    {" + ", ".join(f"{row[k]:.9g}f" if "." in f"{row[k]:.9g}" or "e" in f"{row[k]:.9g}"
                                  else f"{row[k]:.1f}f" for row in rows) + "},")
    print("};")


print("// SPDX-License-Identifier: Apache-2.0")
print("// Made by scripts/fit_gelu.py, which says what is in it.")
print("#pragma once\n")
print('#include "common/plain_types.hpp"\n')
print("namespace dnnl::impl::cpu {\n")
table("gelu_erf_gates", erf_gate, 21 / 128)
print()
table("gelu_tanh_gates", tanh_gate, 21 / 128)
print("\n} // namespace dnnl::impl::cpu")
