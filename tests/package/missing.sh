#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures the library without packages that it, its tests, examples and benchmarks need: what the library
# or a part asked for by name lacks is an error of one line with the command that installs it; parts that
# nobody named are left out with such a line each.
# usage: missing.sh <scratch folder>
set -euo pipefail
export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
[[ $# -eq 1 ]] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
root=$(realpath "$(dirname "$0")/../..")
rm -rf "$1"
mkdir -p "$1"
work=$(realpath "$1")
trap 'rm -rf "$work"' EXIT
failed=0

# configured <status> <package,...> <option...>: the status that CMake ends with when these packages are
# not found; its output is in the file log.
configured() {
  local expected=$1 status=0 package options=()
  for package in ${2//,/ }; do options+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
  rm -rf "$work/build"
  cmake -S "$root" -B "$work/build" "${options[@]}" "${@:3}" > "$work/log" 2>&1 || status=$?
  [[ $status -eq $expected ]] && return
  echo "FAILED: cmake ${*:3} ends with $status without $2"
  cat "$work/log"
  failed=1
}
told() { # told <line...>: lines of the output
  local line
  for line; do
    grep -qFx -- "$line" "$work/log" || { echo "FAILED: not told: $line"; cat "$work/log"; failed=1; }
  done
}
elsewhere="(on Debian; elsewhere install these packages and say where by -DCMAKE_PREFIX_PATH=<prefix>)"

configured 1 fmt -DDNNL_COMPILER_FINDS_FMT=OFF
told "   the library needs fmt: apt-get install libfmt-dev $elsewhere"
configured 1 Boost,ZLIB -DONEDNN_BUILD_TESTS=ON -DDNNL_BUILD_EXAMPLES=ON
told "   DNNL_BUILD_TESTS=ON needs Boost; DNNL_BUILD_EXAMPLES=ON needs ZLIB: apt-get install \
libboost-test-dev zlib1g-dev $elsewhere"

configured 0 Boost,ZLIB,CLI11,nlohmann_json -DONEDNN_BUILD_GRAPH=ON -DDNNL_ENABLE_WORKLOAD=INFERENCE \
  -DDNNL_ENABLE_CONCURRENT_EXEC=ON
told "-- dnnl: the tests are left out, they need Boost, nlohmann_json: apt-get install \
libboost-test-dev nlohmann-json3-dev" \
  "-- dnnl: the benchmarks are left out, they need nlohmann_json, CLI11: apt-get install \
nlohmann-json3-dev libcli11-dev" \
  "-- dnnl: the examples int8_accuracy and dnnl-onnx are left out, they need ZLIB, nlohmann_json, CLI11: apt-get install \
zlib1g-dev nlohmann-json3-dev libcli11-dev" \
  "   ONEDNN_BUILD_GRAPH=ON has no effect: the graph API is not part of this library" \
  "   DNNL_ENABLE_WORKLOAD=INFERENCE has no effect: every part is always built"
if grep -q CONCURRENT_EXEC "$work/log"; then
  echo "FAILED: a warning about an option that asks for what holds"
  failed=1
fi
targets=$(cmake --build "$work/build" --target help)
grep -q getting_started <<< "$targets" || { echo "FAILED: no getting_started"; failed=1; }
if grep -qE "dnnl-conformance|dnnl_internal|int8_accuracy|dnnl-onnx" <<< "$targets"; then
  echo "FAILED: a part is configured that was left out"
  failed=1
fi
exit $failed
