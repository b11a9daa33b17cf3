# SPDX-License-Identifier: Apache-2.0
# Install rules: library, headers, the CMake package with its target DNNL::dnnl, and dnnl.pc. With
# DNNL_LIBRARY_NAME=other they are other-config.cmake, other::dnnl and other.pc. Components, which are
# packages of their own (package.cmake): runtime, dev, tools, doc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${DNNL_LIBRARY_NAME})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${package})
set(package_namespace ${package}::)
if(package STREQUAL "dnnl")
  set(package_namespace DNNL::)
endif()

target_include_directories(dnnl INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS dnnl EXPORT ${package}-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT dev FILES_MATCHING PATTERN "*.h")
# Documents and examples lie as in the source, so that links from one to another hold.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/doc ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT doc)

# ---- CMake ----

# The build tree is a package as well: -Ddnnl_DIR=<build folder>.
export(EXPORT ${package}-targets NAMESPACE ${package_namespace} FILE ${PROJECT_BINARY_DIR}/${package}-targets.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dnnl-config.cmake.in
  ${PROJECT_BINARY_DIR}/${package}-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package}-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(EXPORT ${package}-targets NAMESPACE ${package_namespace} DESTINATION ${package_dir}
  COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/${package}-config.cmake ${PROJECT_BINARY_DIR}/${package}-config-version.cmake
  DESTINATION ${package_dir} COMPONENT dev)

# ---- pkg-config ----

# Folders relative to the place of dnnl.pc, so that the prefix may still move at installation.
set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
set(pc_libs "-L\${libdir} -l${package}")
set(pc_cflags "-I\${includedir}")
if(DNNL_LIBRARY_TYPE STREQUAL "STATIC") # what a shared library has linked already
  foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")
      string(APPEND pc_libs " -l${library}")
    endif()
  endforeach()
  if(DNNL_CPU_RUNTIME STREQUAL "OMP")
    foreach(library IN LISTS OpenMP_CXX_LIB_NAMES)
      string(APPEND pc_libs " ${OpenMP_${library}_LIBRARY}")
    endforeach()
  elseif(DNNL_CPU_RUNTIME STREQUAL "TBB")
    string(APPEND pc_libs " -ltbb")
  endif()
  string(APPEND pc_libs " -pthread")
else()
  string(APPEND pc_cflags " -DDNNL_DLL")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/dnnl.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
