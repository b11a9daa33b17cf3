# SPDX-License-Identifier: Apache-2.0
# Public headers: where they are, and the configured ones.
set(DNNL_VERSION_MAJOR ${PROJECT_VERSION_MAJOR})
set(DNNL_VERSION_MINOR ${PROJECT_VERSION_MINOR})
set(DNNL_VERSION_PATCH ${PROJECT_VERSION_PATCH})
set(DNNL_VERSION_HASH "N/A")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE git_hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE git_failed)
  if(NOT git_failed)
    set(DNNL_VERSION_HASH ${git_hash})
  endif()
endif()

foreach(header dnnl_config.h dnnl_version.h dnnl_version_hash.h)
  configure_file(${PROJECT_SOURCE_DIR}/include/dnnl/${header}.in ${PROJECT_BINARY_DIR}/include/dnnl/${header} @ONLY)
endforeach()

target_include_directories(dnnl PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
if(DNNL_LIBRARY_TYPE STREQUAL "SHARED")
  target_compile_definitions(dnnl PRIVATE DNNL_DLL_EXPORTS PUBLIC DNNL_DLL)
endif()
