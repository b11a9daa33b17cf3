#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the accuracy programs on small models that say little, and on bad files:
# accuracy_programs.sh FOLDER READING HEARING. READING may be empty. 77: there is no onnx package for
# Python.
set -eu
folder=$1 reading=$2 hearing=$3 failed=0
/usr/bin/python3 -c 'import onnx' 2> /dev/null || exit 77
rm -rf "$folder"
mkdir -p "$folder"
/usr/bin/python3 "$(dirname "$0")/small_models.py" "$folder"

. "$(dirname "$0")/expect.sh"
# `r` is the report as JSON, `page` its page.
prelude="import json
r, page = json.load(open('$folder/r.json')), open('$folder/r.html', encoding='utf-8').read()"

if [ -n "$reading" ] && find /usr/share/fonts -name '*.ttf' | grep -q .; then
    read_lines() {
        "$reading" --reader "${reader:-$folder/reader.onnx}" --characters "${characters:-$folder/characters.txt}" \
            --lines 12 --calibration-lines 8 --pages 1 --types "${types:-f32,int8 min-max,int8 divergence}" \
            --json "$folder/r.json" --html "$folder/r.html" "$@"
    }
    expect "lines" 0 "^int8 divergence" read_lines --save "$folder/lines"
    holds "a report of lines" "len(r['readings']) == 3 and r['readings'][0]['lines_as_f32_percent'] == 100 \
        and 0 < r['readings'][0]['wrong']['low'] <= r['readings'][0]['wrong']['percent'] and '</html>' in page"
    [ -s "$folder/lines/texts.txt" ] && [ -s "$folder/lines/batch0000.npy" ] || { echo "FAILED: saved lines"; failed=1; }
    cp "$folder/r.json" "$folder/first.json"
    expect "pages" 0 "overlap with f32 1.0000" read_lines --detector "$folder/detector.onnx"
    holds "a report of pages" "len(r['pages']) == 3 and r['pages'][0]['overlap'] == 1 and 'Whole pages' in page"
    holds "the same seed gives the same lines" \
        "r['readings'][0]['wrong'] == json.load(open('$folder/first.json'))['readings'][0]['wrong']"
    expect "a map of another size" 1 "not 409600 numbers" read_lines --detector "$folder/coarse.onnx"
    types=int7
    expect "a type that is not there" 1 "there is no type 'int7'" read_lines
    types='' characters=$folder/none
    expect "no characters" 1 "there are no characters in" read_lines
    characters=''
    expect "no fonts" 1 "no fonts" read_lines --fonts "$folder"
    reader=$folder/none.onnx
    expect "no model" 1 "none.onnx" read_lines
    reader=$folder/detector.onnx
    expect "a model of another kind" 1 "^onnx_reading: " read_lines
fi

hear() {
    "$hearing" --model "${model:-$folder/hearing.onnx}" --sentences 2 --calibration-sentences 1 \
        --types "f32,int8 min-max" --json "$folder/r.json" --html "$folder/r.html" "$@"
}
if espeak-ng --version > /dev/null 2>&1; then
    expect "speech" 0 "^int8 min-max" hear
    holds "a report of speech" "len(r['types']) == 2 and r['types'][0]['areas'][0] > 0.9 \
        and r['types'][0]['areas'][0] > r['types'][0]['areas'][-1] and '</html>' in page"
    model=$folder/detector.onnx
    expect "a model of another kind" 1 "does not take samples" hear
else
    expect "no espeak-ng" 1 "apt-get install espeak-ng" hear
fi
exit $failed
