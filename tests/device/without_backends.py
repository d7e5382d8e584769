"""without_backends.py ROOT BUILD COMPILER - checks that each backend folder in src/device can be removed on its own.

For each backend the script configures a copy of the tree without its folder. Building all of it would take long, so
instead:
  - every source that its build would compile must find its includes, directly and indirectly;
  - the command is linked from the objects of BUILD, except the folder's own, with the list of backends that the copy's
    configuration wrote: nothing else may name a backend;
  - the command runs: it lists the devices of the other kinds, and refuses the removed kind by naming the remaining
    ones.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root, build, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
BACKENDS = sorted(f.parent.name for f in root.glob("src/device/*/*_backend.hpp"))
LEFT_OUT = {"build", "out", ".git", ".cache", "docs", "shared"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def copy_without(backend, to):
    """The tree as hard links where it can be, as files of its own elsewhere."""
    def link(source, target):
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)
    gone = root / "src/device" / backend
    def ignore(folder, names):
        return {n for n in names if Path(folder, n) == gone or (Path(folder) == root
                                                                and (n in LEFT_OUT or n.startswith("build")))}
    shutil.copytree(root, to, copy_function=link, ignore=ignore)


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def missing_includes(sources):
    """Includes in quotes, of these sources and of what they include, that name no file."""
    faults, seen, texts = [], set(), {}
    for source, folders in sources:
        waiting = [source]
        while waiting:
            file = waiting.pop()
            if (file, folders) in seen:
                continue
            seen.add((file, folders))
            if file not in texts:
                texts[file] = INCLUDE.findall(file.read_text(errors="replace"))
            for name in texts[file]:
                found = next((f for f in (folder / name for folder in (file.parent, *folders)) if f.exists()), None)
                if found:
                    waiting.append(found.resolve())
                else:
                    faults.append(f"{file} includes \"{name}\", which is not there")
    return faults, len(seen)


def compiled_sources(tree_build):
    for entry in json.loads((tree_build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        folders = [w[2:] for w in words if w.startswith("-I") and len(w) > 2]
        folders += [after for w, after in zip(words, words[1:]) if w in ("-I", "-isystem", "-include")]
        if Path(entry["file"]).exists():  # else the build itself writes it
            yield Path(entry["file"]), tuple(Path(entry["directory"], f) for f in folders)


def objects_of(target):
    """What BUILD made that of."""
    text = (build / "build.ninja").read_text()
    rule = re.search(rf"^build {re.escape(target)}: \S+ ([^|\n]*)", text, re.MULTILINE)[1]
    return [build / o for o in rule.split()]


def is_of(backend, made):
    """Whether it was compiled of files of that folder, each alone or together."""
    name = made.as_posix()
    return f"/src/device/{backend}/" in name or f"/unity_src_device_{backend}_" in name


def link_libraries():
    """Of the command, as its own build links them: what is before and what is behind the library."""
    text = (build / "build.ninja").read_text()
    rule = text[text.index("build tools/stretto: "):]
    words = shlex.split(re.search(r"LINK_LIBRARIES = (.*)", rule)[1])
    return [build / w if not w.startswith(("-", "/")) else w for w in words]


class WithoutBackends(unittest.TestCase):
    def configured(self, backend):
        place = Path(tempfile.mkdtemp(dir=build))
        self.addCleanup(shutil.rmtree, place)
        tree = place / "tree"
        copy_without(backend, tree)
        made = run("cmake", "-S", tree, "-B", place / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
                   "-DCMAKE_BUILD_TYPE=Release", "-DSTRETTO_JOINED=OFF")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        return tree, place / "build"

    def test_there_are_backends(self):
        self.assertLessEqual({"cuda", "sim"}, set(BACKENDS))

    def test_without_each(self):
        with ThreadPoolExecutor(len(BACKENDS)) as side_by_side:
            for backend, place in zip(BACKENDS, side_by_side.map(self.configured, BACKENDS)):
                with self.subTest(without=backend):
                    self.check(backend, *place)

    def check(self, backend, tree, tree_build):
        faults, looked_at = missing_includes(compiled_sources(tree_build))
        self.assertEqual(faults, [])
        self.assertGreater(looked_at, 500)

        listed = tree_build / "generated/backends.cpp"
        self.assertNotIn(f"{backend}_backend", listed.read_text())
        kept = [o for o in objects_of("libstretto.a") if not is_of(backend, o) and o.name != "backends.cpp.o"]
        self.assertLess(len(kept) + 1, len(objects_of("libstretto.a")))
        command = objects_of("tools/stretto")
        (tree_build / "objects").write_text("\n".join(str(o) for o in command + kept))
        linked = tree_build / "stretto"
        libraries = [w for w in link_libraries() if Path(w).name != "libstretto.a"]
        made = run(compiler, "-std=c++20", "-I", tree / "src", "-I", tree / "include", listed, f"@{tree_build}/objects",
                   *libraries, "-pthread", "-rdynamic", "-o", linked)
        self.assertEqual(made.returncode, 0, made.stderr[-4000:])

        doctor = run(linked, "doctor")
        self.assertIn("devices", doctor.stdout, doctor.stderr)
        refused = run(linked, "demo", "wave", "--size", "60x40", "--steps", "2", "--devices", backend, "--out",
                      tree_build / "out")
        self.assertIn("error K26", refused.stderr + refused.stdout)
        allowed = re.search(r"allowed +(.*?);", refused.stderr + refused.stdout)[1].split(", ")
        self.assertEqual(set(allowed), {"all", "none"} | set(BACKENDS) - {backend})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
