#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what a shared library exports with cmake/exports.map and names each difference.
# usage: check_symbols.sh <libdnnl.so> [THREADPOOL]    THREADPOOL: the library is built with it
set -eu
[ $# -ge 1 ] || { echo "usage: $0 <libdnnl.so> [THREADPOOL]" >&2; exit 2; }
[ -r "$1" ] || { echo "$0: cannot read $1" >&2; exit 2; }
map=$(dirname "$0")/../cmake/exports.map
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^ *\([A-Za-z0-9_]*dnnl_[A-Za-z0-9_]*\);$/\1/p' "$map" | sort > "$work/listed"
if [ "${2-}" = THREADPOOL ]; then
    cp "$work/listed" "$work/expected"
else
    grep -v '^dnnl_threadpool_interop_' "$work/listed" > "$work/expected"
fi
nm -D --defined-only "$1" > "$work/nm" || exit 2
awk '{ print $NF }' "$work/nm" | sort > "$work/exported"

comm -23 "$work/expected" "$work/exported" | sed 's/^/missing: /' > "$work/differences"
comm -13 "$work/expected" "$work/exported" | sed 's/^/extra: /' >> "$work/differences"
if [ -s "$work/differences" ]; then
    cat "$work/differences"
    exit 1
fi
echo "$(wc -l < "$work/exported") symbols, all as listed"
