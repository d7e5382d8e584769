"""layers.py - enforces LAYERS: which floor may include which, and no include cycle between components.

    layers.py ROOT        prints every fault as file:line and exits with 1, or counts what it checked

Rules
  1. A file of a floor includes only its own floor and those that LAYERS lists for it.
  2. Components (foo.hpp with foo.cpp, wherever the two lie) form no include cycle.
  3. A public header (include/stretto) includes the standard library and public headers, nothing else, and
     belongs to exactly one floor.
  4. `#if` and its like stand only where LAYERS says `may use #if`.
  5. An include in quotes names a file that exists; public headers are included with angle brackets.
  6. src/<floor>/README.md names the floors of LAYERS in the first sentence after "May include", in their order.
"""
import re
import sys
from pathlib import Path

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg
cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format
forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch
limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges
ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept
stop_token streambuf string string_view syncstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version""".split())

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")
SUFFIXES = {".hpp", ".cpp", ".h", ".S"}
# Folders outside of src/ that are one floor each.
OUTER = ["tools", "examples", "bench", "tests", "modules"]
# Folders within them that are floors of their own.
INNER = {"examples/demo": "demo", "examples/modules": "applications"}


class Law:
    """The LAYERS file: `below[floor]` is a set of floors, or "*", or "public"."""

    def __init__(self, path):
        self.below, self.owner, self.conditional, self.faults = {}, {}, [], []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            where = f"{path.name}:{number}"
            if match := re.fullmatch(r"may use #if\s*:\s*(.*)", text):
                self.conditional += match[1].split()
            elif match := re.fullmatch(r"(\w+)\s*:\s*(.*)", text):
                self._floor(where, match[1], match[2].split())
            elif match := re.fullmatch(r"(\w+)\s*=\s*(.*)", text):
                self._headers(where, match[1], match[2].split())
            else:
                self.faults.append(f"{where}: not a line of this file's language: {text}")

    def _floor(self, where, floor, names):
        if floor in self.below:
            self.faults.append(f"{where}: floor {floor} is declared twice")
        for name in names:
            if name not in ("*", "public") and name not in self.below:
                self.faults.append(f"{where}: {floor} may not list {name}, which is not declared above it")
        self.below[floor] = set(names)

    def _headers(self, where, floor, names):
        if floor not in self.below:
            self.faults.append(f"{where}: headers are given to {floor}, which is not a floor")
        for name in names:
            if name in self.owner:
                self.faults.append(f"{where}: {name} already belongs to {self.owner[name]}")
            self.owner[name] = floor

    def allows(self, floor, target, public):
        names = self.below[floor]
        return floor == target or "*" in names or target in names or ("public" in names and public)


class House:
    """The source files under a root, each with its floor, component and includes."""

    def __init__(self, root, law):
        self.root, self.law, self.faults = root, law, []
        self.files = {}
        for top in ["include/stretto", "src", *OUTER]:
            for path in sorted((root / top).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    self.files[path.relative_to(root).as_posix()] = path
        self.floor = {name: self._floor_of(name) for name in self.files}

    def _floor_of(self, name):
        parts = name.split("/")
        if parts[0] == "include":
            header = "/".join(parts[2:])
            if header not in self.law.owner:
                self.faults.append(f"{name}:1: LAYERS gives this public header to no floor")
            return self.law.owner.get(header)
        floor = parts[1] if parts[0] == "src" and len(parts) > 2 else INNER.get("/".join(parts[:2]), parts[0])
        if floor not in self.law.below:
            self.faults.append(f"{name}:1: LAYERS has no floor {floor}")
            return None
        return floor

    def component(self, name):
        stem = re.sub(r"\.\w+$", "", name)
        if stem.startswith("include/stretto/"):
            return f"{self.floor[name]}/{stem.removeprefix('include/stretto/')}"
        return stem.removeprefix("src/")

    def resolve(self, name, kind, target):
        """The file that an include means, or None for one outside the house."""
        if target.startswith("stretto/") and f"include/{target}" in self.files:
            return f"include/{target}"
        if kind == "<":
            return None
        folder = name.rsplit("/", 1)[0]
        for candidate in [f"{folder}/{target}", f"src/{target}", *(f"{top}/{target}" for top in OUTER)]:
            parts = []
            for part in candidate.split("/"):
                parts = parts[:-1] if part == ".." else parts + [part]
            if "/".join(parts) in self.files:
                return "/".join(parts)
        return None

    def check(self):
        edges = {}
        for name, path in self.files.items():
            public = name.startswith("include/")
            component = self.component(name)
            edges.setdefault(component, {})
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                where = f"{name}:{number}"
                if CONDITIONAL.match(line) and not name.startswith("tests/"):
                    if not any(name == place or name.startswith(place.rstrip("/") + "/")
                               for place in self.law.conditional):
                        self.faults.append(f"{where}: #{CONDITIONAL.match(line)[1]} here; LAYERS says where it may stand")
                if match := INCLUDE.match(line):
                    self._include(where, name, public, match[1], match[2], component, edges)
        self._cycles(edges)
        self._readmes()
        return self.faults

    def _readmes(self):
        for path in sorted((self.root / "src").glob("*/README.md")):
            text, floor = path.read_text(), path.parent.name
            if match := re.search(r"May include\W+([^.;(]*)", text):
                law = [name for name in self.law.below if name in self.law.below.get(floor, ())]
                named = [name for name in re.findall(r"\w+", match[1]) if name in self.law.below]
                if named != law:
                    number = text.count("\n", 0, match.start()) + 1
                    self.faults.append(f"{path.relative_to(self.root)}:{number}: names {', '.join(named) or 'no floor'}; "
                                       f"by LAYERS {floor} may include {', '.join(law) or 'no floor'}")

    def _include(self, where, name, public, kind, target, component, edges):
        file = self.resolve(name, kind, target)
        if file is None:
            if kind == '"' or target.startswith("stretto/"):
                self.faults.append(f'{where}: {target} is no file of this project')
            elif public and target not in STANDARD:
                self.faults.append(f"{where}: public header includes <{target}>, which is not the standard library's")
            return
        to_public = file.startswith("include/")
        if to_public and kind == '"':
            self.faults.append(f"{where}: include the public header as <{target}>")
        if public and not to_public:
            self.faults.append(f"{where}: public header includes {file}, which is not public")
        here, there = self.floor[name], self.floor[file]
        if here and there and not self.law.allows(here, there, to_public):
            self.faults.append(f"{where}: {here} may not include {there} ({target})")
        other = self.component(file)
        if other != component:
            edges[component].setdefault(other, where)

    def _cycles(self, edges):
        """Reports each cycle once, by a depth-first search without recursion."""
        done, reported = set(), set()
        for start in sorted(edges):
            path, stack = [], [(start, iter(sorted(edges[start])))]
            if start in done:
                continue
            path.append(start)
            while stack:
                node, targets = stack[-1]
                following = next(targets, None)
                if following is None:
                    stack.pop()
                    done.add(path.pop())
                elif following in path:
                    cycle = path[path.index(following):]
                    if frozenset(cycle) not in reported:
                        reported.add(frozenset(cycle))
                        self.faults.append(f"{edges[node][following]}: include cycle: {' -> '.join([*cycle, following])}")
                elif following not in done:
                    path.append(following)
                    stack.append((following, iter(sorted(edges.get(following, {})))))


def check(root):
    """Every fault of the tree under root, and how many files were looked at."""
    law = Law(root / "LAYERS")
    house = House(root, law)
    return law.faults + house.check(), len(house.files)


def main():
    faults, files = check(Path(sys.argv[1]).resolve())
    print("\n".join(faults) or f"{files} files keep to LAYERS")
    if files == 0:
        print("no source files were found")
    sys.exit(1 if faults or files == 0 else 0)


if __name__ == "__main__":
    main()
