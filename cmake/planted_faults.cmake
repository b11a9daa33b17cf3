# SPDX-License-Identifier: Apache-2.0
# DNNL_PLANT_FAULTS: builds a copy of src/ with the faults of tests/mutants, which the variable
# DNNL_PLANTED_FAULT turns on one at a time. For scripts/mutants alone; it is never installed.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
file(GLOB catalogues CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/mutants/*.toml)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${catalogues} ${sources}
  ${PROJECT_SOURCE_DIR}/scripts/plant_faults.py)
set(DNNL_SOURCE_ROOT ${PROJECT_BINARY_DIR}/planted)
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/plant_faults.py
  ${PROJECT_SOURCE_DIR}/src ${DNNL_SOURCE_ROOT} ${catalogues} COMMAND_ERROR_IS_FATAL ANY)
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${DNNL_SOURCE_ROOT}/planted.hpp>")
target_compile_options(dnnl PRIVATE
  "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${DNNL_SOURCE_ROOT}/planted.hpp>")
target_sources(dnnl PRIVATE ${DNNL_SOURCE_ROOT}/planted.cpp)
