"""compiler_test.py - stretto-cc and stretto-c++, called as compilers are, and the programs that they make.

    compiler_test.py BIN SOURCES WORK

BIN holds the two compilers, in a tree with what they link; SOURCES is tests/ranks. Programs are made in WORK.
"""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
ARGUMENTS = ["-a", "-b2", "rest", "--size", "30", "end"]


def run(*command, code=0, ranks=None, **more):
    variables = dict(os.environ, **({"STRETTO_RANKS": str(ranks)} if ranks else {}), **more.pop("variables", {}))
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=variables, cwd=WORK, **more)
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done


def cc(*arguments, **more):
    return run(BIN / "stretto-cc", *arguments, **more)


def cxx(*arguments, **more):
    return run(BIN / "stretto-c++", *arguments, **more)


def write(name, text):
    (WORK / name).write_text(text)
    return name


class Compiling(unittest.TestCase):
    def test_compile_and_link_steps(self):
        cxx("-O1", "-fPIE", "-c", SOURCES / "programs/stages.cpp", "-MMD", "-MF", "stages.d", "-o", "stages.o")
        self.assertIn("stages.cpp", (WORK / "stages.d").read_text())
        cxx("-pie", "stages.o", "-ostages")
        self.assertIn("+global", run("./stages", ranks=1, code=3).stdout)

    def test_several_sources_and_no_output_name(self):
        write("one.c", "int two(void);\nint main(void) { return two(); }\n")
        write("two.c", "int two(void) { return 2; }\n")
        cc("one.c", "two.c")
        run("./a.out", ranks=2, code=2)

    def test_output_of_other_kinds(self):
        write("macro.c", "#define VALUE 17\nint value = VALUE;\n")
        self.assertIn("int value = 17", cc("-E", "macro.c").stdout)
        cc("-S", "macro.c", "-o", "macro.s")
        self.assertIn("value", (WORK / "macro.s").read_text())
        self.assertIn("macro.o: macro.c", cc("-M", "macro.c").stdout)
        self.assertEqual(cc("-fsyntax-only", "macro.c").stdout, "")

    def test_response_files_and_sources_from_a_pipe(self):
        write("arguments", "-x c - -o 'of a pipe'")
        cc("@arguments", input="int main(void) { return 5; }\n")
        run("./of a pipe", ranks=1, code=5)

    def test_archives_and_options_for_sections(self):
        write("part.c", "int part(void) { return 4; }\n")
        write("whole.c", "int part(void);\nint unused(void) { return 1; }\nint main(void) { return part(); }\n")
        cc("-ffunction-sections", "-fvisibility=hidden", "-c", "part.c", "whole.c")
        run("ar", "rcs", "libpart.a", "part.o")
        cc("-Wl,--gc-sections", "-s", "whole.o", "-L.", "-lpart", "-o", "whole")
        run("./whole", ranks=2, code=4)

    def test_main_in_an_archive(self):
        write("main_of_archive.c", "int part(void);\nint main(void) { return part(); }\n")
        write("part_of_main.c", "int part(void) { return 6; }\n")
        cc("-c", "main_of_archive.c", "part_of_main.c")
        run("ar", "rcs", "libmain.a", "main_of_archive.o")
        cc("libmain.a", "part_of_main.o", "-o", "main_of_archive")
        run("./main_of_archive", ranks=2, code=6)

    def test_link_time_optimisation(self):
        cxx("-O2", "-flto", SOURCES / "programs/privacy.cpp", "-o", "optimised")
        self.assertEqual(run("./optimised", *ARGUMENTS, ranks=3).stdout, "done\n" * 3)

    def test_other_linkers(self):
        for linker in ["bfd", "gold", "lld"]:
            if shutil.which("ld." + linker):
                cxx("-O1", f"-fuse-ld={linker}", SOURCES / "programs/privacy.cpp", "-o", "by_" + linker)
                self.assertEqual(run("./by_" + linker, *ARGUMENTS, ranks=3).stdout, "done\n" * 3, linker)

    def test_another_compiler(self):
        run(BIN / "stretto-cc", "--version", code=1, variables={"STRETTO_CC": "no-such-compiler"})
        done = cc("-show", "a.c", variables={"STRETTO_CC": "ccache gcc"})
        self.assertTrue(done.stdout.startswith("ccache gcc -I"), done.stdout)

    def test_questions_of_build_systems(self):
        self.assertIn("-fPIC", cc("-showme:compile").stdout)
        self.assertIn("-lstretto_ranks", cc("--showme:link").stdout)
        self.assertEqual(cc("-compile_info").stdout, cc("-showme:compile").stdout)
        self.assertIn(" one.c ", cc("-show", "-O2", "one.c", "-o", "one").stdout)

    def test_programs_that_are_no_copies(self):
        write("empty.c", "int value;\n")
        self.assertIn("error W61", cc("-static", "empty.c", code=1).stderr)
        self.assertIn("undefined reference to `main'", cc("empty.c", "-o", "empty", code=1).stderr)
        self.assertFalse((WORK / "empty").exists())
        write("undefined.c", "int no_such(void);\nint main(void) { return no_such(); }\n")
        self.assertIn("undefined reference to `no_such'", cc("undefined.c", code=1).stderr)

    def test_objects_for_another_mpi(self):
        write("other.c", "extern char ompi_mpi_comm_world;\nint main(void) { return ompi_mpi_comm_world; }\n")
        run("cc", "-fPIC", "-c", "other.c")
        self.assertIn('error R82: "other.o" was built for another MPI', cc("other.o", code=1).stderr)
        run("ar", "rcs", "libother.a", "other.o")
        self.assertIn("uses        ompi_mpi_comm_world of Open MPI", cc("libother.a", code=1).stderr)


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cxx("-O1", "-g", SOURCES / "programs/stages.cpp", "-o", "ends")

    def test_exit_codes(self):
        for how, code in [("return", 3), ("exit", 4), ("_exit", 5), ("quick_exit", 6), ("abort", 134), ("thread", 9)]:
            run("./ends", how, ranks=2, code=code)

    def test_an_uncaught_exception(self):
        done = run("./ends", "throw", ranks=1, code=134)
        self.assertIn("error R87: rank 0: nothing catches an exception of type std::runtime_error", done.stderr)
        self.assertIn("thrown", done.stderr)

    def test_a_crash_names_the_rank_and_the_function(self):
        done = run("./ends", "crash", ranks=1, code=-11)
        self.assertIn("error R86: rank 0 crashed: Segmentation fault", done.stderr)
        self.assertRegex(done.stderr, r"where       \S+ \(ends\+0x[0-9a-f]+\)")
        self.assertRegex(done.stderr, r"line        .* at stages.cpp:\d+")

    def test_by_another_name_and_from_another_folder(self):
        link = WORK / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(WORK / "ends")
        run("/usr/bin/env", "-C", "/", link, ranks=1, code=3)


class FindMPI(unittest.TestCase):
    """In a copy of the tree whose header is a stand-in with functions of its own."""

    @classmethod
    def setUpClass(cls):
        cls.prefix = WORK / "prefix"
        shutil.rmtree(cls.prefix, ignore_errors=True)
        (cls.prefix / "include/stretto_mpi").mkdir(parents=True)
        shutil.copy(SOURCES / "find_mpi/mpi.h", cls.prefix / "include/stretto_mpi")
        shutil.copytree(BIN, cls.prefix / "bin")
        libraries = next(p for p in BIN.parent.glob("lib*") if p.is_dir())
        shutil.copytree(libraries, cls.prefix / libraries.name, symlinks=True)
        cls.part = cls.prefix / libraries.name / "stretto/program.o"
        cls.built_for = libraries / "stretto/ranks_start"

    def build(self, name, *options):
        folder = WORK / name
        shutil.rmtree(folder, ignore_errors=True)
        run("cmake", "-S", SOURCES / "find_mpi", "-B", folder, f"-DCMAKE_INSTALL_PREFIX={folder}/installed",
            "-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib", *options)
        run("cmake", "--build", folder)
        run("cmake", "--install", folder)
        for there in [folder, folder / "installed/bin"]:
            self.assertEqual(run(there / "in_c", ranks=3).stdout, "1 2 71876166 1 0\n" * 3)
            self.assertEqual(run(there / "in_cxx", ranks=3).stdout, "1 1\n" * 3)

    def test_as_the_compilers_of_a_project(self):
        compilers = self.prefix / "bin"
        self.build("by_compiler", f"-DCMAKE_C_COMPILER={compilers}/stretto-cc",
                   f"-DCMAKE_CXX_COMPILER={compilers}/stretto-c++")

    def configure_part(self):
        """As if the tree had been configured for this place: the path begins a section of 1,024 bytes."""
        before, now = (str(p).encode().ljust(900, b"\0") for p in [self.built_for, self.part.parent / "ranks_start"])
        content = self.part.read_bytes()
        self.assertEqual(content.count(before), 1)
        self.part.write_bytes(content.replace(before, now))

    def test_as_the_mpi_of_a_project(self):
        compilers = self.prefix / "bin"
        self.assertIn("error W64", run(compilers / "stretto-cc", "-link_info", code=1).stderr)
        self.configure_part()
        self.build("by_mpi", f"-DMPI_C_COMPILER={compilers}/stretto-cc", f"-DMPI_CXX_COMPILER={compilers}/stretto-c++",
                   "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=bfd")


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=1)
