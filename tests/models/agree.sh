#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the rows of one level by the processor and by the instruction models and compares the bits of
# all results. 77: the processor lacks the level.
# usage: agree.sh <dnnl-conformance> <library over the models> <cap> <row> <scratch folder> [what to run]...
set -euo pipefail
program=$1 models=$2 cap=$3 row=$4 work=$5
shift 5
mkdir -p "$work"
export ONEDNN_MAX_CPU_ISA=$cap
run() { "$program" --require-isa="$cap" --global-impl=":$row" --without-oracle --hashes="$work/$1" "${@:2}"; }
status=0
run processor "$@" > "$work/log" || status=$?
if [[ $status -ne 0 ]]; then
  tail -1 "$work/log"
  exit "$status"
fi
LD_PRELOAD=$models run models "$@" > "$work/log"
cmp "$work/processor" "$work/models"
count=$(grep -c . "$work/models")
echo "equal bits: $count executions of $cap by the processor and by the models"
