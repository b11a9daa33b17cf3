#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inside a Debian 12: installs the packages that lie beside this script, builds the examples against them by
# CMake, by pkg-config and by a plain line, and runs them and the tools.
set -euo pipefail
cd "$(dirname "$0")"
apt-get install -y -qq --no-install-recommends ./*.deb
for header in dnnl.h dnnl.hpp oneapi/dnnl/dnnl.hpp; do
  echo "#include <$header>" | g++ -std=c++11 -fsyntax-only -Wall -Wextra -x c++ -
done
echo "#include <dnnl.h>" | gcc -std=c99 -fsyntax-only -Wall -Wextra -x c -
source=/usr/share/doc/dnnl/examples
g++ -std=c++11 "$source/getting_started.cpp" -o plain -ldnnl
g++ -std=c++11 "$source/primitives/convolution.cpp" -o by_pkg_config $(pkg-config --cflags --libs dnnl)
cmake -S "$source" -B by_cmake > cmake.log || { cat cmake.log; exit 1; }
cmake --build by_cmake -- -j"$(nproc)" > cmake.log 2>&1 || { cat cmake.log; exit 1; }
./plain
./by_pkg_config
(cd by_cmake && ctest -j"$(nproc)" > ../cmake.log) || { cat cmake.log; exit 1; }
tail -3 cmake.log
dnnl-conformance --matmul 8x8:8x8 | tail -1
dnnl-explain --no-times --matmul 8x8:8x8
dnnl-bench --no-peaks --ms 1 --rounds 1 --matmul 8x8:8x8
dpkg -l libdnnl3 libdnnl-dev dnnl-tools dnnl-doc | tail -4
apt-get remove -y -qq libdnnl3
