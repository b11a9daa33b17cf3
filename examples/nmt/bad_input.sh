#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bad_input.sh PROGRAM: options that the program cannot work with end it with status 2 and one line.
set -eu
program=$1
failed=0

# refuses PATTERN OPTION...: the line matches the pattern.
refuses() {
    pattern=$1
    shift
    status=0
    line=$("$program" "$@" 2>&1 >/dev/null) || status=$?
    if [ "$status" -ne 2 ] || [ "$(echo "$line" | wc -l)" -ne 1 ] || ! echo "$line" | grep -q -- "$pattern"; then
        echo "$*: status $status, '$line'"
        failed=1
    fi
}

refuses "--types: f8 is not known" --quick --types f32,f8
refuses "--beam: 0 is not within 1 ... 16" --quick --beam 0
refuses "--beam: 17 is not within 1 ... 16" --quick --beam 17
refuses "--hidden: 0 is not within" --quick --hidden 0
refuses "--hidden: 100 is no multiple of 16" --quick --hidden 100
refuses "--layers: 1 is not within" --quick --layers 1
refuses "--vocabulary: -5 is not within" --quick --vocabulary -5
refuses "--batch" --quick --batch many
refuses "--sentences" --sentences 99999999999999999999
refuses "--json: /nowhere/claims.json cannot be written" --quick --json /nowhere/claims.json
refuses "--unknown" --quick --unknown
exit $failed
