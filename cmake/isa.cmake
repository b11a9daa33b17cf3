# SPDX-License-Identifier: Apache-2.0
# Kernel sources are compiled once per instruction set (doc/architecture.md).

set(DNNL_FLAGS_sse41 -msse4.1)
set(DNNL_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(DNNL_FLAGS_avx2_vnni ${DNNL_FLAGS_avx2} -mavxvnni)
set(DNNL_FLAGS_avx512 ${DNNL_FLAGS_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq)
set(DNNL_FLAGS_avx512_vnni ${DNNL_FLAGS_avx512} -mavx512vnni)
set(DNNL_FLAGS_avx512_bf16 ${DNNL_FLAGS_avx512} -mavx512bf16)
set(DNNL_FLAGS_avx512_vbmi ${DNNL_FLAGS_avx512} -mavx512vbmi)
# Tiles and AVX512_CORE: the model of the tiles (tests/models) then runs these kernels on any machine
# with AVX-512.
set(DNNL_FLAGS_amx ${DNNL_FLAGS_avx512} -mamx-tile -mamx-int8 -mamx-bf16)

# No contraction: GCC fuses multiply and add intrinsics otherwise. No exceptions and no LTO: both
# would leave weak symbols. GCC 12 reports uninitialised variables inside its own AVX-512 header.
# Planted faults and sanitizers need no speed.
set(DNNL_KERNEL_FLAGS -O3)
if(DNNL_SANITIZE OR DNNL_PLANT_FAULTS)
  set(DNNL_KERNEL_FLAGS -O1)
endif()
# Checks of addresses in line make the compiler take three times as long over unrolled loops, so they
# are calls. What is left out of the undefined behaviour ends at an address that these calls check.
# Accesses with masks are checked lane by lane, so each is a call that is compiled once.
if(DNNL_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND DNNL_KERNEL_FLAGS -fsanitize-address-outline-instrumentation
    -fno-sanitize-address-use-after-scope -fno-sanitize=null,object-size,vptr,pointer-overflow
    "-DDNNL_MASKED=[[gnu::noinline,maybe_unused]] static")
endif()
# Functions begin with a line of the cache, so that the speed of one does not depend on what stands
# in front of it: up to 30 % without.
list(APPEND DNNL_KERNEL_FLAGS -falign-functions=64 -ffp-contract=off -fno-exceptions
  -fno-lto -fno-trapping-math -fno-math-errno -Wno-uninitialized)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND DNNL_KERNEL_FLAGS -Wno-maybe-uninitialized)
elseif(DNNL_BUILD_FUZZERS) # a fuzzer looks for ways through the drivers, not through the kernels
  list(APPEND DNNL_KERNEL_FLAGS -fno-sanitize=fuzzer-no-link)
endif()

# Kernels need a processor of 64 bits that runs these sets, and a compiler and an assembler that know
# them. Elsewhere the library has the rows of the table that need no set: the references.
include(CheckCXXSourceCompiles)
list(JOIN DNNL_FLAGS_amx " " CMAKE_REQUIRED_FLAGS)
string(APPEND CMAKE_REQUIRED_FLAGS " -mavx512vnni -mavxvnni -mavx512bf16 -mavx512vbmi -fno-exceptions -fno-trapping-math")
check_cxx_source_compiles("
  #include <immintrin.h>
  static_assert(sizeof(void *) == 8, \"x86-64 alone\");
  int main() {
      __m512i sums = _mm512_setzero_si512();
      sums = _mm512_dpbusd_epi32(sums, sums, sums);
      asm volatile(\"tdpbf16ps %tmm0, %tmm1, %tmm2\");
      return _mm512_reduce_add_epi32(sums);
  }" DNNL_HAS_KERNELS)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT DNNL_HAS_KERNELS)
  message(STATUS "dnnl: no kernels for ${CMAKE_SYSTEM_PROCESSOR} with ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}: the library computes everything by its reference implementations, slowly")
endif()

# dnnl_add_kernels(<isa> SOURCES <files...>): compiles these kernel sources for <isa> and puts the
# objects into the library; their targets are the property DNNL_KERNEL_TARGETS of dnnl. May be
# called several times for one instruction set.
function(dnnl_add_kernels isa)
  cmake_parse_arguments(K "" "" "SOURCES" ${ARGN})
  if(TARGET dnnl_kernels_${isa})
    target_sources(dnnl_kernels_${isa} PRIVATE ${K_SOURCES})
    return()
  endif()
  add_library(dnnl_kernels_${isa} OBJECT ${K_SOURCES})
  target_link_libraries(dnnl_kernels_${isa} PRIVATE dnnl_warnings)
  target_include_directories(dnnl_kernels_${isa} PRIVATE ${DNNL_SOURCE_ROOT}/src)
  target_compile_features(dnnl_kernels_${isa} PRIVATE cxx_std_20)
  target_compile_definitions(dnnl_kernels_${isa} PRIVATE DNNL_ISA=${isa})
  target_compile_options(dnnl_kernels_${isa} PRIVATE ${DNNL_KERNEL_FLAGS} ${DNNL_FLAGS_${isa}})
  if(isa STREQUAL "sse41" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(dnnl_kernels_${isa} PRIVATE -Os) # for processors of long ago: small, not fastest
  endif()
  set_target_properties(dnnl_kernels_${isa} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden INTERPROCEDURAL_OPTIMIZATION OFF)
  target_sources(dnnl PRIVATE $<TARGET_OBJECTS:dnnl_kernels_${isa}>)
  set_property(TARGET dnnl APPEND PROPERTY DNNL_KERNEL_TARGETS dnnl_kernels_${isa})
endfunction()
