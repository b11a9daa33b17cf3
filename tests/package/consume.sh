#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Consumes the library the way its users do: builds a C++ and a C program against it and runs them.
# usage: consume.sh <way> <build folder of the library> <scratch folder>
#   way: find_package, build_tree, pkg_config, subproject_configure, subproject
# CC and CXX name the compilers. The subproject ways take options of the library from SUBPROJECT.
set -euo pipefail
export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja} # a fresh machine has no make
[[ $# -eq 3 ]] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
way=$1 build=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
programs=$here/../api
rm -rf "$3"
mkdir -p "$3"
work=$(realpath "$3")
trap 'rm -rf "$work"' EXIT

# Prints the output of a command only where it fails.
quietly() { "$@" > "$work/log" 2>&1 || { echo "failed: $*" >&2; cat "$work/log" >&2; exit 1; }; }
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
run() { for program; do quietly "$program"; echo "ran $program" | sed "s|$work/||"; done; }

# configured <folder> <CMake arguments...>: configures, builds and runs a CMake consumer.
configured() {
  local folder=$1
  shift
  quietly cmake -B "$work/$folder" "-DPROGRAMS=$programs" "$@"
  quietly cmake --build "$work/$folder" --target tutorial every_function -- -j"$(nproc)"
  run "$work/$folder/tutorial" "$work/$folder/every_function"
}
found() { configured "$1" -S "$here/find_package" "-DEXPECT_RUNTIME=$(cached DNNL_CPU_RUNTIME)" "${@:2}"; }

case $way in
find_package)
  quietly cmake --install "$build" --prefix "$work/prefix"
  mv "$work/prefix" "$work/moved" # an install tree may move
  found documented "-DPACKAGE=dnnl;3.13;CONFIG" "-DCMAKE_PREFIX_PATH=$work/moved"
  found version "-DPACKAGE=dnnl;3.5.0" "-DCMAKE_PREFIX_PATH=$work/moved"
  shared=$work/moved/share/doc/dnnl
  for document in README.md LICENSE doc/guide.md doc/errors.md examples/getting_started.cpp; do
    [[ -s $shared/$document ]] || { echo "not installed: share/doc/dnnl/$document" >&2; exit 1; }
  done
  # getting_started needs no other package.
  quietly cmake -S "$shared/examples" -B "$work/examples" "-DCMAKE_PREFIX_PATH=$work/moved" \
    -DCMAKE_DISABLE_FIND_PACKAGE_{ZLIB,fmt,nlohmann_json,CLI11}=ON
  quietly cmake --build "$work/examples" --target getting_started
  run "$work/examples/getting_started"
  found upper "-DPACKAGE=DNNL;CONFIG" "-DCMAKE_PREFIX_PATH=$work/moved"
  for wrong in "dnnl;2.0" "dnnl;3.99" "dnnl;4"; do
    if cmake -S "$here/find_package" -B "$work/wrong" "-DPACKAGE=$wrong" "-DCMAKE_PREFIX_PATH=$work/moved" \
      > "$work/log" 2>&1; then
      echo "find_package($wrong) accepts another version" >&2
      exit 1
    fi
  done
  ;;
build_tree)
  found build -DPACKAGE=dnnl "-Ddnnl_DIR=$build"
  ;;
pkg_config)
  quietly cmake --install "$build" --prefix "$work/prefix"
  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name dnnl.pc)")
  quietly pkg-config --exists "dnnl >= 3.5.0"
  library=$(pkg-config --variable=libdir dnnl)
  read -ra flags <<< "$(pkg-config --cflags dnnl)"
  for static in "" --static; do
    read -ra libraries <<< "$(pkg-config $static --libs dnnl)"
    quietly "${CXX:-c++}" -std=c++11 "${flags[@]}" "$programs/tutorial_convolution.cpp" \
      -o "$work/tutorial" "${libraries[@]}" "-Wl,-rpath,$library"
    quietly "${CC:-cc}" -std=c99 "${flags[@]}" "$programs/every_function.c" \
      -o "$work/every_function" "${libraries[@]}" "-Wl,-rpath,$library"
    run "$work/tutorial" "$work/every_function"
  done
  ;;
subproject_configure)
  for fetch in OFF ON; do
    quietly cmake -S "$here/subproject" -B "$work/shared-$fetch" "-DLIBRARY=$here/../.." \
      "-DPROGRAMS=$programs" -DFETCH=$fetch -DEXPECT_TYPE=SHARED_LIBRARY
    quietly cmake -S "$here/subproject" -B "$work/static-$fetch" "-DLIBRARY=$here/../.." \
      "-DPROGRAMS=$programs" -DFETCH=$fetch -DEXPECT_TYPE=STATIC_LIBRARY -DCMAKE_BUILD_TYPE=Debug \
      -DONEDNN_LIBRARY_TYPE=STATIC -DBUILD_SHARED_LIBS=ON -DCMAKE_UNITY_BUILD=ON
  done
  ;;
subproject)
  read -ra options <<< "${SUBPROJECT:-}"
  configured parent -S "$here/subproject" "-DLIBRARY=$here/../.." "${options[@]}"
  ;;
*)
  echo "unknown way: $way" >&2
  exit 2
  ;;
esac
