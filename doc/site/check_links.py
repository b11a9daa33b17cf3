#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every link of a built site to itself: the file is there, and so is the place in it.

usage: check_links.py <folder of the site>
"""
import html.parser
import pathlib
import sys
import urllib.parse


class page_reader(html.parser.HTMLParser):
    """The ids and the targets of a page."""

    def __init__(self):
        super().__init__()
        self.ids, self.targets = set(), []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif name in ("href", "src") and value is not None:
                self.targets.append(value)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {}
    for file in root.rglob("*.html"):
        pages[file] = page_reader()
        pages[file].feed(file.read_text())
    checked, broken = 0, []
    for file, page in pages.items():
        for target in page.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            other = file if not parts.path else (file.parent / urllib.parse.unquote(parts.path)).resolve()
            if other.is_dir():
                other /= "index.html"
            if not other.exists():
                broken.append((file, target))
            elif parts.fragment and other in pages \
                    and urllib.parse.unquote(parts.fragment) not in pages[other].ids:
                broken.append((file, target))
    for file, target in broken:
        print(f"{file.relative_to(root)}: {target}")
    print(f"{len(pages)} pages, {checked} links, {len(broken)} broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
