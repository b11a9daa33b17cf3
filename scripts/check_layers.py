#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include against the dependency rule (doc/architecture.md); prints each violation.

usage: check_layers.py [project root]
"""

import re
import sys
from pathlib import Path

CONFIGURED = {"dnnl/dnnl_config.h", "dnnl/dnnl_version.h", "dnnl/dnnl_version_hash.h"}
PLAIN = r"<(cstdint|cstddef)>"
STANDARD = r"<[a-z0-9_]+>|<(assert|errno|float|limits|math|signal|stddef|stdint|stdio|stdlib|string|time)\.h>"
SYSTEM = r"<(sys/\w+|unistd|pthread|sched|dlfcn|fcntl|regex|strings)\.h>"  # the operating system
C_API = r"include/dnnl/\w+\.h"
COMMON = r"src/common/.*"

# What a file may include, as patterns of "path from the root" or "<header>". The first rule whose
# pattern matches the whole path of the file holds.
RULES = [
    (r"include/dnnl/\w+\.h(\.in)?", ["<std(def|int).h>", C_API]),
    (r"include/dnnl/.*", [STANDARD, r"include/dnnl/.*"]),
    (r"src/common/plain_types\.hpp", [PLAIN]),
    (r"src/common/isa\.cpp", [STANDARD, SYSTEM, r"<(fmt/.*|cpuid\.h|immintrin\.h)>", C_API, COMMON]),
    (r"src/common/(parallel.*|c_api/.*threadpool.*)",
     [STANDARD, SYSTEM, r"<(fmt/.*|omp\.h|tbb/.*|oneapi/tbb.*|sanitizer/tsan_interface\.h)>", C_API, COMMON,
      r"include/dnnl/dnnl_threadpool_iface\.hpp"]),
    (r"src/common/.*", [STANDARD, SYSTEM, r"<fmt/.*>", C_API, COMMON]),
    (r"src/ref/.*", [STANDARD, C_API, COMMON, r"src/ref/.*"]),
    (r"src/cpu/simd/.*", [PLAIN, r"<immintrin\.h>", r"src/cpu/simd/.*", r"src/common/plain_types\.hpp"]),
    (r"src/cpu/kernels/common_epilogue\.hpp",  # between kernels; no driver sees it
     [PLAIN, r"src/cpu/simd/vec\.hpp", r"src/cpu/kernels/kernel_types\.hpp"]),
    (r"src/cpu/kernels/.*\.hpp",
     [PLAIN, r"src/cpu/kernels/kernel_types\.hpp", r"src/common/plain_types\.hpp"]),
    (r"src/cpu/kernels/.*",
     [PLAIN, r"<immintrin\.h>", r"src/cpu/(simd|kernels)/.*\.hpp", r"src/common/plain_types\.hpp"]),
    (r"src/cpu/.*", [STANDARD, C_API, COMMON, r"src/cpu/[^/]*\.hpp",
                     r"src/cpu/kernels/(?!common_epilogue).*\.hpp"]),
    (r"src/implementations\.cpp",
     [STANDARD, r"src/common/implementation\.hpp", r"src/ref/reference\.hpp", r"src/cpu/cpu\.hpp"]),
    (r"bench/(peak|gemm_kernel)\.cpp",  # of kernels, below the public API
     [STANDARD, r"src/common/.*", r"src/cpu/kernels/.*\.hpp", r"bench/.*"]),
    (r"(tests/(conformance|support)|examples|bench)/.*",
     [r"<.*>", r"include/.*", r"(tests/(conformance|support)|examples|bench)/.*"]),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|(<[^>]+>))')


def resolve(root, file, name):
    """The path from the root of a project header, or "<name>" of any other header."""
    bare = name.strip("<>")
    if bare in CONFIGURED or bare.removeprefix("oneapi/") in CONFIGURED:
        return "include/dnnl/" + Path(bare).name
    places = [root / top for top in ("src", "include", "tests", "tests/conformance", ".")]
    for place in [file.parent] * (name == bare) + places:
        if (place / bare).is_file():
            return (place / bare).resolve().relative_to(root).as_posix()
    return name if name != bare else None


def violations(root, file):
    path = file.relative_to(root).as_posix()
    allowed = next((rule for pattern, rule in RULES if re.fullmatch(pattern, path)), None)
    if allowed is None:
        if path.startswith("src/"):
            yield f"{path}: no rule covers this file"
        return
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = resolve(root, file, match[1] or match[2])
        if target is None:
            yield f"{path}:{number}: no such header: {match[1]}"
        elif not any(re.fullmatch(pattern, target) for pattern in allowed):
            yield f"{path}:{number}: may not include {target}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found, files = [], 0
    for top in ["src", "include/dnnl", "tests/conformance", "tests/support", "examples", "bench"]:
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".hpp", ".c", ".cpp") or file.name.endswith(".h.in"):
                files += 1
                found += violations(root, file)
    print("\n".join(found) or f"{files} files keep to the layers")
    sys.exit(1 if found else 0)


main()
