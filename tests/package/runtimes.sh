#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library in each configuration that the default build is not, and consumes each in every
# way: static, oneTBB, sequential as a subproject, thread pool; without kernels, as another compiler
# gets it, and for another processor, run by an emulator. The last line counts the checks.
# usage: runtimes.sh <scratch folder> [configuration...]
#   configuration: static, tbb, seq, threadpool, reduced, reference, aarch64 (all without one)
set -euo pipefail
[[ $# -ge 1 ]] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
work=$(realpath "$1")
shift
root=$(realpath "$(dirname "$0")/../..")
package=$root/tests/package
passed=0 failed=0

check() {
  local name=$1
  shift
  if "$@"; then
    echo "passed: $name"
    passed=$((passed + 1))
  else
    echo "FAILED: $name"
    failed=$((failed + 1))
  fi
}
built() { # built <name> <option...>: the library alone, without warnings
  local name=$1
  shift
  check "$name builds" build_quietly "$name" "$@"
}
build_quietly() {
  local name=$1
  shift
  cmake -S "$root" -B "$work/$name" -G Ninja -DDNNL_BUILD_TESTS=OFF -DDNNL_BUILD_EXAMPLES=OFF \
    -DDNNL_BUILD_BENCH=OFF -DDNNL_WERROR=ON "$@" > "$work/$name.log" 2>&1 &&
    cmake --build "$work/$name" -- -j"$(nproc)" >> "$work/$name.log" 2>&1 || { tail -40 "$work/$name.log"; return 1; }
}
consumed() { # consumed <name> <way...>
  local name=$1 way
  shift
  for way; do check "$name by $way" "$package/consume.sh" "$way" "$work/$name" "$work/$name-$way"; done
}

static() {
  built static -DONEDNN_LIBRARY_TYPE=STATIC -DDNNL_LIBRARY_TYPE=SHARED # ONEDNN_ wins
  consumed static find_package build_tree pkg_config
}
tbb() {
  built tbb -DDNNL_CPU_RUNTIME=TBB
  consumed tbb find_package pkg_config
  check "symbols of tbb" "$root/scripts/check_symbols.sh" "$work/tbb/libdnnl.so.3"
}
seq() {
  local options="-DONEDNN_CPU_RUNTIME=SEQ -DDNNL_LIBRARY_TYPE=STATIC -DEXPECT_TYPE=STATIC_LIBRARY"
  mkdir -p "$work/seq"
  SUBPROJECT=$options check "seq by subproject" "$package/consume.sh" subproject "$work/seq" "$work/seq-subproject"
}
threadpool() {
  built threadpool -DONEDNN_CPU_RUNTIME=THREADPOOL
  consumed threadpool find_package pkg_config
  check "symbols of threadpool" "$root/scripts/check_symbols.sh" "$work/threadpool/libdnnl.so.3" THREADPOOL
  check "threadpool test builds" tested threadpool api.threadpool api.every_function
  check "threadpool test" ctest --test-dir "$work/threadpool" -R '^api\.(threadpool|every_function)$' --no-tests=error
}
tested() { # tested <name> <target...>: configures the tests as well and builds these
  local name=$1
  shift
  cmake "$work/$name" -DDNNL_BUILD_TESTS=ON > "$work/$name.log" 2>&1 &&
    cmake --build "$work/$name" --target "$@" -- -j"$(nproc)" >> "$work/$name.log" 2>&1 ||
    { tail -40 "$work/$name.log"; return 1; }
}
reduced() { # a library of another name, without the services that can be left out
  built reduced -DCMAKE_INSTALL_LIBDIR=lib -DDNNL_LIBRARY_NAME=dnnl_reduced -DDNNL_VERBOSE=OFF -DDNNL_ENABLE_MAX_CPU_ISA=OFF \
    -DDNNL_ENABLE_CPU_ISA_HINTS=OFF
  check "reduced has no verbose lines" without_verbose
}
without_verbose() {
  cmake --install "$work/reduced" --prefix "$work/reduced-prefix" > "$work/reduced.log"
  local library=$work/reduced-prefix/lib
  [[ -e $library/cmake/dnnl_reduced/dnnl_reduced-config.cmake ]] || return 1
  "${CXX:-c++}" -std=c++11 "-I$work/reduced-prefix/include" "$root/tests/package/reduced.cpp" \
    "-L$library" -ldnnl_reduced "-Wl,-rpath,$library" -o "$work/reduced-program" &&
    [[ $(ONEDNN_VERBOSE=all ONEDNN_MAX_CPU_ISA=SSE41 "$work/reduced-program") == "as expected" ]]
}

reference() {
  built reference -DDNNL_HAS_KERNELS=OFF
  check "reference says so" grep -q "no kernels for .*: the library computes everything by its reference" "$work/reference.log"
  consumed reference build_tree
  check "symbols of reference" "$root/scripts/check_symbols.sh" "$work/reference/libdnnl.so.3"
  check "reference tests build" tested reference api.every_primitive unit.reference
  check "reference tests" ctest --test-dir "$work/reference" -R '^(api.every_primitive|unit.reference)$' --no-tests=error
}
aarch64() {
  built aarch64 -DCMAKE_TOOLCHAIN_FILE="$package/aarch64.cmake"
  check "symbols of aarch64" "$root/scripts/check_symbols.sh" "$work/aarch64/libdnnl.so.3"
  check "aarch64 runs" emulated
}
emulated() {
  aarch64-linux-gnu-g++ -std=c++20 "-I$root/include" "-I$work/aarch64/include" "$root/examples/getting_started.cpp" \
    "$work/aarch64/libdnnl.so.3" "-Wl,-rpath,$work/aarch64" -o "$work/aarch64-program" &&
    [[ $(qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/aarch64-program") == "19 0 / 43 0" ]]
}

if [[ $# -eq 0 ]]; then set -- static tbb seq threadpool reduced reference aarch64; fi
for configuration; do
  case $configuration in
  static | tbb | seq | threadpool | reduced | reference | aarch64) $configuration ;;
  *) echo "unknown configuration: $configuration" >&2; exit 2 ;;
  esac
done
echo "packages: $passed passed, $failed failed"
[[ $failed -eq 0 ]]
