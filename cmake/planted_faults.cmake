# SPDX-License-Identifier: Apache-2.0
# DNNL_PLANT_FAULTS: builds a copy of src/ and tests/conformance/ with the faults of tests/mutants,
# which the variable DNNL_PLANTED_FAULT turns on one at a time. For scripts/mutants alone, which makes
# the copy; it is never installed.
set(DNNL_SOURCE_ROOT ${PROJECT_BINARY_DIR}/planted)
add_compile_options(-w "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${DNNL_SOURCE_ROOT}/planted.hpp>")
target_compile_options(dnnl PRIVATE
  -w "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${DNNL_SOURCE_ROOT}/planted.hpp>")
target_sources(dnnl PRIVATE ${DNNL_SOURCE_ROOT}/planted.cpp)
