#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_files.sh PROGRAM: what the program says about good, missing and damaged IDX files.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# Files with 1,000 empty images of the digit 0. 000 000 003 350 is 1,000 in octal bytes.
images=$folder/t10k-images-idx3-ubyte
labels=$folder/t10k-labels-idx1-ubyte
make_good_files() {
    rm -f "$folder"/*
    { printf '\000\000\010\003\000\000\003\350\000\000\000\034\000\000\000\034'; head -c 784000 /dev/zero; } >"$images"
    { printf '\000\000\010\001\000\000\003\350'; head -c 1000 /dev/zero; } >"$labels"
}

run() {
    status=0
    "$program" --idx "$folder" --quick --no-speed --epochs 1 --json "$folder/r.json" \
        --html "$folder/r.html" >"$folder/out" 2>"$folder/err" || status=$?
}

# expect_failure NAME PATTERN: status 1 and one line on standard error that matches the pattern.
expect_failure() {
    run
    if [ "$status" -eq 1 ] && [ "$(wc -l <"$folder/err")" -eq 1 ] && grep -q "$2" "$folder/err"; then
        echo "passed: $1"
    else
        echo "FAILED: $1: status $status, message: $(cat "$folder/err")"
        failed=1
    fi
}

expect_success() {
    run
    if [ "$status" -eq 0 ] && [ -s "$folder/r.json" ] && [ -s "$folder/r.html" ]; then
        echo "passed: $1"
    else
        echo "FAILED: $1: status $status, message: $(cat "$folder/err")"
        failed=1
    fi
}

make_good_files
expect_success "plain files"
gzip "$images" "$labels"
expect_success "gzip'ed files"

make_good_files
rm "$images"
expect_failure "missing images" 't10k-images-idx3-ubyte.*no such file'
make_good_files
rm "$labels"
expect_failure "missing labels" 't10k-labels-idx1-ubyte.*no such file'

make_good_files
{ printf '\000\000\010\001'; tail -c +5 "$images"; } >"$folder/x" && mv "$folder/x" "$images"
expect_failure "wrong magic number" 't10k-images-idx3-ubyte: wrong magic number 0x00000801'

make_good_files
head -c 500000 "$images" >"$folder/x" && mv "$folder/x" "$images"
expect_failure "truncated images" 't10k-images-idx3-ubyte: truncated'
make_good_files
head -c 10 "$images" >"$folder/x" && mv "$folder/x" "$images"
expect_failure "truncated header" 't10k-images-idx3-ubyte: truncated'
make_good_files
gzip "$images"
head -c 500 "$images.gz" >"$folder/x" && mv "$folder/x" "$images.gz"
expect_failure "truncated gzip file" 't10k-images-idx3-ubyte.gz: truncated'

make_good_files
gzip "$images"
{ head -c 300 "$images.gz"; printf 'damage'; tail -c +307 "$images.gz"; } >"$folder/x" && mv "$folder/x" "$images.gz"
expect_failure "damaged gzip file" 't10k-images-idx3-ubyte.gz: \(damaged\|truncated\)'
make_good_files
printf 'x' >>"$images"
expect_failure "images too long" 't10k-images-idx3-ubyte: damaged'
make_good_files
{ head -c 900 "$labels"; printf '\012'; tail -c +902 "$labels"; } >"$folder/x" && mv "$folder/x" "$labels"
expect_failure "label above 9" 't10k-labels-idx1-ubyte: damaged: label 10'
make_good_files
{ printf '\000\000\010\001\000\000\003\347'; head -c 999 /dev/zero; } >"$labels"
expect_failure "counts that differ" 't10k-labels-idx1-ubyte: holds 999 labels for 1000 images'

exit $failed
