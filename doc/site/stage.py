#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the sources of the site together: the documents with links that hold on the site, a page for each
small example, and the pages of the interface.

usage: stage.py <folder>
"""
import os
import pathlib
import re
import shutil
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
DOC = PROJECT / "doc"
EXAMPLES = PROJECT / "examples"
LANGUAGES = {".cpp": "cpp", ".c": "c"}
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
# A line that is nothing but a link to an example: the site shows the file in its place.
SHOWN = re.compile(r"^\[Example: [^\]]*\]\(([^()\s]+)\)$", re.MULTILINE)
GROUPS = (("Smallest", "."), ("One per primitive", "primitives"), ("Tutorials", "tutorials"))


def small_examples():
    for _, folder in GROUPS:
        yield from sorted(p for p in (EXAMPLES / folder).iterdir() if p.suffix in LANGUAGES)


def page_of(example):
    """The page of an example, relative to the root of the site."""
    return pathlib.PurePosixPath("examples") / f"{example.stem}.md"


def first_comment(example):
    """The sentences at the head of a source, without the licence."""
    found = []
    for line in example.read_text().splitlines():
        text = re.match(r"(?://|/\*| \*)\s?(.*?)(?:\s*\*/)?$", line)
        if not text:
            break
        if "SPDX" not in line:
            found.append(text[1])
    return re.sub(r" ?\n(?!- )", " ", "\n".join(found)).replace("\n- ", "\n\n- ", 1).strip()


def shown(example, root, page):
    path = os.path.relpath(example, (root / page).parent)
    return f"```{{literalinclude}} {path}\n:language: {LANGUAGES[example.suffix]}\n:lines: 2-\n```"


def relative(page, target):
    """A link from the page to a file of the site, both relative to its root."""
    up = "../" * (len(page.parts) - 1)
    return up + str(target)


def staged(text, source, root, page, known):
    """The text of `source` as it stands at `page` of the site."""

    def show(match):
        return shown((source.parent / match[1]).resolve(), root, page)

    def link(match):
        words, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        file = (source.parent / path).resolve()
        if file in known:
            return f"[{words}]({relative(page, known[file])}{'#' + anchor if anchor else ''})"
        if not file.exists():
            sys.exit(f"{source}: a link to {target}, which is not there")
        shown_path = str(file.relative_to(PROJECT))
        return words if words.strip("`") == shown_path else f"{words} (`{shown_path}`)"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(parts), 2):
        pieces, last = [], 0
        for match in SHOWN.finditer(parts[i]):
            pieces += [LINK.sub(link, parts[i][last:match.start()]), show(match)]
            last = match.end()
        parts[i] = "".join(pieces) + LINK.sub(link, parts[i][last:])
    return "".join(parts)


def documents():
    """Each document with its page."""
    pages = {p.resolve(): pathlib.PurePosixPath(p.relative_to(DOC).as_posix()) for p in DOC.rglob("*.md")
             if "site" not in p.relative_to(DOC).parts[:1]}
    pages = {p: page.with_name("index.md") if page.name == "README.md" else page for p, page in pages.items()}
    pages[PROJECT / "CONTRIBUTING.md"] = pathlib.PurePosixPath("contributing.md")
    for name in ("CHANGELOG", "SECURITY"):
        if (PROJECT / f"{name}.md").exists():
            pages[PROJECT / f"{name}.md"] = pathlib.PurePosixPath(f"{name.lower()}.md")
    return pages


def hidden_toctree(entries):
    return "\n```{toctree}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(entries) + "\n```\n"


def write(root, page, text):
    file = root / page
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def write_examples(root):
    text, entries = "# Programs\n\nEach checks its results; all are built and run by the tests.\n", []
    for title, folder in GROUPS:
        text += f"\n## {title}\n\n"
        for example in sorted(p for p in (EXAMPLES / folder).iterdir() if p.suffix in LANGUAGES):
            page = page_of(example)
            entries.append(page.stem)
            text += f"- [{example.name}]({page.name}): {first_comment(example)}\n"
            write(root, page, f"# {example.name}\n\n`{example.relative_to(PROJECT)}`\n\n{shown(example, root, page)}\n")
    write(root, "examples/index.md", text + hidden_toctree(entries))


# ---- The interface ----

API = (("dnnl.hpp: C++", "hpp", "What `dnnl.hpp` declares, by header."),
       ("dnnl.h: C", "h", "What `dnnl.h` and its companions declare."))


def write_interface(root):
    entries, text = [], "# The interface\n\nFrom the comments of the public headers.\n"
    for title, suffix, words in API:
        text += f"\n## {title}\n\n{words}\n\n"
        for header in sorted((PROJECT / "include/dnnl").glob(f"*.{suffix}")):
            declared = re.search(r"///", header.read_text())
            if not declared:
                continue
            name = header.name.replace(".", "_")
            about = first_comment(header)
            entries.append(name)
            text += f"- [{header.name}]({name}.md): {about.splitlines()[0]}\n"
            write(root, f"api/{name}.md", f"# {header.name}\n\n{about}\n\n"
                  f"```{{doxygenfile}} {header.name}\n:sections: briefdescription innerclass innernamespace "
                  f"func define enum typedef public-func public-static-func public-attrib var\n```\n")
    write(root, "api/index.md", text + hidden_toctree(entries))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(root, ignore_errors=True)
    known = documents()
    links = dict(known)
    links.update({e.resolve(): page_of(e) for e in small_examples()})
    pictures = {p.resolve(): pathlib.PurePosixPath(p.relative_to(DOC).as_posix())
                for p in (DOC / "pictures").iterdir()}
    links.update(pictures)
    for source, page in known.items():
        text = staged(source.read_text(), source, root, page, links)
        if str(page) == "primitives/index.md":
            text += hidden_toctree(sorted(p.stem for p in known.values()
                                          if p.parent.name == "primitives" and p.stem != "index"))
        write(root, page, text)
    for picture, page in pictures.items():
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, root / page)
    write(root, "index.md", (DOC / "site/index.md").read_text())
    write_examples(root)
    write_interface(root)


if __name__ == "__main__":
    main()
