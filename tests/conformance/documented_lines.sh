#!/usr/bin/env bash
# Runs the case lines that a document quotes, those in backquotes that begin with a driver.
# usage: documented_lines.sh <dnnl-conformance> <document>
set -euo pipefail
program=$1 document=$2
mapfile -t lines < <(grep -o '`--[a-z][^`]*`' "$document" | tr -d '`')
[[ ${#lines[@]} -gt 0 ]] || { echo "$document quotes no line"; exit 1; }
for line in "${lines[@]}"; do
  echo "== $line"
  read -ra words <<< "$line"
  "$program" "${words[@]}" | tee /dev/stderr | grep -q '^1 passed, 0 failed, 0 skipped$'
done
