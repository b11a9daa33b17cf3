#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the node tests of the installed onnx package into a folder: one folder per test with
model.onnx, input_K.pb and output_K.pb.

    export_node_tests.py FOLDER
"""
import pathlib
import sys

import numpy

# onnx 1.12 uses names that numpy 1.24 no longer has.
for name, kind in (("float", float), ("int", int), ("bool", bool), ("object", object),
                   ("complex", complex), ("str", str)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

import onnx  # noqa: E402
from onnx import numpy_helper  # noqa: E402
from onnx.backend.test.case import node  # noqa: E402


RANDOM = ("test_bernoulli", "test_training_dropout")  # no two generators give the same numbers


def to_tensor(value, info):
    """A TensorProto, or None for values that are no tensors of numbers."""
    name = info.name
    if isinstance(value, onnx.TensorProto):
        return value if value.data_type != onnx.TensorProto.STRING else None
    if isinstance(value, (list, dict)) or value is None:
        return None
    array = numpy.asarray(value)
    if array.dtype.kind in "OUSc":
        return None
    tensor = numpy_helper.from_array(array, name)
    if info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
        tensor.data_type = onnx.TensorProto.BFLOAT16  # numpy has their bits as u16
    return tensor


def export(case, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    if case.name.startswith(RANDOM) and "zero_ratio" not in case.name:
        (folder / "unsupported").write_text("results that are random cannot be compared\n")
        return
    inputs, outputs = case.data_sets[0]
    graph = case.model.graph
    for prefix, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
        for k, (value, info) in enumerate(zip(values, infos)):
            tensor = to_tensor(value, info)
            if tensor is None:
                kind = "strings" if "tensor_type" in str(info.type)[:12] else "sequences or optional values"
                (folder / "unsupported").write_text(f"values that are {kind}\n")
                return
            (folder / f"{prefix}_{k}.pb").write_bytes(tensor.SerializeToString())


def main():
    folder = pathlib.Path(sys.argv[1])
    try:
        cases = node.collect_testcases(None)
    except TypeError:
        cases = node.collect_testcases()
    seen = {}
    for case in cases:  # two tests share a name with others
        seen[case.name] = seen.get(case.name, 0) + 1
        suffix = f".{seen[case.name]}" if seen[case.name] > 1 else ""
        export(case, folder / (case.name + suffix))
    print(f"{len(cases)} tests in {folder}")


main()
