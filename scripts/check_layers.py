#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include against the dependency rule (doc/architecture.md), how many files the folders of
src hold, and that no two of them include each other; prints each violation.

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
COMMON = r"src/common/(?!c_api/).*"

# The folders of a part of the tree, each with those of the same part that it may include. A folder
# may include itself, and files that lie in no folder of the part.
FOLDERS = {
    "src/common": {
        "runtime": "",
        "layout": "runtime",
        "attributes": "layout runtime",
        "descriptors": "attributes layout runtime",
        "verbose": "descriptors attributes layout runtime",
        "plan": "verbose descriptors attributes layout runtime",
        "c_api": "plan verbose descriptors attributes layout runtime",
    },
    "src/cpu": {
        "simd": "",
        "kernels": "simd",
        "layout": "kernels",
        "walk": "kernels",
        "epilogue": "layout walk kernels",
        "gemm": "kernels",
        "window": "epilogue layout walk kernels",
        "attention": "gemm layout kernels",
        "matmul": "gemm window epilogue layout walk kernels",
        "convolution": "gemm window epilogue layout walk kernels",
        "pooling": "window epilogue layout walk kernels",
        "normalization": "epilogue layout walk kernels",
        "rnn": "gemm epilogue layout walk kernels",
        "elementwise": "epilogue layout walk kernels",
        "movement": "gemm layout walk kernels",
    },
    "src/cpu/kernels": {
        "movement": "",
        "epilogue": "movement",
        "convolution": "epilogue movement",
        "elementwise": "epilogue movement",
        "gemm": "epilogue movement",
        "normalization": "epilogue movement",
        "pooling": "epilogue movement",
        "rnn": "epilogue movement",
    },
    "src/cpu/convolution": {"depthwise": "", "lines": "", "weights": ""},
    "src/common/descriptors": {"mappings": "", "products": ""},
    "tests/conformance": {
        "language": "",
        "oracle": "language",
        "report": "language",
        "execution": "oracle report language",
    },
}

# Headers of kernels that no driver sees.
OF_KERNELS_ALONE = (r"elementwise/(any_row|softmax_results)|epilogue/(common_epilogue|row_values)"
                    r"|gemm/(finish_tile|tile_shapes|tile_sums|wide_bytes)"
                    r"|convolution/depthwise_(blocks|tile)|pooling/pool_elements|normalization/terms")

# What a file may include, as patterns of "path from the root" or "<header>". The first rule whose
# pattern matches the whole path of the file holds.
RULES = [
    (r"include/dnnl/\w+\.h(\.in)?", ["<std(def|int).h>", C_API]),
    (r"include/dnnl/.*", [STANDARD, r"include/dnnl/.*"]),
    (r"src/common/plain_types\.hpp", [PLAIN]),
    (r"src/common/runtime/cpu_features\.cpp", [STANDARD, SYSTEM, r"<cpuid\.h>", C_API, COMMON]),
    (r"src/common/(runtime/(parallel|stream_queue).*|c_api/.*threadpool.*)",
     [STANDARD, SYSTEM, r"<(fmt/.*|omp\.h|tbb/.*|oneapi/tbb.*|sanitizer/tsan_interface\.h)>", C_API, r"src/common/.*",
      r"include/dnnl/dnnl_threadpool_iface\.hpp"]),
    (r"src/common/.*", [STANDARD, SYSTEM, r"<fmt/.*>", C_API, r"src/common/.*"]),
    (r"src/ref/.*", [STANDARD, C_API, COMMON, r"src/ref/.*"]),
    (r"src/cpu/simd/.*", [PLAIN, r"<immintrin\.h>", r"src/cpu/simd/.*", r"src/common/plain_types\.hpp"]),
    (rf"src/cpu/kernels/({OF_KERNELS_ALONE})\.hpp",
     [PLAIN, r"src/cpu/simd/(block|vec|dot_bytes|convert|store_pair)\.hpp",
      r"src/cpu/kernels/(epilogue/(epilogue_rows|common_epilogue|row_values)|movement/movement|gemm/gemm_block"
      r"|convolution/depthwise(_tile)?)\.hpp"]),
    (r"src/cpu/kernels/.*\.hpp",
     [PLAIN, r"src/cpu/kernels/(gemm/gemm_block|epilogue/epilogue_rows|movement/movement)\.hpp",
      r"src/common/plain_types\.hpp"]),
    (r"src/cpu/kernels/.*",
     [PLAIN, r"<immintrin\.h>", r"src/cpu/(simd|kernels)/.*\.hpp", r"src/common/plain_types\.hpp"]),
    (r"src/cpu/.*", [STANDARD, C_API, COMMON, r"src/cpu/(?!simd/|kernels/).*\.hpp",
                     rf"src/cpu/kernels/(?!({OF_KERNELS_ALONE})\.hpp).*\.hpp"]),
    (r"src/implementations\.cpp",
     [STANDARD, r"src/common/(plan/implementation|runtime/settings)\.hpp", r"src/ref/reference\.hpp",
      r"src/cpu/(cpu|kernels/select)\.hpp"]),
    (r"bench/(peak|gemm_kernel|blocking|cache_model|random_operand)\.[ch]pp",  # of kernels, below the public API
     [STANDARD, r"src/common/.*", r"src/cpu/(kernels/.*|gemm/gemm)\.hpp", r"bench/.*"]),
    # Models of machines, which know nothing of the library, serve the tests and the examples alike.
    (r"examples/techniques/.*",
     [r"<.*>", r"include/.*", r"examples/.*", r"tests/models/(dsp_slice|packed_64)\.hpp"]),
    (r"(tests/(conformance|support)|examples|bench)/.*",
     [r"<.*>", r"include/.*", r"(tests/(conformance|support)|examples|bench)/.*"]),
]
# Files in a folder of src: at most so many; and how many folders may have more than what is usual.
MOST_FILES, USUAL_FILES, LARGE_FOLDERS = 18, 16, 3
# Lists that cmake makes in the build folder, included by one source each.
GENERATED = {"format_tag_names.inc"}
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


def crosses(path, target):
    """True when FOLDERS does not let the file at `path` include `target`."""
    for part, folders in FOLDERS.items():
        if not (path.startswith(part + "/") and target.startswith(part + "/")):
            continue
        here, there = (p[len(part) + 1:].split("/")[0] for p in (path, target))
        if here in folders and there in folders and there not in [here, *folders[here].split()]:
            return True
    return False


def unknown_folder(path):
    """The folder of `path` that FOLDERS does not list, if any."""
    for part, folders in FOLDERS.items():
        rest = path[len(part) + 1:].split("/") if path.startswith(part + "/") else []
        if len(rest) > 1 and rest[0] not in folders and path.endswith("pp"):
            return f"{part}/{rest[0]}"
    return None


def shape_of_folders(root):
    """The folders of src that hold too many sources, and those that include each other."""
    included, sources = {}, {}
    for file in sorted((root / "src").rglob("*.?pp")):
        here = file.parent.relative_to(root).as_posix()
        sources[here] = sources.get(here, 0) + 1
        for match in map(INCLUDE.match, file.read_text(encoding="utf-8").splitlines()):
            target = match and match[1] and resolve(root, file, match[1])
            if target:
                included.setdefault(here, set()).add(Path(target).parent.as_posix())
    large = {folder: count for folder, count in sources.items() if count > USUAL_FILES}
    yield from (f"{folder}: {count} files, at most {MOST_FILES}" for folder, count in large.items()
                if count > MOST_FILES)
    if len(large) > LARGE_FOLDERS:
        yield f"more than {LARGE_FOLDERS} folders have more than {USUAL_FILES} files: {', '.join(large)}"
    yield from (f"{a} and {b} include each other" for a in included for b in included[a]
                if a < b and a in included.get(b, ()))


def violations(root, file):
    path = file.relative_to(root).as_posix()
    allowed = next((rule for pattern, rule in RULES if re.fullmatch(pattern, path)), None)
    if allowed is None:
        if path.startswith("src/"):
            yield f"{path}: no rule covers this file"
        return
    if folder := unknown_folder(path):
        yield f"{path}: FOLDERS in this script does not say what {folder} may include"
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        if match[1] in GENERATED:
            continue
        target = resolve(root, file, match[1] or match[2])
        if target is None:
            yield f"{path}:{number}: no such header: {match[1]}"
        elif crosses(path, target) or not any(re.fullmatch(pattern, target) for pattern in allowed):
            yield f"{path}:{number}: may not include {target}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found, files = list(shape_of_folders(root)), 0
    for top in ["src", "include/dnnl", "tests/conformance", "tests/support", "examples", "bench"]:
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".hpp", ".c", ".cpp") or file.name.endswith(".h.in"):
                files += 1
                found += violations(root, file)
    print("\n".join(found) or f"{files} files keep to the layers")
    sys.exit(1 if found else 0)


main()
