#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# on_ranks.sh <test> <folder> <distributed_training> <distributed_inference> <mpiexec>: tests on two ranks.
# 77 where MPI starts no two processes here.
set -euo pipefail
test=$1 folder=$2 training=$3 inference=$4 mpiexec=$5
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
# Open MPI asks to be told that root, more ranks than cores and no reading of other processes are meant.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMP_NUM_THREADS=1
ranks() { # ranks <number> <program...>
  local number=$1
  shift
  timeout 300 "$mpiexec" -n "$number" "$@"
}
ranks 2 true > start.log 2>&1 || { cat start.log; exit 77; }
# Epochs of little work.
little=(--images 768)
small=("${little[@]}" --epochs 4)
expect() { grep -qE "$1" "$2" || { echo "not said: $1"; cat "$2"; exit 1; }; }

case $test in
equal_curves) # the same shares on one rank and on two
  ranks 1 "$training" "${small[@]}" --json one.json
  ranks 2 "$training" "${small[@]}" --json two.json --compare one.json --tolerance 0 --least-accuracy 10
  grep parameters one.json > one.txt
  grep parameters two.json > two.txt
  cmp one.txt two.txt
  # Four shares: sums of four terms may differ in their last bits.
  ranks 1 "$training" "${small[@]}" --shares 4 --json four.json
  ranks 2 "$training" "${small[@]}" --shares 4 --compare four.json --tolerance .02
  # What does not fit is said in a line.
  ! ranks 2 "$training" "${small[@]}" --shares 3 > bad.log 2>&1
  expect '3 shares of a batch cannot be divided among 2 ranks' bad.log
  ! ranks 1 "$training" "${small[@]}" --shares 3 > bad.log 2>&1
  expect 'a batch of 64 cannot be cut into 3 shares' bad.log
  ! ranks 2 "$training" "${small[@]}" --resume none > bad.log 2>&1
  expect 'none: cannot read' bad.log
  ;;
lost_rank) # a rank is killed in the third epoch; the job ends, says so, and goes on to the same end
  ranks 2 "$training" "${small[@]}" --json whole.json > whole.log
  if ranks 2 "$training" "${small[@]}" --checkpoint state --lose 1 3 > lost.log 2>&1; then
    echo "the job did not fail"
    exit 1
  fi
  expect 'rank 0: ended from outside after epoch 2.*go on with --resume state' lost.log
  ranks 2 "$training" "${small[@]}" --resume state --json resumed.json > resumed.log
  expect 'goes on after epoch 2 of state' resumed.log
  cmp whole.json resumed.json
  # Other settings than those of the checkpoint, and a damaged one.
  ! ranks 2 "$training" "${little[@]}" --epochs 5 --resume state > bad.log 2>&1
  expect 'state: of a run with .* 4 epochs.*, not .* 5 epochs' bad.log
  head -c 1000 state > short
  ! ranks 2 "$training" "${small[@]}" --resume short > bad.log 2>&1
  expect 'short: damaged or truncated' bad.log
  # A rank that stands still is noticed.
  ranks 2 "$training" "${little[@]}" --epochs 1000 --patience 2 > still.log 2>&1 &
  job=$!
  for _ in $(seq 100); do
    grep -q 'epoch  1' still.log && break
    sleep .2
  done
  victim=$(pgrep -f "^$training .*--patience 2" | tail -1)
  kill -STOP "$victim"
  wait "$job" && { echo "the job did not fail"; exit 1; }
  kill -KILL "$victim" 2> /dev/null || true
  expect 'waited 2 s for the gradients of the other ranks' still.log
  ;;
scaling) ranks 2 "$training" --scaling --images 256 --steps 2 --rounds 2 ;;
inference)
  ranks 2 "$inference" --blocks 2 --tokens 32 --channels 192 --heads 4 --hidden 384 --rounds 2
  ! ranks 2 "$inference" --heads 3 > bad.log 2>&1
  expect '3 heads and 3072 hidden channels cannot be divided among 2 ranks' bad.log
  ;;
*) exit 2 ;;
esac
echo passed
