#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that objects compiled for an instruction set can harm no other code: each global or weak
# symbol that they define names that set, nothing in them runs before the CPU has been checked, and
# no instruction in them is beyond the set. Objects of amx hold tile instructions and AVX512_CORE.
# usage: check_isa_objects.sh <tag> <object>...    tag: sse41, avx2, avx2_vnni, avx512, avx512_vnni,
#        avx512_bf16, avx512_vbmi, amx
set -eu
[ $# -ge 2 ] || { echo "usage: $0 <tag> <object>..." >&2; exit 2; }
tag=$1
shift

# Mnemonics that AVX-512 F, BW, VL and DQ lack, by extension; conversions between f32 and f16 are F.
bf16='vcvtne2?ps2bf16|vdpbf16ps'
fp16='v[a-z0-9]*(ph|sh)|vcvt[a-z0-9]*(ph|sh)2[a-z0-9]*|v[a-z0-9]*2(ph|sh)x?|vmovw'
vnni='vpdp(bu|ws|bs|wu)[a-z]*'
vbmi='vperm(i2|t2)?b|vpmultishiftqb'
words='vp(compress|expand)[bw]|vpsh[lr]dv?[wdq]|vpopcnt[bwdq]|vpshufbitqmb'
bytes="$vbmi|$words"
other='vp2intersect[dq]|vpconflict[dq]|vplzcnt[dq]|vpmadd52[lh]uq|vgf2p8[a-z]*|vaes[a-z]*|vpclmul[a-z]*'
tiles='(ld|st)tilecfg|tile[a-z0-9]*|tdp[a-z0-9]*'
wide='%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])'
newer="$bf16|$fp16|$bytes|$other"
case $tag in
sse41) mnemonics="v[a-z0-9]*|$tiles|popcnt|crc32[a-z]*|pcmp[ei]str[im]|pcmpgtq|andn|bzhi|bextr|[ts]zcnt|lzcnt|pdep|pext|(sar|shl|shr)x|rorx|mulx" registers='%[yz]mm|%k[0-7]' ;;
avx2) mnemonics="$newer|$vnni|$tiles" registers=$wide ;;
avx2_vnni) mnemonics="$newer|$tiles" registers=$wide ;;
avx512) mnemonics="$newer|$vnni|$tiles" registers= ;;
avx512_vnni) mnemonics="$newer|$tiles" registers= ;;
avx512_bf16) mnemonics="$fp16|$bytes|$other|$vnni|$tiles" registers= ;;
avx512_vbmi) mnemonics="$fp16|$bf16|$words|$other|$vnni|$tiles" registers= ;;
amx) mnemonics="$newer|$vnni" registers= ;;
*) echo "$0: unknown tag $tag" >&2; exit 2 ;;
esac

# Prints each different instruction of the disassembly on standard input that is beyond the set.
instructions_beyond() {
    awk -F'\t' -v mnemonics="^($mnemonics)\$" -v registers="$registers" '
        NF >= 2 {
            text = $2
            sub(/^\{[a-z]*\} /, "", text)
            split(text, word, " ")
            beyond = word[1] ~ mnemonics && word[1] !~ /^vcvt(ps2ph|ph2ps)$/
            if (beyond || (registers != "" && text ~ registers)) print word[1]
        }' | sort -u
}

bad=0
for object; do
    sections=$(objdump -h "$object") || exit 2
    symbols=$(nm -C --defined-only --extern-only "$object" 2>/dev/null) || exit 2
    code=$(objdump -d --no-show-raw-insn "$object") || exit 2
    untagged=$(printf '%s\n' "$symbols" | sed -n 's/^[0-9a-f ]* [A-Za-z] //p' |
        grep -Ewv "$tag" || true)
    early=$(printf '%s\n' "$sections" | grep -Eo '\.(preinit_array|init_array|ctors|gnu\.lto_)[^ ]*' || true)
    beyond=$(printf '%s\n' "$code" | instructions_beyond)
    [ -z "$untagged" ] || printf '%s\n' "$untagged" | sed "s|^|$object: symbol without $tag: |"
    [ -z "$early" ] || printf '%s\n' "$early" | sed "s|^|$object: section |"
    [ -z "$beyond" ] || printf '%s\n' "$beyond" | sed "s|^|$object: beyond $tag: |"
    [ -z "$untagged$early$beyond" ] || bad=1
done
exit $bad
