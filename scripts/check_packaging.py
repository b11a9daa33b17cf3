#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the recipes of packaging: each parses, names the version of CMakeLists.txt, and turns no option on
or off that the build does not have.

usage: check_packaging.py [folder of the project]
"""
import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile

STUBS = "".join(f"function({name})\nendfunction()\n" for name in (
    "vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_fixup_pkgconfig",
    "vcpkg_install_copyright"))


def parsed_by_cmake(port):
    """What CMake says of the port, with functions of vcpkg that do nothing."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "run.cmake"
        script.write_text(f'cmake_minimum_required(VERSION 3.22)\n{STUBS}set(CURRENT_PACKAGES_DIR "{folder}")\ninclude("{port.resolve()}")\n')
        done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True)
        return done.stderr if done.returncode or done.stderr else ""


def yaml_faults(text):
    """The recipe of conda without its templates: mappings of two spaces, lists, no tabs."""
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"\{\{.*?\}\}|# .*$", "x", line)
        if "\t" in line or not re.match(r"( {2})*(- )?([\w-]+:( .*)?|.+)?$", bare):
            yield f"line {number}: {line}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    version = re.search(r"project\(dnnl VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]
    options = set(re.findall(r"dnnl_option\((\w+)", (root / "cmake/options.cmake").read_text()))
    faults = []
    conan, port, manifest, conda = (root / "packaging" / p for p in (
        "conan/conanfile.py", "vcpkg/portfile.cmake", "vcpkg/vcpkg.json", "conda/meta.yaml"))
    tree = ast.parse(conan.read_text())
    values = {target.id: node.value.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
              for target in node.targets if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant)}
    versions = {conan: values.get("version"), manifest: json.loads(manifest.read_text()).get("version"),
                conda: (re.search(r"^  version: (\S+)$", conda.read_text(), re.MULTILINE) or [0, None])[1]}
    faults += [f"{file}: the version is {found}, not {version}" for file, found in versions.items() if found != version]
    said = parsed_by_cmake(port)
    faults += [f"{port}: {said}"] if said else []
    faults += [f"{conda}: {fault}" for fault in yaml_faults(conda.read_text())]
    for file in (conan, port, conda):
        named = set(re.findall(r"DNNL_((?:BUILD|LIBRARY|CPU)_\w+)", file.read_text())) - {"BUILD_"}
        faults += [f"{file}: there is no option DNNL_{name}" for name in sorted(named - options)]
    print("\n".join(faults) or f"{len(versions)} recipes parse and are of version {version}")
    sys.exit(bool(faults))


main()
