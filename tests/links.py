"""links.py - the links of all pages to files and headings of this tree lead somewhere.

    links.py ROOT
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s:]*?)(#[^)\s]*)?\)|src=\"([^\":]+)\"")
HEADING = re.compile(r"^#+ (.*)$", re.M)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(page):
    """The anchors of the headings of a page, as the site that shows them makes them."""
    titles = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in HEADING.findall(FENCE.sub("", page))]
    return {"#" + re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def pages(root):
    """All pages of the tree, without those in build folders."""
    tops = [path for path in root.iterdir() if path.is_dir() and path.name != "build" and path.name[0] != "."]
    return sorted([*root.glob("*.md"), *(page for top in tops for page in top.rglob("*.md"))])


def broken_links(root):
    """(descriptions of links that lead nowhere, how many links there are)"""
    found, links = [], 0
    for page in pages(root):
        for target, anchor, picture in LINK.findall(CODE.sub("", page.read_text())):
            links += 1
            there = (page.parent / (target or picture)).resolve() if target or picture else page
            if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there.read_text())):
                found.append(f"{page.relative_to(root)}: {target or picture}{anchor} leads nowhere")
    return found, links


def main():
    broken, links = broken_links(Path(sys.argv[1]).resolve())
    print("\n".join(broken) or f"{links} links lead somewhere")
    sys.exit(1 if broken or not links else 0)


if __name__ == "__main__":
    main()
