# SPDX-License-Identifier: Apache-2.0
# Overlay port of vcpkg: `vcpkg install dnnl --overlay-ports=<project>/packaging/vcpkg`.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "static" is_static)
if(is_static)
  set(type STATIC)
else()
  set(type SHARED)
endif()
set(runtime OMP)
if("tbb" IN_LIST FEATURES)
  set(runtime TBB)
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DDNNL_LIBRARY_TYPE=${type}
    -DDNNL_CPU_RUNTIME=${runtime}
    -DDNNL_BUILD_TESTS=OFF
    -DDNNL_BUILD_EXAMPLES=OFF
    -DDNNL_BUILD_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME dnnl CONFIG_PATH lib/cmake/dnnl)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
