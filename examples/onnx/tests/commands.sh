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

. "$(dirname "$0")/expect.sh"
# `j` is the last output as JSON.
prelude="import json, numpy
j = json.load(open('$folder/out'))"

reader=$folder/reader.onnx line=x=$folder/images/0.npy
expect "check" 0 "every operator is there" "$program" check "$reader"
expect "check, JSON" 0 nodes "$program" check "$reader" --json
holds "its nodes" "j['nodes'] == 4 and j['missing'] == {}"
expect "run" 0 "^y f32\[1, 16, 40\] sum 1[56]\." "$program" run "$reader" --input "$line" --out "$folder/results"
expect "run, JSON" 0 programs "$program" run "$reader" --input "$line" --explain --json
holds "results and steps" "j['outputs'][0]['dims'] == [1, 16, 40] and j['programs'][0]['bytes_at_once'] > 0 \
    and abs(numpy.load('$folder/results/y.npy').sum() - j['outputs'][0]['sum']) < 1e-3"
expect "run in int8" 0 "u8" "$program" run "$reader" --input "$line" --type int8 --calibration "$folder/images" --explain
expect "bench" 0 "^first run .* a second" "$program" bench "$reader" --input "$line" --seconds 0.01 --layers
expect "bench, JSON" 0 best_ms "$program" bench "$reader" --input "$line" --seconds 0.01 --json
holds "one measurement" "0 < j['best_ms'] <= j['median_ms']"
if ! "$program" bench "$reader" --input "$line" --seconds 0.01 --threads 2 2>&1 | grep -q "build with OpenMP"; then
    expect "bench, threads and batches" 0 batch "$program" bench "$reader" --input "$line" --seconds 0.01 \
        --threads 1,2 --batch 1,4 --json
    holds "each of them" "[(m['threads'], m['batch']) for m in j] == [(1, 1), (1, 4), (2, 1), (2, 4)]"
fi
expect "a batch that the model fixes" 1 "batch changes nothing" "$program" bench "$folder/detector.onnx" \
    --input x=random:1x3x32x64 --batch 2
if "$program" bench "$reader" --input "$line" --threads 0 2> "$folder/err" || ! grep -q "not in range" "$folder/err"; then
    echo "FAILED: no threads"
    failed=1
fi
expect "compare" 0 "of the decisions the same" "$program" compare "$reader" --input "$line" --calibration "$folder/images" \
    --html "$folder/page.html"
grep -q "noisiest steps" "$folder/page.html" || { echo "FAILED: the page"; failed=1; }
expect "compare, JSON" 0 decibels "$program" compare "$reader" --input "$line" --types f16,int8 --layers --json
holds "both types" "j['f16']['outputs'][0]['decibels'] > j['int8']['outputs'][0]['decibels'] > 5 and len(j['int8']['steps']) >= 2"
expect "everything allowed" 0 "0 of 1 products stay" "$program" compare "$reader" --input "$line" --types int8 --allow 100
expect "nothing allowed" 0 "100.0 % of the decisions the same" "$program" compare "$reader" --input "$line" --types int8 --allow 0
expect "a rule that is not there" 1 "there is no rule 'best'" "$program" run "$reader" --input "$line" --type int8 --rule best
expect "a type that is not there" 1 "there is no type 'int4'" "$program" run "$reader" --input "$line" --type int4
expect "an empty folder" 1 "no .npy or .png files" "$program" run "$reader" --input "$line" --type int8 --calibration "$folder/results/none"
/usr/bin/python3 -c "
import struct, zlib
def chunk(name, data): return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
rows = b''.join(b'\\0' + b''.join(bytes([255, 4 * x, 51]) for x in range(64)) for y in range(48))
png = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 64, 48, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
open('$folder/page.png', 'wb').write(png)
open('$folder/short.png', 'wb').write(png[:60])
import numpy
x = numpy.empty((1, 3, 48, 64), 'f4')
x[:, 0], x[:, 1], x[:, 2] = (1 - 0.5) / 0.25, (4 * numpy.arange(64) / 255 - 0.5) / 0.25, (0.2 - 0.25) / 0.5
numpy.save('$folder/page.npy', x)"
if ! "$program" run "$reader" --input "x=$folder/page.png" 2>&1 | grep -q "built without libpng"; then
    expect "a picture" 0 dims "$program" run "$reader" --input "x=$folder/page.png" --mean 0.5,0.5,0.25 \
        --deviation 0.25,0.25,0.5 --out "$folder/png" --json
    "$program" run "$reader" --input "x=$folder/page.npy" --out "$folder/npy" > /dev/null
    holds "the same as its numbers" \
        "abs(numpy.load('$folder/png/y.npy') - numpy.load('$folder/npy/y.npy')).max() < 1e-5"
    expect "a picture that ends early" 1 "short.png: " "$program" run "$reader" --input "x=$folder/short.png"
    expect "two means" 1 "3 colours" "$program" run "$reader" --input "x=$folder/page.png" --mean 0,1
fi
expect "extents that are not told" 1 "tell them by --input" "$program" run "$reader"
exit $failed
