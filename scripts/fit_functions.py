#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of src/cpu/simd/table_functions.hpp.

usage: fit_functions.py > src/cpu/simd/function_tables.hpp

Each table has, for 32 intervals, the coefficients of a polynomial of degree 6 that interpolates a
function in Chebyshev nodes: coefficient by coefficient, interval by interval.

- gelu(x) = x * gate(x), and its derivative: intervals of t = |x| around t = i * width, polynomials in
  t - i * width of gate(-t) and of gelu'(-t).
- tanh: intervals from b = 2^e or 1.5 * 2^e on to the next such number, 2^-12 <= b <= 12, polynomials
  in t - b; the interval of b is the remainder of the upper ten bits of b by 32.

The worst relative error of each table, in units of 2^-24, goes to stderr; half of such a unit is the
rounding of the first coefficient. gelu' has a zero at -0.75: its errors count relative to 0.05 at
least.
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


def erf_slope(t):
    return erf_gate(t) - t * math.exp(-t * t / 2) / math.sqrt(2 * math.pi)


def tanh_slope(t):
    rise = 2 * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * t * t)
    return tanh_gate(t) * (1 - t * rise * (1 - tanh_gate(t)))


def interpolated(function, begin, first, last):
    """Coefficients of powers of t - begin for first <= t - begin <= last, by divided differences."""
    count = DEGREE + 1
    angles = [math.pi * (2 * i + 1) / (2 * count) for i in range(count)]
    nodes = [(first + last) / 2 + (last - first) / 2 * math.cos(a) for a in angles]
    differences = [function(begin + x) for x in nodes]
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


def worst_error(function, intervals, rows, least):
    worst = 0.0
    for (begin, first, last), row in zip(intervals, rows):
        for step in range(201):
            x = first + (last - first) * step / 200
            if begin + x < 0:
                continue
            value = 0.0
            for c in reversed(row):
                value = value * x + c
            exact = function(begin + x)
            worst = max(worst, abs(value - exact) / max(abs(exact), least))
    return worst * 2**24


def bits(x):
    return f"0x{struct.unpack('<I', struct.pack('<f', x))[0]:08x}"


def table(name, function, intervals, least=0.0):
    rows = [interpolated(function, *interval) for interval in intervals]
    print(f"{name}: {worst_error(function, intervals, rows, least):.2f}", file=sys.stderr)
    numbers = ", ".join(bits(row[k]) for k in range(DEGREE + 1) for row in rows)
    print(f"alignas(64) inline constexpr std::uint32_t {name}[{DEGREE + 1} * {INTERVALS}] = {{{numbers}}};\n")


def tanh_interval(place):
    """From 6 on the places are those of 2^-12, 1.5 * 2^-12 ...; before them come the last ones."""
    number = (place - 6) % 32
    begin = 2.0 ** (number // 2 - 12) * (1.5 if number % 2 else 1.0)
    return begin, 0.0, begin / (3 if number % 2 else 2)


print("// SPDX-License-Identifier: Apache-2.0")
print("// Made by scripts/fit_functions.py, which says what is in it. The numbers are the bits of f32.")
print("#pragma once\n")
print('#include "common/plain_types.hpp"\n')
print("namespace dnnl::impl::cpu {\n")
WIDTH = 21 / 128
around = [(i * WIDTH, -WIDTH / 2, WIDTH / 2) for i in range(INTERVALS)]
table("gelu_erf_gates", erf_gate, around)
table("gelu_tanh_gates", tanh_gate, around)
table("gelu_erf_slopes", erf_slope, around, 0.05)
table("gelu_tanh_slopes", tanh_slope, around, 0.05)
table("tanh_parts", math.tanh, [tanh_interval(i) for i in range(INTERVALS)])
print("} // namespace dnnl::impl::cpu")
