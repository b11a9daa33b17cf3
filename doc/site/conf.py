# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the documentation site; scripts/docs builds it from the staged sources."""
import logging
import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent

project = "dnnl"
author = "the dnnl authors"
copyright = author
version = release = re.search(r"project\(dnnl VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser", "breathe"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
breathe_projects = {"dnnl": str(PROJECT / "build/docs/doxygen/xml")}
breathe_default_project = "dnnl"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
# Macros of the headers that are no part of a declaration for a reader.
c_id_attributes = cpp_id_attributes = ["DNNL_API"]
highlight_language = "none"

html_theme = "furo"
html_title = f"dnnl {release}"
html_copy_source = False
html_show_sphinx = False
html_css_files = ["site.css"]
html_static_path = ["static"]


class namespace_once(logging.Filter):
    """Breathe declares a namespace once for each header; Sphinx warns about the second time."""

    def filter(self, record):
        text = record.getMessage()
        return not ("Duplicate C++ declaration" in text and re.search(r"cpp:type:: (dnnl|threadpool_interop)'", text))


def setup(app):
    for name in ("sphinx.domains.cpp", "sphinx.sphinx.domains.cpp"):
        logging.getLogger(name).addFilter(namespace_once())
