#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes ONNX's node tests and runs them: node_tests.sh FOLDER PROGRAM LEAST_PASSED. 77: there is no
# onnx package for Python.
set -e
/usr/bin/python3 -c 'import onnx.backend.test.case.node' 2> /dev/null || exit 77
rm -rf "$1"
/usr/bin/python3 "$(dirname "$0")/export_node_tests.py" "$1"
"$2" "$1" "$3"
