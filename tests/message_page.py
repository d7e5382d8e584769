"""message_page.py - makes docs/messages.md, the list of all messages between nodes, from their declarations.

    message_page.py ROOT            exits with 1 if the page is not what the declarations say, or if one lacks a comment
    message_page.py ROOT --write    writes the page

A message is a struct in a header of src with `static constexpr std::string_view message = "name";`. The comment above
the struct says what the message says, and a comment behind a field says what the field is. Fields of other structs and
enumerations are listed once, behind the messages.
"""
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import layers

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs/reference"))
from declarations import Reader, text_of, type_and_names

PAGE = "docs/messages.md"
COLUMNS = 120
HEAD = """# Messages between nodes

<!-- Made by `python3 tests/message_page.py . --write` from the declarations. -->

Each heading is one kind of message, named as in traces and errors. A message is a struct, and its fields are sent in
the order of the list ([message_codec.hpp](../src/dist/message_codec.hpp)). Messages marked "not counted" do not keep a
job alive: its end does not wait for them ([termination.hpp](../src/dist/termination.hpp)).
"""
TYPES = """## Types of fields

Numbers are sent as they lie in memory. A list begins with the number of its elements.
"""
# Types whose bytes are not those of their members (field_codec), and those of the language and its library.
PLAIN = {"bool": "bool", "float": "float", "double": "double", "std::string": "text", "std::byte": "byte",
         "std::span<const std::byte>": "bytes up to the end", "stretto::dist::counted_bytes": "counted bytes",
         "std::source_location": "source line", "stretto::failure_ref": "failure", "stretto::event": "event",
         "stretto::dist::node_rank": "node", "stretto::box": "box", "stretto::point": "point",
         "stretto::place": "place", "stretto::detail::instance_handle": "instance",
         "std::string_view": "text", "stretto::mobiles::short_name": "text", "stretto::mobiles::short_value": "bytes",
         "stretto::mobiles::reply_batcher::batch": "list of uint64"}
NO_FIELD = {"static", "template"}
PLAIN |= {f"std::{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


class fault(Exception):
    pass


@dataclass
class definition:
    kind: str            # class or enumeration
    path: str            # stretto::dist::barrier_ended::phase_value
    header: str
    comment: str
    values: list         # of an enumeration
    members: list = field(default_factory=list)  # declarations of variables

    def member(self, name):
        return next((m for m in self.members if m.name == name), None)


class header_index:
    """All definitions and aliases in the headers of src and include, by their paths."""

    def __init__(self, root):
        self.by_path, self.aliases, self.codecs, self.in_order = {}, {}, set(), []
        for header in sorted([*root.glob("src/**/*.hpp"), *root.glob("include/stretto/**/*.hpp")]):
            self.add(header.relative_to(root).as_posix(), header.read_text())

    def add(self, header, text):
        reader = Reader(text)
        reader.read()
        here = {}
        for d in reader.found:
            scope = "::".join(d.scope)
            if d.kind in ("class", "enumeration") and d.name.startswith("field_codec<"):
                self.codecs.add((d.name[len("field_codec<"):-1], scope))
            elif d.kind in ("class", "enumeration"):
                comment = " ".join(line.strip() for line in d.comment) if d.source == "above" else ""
                one = definition(d.kind, d.full_name, header, comment, d.values)
                self.by_path.setdefault(one.path, one)
                self.in_order.append(one)
                here[one.path] = one
            elif d.kind == "alias":
                self.aliases.setdefault(d.full_name, text_of(d.words[d.words.index("=") + 1 :]))
            elif d.kind == "variable" and scope in here:
                here[scope].members.append(d)
        for scope, words in reader.imports:
            self.aliases.setdefault("::".join([*scope, words[-1]]), "".join(words))

    def resolve(self, name, scope):
        """The path of a definition, or the text of a plain type, that `name` means within `scope`."""
        if name in PLAIN:
            return name
        parts = scope.split("::")
        for n in range(len(parts), -1, -1):
            path = "::".join([*parts[:n], name])
            if path in PLAIN or path in self.by_path:
                return path
            if path in self.aliases:
                outer = path.rpartition("::")[0]  # where `using a::b;` means another b
                if self.aliases[path].rpartition("::")[2] == name and "::" in self.aliases[path]:
                    outer = outer.rpartition("::")[0]
                return self.resolve(self.aliases[path], outer)
        raise fault(f"{name} in {scope} is of no header")


def fields_of(one):
    """[(type, [names], comment)] of a struct."""
    found = []
    for d in one.members:
        if NO_FIELD.isdisjoint(d.words):
            words, names = type_and_names(d.words)
            found.append((text_of(words), names, re.sub(r"^//\s*", "", d.behind) if d.behind[:3] != "///" else ""))
    return found


class page:
    def __init__(self, root):
        self.root, self.all, self.used, self.faults = root, header_index(root), {}, []
        for name, scope in self.all.codecs:
            try:
                if "<" not in name and self.all.resolve(name, scope) not in PLAIN:
                    self.faults.append(f"tests/message_page.py: {name} has a field_codec: PLAIN must say what it is")
            except fault as f:
                self.faults.append(str(f))

    def shown_type(self, type_, scope):
        if type_ == "std::vector<std::byte>":
            return "bytes"
        if type_ in PLAIN:
            return PLAIN[type_]
        if m := re.fullmatch(r"std::(vector|optional)<(.*)>", type_):
            inner = self.shown_type(m[2], scope)
            return f"list of {inner}" if m[1] == "vector" else f"{inner} or none"
        if m := re.fullmatch(r"long_list<(.*)>", type_):
            return f"list of {self.shown_type(m[1], scope)}"
        if m := re.fullmatch(r"std::array<(.*), *(\w+)>", type_):
            return f"{m[2]} of {self.shown_type(m[1], scope)}"
        path = self.all.resolve(type_, scope)
        if path in PLAIN:
            return PLAIN[path]
        name = self.short(path)
        if path not in self.used:
            self.used[path] = None
            self.used[path] = self.section_of_type(path)
        return f"[{name}](#{re.sub(r'[^a-z0-9_-]', '', name.lower())})"

    def short(self, path):
        one = self.all.by_path[path]
        outer = path.rpartition("::")[0]
        return f"{outer.rpartition('::')[2]}::{path.rpartition('::')[2]}" if outer in self.all.by_path else \
            one.path.rpartition("::")[2]

    def shown_fields(self, one):
        """A list with an item for each field."""
        shown = ""
        for type_, names, comment in fields_of(one):
            named = ", ".join(f"`{n}`" for n in names)
            text = f"{named}: {self.shown_type(type_, one.path)}" + (f" ({prose(comment)})" if comment else "")
            shown += wrapped(text, "- ", "  ")
        return shown or "No fields.\n"

    def section_of_type(self, path):
        one = self.all.by_path[path]
        if one.kind == "class":
            said = self.shown_fields(one)
        elif one.values:
            said = wrapped("One of " + ", ".join(f"`{v}`" for v in one.values) + ".")
        else:
            said = wrapped("A number of its own type. " + prose(one.comment))
        return f"\n### `{self.short(path)}`\n\n{said}"

    def messages(self):
        """{floor: {header: [(first name, section)]}}"""
        found = {}
        for one in self.all.in_order:
            if not one.header.startswith("src/"):
                continue
            message, is_counted = one.member("message"), one.member("is_counted")
            if not message or "static" not in message.words or "=" not in message.words:
                continue
            names = sorted(word[1:-1] for word in message.words if word.startswith('"'))
            if not one.comment:
                self.faults.append(f"{one.header}: {one.path} has no comment that says what the message says")
            says = prose(one.comment)
            if is_counted and is_counted.words[-2:] == ["=", "false"]:
                says += " Not counted."
            try:
                heading = "#### " + ", ".join(f"`{n}`" for n in names)
                section = f"\n{heading}\n\n{wrapped(says)}\n{self.shown_fields(one)}"
            except fault as f:
                self.faults.append(f"{one.header}: {f}")
                continue
            found.setdefault(one.header.split("/")[1], {}).setdefault(one.header, []).append((names[0], section))
        return found

    def text(self):
        by_floor = self.messages()
        text = HEAD
        for floor in [f for f in layers.Law(self.root / "LAYERS").below if f in by_floor]:
            text += f"\n## Floor {floor}\n"
            for header, sections in sorted(by_floor[floor].items(), key=lambda h: min(h[1])):
                purpose = self.purpose(header)
                text += f"\n### [{Path(header).name}](../{header})\n\n" + wrapped(purpose[0].upper() + purpose[1:])
                text += "".join(section for _, section in sorted(sections))
        return text + "\n" + TYPES + "".join(self.used[p] for p in sorted(self.used, key=self.short))

    def purpose(self, header):
        """The first sentence of a header."""
        lines = []
        for line in (self.root / header).read_text().split("\n"):
            if not line.startswith("// "):
                break
            lines.append(line[3:].strip())
        said = re.sub(r"^\S+ - ", "", " ".join(lines))
        return re.match(r".*?[.](?=\s|$)", said)[0]


def prose(text):
    return text.replace("<", "&lt;")


def wrapped(text, first="", later=""):
    """Lines of at most COLUMNS columns; the first begins with `first`, the others with `later`."""
    return textwrap.fill(text, COLUMNS, initial_indent=first, subsequent_indent=later, break_long_words=False,
                         break_on_hyphens=False) + "\n"


def main():
    root = Path(sys.argv[1]).resolve()
    made = page(root)
    text = made.text()
    there = root / PAGE
    if "--write" in sys.argv:
        there.write_text(text)
    elif not there.exists() or there.read_text() != text:
        made.faults.append(f"{PAGE} is not what the declarations say: python3 tests/message_page.py . --write")
    print("\n".join(made.faults) or f"{text.count('# `')} messages and types of their fields")
    sys.exit(1 if made.faults else 0)


if __name__ == "__main__":
    main()
