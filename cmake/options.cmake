# SPDX-License-Identifier: Apache-2.0
# Build options. Every name works with the prefix DNNL_ and with ONEDNN_; DNNL_ wins where both are given.

# dnnl_option(<name> <default> <text>): defines DNNL_<name> in the cache, from ONEDNN_<name> where given.
function(dnnl_option name default text)
  if(NOT DEFINED DNNL_${name} AND DEFINED ONEDNN_${name})
    set(default "${ONEDNN_${name}}")
  endif()
  set(DNNL_${name} "${default}" CACHE STRING "${text}")
endfunction()

dnnl_option(LIBRARY_TYPE SHARED "SHARED or STATIC")
dnnl_option(CPU_RUNTIME OMP "threading runtime: OMP, TBB or SEQ")
dnnl_option(BUILD_EXAMPLES ${PROJECT_IS_TOP_LEVEL} "build the examples")
dnnl_option(BUILD_TESTS ${PROJECT_IS_TOP_LEVEL} "build the tests")
dnnl_option(BUILD_BENCH ${PROJECT_IS_TOP_LEVEL} "build the benchmarks")

if(NOT DNNL_LIBRARY_TYPE MATCHES "^(SHARED|STATIC)$")
  message(FATAL_ERROR "DNNL_LIBRARY_TYPE is ${DNNL_LIBRARY_TYPE}; it must be SHARED or STATIC")
endif()
if(NOT DNNL_CPU_RUNTIME MATCHES "^(OMP|TBB|SEQ)$")
  message(FATAL_ERROR "DNNL_CPU_RUNTIME is ${DNNL_CPU_RUNTIME}; it must be OMP, TBB or SEQ")
endif()
set(DNNL_CPU_THREADING_RUNTIME ${DNNL_CPU_RUNTIME})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()
