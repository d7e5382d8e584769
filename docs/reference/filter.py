"""filter.py FILE - prints a header or the README as Doxygen reads it (Doxyfile, INPUT_FILTER).

Headers     comments get Doxygen's commands for their columns (`///   throws   E10 ...`), for examples and for codes of
            errors; a declaration without `///` gets the comment that declarations.py finds for it.
README      its links lead from build/docs to the files of this tree; fences get Doxygen's form.

Runs in the root of the tree.
"""
import os
import re
import sys
from pathlib import Path

from declarations import declarations

OUTPUT = "build/docs"
SECTIONS = {"returns": "@returns", **{name: f"@par {name[0].upper() + name[1:]}\n" for name in (
    "throws", "cost", "threads", "memory", "invariants", "source", "shape", "needs")}}
COLUMN = re.compile(r"   ?([A-Za-z_]\w*(?:, \w+)*)  +(\S.*)$")
CODE = re.compile(r"(?<![\w\"])([A-Z]\d\d)(?!\w|\.\d)")
SENTENCE = re.compile(r"(?:^|(?<=\. )|(?<=\.\n))(Throws |Cost: )(.*?)(?:\.(?=\s|$)|$)\s*", re.S)


def address(path):
    """Where the first folder of the reference finds a file of the tree."""
    return os.path.relpath(path, OUTPUT)


def code_link(match):
    page = f"docs/errors/{match[1]}.md"
    return f'<a href="{address(page)}">{match[1]}</a>' if Path(page).exists() else match[1]


def prose(text):
    """Words outside of `code` as Doxygen reads them literally; codes of errors lead to their pages."""
    parts = re.split(r"(`[^`]*`)", text)
    for n in range(0, len(parts), 2):
        part = re.sub(r"([@\\#%&<*])", r"\\\1", parts[n])
        parts[n] = CODE.sub(code_link, part)
    return "".join(parts)


def paragraph(text):
    """A paragraph; sentences that say what is thrown, or what it costs, become sections."""
    sections = [SECTIONS[kind.strip(" :").lower()] + prose(rest) for kind, rest in SENTENCE.findall(text)]
    rest = SENTENCE.sub("", text).strip()
    return [prose(rest)] if rest else [], sections


def converted(lines, is_of_function):
    """The lines of a comment, without their slashes, with Doxygen's commands."""
    texts, sections, at = [], [], 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip():
            continue
        if line.startswith("     "):  # an example
            code = [line]
            while at < len(lines) and (lines[at].startswith("     ") or not lines[at].strip()):
                code.append(lines[at])
                at += 1
            example = "\n".join(c[5:] for c in code).rstrip()
            (sections or texts).append(f"@code{{.cpp}}\n{example}\n@endcode")
        elif column := COLUMN.match(line):
            name, text, indent = column[1], column[2], column.start(2)
            while at < len(lines) and lines[at].startswith(" " * indent):
                text += "\n" + lines[at].strip()
                at += 1
            usual = f"@param {name.replace(', ', ',')} " if is_of_function else f"@par {name}\n"
            command = SECTIONS.get(name.lower(), usual)
            sections.append(f"{command.rstrip(' ')}{'' if command.endswith(chr(10)) else ' '}{prose(text)}")
        else:
            text = line.strip()
            while at < len(lines) and lines[at].strip() and not lines[at].startswith("   "):
                text += "\n" + lines[at].strip()
                at += 1
            more = paragraph(text)
            texts += more[0]
            sections += more[1]
    return "\n\n".join(texts + sections).split("\n")


def documented(lines):
    return [f"/// {line}".rstrip() for line in lines]


def header(path, text):
    lines, out = text.split("\n"), []
    found = declarations(text)
    first = {d.line: d for d in reversed(found)}
    opening = []  # the comment at the top describes the file
    while lines and lines[0].startswith("//"):
        opening.append(lines.pop(0)[2:])
    number = len(opening)
    if opening:
        opening[0] = re.sub(r"^ \S+ - (.)", lambda m: " " + m[1].upper(), opening[0])
        as_columns = [re.sub(r"^ (?=[A-Z]\w+  +\S)", "   ", o) if not o.startswith("  ") else "  " + o for o in opening]
        as_columns = [a[2:] if a.startswith("       ") and not any(COLUMN.match(b) for b in as_columns[:n]) else a
                      for n, a in enumerate(as_columns)]
        out += documented([f"@file {path.name}", *converted(as_columns, False)])
    comment = []
    for line in lines:
        number += 1
        if match := re.match(r"\s*///(?!/)(.*)", line):
            comment.append(match[1])
            continue
        if re.match(r"\s*//", line) and comment:  # a note within the comment
            continue
        declaration = first.get(number)
        if declaration and not comment and declaration.source in ("behind", "overload"):
            comment = declaration.comment
        if comment:
            is_of_function = bool(declaration and declaration.kind == "function") or line.startswith("#define")
            out += documented(converted(comment, is_of_function))
            comment = []
        out.append(line)
    return "\n".join(out)


def page(path, text):
    def file(target):
        return address(os.path.normpath(os.path.join(os.path.dirname(path), target)))

    def outside_code(part):
        part = re.sub(r"\[([^\[\]]*|\[`[^`]*`\])\]\(([^)\s:#]+)(#[^)\s]*)?\)",
                      lambda m: f'<a href="{file(m[2])}{m[3] or ""}">{m[1]}</a>', part)
        return re.sub(r'src="([^":]+)"', lambda m: f'src="{file(m[1])}"', part)

    parts = re.split(r"(^```.*?^```$|(?:^ {4}[^\n]*\n)+)", text, flags=re.M | re.S)
    for n, part in enumerate(parts):
        if n % 2 == 0:
            parts[n] = outside_code(part)
        elif part.startswith("```"):
            parts[n] = re.sub(r"\A```(\w*).*", lambda m: "```" + ("{.cpp}" if m[1] == "cpp" else ""), part)
    return "".join(parts)


def main():
    path = Path(os.path.relpath(sys.argv[1]))
    text = path.read_text()
    print(page(path.as_posix(), text) if path.suffix == ".md" else header(path, text))


if __name__ == "__main__":
    main()
