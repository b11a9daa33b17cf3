# SPDX-License-Identifier: Apache-2.0
# Install rules: library, headers and the CMake package `dnnl` with its target DNNL::dnnl.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS dnnl EXPORT dnnl-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dnnl-config.cmake.in
  ${PROJECT_BINARY_DIR}/dnnl-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dnnl-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(EXPORT dnnl-targets NAMESPACE DNNL:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/dnnl-config.cmake ${PROJECT_BINARY_DIR}/dnnl-config-version.cmake
  DESTINATION ${package_dir})
