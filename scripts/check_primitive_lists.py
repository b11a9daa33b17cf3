#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the lists of the tests name every primitive of include/dnnl/dnnl_types.h: most tests
miss nothing when a primitive is not listed. CONTRIBUTING.md ("A primitive") says what goes where.

    check_primitive_lists.py [folder of the project]
"""
import pathlib
import re
import sys

# The names of primitives in the language of the conformance program, where they are others.
DRIVERS = {"batch_normalization": "bnorm", "convolution": "conv", "deconvolution": "deconv",
           "group_normalization": "gnorm", "inner_product": "ip", "layer_normalization": "lnorm",
           "pooling": "pool"}
# What the C functions of recurrent networks are called.
CELLS = {"rnn": "vanilla_rnn|rnn|lstm|gru"}

# A file, how it names a primitive ({kind} or {driver}), and the primitives that it need not name: they
# share the code that the file tests with one that it names, or have nothing of what it tests.
LISTS = [
    ("tests/conformance/cases/support.txt", r"--{driver}\b", set()),
    ("tests/conformance/cases/planted_error.txt", r"--{driver}\b", set()),
    ("tests/conformance/cases/threads.txt", r"--{driver}\b", set()),
    ("tests/conformance/cases/threads_wide.txt", r"--{driver}\b", set()),
    ("tests/conformance/language/knobs.cpp", r"\b{driver}\b", set()),
    ("tests/conformance/case_language_test.cpp", r"\b{driver}\b", set()),
    ("tests/conformance/execution/random_cases.cpp", r"\b{driver}\b", set()),
    ("tests/conformance/oracle/problem.cpp", r"\b{driver}\b", set()),
    ("tests/conformance/required_rows", r"\b{driver}\b", set()),
    ("tests/api/every_function.c", r"dnnl_({kind})_\w*primitive_desc_create", set()),
    ("tests/api/every_descriptor.cpp", r"descriptor<({kind})", {"reorder"}),
    ("tests/api/enum_values.cpp", r"\bdnnl_{name}\b", set()),
    ("tests/api/enumerator_names.cpp", r"EXPECT_NAME\(dnnl_, {name}\)", set()),
    ("tests/api/cpp_enums.cpp", r"\b{name}\b", set()),
    ("tests/api/call_primitives.cpp", r"\bdnnl_{name}\b", {"rnn"}),
    ("tests/api/misuse_of_every_argument.cpp", r"\b({kind})", set()),
    ("tests/api/memory_views.cpp", r"\b({kind})", {"batch_normalization", "group_normalization"}),
    ("tests/api/chosen_layouts.cpp", r"\b({kind})",
     {"reorder", "deconvolution", "rnn", "matmul", "layer_normalization"}),
    ("tests/api/large_strides.cpp", r"\b({kind})", {"rnn", "group_normalization"}),
    ("tests/api/scaled_primitives.hpp", r"\b({kind})", {"deconvolution", "prelu", "group_normalization"}),
    ("tests/unit/attribute_support.cpp", r"\b({kind})",
     {"shuffle", "deconvolution", "lrn", "batch_normalization", "resampling", "reduction", "prelu",
      "layer_normalization", "group_normalization"}),
    ("doc/primitives/README.md", r"\({name}\.md\)", set()),
    ("examples/CMakeLists.txt", r"\b{name}\b", set()),
]


def primitives(root):
    text = (root / "include/dnnl/dnnl_types.h").read_text()
    kinds = re.search(r"dnnl_undefined_primitive(.*?)dnnl_primitive_kind_max", text, re.S)[1]
    return [k for k in re.findall(r"\bdnnl_(\w+) = \d+", kinds) if k != "gemm"]


def missing(root):
    for path, pattern, exempt in LISTS:
        text = (root / path).read_text()
        for name in primitives(root):
            wanted = pattern.format(name=name, kind=CELLS.get(name, name), driver=DRIVERS.get(name, name))
            if name not in exempt and not re.search(wanted, text):
                yield f"{path} does not name {name}"
    for name in primitives(root):
        cases = f"tests/conformance/cases/{DRIVERS.get(name, name)}.txt"
        if not (root / cases).is_file():
            yield f"{cases} is missing"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(missing(root))
    print("\n".join(found + [f"{len(primitives(root))} primitives in {len(LISTS)} lists, {len(found)} missing"]))
    sys.exit(bool(found))


main()
