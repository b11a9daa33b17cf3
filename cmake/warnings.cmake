# SPDX-License-Identifier: Apache-2.0
# Warnings and code generation that hold for every target of the project.
add_library(dnnl_warnings INTERFACE)
target_compile_options(dnnl_warnings INTERFACE -Wall -Wextra -Werror=switch $<$<BOOL:${DNNL_WERROR}>:-Werror>)
# std::stable_sort of libstdc++ 12 calls what C++20 deprecates; clang tells so from version 20 on.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 20)
  target_compile_options(dnnl_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()

# Under the flags of a parent project: results stay those of the standard's arithmetic, and sections
# apart let the linker drop what is not used.
if(NOT PROJECT_IS_TOP_LEVEL)
  add_compile_options(-fno-fast-math)
  add_compile_options($<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
endif()

# A fused multiply-add is written where it is meant: contraction would make rows differ in their last bit.
add_compile_options(-ffp-contract=off)

# A C caller may pass any int for an enumerator; the library refuses it, so the sanitizer must let it in.
# DNNL_SANITIZE: address, undefined, thread, or a list of them for -fsanitize=.
set(DNNL_SANITIZE "" CACHE STRING "sanitizers, as for -fsanitize=")
if(DNNL_SANITIZE)
  add_compile_options(-fsanitize=${DNNL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined -fno-sanitize=enum)
  add_link_options(-fsanitize=${DNNL_SANITIZE})
endif()
