#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plants violations and sees that the checks in scripts/ catch each one and nothing else.
# usage: planted_violations.sh        CXX: the compiler, c++ when unset
set -eu
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# expect <exit status> <text that the output must have> <command>...
expect() {
    status=$1
    text=$2
    shift 2
    output=$("$@" 2>&1) && got=0 || got=$?
    if [ "$got" != "$status" ] || ! printf '%s\n' "$output" | grep -qF -- "$text"; then
        printf 'FAILED: %s\n  exit status %s, expected %s and "%s"; output:\n%s\n' \
            "$*" "$got" "$status" "$text" "$output"
        failed=1
    fi
}

compile() { printf '%s\n' "$2" | "${CXX:-c++}" -std=c++20 -O0 -x c++ -c -o "$1" -; }

# Layers: one violation at a time in a project of three files.
mkdir -p src/common/layout src/common/plan src/ref src/cpu/kernels/gemm src/cpu/matmul src/cpu/epilogue
echo '#include <vector>' | tee src/common/layout/shape.hpp src/common/plan/plan.hpp > src/cpu/matmul/matmul.hpp
echo '#include "common/layout/shape.hpp"' > src/ref/reference.hpp
echo '#include <cstdint>' > src/cpu/kernels/gemm/pack.cpp
expect 0 "5 files keep to the layers" python3 "$scripts/check_layers.py" .
for plant in \
    'src/cpu/kernels/gemm/pack.cpp <vector> <vector>' \
    'src/cpu/kernels/gemm/pack.cpp "common/layout/shape.hpp" src/common/layout/shape.hpp' \
    'src/common/layout/shape.hpp "common/plan/plan.hpp" src/common/plan/plan.hpp' \
    'src/cpu/epilogue/epilogue.cpp "cpu/matmul/matmul.hpp" src/cpu/matmul/matmul.hpp' \
    'src/cpu/matmul/matmul.cpp "ref/reference.hpp" src/ref/reference.hpp' \
    'src/common/plan/matmul.cpp "../../ref/reference.hpp" src/ref/reference.hpp'; do
    set -- $plant
    [ ! -f "$1" ] || cp "$1" kept
    echo "#include $2" >> "$1"
    expect 1 "may not include $3" python3 "$scripts/check_layers.py" .
    if [ -f kept ]; then mv kept "$1"; else rm "$1"; fi
done
mkdir src/cpu/attic
echo '#include "cpu/matmul/matmul.hpp"' > src/cpu/attic/lost.cpp
expect 1 "does not say what src/cpu/attic may include" python3 "$scripts/check_layers.py" .
rm -r src/cpu/attic
echo '#include "common/lost.hpp"' > src/common/lost.cpp
expect 1 "no such header: common/lost.hpp" python3 "$scripts/check_layers.py" .
rm src/common/lost.cpp
for i in $(seq 18); do echo > src/common/layout/shape$i.hpp; done
expect 1 "src/common/layout: 19 files, at most 18" python3 "$scripts/check_layers.py" .
rm src/common/layout/shape?*.hpp
for folder in common/plan ref cpu/matmul cpu/kernels/gemm; do
    for i in $(seq 16); do echo > src/$folder/many$i.cpp; done
done
expect 1 "more than 3 folders have more than 16 files" python3 "$scripts/check_layers.py" .
rm src/*/*/many* src/*/many* src/*/*/*/many*
mkdir src/cpu/kernels/epilogue
echo '#include <cstdint>' > src/cpu/kernels/epilogue/epilogue_rows.hpp
echo '#include "cpu/kernels/epilogue/epilogue_rows.hpp"' > src/cpu/kernels/shared.hpp
echo '#include "cpu/kernels/shared.hpp"' > src/cpu/kernels/epilogue/rows.cpp
expect 1 "src/cpu/kernels and src/cpu/kernels/epilogue include each other" python3 "$scripts/check_layers.py" .

# Objects: tagged symbols pass; an untagged inline function and a static constructor do not.
tagged='struct avx512 {}; template <class Isa> int block() { return 1; } template int block<avx512>();'
compile tagged.o "$tagged namespace { struct local { int f() { return 2; } } l; int g() { return l.f(); } }"
expect 0 "" "$scripts/check_isa_objects.sh" avx512 tagged.o
expect 1 "symbol without avx512_vnni: int block<avx512>()" \
    "$scripts/check_isa_objects.sh" avx512_vnni tagged.o
compile untagged.o "$tagged inline int least(int a, int b) { return a < b ? a : b; }
    namespace avx512_block { int call() { return least(1, 2); } }"
expect 1 "symbol without avx512: least(int, int)" \
    "$scripts/check_isa_objects.sh" avx512 tagged.o untagged.o
compile early.o "$tagged int ask(); namespace { int answer = block<avx512>(); }"
expect 1 "section .init_array" "$scripts/check_isa_objects.sh" avx512 early.o

# Instructions beyond the set: each extension is seen, and each set keeps its own.
beyond() { # beyond <tag> <instruction>
    compile beyond.o "struct $1 {}; template <class Isa> void f() { asm volatile(\"$2\"); } template void f<$1>();"
    expect 1 "beyond $1: " "$scripts/check_isa_objects.sh" "$1" beyond.o
}
within() {
    compile within.o "struct $1 {}; template <class Isa> void f() { asm volatile(\"$2\"); } template void f<$1>();"
    expect 0 "" "$scripts/check_isa_objects.sh" "$1" within.o
}
for tag in avx512 amx; do
    beyond $tag 'vcvtneps2bf16 %zmm0, %ymm1'
    beyond $tag 'vcvtne2ps2bf16 %zmm0, %zmm1, %zmm2'
    beyond $tag 'vdpbf16ps %zmm0, %zmm1, %zmm2'
    beyond $tag 'vaddph %zmm0, %zmm1, %zmm2'
    beyond $tag 'vcvtps2phx %zmm0, %ymm1'
    beyond $tag 'vpdpbusd %zmm0, %zmm1, %zmm2'
    beyond $tag 'vpermb %zmm0, %zmm1, %zmm2'
    within $tag 'vcvtps2ph $0, %zmm0, %ymm1'
    within $tag 'vcvtph2ps %ymm0, %zmm1'
    within $tag 'vpmovwb %zmm0, %ymm1'
done
within amx 'tdpbf16ps %tmm0, %tmm1, %tmm2'
within avx512_bf16 'vdpbf16ps %zmm0, %zmm1, %zmm2'
beyond avx512_bf16 'vpdpbusd %zmm0, %zmm1, %zmm2'
beyond avx512_vnni 'tilezero %tmm0'
within avx512_vnni 'vpdpbusd %zmm0, %zmm1, %zmm2'
beyond avx2 'vpaddd %zmm0, %zmm1, %zmm2'
beyond avx2 'vpaddd %ymm16, %ymm1, %ymm2'
beyond avx2 '{vex} vpdpbusd %ymm0, %ymm1, %ymm2'
within avx2_vnni '{vex} vpdpbusd %ymm0, %ymm1, %ymm2'

# Symbols: a library with one function of the list and one that is not in it.
compile extra.o 'extern "C" int dnnl_version() { return 0; } extern "C" int dnnl_surplus() { return 0; }'
"${CXX:-c++}" -shared -o libextra.so extra.o
expect 1 "extra: dnnl_surplus" "$scripts/check_symbols.sh" libextra.so
expect 1 "missing: dnnl_engine_create" "$scripts/check_symbols.sh" libextra.so
expect 1 "missing: dnnl_threadpool_interop_sgemm" "$scripts/check_symbols.sh" libextra.so THREADPOOL
sed -n 's/^ *\([A-Za-z0-9_]*dnnl_[A-Za-z0-9_]*\);$/extern "C" void \1() {}/p' "$scripts/../cmake/exports.map" > all.cpp
"${CXX:-c++}" -shared -fPIC -o liball.so all.cpp
expect 0 "all as listed" "$scripts/check_symbols.sh" liball.so THREADPOOL
expect 1 "extra: dnnl_threadpool_interop_sgemm" "$scripts/check_symbols.sh" liball.so

# Mutants: of code that runs, and of nothing that must be constant.
cat > mutated.cpp <<'END'
constexpr int limit(int a) { return a + 1; }
static_assert(limit(2) < 4);
struct pair { int rows = 7, columns = 9; };
#ifdef ANOTHER_RUNTIME
int other(int a) { return a - 3; }
#endif
double work_cost_ns(int a) { double ns = a * 5; return ns; }
int sum(const pair &p, int *to, long first, long last) {
    int total[8 + 1];
    for (long i = first; i < last; ++i) {
        if (!to) continue;
        to[i] += static_cast<int>(std::max<long>(i, p.rows));
    }
    return sum(p, to, first, last);
}
END
made() { expect 0 "mutated.cpp:$1" python3 "$scripts/make_mutants.py" mutated.cpp; }
made "10: loop_end: i < last  ->  i < last - 1"
made "10: comparison: i < last  ->  i <= last"
made "11: negation: !to  ->  !!to"
made "11: condition: !to  ->  !(!to)"
made "11: statement: continue;  ->  ;"
made "12: index: i  ->  0"
made "12: assignment: to[i] += static_cast<int>(std::max<long>(i, p.rows));  ->  to[i] -= static"
made "12: extreme: std::max<long>(i, p.rows)  ->  std::min<long>(i, p.rows)"
made "14: arguments: sum(p, to, first, last)  ->  sum(p, to, last, first)"
for line in 1 2 3 5 7 9; do
    expect 1 "" sh -c "python3 '$scripts/make_mutants.py' mutated.cpp | grep '^mutated.cpp:$line:'"
done

# Lists of primitives: a kind that none of them names.
mkdir listed
cp -r "$scripts/../include" "$scripts/../tests" "$scripts/../doc" "$scripts/../examples" listed
expect 0 "0 missing" python3 "$scripts/check_primitive_lists.py" listed
sed -i 's/^ *dnnl_primitive_kind_max/    dnnl_planted = 99,\n&/' listed/include/dnnl/dnnl_types.h
expect 1 "tests/api/enum_values.cpp does not name planted" python3 "$scripts/check_primitive_lists.py" listed
expect 1 "tests/conformance/cases/planted.txt is missing" python3 "$scripts/check_primitive_lists.py" listed

[ $failed = 0 ] && echo "every planted violation was caught"
exit $failed
