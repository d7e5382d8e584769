"""error_pages.py - every error code of the source has a page in docs/errors, and every page a code.

    error_pages.py ROOT

The line `complete: ...` in docs/errors/README.md names the rooms (letters) whose pages are checked. A sentence that a
guide quotes behind a link to a page, [K24](../errors/K24.md): `a sentence`, must be on that page.
"""
import re
import sys
from pathlib import Path

QUOTED = re.compile(r"\]\(\.\./errors/([A-Z]\d\d)\.md\): `([^`]+)`")
CODE = re.compile(r'"(?:error )?([A-Z]\d\d)\b')


def check(root):
    folder = root / "docs/errors"
    rooms = re.search(r"^\s*complete: (.*)$", (folder / "README.md").read_text(), re.M)[1].split()
    pages = {path.stem: path for path in folder.glob("*.md") if re.fullmatch(r"[A-Z]\d\d", path.stem)}
    used = {}
    for top in ["src", "tools", "examples/demo", "include", "modules"]:
        for path in sorted((root / top).rglob("*.[ch]pp")):
            for line in path.read_text().splitlines():
                if not line.lstrip().startswith("//"):
                    for code in CODE.findall(line):
                        used.setdefault(code, path.relative_to(root))
    faults = [f"{where}: {code} has no page docs/errors/{code}.md"
              for code, where in sorted(used.items()) if code[0] in rooms and code not in pages]
    faults += [f"docs/errors/{code}.md: no source throws {code}" for code in sorted(pages) if code not in used]
    faults += [f"{path.name}: must begin with \"# {code}: \""
               for code, path in sorted(pages.items()) if not path.read_text().startswith(f"# {code}: ")]
    faults += [f"{path.name}: \"{words}\" does not stand in docs/errors/{code}.md"
               for path in sorted((root / "docs/guide").glob("*.md"))
               for code, words in QUOTED.findall(path.read_text())
               if words not in (pages[code].read_text() if code in pages else "")]
    return faults, len(pages)


def main():
    faults, pages = check(Path(sys.argv[1]))
    print("\n".join(faults) or f"{pages} pages, each of a code in use")
    sys.exit(1 if faults or not pages else 0)


if __name__ == "__main__":
    main()
