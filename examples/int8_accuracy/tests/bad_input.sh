#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bad_input.sh PROGRAM: what the program says about good, missing and damaged files, and that a
# failed run leaves the files of an earlier one alone.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

fast="--quick --no-speed --no-bf16-training --no-tuning --epochs 1 --allow 100"
idx=$folder/idx
mkdir "$idx"

# Files with 1,000 empty images of the digit 0. 000 000 003 350 is 1,000 in octal bytes.
images=$idx/t10k-images-idx3-ubyte
labels=$idx/t10k-labels-idx1-ubyte
make_good_files() {
    rm -f "$idx"/*
    { printf '\000\000\010\003\000\000\003\350\000\000\000\034\000\000\000\034'; head -c 784000 /dev/zero; } >"$images"
    { printf '\000\000\010\001\000\000\003\350'; head -c 1000 /dev/zero; } >"$labels"
}

# run OPTION...: the program's status in $status. Reports of an earlier run are there before.
run() {
    status=0
    echo before >"$folder/r.json"
    echo before >"$folder/r.html"
    "$program" "$@" $fast --json "$folder/r.json" --html "${page:-$folder/r.html}" \
        >"$folder/out" 2>"$folder/err" || status=$?
}

# expect_failure NAME PATTERN OPTION...: status 1, one line on standard error that matches the
# pattern, and nothing overwritten.
expect_failure() {
    name=$1 pattern=$2
    shift 2
    run "$@"
    if [ "$status" -eq 1 ] && [ "$(wc -l <"$folder/err")" -eq 1 ] &&
        grep -q -- "$pattern" "$folder/err" && grep -qx before "$folder/r.json" &&
        grep -qx before "$folder/r.html"; then
        echo "passed: $name"
    else
        echo "FAILED: $name: status $status, message: $(cat "$folder/err")"
        failed=1
    fi
}

# expect_success NAME OPTION...
expect_success() {
    name=$1
    shift
    run "$@"
    if [ "$status" -eq 0 ] && grep -q '"networks"' "$folder/r.json" &&
        grep -q '</html>' "$folder/r.html"; then
        echo "passed: $name"
    else
        echo "FAILED: $name: status $status, message: $(cat "$folder/err")"
        failed=1
    fi
}

make_good_files
expect_success "plain files" --idx "$idx"
gzip "$images" "$labels"
expect_success "gzip'ed files" --idx "$idx"

make_good_files
rm "$images"
expect_failure "missing images" 't10k-images-idx3-ubyte.*no such file' --idx "$idx"
make_good_files
rm "$labels"
expect_failure "missing labels" 't10k-labels-idx1-ubyte.*no such file' --idx "$idx"

make_good_files
{ printf '\000\000\010\001'; tail -c +5 "$images"; } >"$folder/x" && mv "$folder/x" "$images"
expect_failure "wrong magic number" 't10k-images-idx3-ubyte: wrong magic number 0x00000801' --idx "$idx"

make_good_files
head -c 500000 "$images" >"$folder/x" && mv "$folder/x" "$images"
expect_failure "truncated images" 't10k-images-idx3-ubyte: truncated' --idx "$idx"
make_good_files
head -c 10 "$images" >"$folder/x" && mv "$folder/x" "$images"
expect_failure "truncated header" 't10k-images-idx3-ubyte: truncated' --idx "$idx"
make_good_files
gzip "$images"
head -c 500 "$images.gz" >"$folder/x" && mv "$folder/x" "$images.gz"
expect_failure "truncated gzip file" 't10k-images-idx3-ubyte.gz: truncated' --idx "$idx"

make_good_files
gzip "$images"
{ head -c 300 "$images.gz"; printf 'damage'; tail -c +307 "$images.gz"; } >"$folder/x" && mv "$folder/x" "$images.gz"
expect_failure "damaged gzip file" 't10k-images-idx3-ubyte.gz: \(damaged\|truncated\)' --idx "$idx"
make_good_files
printf 'x' >>"$images"
expect_failure "images too long" 't10k-images-idx3-ubyte: damaged' --idx "$idx"
make_good_files
{ head -c 900 "$labels"; printf '\012'; tail -c +902 "$labels"; } >"$folder/x" && mv "$folder/x" "$labels"
expect_failure "label above 9" 't10k-labels-idx1-ubyte: damaged: label 10' --idx "$idx"
make_good_files
{ printf '\000\000\010\001\000\000\003\347'; head -c 999 /dev/zero; } >"$labels"
expect_failure "counts that differ" 't10k-labels-idx1-ubyte: holds 999 labels for 1000 images' --idx "$idx"

# A folder of PPM images: `count` files of class `name`, 8x8, of one grey.
make_class() {
    mkdir -p "$folder/images/$1"
    for i in $(seq "$2"); do
        { printf 'P6\n8 8\n255\n'; head -c 192 /dev/zero | tr '\0' "$3"; } >"$folder/images/$1/$i.ppm"
    done
}
printf 'input 3 8 8\nconvolution 4 kernel 3\nnormalization\nrelu\ndense 2\n' >"$folder/small.txt"
make_class dark 20 a
make_class light 20 z
expect_success "images and a network from a file" \
    --images "$folder/images" --network "$folder/small.txt" --weights "$folder/w"
cp "$folder/w" "$folder/w.before"
expect_success "weights read again" \
    --images "$folder/images" --network "$folder/small.txt" --weights "$folder/w"
grep -q "epoch" "$folder/out" && { echo "FAILED: weights read again: it trained"; failed=1; }

printf 'input 3 8 8\nconvolution 5 kernel 3\nrelu\ndense 2\n' >"$folder/other.txt"
expect_failure "weights of another network" "$folder/w: .*another network" \
    --images "$folder/images" --network "$folder/other.txt" --weights "$folder/w"
head -c 100 "$folder/w.before" >"$folder/w"
expect_failure "truncated weights" "$folder/w: " \
    --images "$folder/images" --network "$folder/small.txt" --weights "$folder/w"
[ "$(wc -c <"$folder/w")" -eq 100 ] || { echo "FAILED: truncated weights: overwritten"; failed=1; }

printf 'input 3 8 8\nrelu\nadd nothing\ndense 2\n' >"$folder/other.txt"
expect_failure "layers that do not fit" "other.txt:3: " \
    --images "$folder/images" --network "$folder/other.txt"
printf 'input 3 8 8\nrelu\ndense 7\n' >"$folder/other.txt"
expect_failure "wrong number of classes" "other.txt:3: it gives 7 classes, but the data have 2" \
    --images "$folder/images" --network "$folder/other.txt"
printf '# a comment\ninput 1 8 8\nrelu\ndense 2\n' >"$folder/other.txt"
expect_failure "images of another shape" "other.txt:2: it reads images of 1 x 8 x 8" \
    --images "$folder/images" --network "$folder/other.txt"
expect_failure "no data for a network" "other.txt:2: .*give --idx or --images" \
    --network "$folder/other.txt"
expect_failure "sequences for images" "'characters' reads sequences" \
    --images "$folder/images" --network characters
expect_failure "no such network" "nothing.txt: cannot read" --network "$folder/nothing.txt"

head -c 100 "$folder/images/dark/1.ppm" >"$folder/x" && mv "$folder/x" "$folder/images/dark/1.ppm"
expect_failure "truncated image" "1.ppm: " --images "$folder/images" --network "$folder/small.txt"
rm -r "$folder/images/dark"
expect_failure "one class" "$folder/images: " \
    --images "$folder/images" --network "$folder/small.txt"
expect_failure "weights that cannot be written" "none/w: cannot write" \
    --network digits --weights "$folder/none/w"
printf 'short' >"$folder/text"
expect_failure "text shorter than a sequence" "$folder/text: .*too few" --text "$folder/text"
expect_failure "the same among all networks" "$folder/text: .*too few" --all --text "$folder/text"
expect_failure "no such text" "$folder/nothing: " --text "$folder/nothing"
page=$folder/none/p.html
expect_failure "a page that cannot be written" "none/p.html: cannot write" --network digits

exit $failed
