#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small models of the shapes that the accuracy programs take: small_models.py FOLDER."""

import pathlib
import sys

import numpy
import onnx
from onnx import helper, numpy_helper


def save(folder, name, nodes, inputs, outputs, constants):
    tensors = [numpy_helper.from_array(numpy.asarray(value), key) for key, value in constants.items()]
    graph = helper.make_graph(nodes, name, inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / (name + ".onnx")))


def floats(name, extents):
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, extents)


def main():
    folder = pathlib.Path(sys.argv[1])
    random = numpy.random.RandomState(1)

    def weights(*extents):
        return random.uniform(-0.5, 0.5, extents).astype(numpy.float32)

    # Lines of 48 pixels: one convolution over their height, 40 classes at each fourth column.
    save(folder, "reader",
         [helper.make_node("Conv", ["x", "w"], ["places"], strides=[48, 4]),
          helper.make_node("Squeeze", ["places", "axis"], ["columns"]),
          helper.make_node("Transpose", ["columns"], ["rows"], perm=[0, 2, 1]),
          helper.make_node("Softmax", ["rows"], ["y"], axis=2)],
         [floats("x", ["n", 3, 48, "w"])], [floats("y", ["n", "places", 40])],
         {"w": weights(40, 3, 48, 4), "axis": numpy.array([2])})
    (folder / "characters.txt").write_text("\n".join("abcdefghijklmnopqrstuvwxyz0123456789.,") + "\n")

    # Dark pixels, spread by a box of 9 x 25, are text.
    box = numpy.full((1, 3, 9, 25), -1 / (3 * 9 * 25), numpy.float32)
    save(folder, "detector",
         [helper.make_node("Conv", ["x", "w", "b"], ["dark"], pads=[4, 12, 4, 12]),
          helper.make_node("Mul", ["dark", "steep"], ["steeper"]),
          helper.make_node("Sigmoid", ["steeper"], ["y"])],
         [floats("x", [1, 3, "h", "w"])], [floats("y", [1, 1, "h", "w"])],
         {"w": box, "b": numpy.array([1.0], numpy.float32), "steep": numpy.float32(8)})

    # A map of a quarter of the size.
    save(folder, "coarse",
         [helper.make_node("Conv", ["x", "w"], ["y"], strides=[2, 2])],
         [floats("x", [1, 3, "h", "w"])], [floats("y", [1, 1, "h2", "w2"])], {"w": weights(1, 3, 2, 2)})

    # The louder, the more speech.
    save(folder, "hearing",
         [helper.make_node("Abs", ["samples"], ["loud"]),
          helper.make_node("MatMul", ["loud", "w"], ["sum"]),
          helper.make_node("Sigmoid", ["sum"], ["probability"]),
          helper.make_node("Identity", ["state"], ["next"])],
         [floats("samples", ["n", 576]), floats("state", [2, "n", 128]),
          helper.make_tensor_value_info("rate", onnx.TensorProto.INT64, [])],
         [floats("probability", ["n", 1]), floats("next", [2, "n", 128])],
         {"w": numpy.full((576, 1), 1 / 576, numpy.float32)})


if __name__ == "__main__":
    main()
