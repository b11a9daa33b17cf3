#!/usr/bin/env bash
# Formats every source file of the project in place; --check only tells which would change.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[[ "${1:-}" == "--check" ]] && mode=(--dry-run -Werror)
git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs clang-format "${mode[@]}"
