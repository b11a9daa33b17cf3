#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that objects compiled for an instruction set can harm no other code: each global or weak
# symbol that they define names that set, and nothing in them runs before the CPU has been checked.
# usage: check_isa_objects.sh <tag> <object>...        tag: avx2, avx512, avx512_vnni, ...
set -eu
[ $# -ge 2 ] || { echo "usage: $0 <tag> <object>..." >&2; exit 2; }
tag=$1
shift
bad=0
for object; do
    sections=$(objdump -h "$object") || exit 2
    symbols=$(nm -C --defined-only --extern-only "$object" 2>/dev/null) || exit 2
    untagged=$(printf '%s\n' "$symbols" | sed -n 's/^[0-9a-f ]* [A-Za-z] //p' |
        grep -Ewv "$tag" || true)
    early=$(printf '%s\n' "$sections" | grep -Eo '\.(preinit_array|init_array|ctors|gnu\.lto_)[^ ]*' || true)
    [ -z "$untagged" ] || printf '%s\n' "$untagged" | sed "s|^|$object: symbol without $tag: |"
    [ -z "$early" ] || printf '%s\n' "$early" | sed "s|^|$object: section |"
    [ -z "$untagged$early" ] || bad=1
done
exit $bad
