#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the smoke set at a level by the processor and by the instruction models and compares the bits of
# all results. 77: the processor lacks the level.
# usage: agree.sh <dnnl-conformance> <library over the models> <cap> <scratch folder>
set -euo pipefail
program=$1 models=$2 cap=$3 work=$4
mkdir -p "$work"
export ONEDNN_MAX_CPU_ISA=$cap
run() { "$program" --require-isa="$cap" --set=smoke --without-oracle --hashes="$work/$1" > "$work/$1.log"; }
status=0
run processor || status=$?
if [[ $status -ne 0 ]]; then
  tail -1 "$work/processor.log"
  exit "$status"
fi
LD_PRELOAD=$models run models
# The models have vdpbf16ps at full speed, so that the rows of avx512_bf16 run on them; processors offer
# these rows on AMD only (doc/support.md).
grep -q AuthenticAMD /proc/cpuinfo || sed -i "/:avx512_bf16 /d" "$work/processor" "$work/models"
for bits in processor models; do sort -o "$work/$bits" "$work/$bits"; done # processes share the cases
cmp "$work/processor" "$work/models"
echo "equal bits: $(grep -c . "$work/models") executions at $cap by the processor and by the models"
