# SPDX-License-Identifier: Apache-2.0
# Debian packages by CPack, one for each component of the installation: libdnnl3, libdnnl-dev, dnnl-tools and
# dnnl-doc. scripts/package builds and checks them. DNNL_PACKAGE adds what Debian wants beside the files: a
# changelog and the licence of each package, and the symbols of the library.
set(names_runtime libdnnl3)
set(names_dev libdnnl-dev)
set(names_tools dnnl-tools)
set(names_doc dnnl-doc)
set(about_runtime "The library. Products, convolutions, normalizations and recurrent
networks for CPUs, with the interface of oneDNN 3.13. No code is generated
at run time; sums of bytes are exact on every processor.")
set(about_dev "The headers of C and C++, the CMake package and the pkg-config file of
libdnnl3.")
set(about_tools "Tools: dnnl-bench measures a library with this interface,
dnnl-conformance judges it, dnnl-explain tells what becomes of a problem.")
set(about_doc "Guide, concepts, a page for each primitive, and the sources of the
examples.")

set(folder ${PROJECT_BINARY_DIR}/debian)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH where that is set
set(maintainer "The dnnl authors <dnnl@lists.dnnl.invalid>")
file(WRITE ${folder}/changelog "dnnl (${PROJECT_VERSION}) unstable; urgency=medium

  * Release ${PROJECT_VERSION}; the changes are in CHANGELOG.md.

 -- ${maintainer}  ${date}
")
execute_process(COMMAND gzip -9nf ${folder}/changelog)
file(WRITE ${folder}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: dnnl

Files: *
Copyright: 2025-2026 the dnnl authors
License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")

# Every exported function, from the list of exports.
file(READ ${PROJECT_SOURCE_DIR}/cmake/exports.map exported)
string(REGEX REPLACE "#[^\n]*" "" exported "${exported}") # comments
string(REGEX MATCHALL "[ \n](dnnl_|_Z)[A-Za-z0-9_]+" exported "${exported}")
list(TRANSFORM exported STRIP)
list(FILTER exported EXCLUDE REGEX "threadpool_interop") # of another runtime
set(symbols "libdnnl.so.3 libdnnl3 #MINVER#\n")
foreach(name IN LISTS exported)
  string(APPEND symbols " ${name}@Base 3.13\n")
endforeach()
file(WRITE ${folder}/symbols "${symbols}")
file(WRITE ${folder}/shlibs "libdnnl 3 libdnnl3 (>= ${PROJECT_VERSION})\n")
file(WRITE ${folder}/triggers "activate-noawait ldconfig\n")

foreach(tool bench conformance explain)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/man/dnnl-${tool}.1 ${folder}/dnnl-${tool}.1 COPYONLY)
  execute_process(COMMAND gzip -9nkf ${folder}/dnnl-${tool}.1)
  install(FILES ${folder}/dnnl-${tool}.1.gz DESTINATION share/man/man1 COMPONENT tools)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dnnl)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "neural-network primitives with the interface of oneDNN")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime dev tools doc)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${folder}/symbols ${folder}/shlibs ${folder}/triggers)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libdnnl3 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libdnnl3 (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(sections_runtime libs)
set(sections_dev libdevel)
set(sections_tools utils)
set(sections_doc doc)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${names_${component}})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${sections_${component}})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${about_${component}}")
  install(FILES ${folder}/copyright ${folder}/changelog.gz DESTINATION share/doc/${names_${component}}
    COMPONENT ${component})
endforeach()
include(CPack)
