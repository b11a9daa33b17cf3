# SPDX-License-Identifier: Apache-2.0
# Programs of Boost.Test: in each folder main() is compiled once, and where sources may be compiled
# together so are the headers that most tests read, which take longer than the tests.
find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)

# dnnl_boost_main(<library>...): compiles main() for the tests of this folder, <folder>.main, and names
# the libraries that they all link. Before dnnl_boost_program(), in the CMakeLists.txt of the folder.
macro(dnnl_boost_main)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(boost_test_libraries ${ARGN} Boost::unit_test_framework)
  add_executable(${folder}.main ${PROJECT_SOURCE_DIR}/tests/boost_main.cpp)
  target_compile_definitions(${folder}.main PRIVATE BOOST_TEST_DYN_LINK)
  target_link_libraries(${folder}.main PRIVATE ${boost_test_libraries})
  if(DNNL_JOIN_SOURCES)
    target_precompile_headers(${folder}.main PRIVATE <algorithm> <boost/test/unit_test.hpp> <cmath>
      <cstring> <string> <vector>)
  endif()
endmacro()

# dnnl_boost_program(<name> [<further source>...]): the program <folder>.<name> from <name>.cpp.
function(dnnl_boost_program name)
  add_executable(${folder}.${name} ${name}.cpp ${ARGN} $<TARGET_OBJECTS:${folder}.main>)
  target_compile_definitions(${folder}.${name} PRIVATE BOOST_TEST_DYN_LINK)
  target_link_libraries(${folder}.${name} PRIVATE ${boost_test_libraries})
  if(DNNL_JOIN_SOURCES)
    target_precompile_headers(${folder}.${name} REUSE_FROM ${folder}.main)
  endif()
endfunction()
