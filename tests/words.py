"""words.py - holds names, comments, documents and commits to the rules of CONTRIBUTING.md, as far as a program can.

    words.py ROOT           prints each fault as file:line and exits with 1, or counts what it checked
    words.py ROOT --list    prints what the limits still allow, too

Rules
  1. A C++ file is named by a noun: not by a gerund alone, a word that says nothing alone, or an avoided word.
  2. Two floors have no files of the same name for two things.
  3. Identifiers and comments use the field's terms instead of the words of AVOIDED.
  4. No sentence of a comment or document begins with Who, Whoever, Whom, Whose, What or Whatever, but for questions.
  5. A line has at most 120 columns. Excepted: bodies of macros, what clang-format leaves, raw strings; in documents
     code, tables and links.
  6. A decision has the form of docs/adr/0000-template.md, is at most a page long, and docs/adr/README.md lists it.
  7. A public header has at most 300 lines.
  8. The subject of a commit has at most 72 characters and no full stop at its end.

A figure or a list of the law below allows what broke a rule when the rule was made. They may only shrink: lower a
figure with the change that makes it possible, and take a name off a list once it keeps the rule.
"""
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import layers

COLUMNS = 120
SUBJECT = 72
PAGE = 60
HEADER = 300
FOLDERS = ["include", "src", "modules", "tools", "examples", "bench", "tests", "docs", "cmake"]
CPP = {".cpp", ".hpp", ".h", ".S"}

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|"""
                   r"""[A-Za-z_]\w*|\d[\w.']*""", re.S)
OPENING = re.compile(r'["`(*]*(Who|Whoever|Whom|Whose|What|Whatever)\b')
END_OF_SENTENCE = re.compile(r"""(?<=[.!?:;])\s+(?=["`(*]*[A-Z])""")
LONG_LINK = re.compile(r"\]\([^)]{60,}\)|https?://\S{60,}")
NOUNS_IN_ING = {"ring", "string", "thing"}
STATUS = re.compile(r"^\*\*Status\.\*\* (Accepted|Replaced by decision \d{4}), \d{4}-\d\d\.", re.M)
PARTS_OF_A_DECISION = ["Status", "Context", "Decision", "Consequences", "Revisit when"]


# Where a row of spans is a lane, and where a room is one of a building.
TIMELINES = ["src/graph/timeline", "src/trace/", "tools/report/", "tests/graph/", "tests/report/", "tests/trace/",
             "tests/module/trace_test.cpp"]
BUILDINGS = ["bench/peers/", "examples/", "tools/stretto/demo_rsim.cpp"]


@dataclass
class Law:
    """The words and limits. Those of this project follow below; tests make their own."""
    avoided: dict = field(default_factory=dict)        # "word, word": (the most in code, what to say instead)
    own_terms: dict = field(default_factory=dict)      # word: beginnings of files whose field has that term
    own_phrases: list = field(default_factory=list)    # terms that have an avoided word
    own_names: set = field(default_factory=set)        # file names that are terms of the field
    empty_names: set = field(default_factory=set)      # file names that say nothing alone
    old_names: set = field(default_factory=set)        # file names that break rule 1
    shared_names: set = field(default_factory=set)     # file names that break rule 2
    openings: dict = field(default_factory=dict)       # folder, or "documents": most sentences of 1,000
    long_lines: dict = field(default_factory=dict)     # ending: most lines in all files with it
    long_headers: dict = field(default_factory=dict)   # public header: most lines
    first_commit: str = ""                             # the subject after which commits keep rule 8


STRETTO = Law(
    avoided={
        "letter, letters": (82, "message"),
        "heard": (20, "received"),
        "hear, hears, hearing": (0, "receive, handle"),
        "tell, tells": (79, "send, notify, report"),
        "telling": (0, "notification, report"),
        "told": (499, "reported, notified"),
        "said": (297, "sent, message kind"),
        "errand, errands": (0, "deferred action"),
        "resident, residents": (15, "local object"),
        "lose, loses, lost": (698, "fail, failed node"),
        "losing": (0, "failure"),
        "forsake, forsakes, forsaken": (0, "abandon, abandoned"),
        "orphan, orphans": (0, "abandoned, never triggered"),
        "gone": (252, "failed, destroyed"),
        "at rest, moment of rest": (0, "paused for a checkpoint, consistent point"),
        "short answer, short answers": (0, "batched reply"),
        "answer, answers, answered": (202, "reply"),
        "look, looks, looked, looking": (360, "poll, spin, search"),
        "lookout": (0, "spin"),
        "onlooker, onlookers": (0, "passive thread"),
        "rob, robs, robbed, robbing": (0, "force a steal"),
        "bell, bells": (0, "wake-up signal"),
        "peek, peeks": (10, "snapshot read"),
        "seat, seats": (8, "simulated node"),
        "shelf, shelves": (0, "cache"),
        "nest, nests": (0, "loop nest, nested ranges"),
        "cargo, cargoes": (0, "payload"),
        "wish, wishes": (3, "request"),
        "strand, strands": (0, "chain"),
        "duty, duties": (0, "polling task"),
        "course, courses": (22, "history"),
        "aftermath": (0, "consequences"),
        "surroundings": (0, "environment"),
        "words": (754, "encoded fields, key"),
        "content, contents": (662, "data"),
        "beside": (113, "next to"),
        "in turn": (24, "alternately, one after another"),
        "room, rooms": (148, "capacity, free memory"),
        "comes again, known launches": (0, "repeated launch, launch cache"),
        "parting, dividing": (0, "splitting"),
        "dealing, deals, dealt": (0, "device assignment"),
        "lane, lanes": (14, "shared-memory channel"),
        "self wait, self waits": (0, "wait cycle"),
    },
    own_terms={
        "lane": TIMELINES, "lanes": [*TIMELINES, "src/base/config.hpp", "bench/taskbench/"],
        "nest": [*TIMELINES, "tests/sched/task_test.cpp"],
        "resident": ["tests/buffers/bounded_memory_test.cpp"],
        "orphan": ["src/geometry/box_index"], "orphans": ["src/geometry/box_index"],
        "peek": ["src/platform/json_reader.cpp", "tools/report/", "examples/demo/wave/image_pgm.cpp"],
        "room": BUILDINGS, "rooms": BUILDINGS,
        "at rest": ["examples/"],
    },
    own_phrases=["loop nest", "resident bytes", "resident memory", "peak resident", "lane memory", "type get contents"],
    own_names={"balancing", "drawing", "indexing", "interleaving", "mapping", "nonblocking", "polling", "tiling",
               "loop_nest", "room", "room_light", "room_patches", "39_room_response"},
    empty_names={"beside", "here", "words", "mark", "ways", "course", "named_values"},
    old_names={
        "printing", "racing", "scaling", "waiting", "checkpoint_content", "content_io", "file_content", "letters",
    },
    shared_names={"clock", "handle", "scheduler", "task", "timeline"},
    openings={
        "documents": 1, "examples": 6, "tools": 14,
    },
    long_lines={
        ".cmake": 2, ".js": 1, ".md": 18, ".py": 41, ".txt": 6,
    },
    long_headers={},
    first_commit="Apply .clang-format to all sources",
)


class Tree:
    """The texts under a root, each read once; of C++ the tokens, too."""

    def __init__(self, root):
        self.root, self.texts, self.tokens = root, {}, {}
        places = [*root.glob("*.md"), *root.glob("CMakeLists.txt")]
        for folder in FOLDERS:
            places += sorted((root / folder).rglob("*"))
        for path in places:
            if path.suffix in CPP | {".md", ".py", ".txt", ".cmake", ".js"} and path.is_file():
                self.texts[path.relative_to(root).as_posix()] = path.read_text(errors="replace")
        for name in self.cpp():
            self.tokens[name] = list(TOKEN.finditer(self.texts[name]))

    def cpp(self):
        return [name for name in self.texts if Path(name).suffix in CPP]

    def documents(self):
        return [name for name in self.texts if name.endswith(".md")]

    def line(self, name, position):
        return self.texts[name].count("\n", 0, position) + 1


class Findings:
    """Faults, and what a limit allows: `within` may be listed, `notes` say where a limit may shrink."""

    def __init__(self):
        self.faults, self.within, self.notes = [], [], []

    def bounded(self, what, found, limit, count=None, total=""):
        """`found` are the places; `count` is what the limit bounds, if not their number."""
        count = len(found) if count is None else count
        if count > limit:
            self.faults += found[:20] + [f"tests/words.py: {what}: {count}{total}, at most {limit}; --list shows all"]
        elif limit - count > 10:
            self.notes.append(f"{what}: the limit {limit} may shrink to {count}")
        self.within += found

    def listed(self, what, found, allowed):
        """`found` is a dict of names to faults; those of `allowed` are none, and must be found."""
        self.faults += [fault for name, fault in found.items() if name not in allowed]
        for name in sorted(set(allowed) - set(found)):
            self.faults.append(f"tests/words.py: {name} must leave the list of {what}")
        self.within += [fault for name, fault in found.items() if name in allowed]


def stem_of(name):
    return re.sub(r"_(test|fuzz)$", "", Path(name).stem)


def check_file_names(tree, law, findings):
    avoided = {word for words in law.avoided for word in words.split(", ")}
    old = {}
    for name in tree.cpp():
        stem = stem_of(name)
        if stem in law.own_names:
            continue
        if re.fullmatch(r"[a-z]{2,}ing", stem) and stem not in NOUNS_IN_ING:
            old[stem] = f"{name}:1: a file is named by a noun, not by a gerund alone"
        elif stem in law.empty_names:
            old[stem] = f"{name}:1: \"{stem}\" says nothing alone"
        elif words := avoided & set(stem.split("_")):
            old[stem] = f"{name}:1: \"{min(words)}\" is an avoided word"
    findings.listed("old file names", old, law.old_names)


def check_shared_names(tree, law, findings):
    owner = layers.Law(tree.root / "LAYERS").owner if (tree.root / "LAYERS").exists() else {}
    floors = {}
    for name in tree.cpp():
        top, *rest = name.split("/")
        floor = rest[0] if top == "src" and len(rest) > 1 else None
        if top == "include":
            floor = owner.get("/".join(rest[1:]))
        if floor:
            floors.setdefault(Path(name).stem, {}).setdefault(floor, name)
    shared = {stem: f"{sorted(places.values())[-1]}:1: {' and '.join(sorted(places))} have a file {stem} each"
              for stem, places in sorted(floors.items()) if len(places) > 1}
    findings.listed("shared names", shared, law.shared_names)


def check_words(tree, law, findings):
    kind = {word: words for words in law.avoided for word in words.split(", ")}
    if not kind:
        return
    pattern = re.compile(rf"\b({'|'.join(sorted(kind, key=len, reverse=True))})\b")
    own = re.compile(rf"\b({'|'.join(law.own_phrases)})\b") if law.own_phrases else None
    found = {words: [] for words in law.avoided}
    for name in tree.cpp():
        for token in tree.tokens[name]:
            text = token[0]
            if text[0] in "\"'" or text[0].isdigit() or text.startswith('R"'):
                continue
            plain = re.sub("[_-]", " ", text.lower())
            for match in pattern.finditer(own.sub("", plain) if own else plain):
                word = match[1]
                if not any(name.startswith(place) for place in law.own_terms.get(word, [])):
                    where = f"{name}:{tree.line(name, token.start())}"
                    found[kind[word]].append(f"{where}: \"{word}\" in {text[:80].strip()}")
    for words, (limit, instead) in law.avoided.items():
        findings.bounded(f"{words} (say {instead})", found[words], limit)


def sentences_of_code(tree, name):
    """(line, sentence): comments on lines that follow one another are one text."""
    lines, block, first, last = tree.texts[name].split("\n"), [], 0, 0

    def flush():
        text, block[:] = " ".join(block), []
        return [(first, sentence) for sentence in END_OF_SENTENCE.split(text) if sentence]

    for token in tree.tokens[name]:
        if not token[0].startswith(("//", "/*")):
            continue
        number = tree.line(name, token.start())
        text = re.sub(r"^(///?<?|/\*+)|\*+/$", "", token[0]).strip()
        alone = lines[number - 1].lstrip().startswith(("//", "/*"))
        if block and (number != last + 1 or not alone or not text):
            yield from flush()
        if text:
            first = first if block else number
            block.append(re.sub(r"^(Threads|Cost|Costs|Memory|Invariants|Source)\s{2,}", "", text))
        last = number
    yield from flush()


def lines_of_prose(text):
    """(number, line, begins) of a document, without code, tables, headings and HTML."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not re.match(r"\s*(\||#|<|\[[\w ]+\]: )|    ", line):
            yield number, line
        if fenced or not line.strip():
            yield number, ""


def sentences_of_document(text):
    block, first = [], 0
    for number, line in [*lines_of_prose(text), (0, "")]:
        item = re.match(r"\s*([-*]|\d+\.)\s+", line)
        if block and (item or not line.strip()):
            yield from ((first, sentence) for sentence in END_OF_SENTENCE.split(" ".join(block)))
            block = []
        if line.strip():
            first = first if block else number
            block.append(line[item.end():] if item else line.strip())


def check_openings(tree, law, findings):
    total, found = Counter(), {}
    for name in [*tree.cpp(), *tree.documents()]:
        is_document = name.endswith(".md")
        place = "documents" if is_document else name.split("/")[0]
        sentences = sentences_of_document(tree.texts[name]) if is_document else sentences_of_code(tree, name)
        for number, sentence in sentences:
            total[place] += 1
            if (match := OPENING.match(sentence)) and not sentence.endswith("?"):
                found.setdefault(place, []).append(f"{name}:{number}: begins with {match[1]}: {sentence[:90]}")
    for place in sorted(total):
        places = found.get(place, [])
        share = -(-1000 * len(places) // total[place])  # rounded up
        findings.bounded(f"sentences of {place} that begin with Who or What", places, law.openings.get(place, 0), share,
                         f" of 1,000 ({len(places)} of {total[place]})")


def exempt_lines(tree, name):
    """Lines that nobody may break: bodies of macros, regions without clang-format, raw strings."""
    exempt, is_off, is_macro = set(), False, False
    for token in tree.tokens[name]:
        if token[0].startswith('R"'):
            first = tree.line(name, token.start())
            exempt.update(range(first, first + token[0].count("\n") + 1))
    for number, line in enumerate(tree.texts[name].split("\n"), 1):
        is_off = (is_off or "clang-format off" in line) and "clang-format on" not in line
        is_macro = is_macro or re.match(r"\s*#\s*define", line)
        if is_off or is_macro:
            exempt.add(number)
        is_macro = is_macro and line.endswith("\\")
    return exempt


def check_lines(tree, law, findings):
    found = {}
    for name, text in tree.texts.items():
        ending = Path(name).suffix
        if name.endswith(".md"):
            lines = ((number, line) for number, line in lines_of_prose(text) if not LONG_LINK.search(line))
        else:
            exempt = exempt_lines(tree, name) if ending in CPP else set()
            lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if number not in exempt)
        found.setdefault(ending, []).extend(f"{name}:{number}: {len(line)} columns"
                                            for number, line in lines if len(line) > COLUMNS)
    for ending, places in sorted(found.items()):
        findings.bounded(f"lines of more than {COLUMNS} columns in *{ending}", places, law.long_lines.get(ending, 0))


def check_decision(name, text, index):
    """The faults of one decision."""
    number, slug = re.fullmatch(r".*/(\d{4})-(.*)\.md", name).groups()
    lines = text.rstrip("\n").split("\n")
    title = re.fullmatch(r"# (\d{4}): (.*[^.])", lines[0])
    if not title or title[1] != number:
        return [f"{name}:1: must begin with \"# {number}: title\""]
    faults = []
    if re.sub(r"[^a-z0-9]+", "-", title[2].lower().replace("'", "")).strip("-") != slug:
        faults.append(f"{name}:1: the file's name does not follow the title")
    bold = [match[1] for line in lines if (match := re.match(r"\*\*([A-Z][a-z ]+?)\.?\*\*", line))]
    parts, needed = [part for part in bold if part in PARTS_OF_A_DECISION], PARTS_OF_A_DECISION[:-1]
    if parts not in (PARTS_OF_A_DECISION, needed):
        faults.append(f"{name}:1: has the parts {', '.join(parts) or 'none'} instead of {', '.join(needed)}")
    if not STATUS.search(text):
        faults.append(f'{name}:1: the status is neither "Accepted, 2026-11." nor "Replaced by decision 00NN, 2026-11."')
    if len(lines) > PAGE:
        faults.append(f"{name}:{PAGE + 1}: {len(lines)} lines; a page has {PAGE}")
    if f"- [{number}] {title[2]}\n" not in index or f"[{number}]: {Path(name).name}\n" not in index:
        faults.append(f"{name}:1: docs/adr/README.md does not list it as \"- [{number}] {title[2]}\" with its link")
    return faults


def check_decisions(tree, law, findings):
    index = tree.texts.get("docs/adr/README.md", "")
    for name in tree.documents():
        if re.fullmatch(r"docs/adr/\d{4}-.*\.md", name) and "/0000-" not in name:
            findings.faults += check_decision(name, tree.texts[name], index)


def check_headers(tree, law, findings):
    long = {}
    for name in tree.cpp():
        count = tree.texts[name].count("\n")
        header = name.removeprefix("include/stretto/")
        if header != name and count > HEADER:
            long[header] = f"{name}:{HEADER + 1}: {count} lines; a public header has at most {HEADER}"
            if count > law.long_headers.get(header, count):
                findings.faults.append(f"{name}:{HEADER + 1}: {count} lines, at most {law.long_headers[header]}")
    findings.listed("long headers", long, law.long_headers)


def git(root, *command):
    """What git prints, or None where there is no git or no such thing."""
    try:
        done = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def commits_of(root, *revisions):
    lines = (git(root, "log", "--no-merges", "--format=%h %s", *revisions) or "").splitlines()
    return [line.partition(" ")[::2] for line in lines]


def commits_after(root, first):
    """(hash, subject) of all commits after the oldest with the subject `first`; None without that history."""
    top = git(root, "rev-parse", "--show-toplevel")
    if not first or top is None or Path(top.strip()).resolve() != root.resolve():
        return None
    start = next((commit for commit, subject in reversed(commits_of(root)) if subject == first), None)
    return start and commits_of(root, f"{start}..HEAD")


def check_commits(tree, law, findings):
    commits = commits_after(tree.root, law.first_commit)
    if commits is None:
        findings.notes.append("commits: skipped, for their history is not here")
        return
    for commit, subject in commits:
        if len(subject) > SUBJECT:
            findings.faults.append(f"commit {commit}: {len(subject)} characters, at most {SUBJECT}: {subject}")
        if subject.endswith("."):
            findings.faults.append(f"commit {commit}: the subject ends with a full stop: {subject}")


RULES = [check_file_names, check_shared_names, check_words, check_openings, check_lines, check_decisions, check_headers,
         check_commits]


def check(root, law=STRETTO):
    """What the rules find under root, and in how many files."""
    tree, findings = Tree(root), Findings()
    for rule in RULES:
        rule(tree, law, findings)
    return findings, len(tree.texts)


def main():
    findings, files = check(Path(sys.argv[1]).resolve())
    if "--list" in sys.argv:
        print("\n".join(findings.within))
    print("\n".join([*findings.notes, *findings.faults]))
    print(f"{len(findings.faults)} faults in {files} files; {len(findings.within)} places are within limits")
    sys.exit(1 if findings.faults or files == 0 else 0)


if __name__ == "__main__":
    main()
