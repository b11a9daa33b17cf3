# SPDX-License-Identifier: Apache-2.0
# Build options. Every name works with the prefix ONEDNN_ and with DNNL_; ONEDNN_ wins where both are
# given. doc/guide.md lists them.

# dnnl_option(<name> <default> <text>): defines DNNL_<name>, which the rest of the build reads, in the
# cache; from ONEDNN_<name> where that is given, also over a variable of the project around.
function(dnnl_option name default text)
  if(DEFINED ONEDNN_${name})
    set(DNNL_${name} "${ONEDNN_${name}}" CACHE STRING "${text}" FORCE)
    set(DNNL_${name} "${ONEDNN_${name}}" PARENT_SCOPE)
  endif()
  set(DNNL_${name} "${default}" CACHE STRING "${text}")
endfunction()

# dnnl_choice(<name> <value>...): refuses a value of DNNL_<name> that is not in the list.
function(dnnl_choice name)
  if(NOT DNNL_${name} IN_LIST ARGN)
    list(JOIN ARGN ", " values)
    message(FATAL_ERROR "DNNL_${name} is \"${DNNL_${name}}\"; this library is built with one of: ${values}")
  endif()
  set_property(CACHE DNNL_${name} PROPERTY STRINGS ${ARGN})
endfunction()

dnnl_option(LIBRARY_TYPE SHARED "SHARED or STATIC")
dnnl_choice(LIBRARY_TYPE SHARED STATIC)
dnnl_option(LIBRARY_NAME dnnl "name of the library file and of its packages")
dnnl_option(CPU_RUNTIME OMP "threading runtime: OMP, TBB, SEQ or THREADPOOL")
dnnl_choice(CPU_RUNTIME OMP TBB SEQ THREADPOOL)
set(DNNL_CPU_THREADING_RUNTIME ${DNNL_CPU_RUNTIME})
dnnl_option(GPU_RUNTIME NONE "NONE: this library has CPU engines only")
dnnl_choice(GPU_RUNTIME NONE)
# AUTO: built where the packages that a part needs are there (packages.cmake); ON insists.
set(part_default OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(part_default AUTO)
endif()
dnnl_option(BUILD_EXAMPLES ${part_default} "build the examples: AUTO, ON or OFF")
dnnl_option(BUILD_TESTS ${part_default} "build the tests: AUTO, ON or OFF")
dnnl_option(BUILD_FUZZERS OFF "build the fuzz targets (clang)")
dnnl_option(BUILD_BENCH ${part_default} "build the benchmarks: AUTO, ON or OFF")
dnnl_option(PLANT_FAULTS OFF "build with the switchable faults of tests/mutants; never installed")
dnnl_option(PACKAGE OFF "files that Debian packages need, and CPack's settings (scripts/package)")
dnnl_option(WERROR OFF "treat warnings as errors")
dnnl_option(JOIN_SOURCES OFF "compile several sources of tests and examples at a time, and shared headers once: quicker from scratch")
dnnl_option(VERBOSE ON "allow verbose lines")
dnnl_option(ENABLE_MAX_CPU_ISA ON "allow ONEDNN_MAX_CPU_ISA and dnnl_set_max_cpu_isa()")
dnnl_option(ENABLE_CPU_ISA_HINTS ON "allow ONEDNN_CPU_ISA_HINTS and dnnl_set_cpu_isa_hints()")
dnnl_option(EXPERIMENTAL_PROFILING OFF "declare the profiling functions in the public headers")

# dnnl_accepted(<effect> <holds> <name>...): options of oneDNN without a switch here. Each one given is
# answered by a warning that says what holds instead, unless it asks for what holds (a regular expression).
function(dnnl_accepted effect holds)
  foreach(name IN LISTS ARGN)
    foreach(prefix DNNL ONEDNN)
      if(NOT "${${prefix}_${name}}" STREQUAL "" AND NOT "${${prefix}_${name}}" MATCHES "^(${holds})$")
        message(WARNING " ${prefix}_${name}=${${prefix}_${name}} has no effect: ${effect}")
      endif()
    endforeach()
  endforeach()
endfunction()

set(off "0|OFF|FALSE|NO|N|NONE")
dnnl_accepted("every part is always built" "ALL|TRAINING" ENABLE_WORKLOAD ENABLE_PRIMITIVE
  ENABLE_PRIMITIVE_CPU_ISA ENABLE_GEMM_KERNELS_ISA)
dnnl_accepted("primitives are created in microseconds and not cached" "${off}" ENABLE_PRIMITIVE_CACHE)
dnnl_accepted("a primitive may always be executed by several threads at once" "1|ON|TRUE|YES|Y"
  ENABLE_CONCURRENT_EXEC)
dnnl_accepted("no code is generated at run time" "${off}" ENABLE_JIT_PROFILING ENABLE_ITT_TASKS
  ENABLE_STACK_CHECKER SAFE_RBP)
dnnl_accepted("matrix products are the library's own" "${off}" BLAS_VENDOR)
dnnl_accepted("kernels are compiled for each instruction set and chosen at run time" "NONE" ARCH_OPT_FLAGS)
dnnl_accepted("the graph API is not part of this library" "${off}" BUILD_GRAPH ENABLE_GRAPH_DUMP
  EXPERIMENTAL_GRAPH_COMPILER_BACKEND)
dnnl_accepted("sparse memories are always there" "1|ON|TRUE|YES|Y" EXPERIMENTAL_SPARSE)
dnnl_accepted("this part is not built" "${off}" EXPERIMENTAL
  EXPERIMENTAL_UKERNEL EXPERIMENTAL_LOGGING EXPERIMENTAL_SYCL_KERNEL_COMPILER
  EXPERIMENTAL_GROUPED_MEMORY)
dnnl_accepted("this library has CPU engines only" "${off}|DEFAULT" GPU_VENDOR ENABLE_PRIMITIVE_GPU_ISA
  DISABLE_GPU_REF_KERNELS DPCPP_HOST_COMPILER WITH_SYCL USE_RT_OBJECTS_IN_PRIMITIVE_CACHE)
dnnl_accepted("kernels are for x86-64" "${off}" AARCH64_USE_ACL)
dnnl_accepted("./scripts/docs builds the documentation" "${off}" BUILD_DOC DOC_VERSIONS_JSON)
dnnl_accepted("./scripts/test [--full] chooses the tests" "${off}" TEST_SET BUILD_FOR_CI)
dnnl_accepted("DNNL_SANITIZE=address,undefined builds with sanitizers" "${off}" USE_CLANG_SANITIZER
  ENABLE_MEM_DEBUG CODE_COVERAGE USE_CLANG_TIDY DEV_MODE)
dnnl_accepted("CMAKE_INSTALL_<folder> choose the folders" "DEFAULT" INSTALL_MODE)

# The public headers must not declare what is not built.
foreach(name EXPERIMENTAL EXPERIMENTAL_SPARSE EXPERIMENTAL_UKERNEL EXPERIMENTAL_LOGGING WITH_SYCL
    ENABLE_STACK_CHECKER USE_RT_OBJECTS_IN_PRIMITIVE_CACHE DISABLE_GPU_REF_KERNELS)
  set(DNNL_${name} OFF)
endforeach()
set(ONEDNN_BUILD_GRAPH OFF)

# Without a build type the library is optimised all the same; a parent project keeps its own.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
  else()
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()
