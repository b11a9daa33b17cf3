# SPDX-License-Identifier: Apache-2.0
# Packages of others. All are looked for here, before anything is configured, so that whatever is missing is
# told at once, with the command that installs it: DNNL_MISSING is the text of an error where the library
# needs it or a part that the user asked for by name. Parts that nobody named are left out.
include(CheckIncludeFileCXX)

set(debian_fmt libfmt-dev)
set(debian_OpenMP libomp-dev) # clang's; GCC brings its own
set(debian_TBB libtbb-dev)
set(debian_Boost libboost-test-dev)
set(debian_nlohmann_json nlohmann-json3-dev)
set(debian_CLI11 libcli11-dev)
set(debian_ZLIB zlib1g-dev)
set(wanted_Boost 1.74 COMPONENTS unit_test_framework)
set(wanted_OpenMP COMPONENTS CXX)

# dnnl_missing(<out> <package>...): the packages that are not found.
function(dnnl_missing out)
  set(missing "")
  foreach(package IN LISTS ARGN)
    find_package(${package} ${wanted_${package}} QUIET)
    if(NOT ${package}_FOUND)
      list(APPEND missing ${package})
    endif()
  endforeach()
  set(${out} ${missing} PARENT_SCOPE)
endfunction()

# dnnl_apt_get(<out> <package>...): the command that installs them on Debian.
function(dnnl_apt_get out)
  set(names "")
  foreach(package IN LISTS ARGN)
    list(APPEND names ${debian_${package}})
  endforeach()
  list(JOIN names " " names)
  set(${out} "apt-get install ${names}" PARENT_SCOPE)
endfunction()

# ---- What the library needs ----

set(runtime_OMP OpenMP)
set(runtime_TBB TBB)
dnnl_missing(missing ${runtime_${DNNL_CPU_RUNTIME}})
set(fmt_includes "")
if(NOT TARGET fmt::fmt-header-only) # a parent project may have it
  find_package(fmt QUIET)
endif()
if(TARGET fmt::fmt-header-only)
  set(fmt_includes $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
else() # its headers alone suffice
  set(CMAKE_REQUIRED_DEFINITIONS -DFMT_HEADER_ONLY)
  check_include_file_cxx(fmt/format.h DNNL_COMPILER_FINDS_FMT)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  if(NOT DNNL_COMPILER_FINDS_FMT)
    unset(DNNL_COMPILER_FINDS_FMT CACHE) # it may be there the next time
    list(APPEND missing fmt)
  endif()
endif()
set(needs "")
set(all_missing ${missing})
if(missing)
  list(JOIN missing " and " packages)
  list(APPEND needs "the library needs ${packages}")
endif()

# ---- What its parts need ----

# AUTO: a part is built where its packages are there. The examples say in their folder what is left out.
set(packages_TESTS Boost nlohmann_json)
set(packages_BENCH nlohmann_json CLI11)
set(packages_EXAMPLES fmt nlohmann_json CLI11 ZLIB)
set(name_TESTS tests)
set(name_BENCH benchmarks)
set(left_out "")
foreach(part TESTS BENCH EXAMPLES)
  if(NOT DNNL_BUILD_${part})
    continue()
  endif()
  dnnl_missing(missing ${packages_${part}})
  list(JOIN missing ", " packages)
  if(missing AND NOT DNNL_BUILD_${part} STREQUAL "AUTO")
    list(APPEND needs "DNNL_BUILD_${part}=ON needs ${packages}")
    list(APPEND all_missing ${missing})
  elseif(missing AND NOT part STREQUAL "EXAMPLES")
    set(DNNL_BUILD_${part} OFF)
    dnnl_apt_get(command ${missing})
    list(APPEND left_out "dnnl: the ${name_${part}} are left out, they need ${packages}: ${command}")
  elseif(DNNL_BUILD_${part} STREQUAL "AUTO")
    set(DNNL_BUILD_${part} ON)
  endif()
endforeach()

set(DNNL_MISSING "")
if(needs)
  list(REMOVE_DUPLICATES all_missing)
  dnnl_apt_get(command ${all_missing})
  list(JOIN needs "; " DNNL_MISSING)
  string(APPEND DNNL_MISSING
    ": ${command} (on Debian; elsewhere install these packages and say where by -DCMAKE_PREFIX_PATH=<prefix>)")
else()
  foreach(line IN LISTS left_out)
    message(STATUS "${line}")
  endforeach()
endif()
