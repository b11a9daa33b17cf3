#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which functions of the library the object files of a program call: those of the interface
level that the program is written for and of earlier ones, and at least one of that level itself.

usage: check_references.py <nm> <level> <object file>...     a level: 3.7, 3.9, 3.10, 3.11 or 3.13

Objects whose names end in .cpp.o are of C++. What the classes call for every memory and for grouped
scales is the newest function for the purpose at any level, so these calls count as those of 3.7.
"""
import subprocess
import sys

LEVELS = ["3.7", "3.9", "3.10", "3.11", "3.13"]

# Functions by the level that brought them; all others were there in 3.7. 3.13 brought none.
SINCE = {
    "3.9": """
        dnnl_memory_desc_create_with_csr_encoding dnnl_memory_desc_create_with_coo_encoding
        dnnl_memory_desc_create_with_packed_encoding dnnl_memory_desc_query_v2
        dnnl_memory_desc_get_size_v2 dnnl_memory_create_v2 dnnl_memory_map_data_v2
        dnnl_memory_unmap_data_v2 dnnl_memory_get_data_handle_v2 dnnl_memory_set_data_handle_v2
        dnnl_post_ops_append_binary_v2 dnnl_post_ops_get_params_binary_v2 dnnl_sparse_encoding2str
        """,
    "3.10": """
        dnnl_memory_desc_create_host_scalar dnnl_memory_create_host_scalar
        dnnl_memory_get_host_scalar_value dnnl_memory_set_host_scalar_value
        dnnl_primitive_attr_set_scales_v2 dnnl_primitive_attr_set_zero_points_v2
        dnnl_primitive_attr_set_precomputed_reductions
        """,
    "3.11": """
        dnnl_primitive_attr_set_scales_v3 dnnl_primitive_attr_set_dropout_v2
        dnnl_primitive_attr_get_dropout_v2 dnnl_quantization_mode2str
        """,
}

BEHIND_CLASSES = set(
    """
    dnnl_memory_desc_query_v2 dnnl_memory_desc_get_size_v2 dnnl_memory_create_v2
    dnnl_memory_map_data_v2 dnnl_memory_unmap_data_v2 dnnl_memory_get_data_handle_v2
    dnnl_memory_set_data_handle_v2 dnnl_primitive_attr_set_scales_v3
    dnnl_primitive_attr_set_zero_points_v2
    """.split()
)


def calls_of(nm, path):
    lines = subprocess.run([nm, "-u", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in lines.splitlines() if line.split()[-1].startswith("dnnl_")}


def main():
    nm, level, *objects = sys.argv[1:]
    since = {name: of for of, names in SINCE.items() for name in names.split()}
    found, failures = set(), 0
    for path in objects:
        calls = calls_of(nm, path)
        if not calls:
            print(f"{path}: calls nothing of the library")
            failures += 1
        for name in calls:
            of = since.get(name, "3.7")
            if path.endswith(".cpp.o") and name in BEHIND_CLASSES:
                of = "3.7"
            found.add(of)
            if LEVELS.index(of) > LEVELS.index(level):
                print(f"{path}: a program of {level} calls {name} of {of}")
                failures += 1
    if level != "3.13" and level not in found:
        print(f"no object calls a function that {level} brought")
        failures += 1
    print(f"{len(objects)} objects of level {level}, {failures} failures")
    return 1 if failures or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
