# SPDX-License-Identifier: Apache-2.0
# Checks of programs, for the test scripts beside this one. They use $folder, count in $failed, and
# `holds` begins with the Python statements in $prelude.

# expect NAME STATUS PATTERN COMMAND...: the status, and a line of the output that matches; a failure
# writes one line on standard error. The outputs stay in the files out, err and both of $folder.
expect() {
    name=$1 wanted=$2 pattern=$3
    shift 3
    status=0
    "$@" > "$folder/out" 2> "$folder/err" || status=$?
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

# holds NAME EXPRESSION: of what the prelude reads.
holds() {
    if /usr/bin/python3 -c "$prelude
import sys
sys.exit(0 if $2 else 1)"; then
        echo "passed: $1"
    else
        echo "FAILED: $1"
        cat "$folder/both"
        failed=1
    fi
}
