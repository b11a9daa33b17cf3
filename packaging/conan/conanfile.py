# SPDX-License-Identifier: Apache-2.0
"""Recipe for Conan 2: `conan create packaging/conan` from the root of the project."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class DnnlConan(ConanFile):
    name = "dnnl"
    version = "3.13.1"
    license = "Apache-2.0"
    description = "The oneDNN specification in plain C++ and intrinsics"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "runtime": ["OMP", "TBB", "SEQ", "THREADPOOL"]}
    default_options = {"shared": True, "runtime": "OMP"}

    @property
    def _project(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "*.md", "cmake/*", "include/*", "src/*", "doc/*", "examples/*"):
            copy(self, pattern, self._project, self.export_sources_folder)

    def requirements(self):
        if self.options.runtime == "TBB":
            self.requires("onetbb/[>=2021.9]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.22]")
        self.test_requires("fmt/[>=9]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["DNNL_LIBRARY_TYPE"] = "SHARED" if self.options.shared else "STATIC"
        toolchain.cache_variables["DNNL_CPU_RUNTIME"] = str(self.options.runtime)
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"DNNL_BUILD_{part}"] = "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["dnnl"]
        self.cpp_info.set_property("cmake_file_name", "dnnl")
        self.cpp_info.set_property("cmake_target_name", "DNNL::dnnl")
        self.cpp_info.set_property("pkg_config_name", "dnnl")
        if self.options.shared:
            self.cpp_info.defines = ["DNNL_DLL"]
        else:
            self.cpp_info.system_libs = ["m", "pthread"]
