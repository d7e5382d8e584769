"""api_reference.py - every declaration of the public headers has a comment, and every function says what it throws.

    api_reference.py ROOT            counts, and lists what is above its limit
    api_reference.py ROOT --list     lists all that lack something

Public is what include/stretto/*.hpp declares in namespace stretto, outside of namespaces `detail`.

Rules
  1. Classes, functions, enumerations, concepts, variables and aliases at namespace scope have a comment.
  2. Public member functions have one. Not asked for: what the compiler writes, copies and moves, destructors,
     comparisons.
  3. Functions that can throw say so: a column `throws`, a sentence with "throw" or "never fails", or a code of an
     error in the comment. Not asked for: what is noexcept, constexpr or consteval, and what the compiler writes.

The counts of rules 2 and 3 may not be larger than LIMITS, which may only shrink.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs/reference"))
from declarations import declarations

LIMITS = {"members without a comment": 0, "functions that do not say what they throw": 0}
COMPARISONS = {"operator==", "operator!=", "operator<=>", "operator<", "operator<=", "operator>", "operator>="}
SAYS_THROWS = re.compile(r"\b([Tt]hrow|[Tt]hrows|throwing|thrown|[Nn]ever fails|[A-HKMNPSTW]\d\d)\b")


def is_public(d):
    return d.is_public and d.scope[:1] == ("stretto",) and "detail" not in d.scope


def is_definition_of_a_member(d):
    """A class's member that is defined behind the class: its comment is there."""
    at = d.words.index("(") if "(" in d.words else 0
    return d.kind == "function" and not d.in_class and d.words[at - 2 : at] == ["::", d.name]


def is_specialisation(d):
    return d.kind in ("class", "variable") and ("<" in d.name or d.words[1:3] == ["<", ">"])


def is_written_by_the_compiler(d):
    return d.words[-2:-1] == ["="] and d.words[-1] in ("default", "delete")


def is_plain_member(d):
    """What every class has, and a reader knows: copies, moves, destructors, comparisons."""
    name = d.scope[-1].split("<")[0]
    inside = " ".join(d.words[d.words.index("(") + 1 :]) if "(" in d.words else ""
    copies = d.name in (name, "operator=") and re.match(rf"(const )?{name}( <[^>]*>)? &", inside)
    empty = d.name == name and inside.startswith(")")
    return d.name[0] == "~" or copies or empty or d.name in COMPARISONS


def cannot_throw(d):
    return bool({"noexcept", "constexpr", "consteval"} & set(d.words)) or d.name[0] == "~"


def faults(headers):
    """{rule: [description]} of (name, text) of headers."""
    found = {"declarations without a comment": [], **{name: [] for name in LIMITS}}
    for file, text in headers:
        for d in declarations(text):
            if not is_public(d) or (d.kind == "alias" and d.in_class) or is_written_by_the_compiler(d):
                continue
            if is_definition_of_a_member(d) or is_specialisation(d):
                continue
            where = f"{file}:{d.line}: {d.kind} {d.full_name}"
            is_function = d.kind == "function"
            if not d.source and not (is_function and d.name in COMPARISONS):
                if not d.in_class:
                    found["declarations without a comment"].append(where)
                elif is_function and not is_plain_member(d):
                    found["members without a comment"].append(where)
            if is_function and not cannot_throw(d) and not SAYS_THROWS.search(" ".join(d.comment)):
                found["functions that do not say what they throw"].append(where)
    return found


def report(found, limits, lists_all):
    """(lines, whether all is as the limits say)"""
    lines, is_good = [], True
    for rule, places in found.items():
        limit = limits.get(rule, 0)
        if len(places) > limit or lists_all:
            lines += places
        lines.append(f"{len(places)} {rule}" + (f", at most {limit}" if limit else ""))
        if len(places) < limit:
            lines.append(f"fewer than the limit: write {len(places)} into LIMITS of tests/api_reference.py")
        is_good &= len(places) == limit
    return lines, is_good


def main():
    folder = Path(sys.argv[1]).resolve() / "include/stretto"
    headers = [(path.name, path.read_text()) for path in sorted(folder.glob("*.hpp"))]
    if not headers:
        sys.exit(f"there are no headers in {folder}")
    lines, is_good = report(faults(headers), LIMITS, "--list" in sys.argv[2:])
    print("\n".join(lines))
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
