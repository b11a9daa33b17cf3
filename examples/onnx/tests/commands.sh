#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of dnnl-onnx on small models: commands.sh FOLDER PROGRAM. 77: there is no onnx
# package for Python.
set -eu
folder=$1 program=$2 failed=0
/usr/bin/python3 -c 'import onnx' 2> /dev/null || exit 77
rm -rf "$folder"
mkdir -p "$folder/images"
/usr/bin/python3 "$(dirname "$0")/small_models.py" "$folder"
/usr/bin/python3 -c "
import numpy
for i in range(6):
    numpy.save('$folder/images/%d.npy' % i, numpy.random.RandomState(i).uniform(-1, 1, (1, 3, 48, 64)).astype('f4'))"

# expect NAME STATUS PATTERN COMMAND...: the status, and a line of the output that matches; a failure
# writes one line on standard error.
expect() {
    name=$1 wanted=$2 pattern=$3
    shift 3
    status=0
    "$program" "$@" > "$folder/out" 2> "$folder/err" || status=$?
    cat "$folder/out" "$folder/err" > "$folder/both"
    if [ "$status" -eq "$wanted" ] && grep -q -e "$pattern" "$folder/both" &&
        { [ "$wanted" -eq 0 ] || [ "$(wc -l < "$folder/err")" -eq 1 ]; }; then
        echo "passed: $name"
    else
        echo "FAILED: $name: status $status"
        cat "$folder/both"
        failed=1
    fi
}

# holds NAME EXPRESSION: of `j`, the last output as JSON, with numpy at hand.
holds() {
    if /usr/bin/python3 -c "
import json, numpy, os, sys
j = json.load(open('$folder/out'))
sys.exit(0 if $2 else 1)"; then
        echo "passed: $1"
    else
        echo "FAILED: $1"
        cat "$folder/out"
        failed=1
    fi
}

reader=$folder/reader.onnx line=x=$folder/images/0.npy
expect "check" 0 "every operator is there" check "$reader"
expect "check, JSON" 0 nodes check "$reader" --json
holds "its nodes" "j['nodes'] == 4 and j['missing'] == {}"
expect "run" 0 "^y f32\[1, 16, 40\] sum 1[56]\." run "$reader" --input "$line" --out "$folder/results"
expect "run, JSON" 0 programs run "$reader" --input "$line" --explain --json
holds "results and steps" "j['outputs'][0]['dims'] == [1, 16, 40] and j['programs'][0]['bytes_at_once'] > 0 \
    and abs(numpy.load('$folder/results/y.npy').sum() - j['outputs'][0]['sum']) < 1e-3"
expect "run in int8" 0 "u8" run "$reader" --input "$line" --type int8 --calibration "$folder/images" --explain
expect "bench" 0 "^first run .* a second" bench "$reader" --input "$line" --seconds 0.01 --layers
expect "bench, JSON" 0 best_ms bench "$reader" --input "$line" --seconds 0.01 --json
holds "one measurement" "0 < j['best_ms'] <= j['median_ms']"
expect "bench, threads and batches" 0 batch bench "$reader" --input "$line" --seconds 0.01 --threads 1,2 --batch 1,4 --json
holds "each of them" "[(m['threads'], m['batch']) for m in j] == [(1, 1), (1, 4), (2, 1), (2, 4)]"
expect "a batch that the model fixes" 1 "batch changes nothing" bench "$folder/detector.onnx" \
    --input x=random:1x3x32x64 --batch 2
if "$program" bench "$reader" --input "$line" --threads 0 2> "$folder/err" || ! grep -q "not in range" "$folder/err"; then
    echo "FAILED: no threads"
    failed=1
fi
expect "compare" 0 "of the decisions the same" compare "$reader" --input "$line" --calibration "$folder/images" \
    --html "$folder/page.html"
grep -q "noisiest steps" "$folder/page.html" || { echo "FAILED: the page"; failed=1; }
expect "compare, JSON" 0 decibels compare "$reader" --input "$line" --types f16,int8 --layers --json
holds "both types" "j['f16']['outputs'][0]['decibels'] > j['int8']['outputs'][0]['decibels'] > 5 and len(j['int8']['steps']) >= 2"
expect "everything allowed" 0 "0 of 1 products stay" compare "$reader" --input "$line" --types int8 --allow 100
expect "nothing allowed" 0 "100.0 % of the decisions the same" compare "$reader" --input "$line" --types int8 --allow 0
expect "a rule that is not there" 1 "there is no rule 'best'" run "$reader" --input "$line" --type int8 --rule best
expect "a type that is not there" 1 "there is no type 'int4'" run "$reader" --input "$line" --type int4
expect "an empty folder" 1 "no .npy files" run "$reader" --input "$line" --type int8 --calibration "$folder/results/none"
expect "extents that are not told" 1 "tell them by --input" run "$reader"
exit $failed
