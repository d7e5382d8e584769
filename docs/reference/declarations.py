"""declarations.py - the declarations of a header, each with its comment.

No compiler: it reads the words of a file and knows the forms of declarations that our headers use. Three scripts share
it: filter.py, which hands comments to Doxygen; tests/api_reference.py, which looks for comments that are missing; and
tests/message_page.py, which makes docs/messages.md. tests/declarations_test.py tests it.

A declaration has these comments, the first that there is:
  - the lines `///` directly above it, and lines `//` among them;
  - a comment `//` at the end of its first or its last line, or of the line that opens its body;
  - that of the declaration before it, if that has the same name: an overload.
"""
import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*")
  | (?P<char>(?<!\w)'(?:\\.|[^'\\])+') | (?P<word>[A-Za-z_]\w*|\d[\w'.]*)
  | (?P<sign>::|->\*?|<=>|<=|>=|==|!=|&&|\|\||\.\.\.|\[\[|\]\]|[^\s\w])
""", re.X | re.M | re.S)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}", "[[": "]]"}, {")", "]", "}", "]]"}


@dataclass
class Declaration:
    kind: str  # class, function, enumeration, concept, variable, alias
    name: str
    scope: tuple  # the names of the namespaces and classes around it
    line: int  # of its first word
    last: int  # of its last word, or of the brace that opens its body
    words: list
    in_class: bool = False
    is_public: bool = True
    comment: list = field(default_factory=list)  # lines without "///"
    source: str = ""  # above, behind, overload; empty if there is none
    behind: str = ""  # the comment `//` at the end of its last line, whatever is above
    values: list = field(default_factory=list)  # the names of an enumeration's values

    @property
    def full_name(self):
        return "::".join((*self.scope, self.name))


@dataclass
class Token:
    text: str
    line: int
    kind: str


class Reader:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.found, self.tokens, self.behind, self.full_lines = [], [], {}, {}
        self.imports = []  # (scope, words of a path): `using a::b;`
        line, at = 1, 0
        for match in TOKEN.finditer(text):
            line, at = line + text.count("\n", at, match.start()), match.start()
            kind, word = match.lastgroup, match.group()
            if kind == "comment":
                alone = not self.lines[line - 1][: match.start() - text.rfind("\n", 0, match.start()) - 1].strip()
                (self.full_lines if alone else self.behind)[line] = word
            elif kind != "directive":
                self.tokens.append(Token(word, line, kind))
        self.at = 0

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def skip_to_closing(self):
        """Goes behind the bracket that closes the one just read."""
        depth = 1
        while depth and self.at < len(self.tokens):
            text = self.next().text
            depth += (text in OPENING) - (text in CLOSING)

    def read(self, scope=(), class_name=None, is_public=True, is_in_public=True):
        """The declarations up to the closing brace of this scope."""
        head = []
        while self.at < len(self.tokens):
            token = self.next()
            if token.text == "}":
                return
            if token.text == ";":
                self.declare(head, scope, class_name, is_public)
                head = []
            elif class_name and token.text in ("public", "private", "protected") and not head:
                self.next()
                is_public = token.text == "public" and is_in_public
            elif not head and token.text.startswith("STRETTO_"):  # a macro of ours
                if self.at < len(self.tokens) and self.tokens[self.at].text == "(":
                    self.next()
                    self.skip_to_closing()
            elif token.text == "{":
                if self.open(head, token, scope, class_name, is_public):
                    head = []
            else:
                head.append(token)
                if token.text in OPENING and not (head[-2:-1] and head[-2].text == "operator"):
                    begin = self.at
                    self.skip_to_closing()
                    head += self.tokens[begin : self.at]

    def open(self, head, brace, scope, class_name, is_public):
        """What a brace begins. True if the declaration ends with it."""
        words = [t.text for t in head]
        plain = declared(words)
        if words and words[0] in ("namespace", "inline") and "namespace" in words[:2]:
            self.read(scope + tuple(w for w in words if w not in ("namespace", "inline", "::")))
            return True
        if words[:1] == ["extern"] and len(words) == 2:
            self.read(scope)
            return True
        if is_requires_expression(words) or "concept" in plain[:1]:
            begin = self.at
            self.skip_to_closing()
            head += [brace, *self.tokens[begin : self.at]]
            return False
        kind = kind_of(plain)
        if kind == "enumeration":
            name = self.declare(head, scope, class_name, is_public, brace.line)
            begin = self.at
            self.skip_to_closing()
            values = split_at_commas([t.text for t in self.tokens[begin : self.at - 1]])
            self.found[-1].values = [value[0] for value in values]
        elif kind == "class":
            name = self.declare(head, scope, class_name, is_public, brace.line)
            self.read(scope + (name,), name, is_public and plain[0] != "class", is_public)
        elif kind == "function" and not (":" in after_parameters(plain) and is_word(words[-1])):
            self.declare(head, scope, class_name, is_public, brace.line)
            self.skip_to_closing()
            return True
        else:  # a value in braces
            begin = self.at
            self.skip_to_closing()
            head += [brace, *self.tokens[begin : self.at]]
            return False
        if self.at < len(self.tokens) and self.tokens[self.at].text != ";":  # variables of a type that is defined here
            if name:
                head[:] = [Token(name, self.tokens[self.at].line, "word")]
            return False
        return True

    def declare(self, head, scope, class_name, is_public, last=None):
        words = [t.text for t in head]
        plain = declared(words)
        kind = kind_of(plain)
        is_friend = "friend" in words
        if plain[:1] == ["using"] and kind is None and plain[1:2] not in (["namespace"], ["enum"]):
            self.imports.append((scope, plain[1:]))
        if not kind or (kind in ("class", "enumeration") and last is None):  # only that there is such a type
            return ""
        name = name_of(kind, plain)
        outer = scope[:-1] if is_friend and class_name else scope
        found = Declaration(kind, name, outer, head[0].line, last or head[-1].line, words, bool(class_name), is_public)
        found.behind = self.behind.get(found.last, "")
        self.add_comment(found)
        self.found.append(found)
        return name

    def add_comment(self, found):
        line, above = found.line - 1, []
        while line and self.lines[line - 1].startswith("#if"):
            line -= 1
        while line in self.full_lines:
            above.insert(0, self.full_lines[line])
            line -= 1
        before = next((d for d in reversed(self.found) if d.scope == found.scope), None)
        behind = [self.behind[n] for n in dict.fromkeys((found.last, found.line)) if n in self.behind]
        if any(text.startswith("///") for text in above):
            found.comment, found.source = [re.sub("^///?", "", text) for text in above], "above"
        elif behind and not found.words[-1:] == ["{"]:
            found.comment, found.source = [re.sub("^//[/<]*", "", behind[0])], "behind"
        elif before and before.name == found.name and before.kind == found.kind and before.is_public == found.is_public:
            found.comment, found.source = before.comment, "overload" if before.source else ""


def is_word(text):
    return bool(re.match(r"\w", text))


def matching(words, at, opening, closing):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    while at < len(words):
        if words[at] in (opening, *(OPENING if opening == "<" else ())):
            depth += 1
        elif words[at] in (closing, *(CLOSING if opening == "<" else ())):
            depth -= 1
        at += 1
        if not depth:
            return at
    return at


def declared(words):
    """The words without template<...>, requires clauses in front, attributes and specifiers."""
    at = 0
    while at < len(words):
        if words[at] == "template":
            at = matching(words, at + 1, "<", ">") if words[at + 1 : at + 2] == ["<"] else at + 1
        elif words[at] == "requires":
            at += 1
            while True:  # a primary expression, or several joined
                if words[at : at + 1] == ["requires"]:
                    at += 1
                    if words[at : at + 1] == ["("]:
                        at = matching(words, at, "(", ")")
                    at = matching(words, at, "{", "}")
                elif words[at : at + 1] == ["("]:
                    at = matching(words, at, "(", ")")
                else:
                    while at < len(words) and (is_word(words[at]) or words[at] == "::"):
                        at += 1
                        if words[at : at + 1] == ["<"]:
                            at = matching(words, at, "<", ">")
                        if words[at : at + 1] != ["::"] and words[at - 1] != "::":
                            break
                if words[at : at + 1] not in (["&&"], ["||"]):
                    break
                at += 1
        elif words[at] == "[[":
            at = matching(words, at, "[[", "]]")
        elif words[at] == "alignas":
            at = matching(words, at + 1, "(", ")")
        elif words[at] in ("friend", "inline", "static", "extern", "virtual", "explicit", "mutable"):
            at += 1
            if words[at - 1] == "explicit" and words[at : at + 1] == ["("]:
                at = matching(words, at, "(", ")")
        else:
            break
    return words[at:]


def split_at_commas(words):
    """The parts between the commas that are in no brackets, without empty ones."""
    parts, depth = [[]], 0
    for word in words:
        depth += (word in OPENING or word == "<") - (word in CLOSING or word == ">")
        if word == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def type_and_names(words):
    """The words of a variable's type, and the names of all variables of the declaration."""
    plain, depth, end = declared(words), 0, 1
    while end < len(plain):
        if not depth and is_word(plain[end]) and (plain[end - 1] == ">" or is_word(plain[end - 1])):
            break
        depth += (plain[end] == "<") - (plain[end] == ">")
        end += 1
    return plain[:end], [part[0] for part in split_at_commas(plain[end:])]


def text_of(words):
    """Words as our headers write them: `std::array<const point, 3>`."""
    text = ""
    for before, word in zip(["", *words], words):
        text += " " * bool(before == "," or before and is_word(before) and is_word(word)) + word
    return text


def is_requires_expression(words):
    if words[-1:] == ["requires"]:
        return True
    if words[-1:] != [")"]:
        return False
    depth, at = 0, len(words) - 1
    while at >= 0:
        depth += (words[at] == ")") - (words[at] == "(")
        if not depth:
            break
        at -= 1
    return words[at - 1] == "requires" and words[at - 2] in ("requires", "&&", "||", "=", "!", "(")


def parameters_at(plain):
    """The index of the bracket that opens the parameters of a function; None if this is no function."""
    at = 0
    while at < len(plain):
        word = plain[at]
        if word == "operator":
            at += 1
            while at < len(plain) and (plain[at] != "(" or plain[at + 1 : at + 3] == [")", "("]):
                at += 1
            return at if at < len(plain) else None
        if word == "(":
            if plain[at + 1 : at + 2] in (["*"], ["&"]):  # void (*f)()
                return None
            return at if at and (is_word(plain[at - 1]) or plain[at - 1] == ">") else None
        if word == "decltype":
            at = matching(plain, at + 1, "(", ")")
        elif word == "<":
            at = matching(plain, at, "<", ">")
        elif word == "[[":
            at = matching(plain, at, "[[", "]]")
        elif word in ("=", "{", "[", ":"):
            return None
        else:
            at += 1
    return None


def after_parameters(plain):
    at = parameters_at(plain)
    return [] if at is None else plain[matching(plain, at, "(", ")") :]


def kind_of(plain):
    if not plain or plain[0] in ("static_assert", "typedef", "namespace"):
        return None
    if plain[0] == "using":
        return "alias" if "=" in plain else None
    if plain[0] in ("class", "struct", "union") and (plain[1:2] == ["alignas"] or parameters_at(plain) is None):
        return "class"
    if plain[0] == "enum":
        return "enumeration"
    if plain[0] == "concept":
        return "concept"
    return "function" if parameters_at(plain) is not None else "variable" if len(plain) > 1 else None


def name_of(kind, plain):
    if kind == "function":
        at = parameters_at(plain)
        if "operator" in plain[:at]:
            return re.sub(r"(?<=\w) (?=\W)|(?<=\W) ", "", " ".join(plain[plain.index("operator") : at]))
        if plain[at - 1] == ">":  # a specialisation
            at = plain.index("<") + 1
            return plain[at - 2]
        return ("~" if plain[at - 2 : at - 1] == ["~"] else "") + plain[at - 1]
    if kind in ("class", "enumeration"):
        words = [w for w in plain if w not in ("class", "struct", "union", "enum", "final")]
        at = 0
        if words[:1] == ["[["]:
            at = matching(words, at, "[[", "]]")
        if words[at : at + 1] == ["alignas"]:
            at = matching(words, at + 1, "(", ")")
        if not words[at:] or not is_word(words[at]):
            return ""
        end = next((n for n, w in enumerate(words) if n > at and w in (":", "{")), len(words))
        return "".join(words[at:end])
    if kind in ("concept", "alias"):
        return plain[1]
    if "(" in plain and plain[plain.index("(") + 1 : plain.index("(") + 2] in (["*"], ["&"]):
        return plain[plain.index("(") + 2]
    end, angle = len(plain), 0
    for n, w in enumerate(plain):
        angle += (w == "<") - (w == ">")
        if not angle and n and w in ("=", "{", "[", ":", ","):
            end = n
            break
    return plain[end - 1] if plain[end - 1] != ">" else plain[plain.index("<") - 1]


def declarations(text):
    """All declarations of a header, in order."""
    reader = Reader(text)
    reader.read()
    return reader.found
