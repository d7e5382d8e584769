"""jacobi3d_test.py COMMAND [MPI...] - `stretto demo jacobi3d` as its user meets it, here and on two nodes over each
MPI."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

command, *mpis = sys.argv[1:]


def run(*words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
    return subprocess.run([command, "demo", "jacobi3d", *words], env=env, capture_output=True, text=True, timeout=240)


class Jacobi3d(unittest.TestCase):
    def found(self, *words):
        done = run("--size", "20x16x12", "--steps", "25", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_one_process(self):
        here = self.found("--workers", "2", "--overdecompose", "1,3")
        self.assertEqual([r["cuboids"] for r in here["runs"]], [2, 6])
        self.assertEqual((here["nodes"], here["workers"], here["steps"]), (1, 2, 25))

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_two_nodes_compute_the_same(self):
        here = self.found("--overdecompose", "2")
        there = self.found("-n", "2", "--workers", "1", "--overdecompose", "2")
        self.assertEqual((there["nodes"], there["workers"]), (2, 1))
        self.assertEqual([r["cuboids"] for r in there["runs"]], [4])
        self.assertEqual(here["runs"][0]["last_change"], there["runs"][0]["last_change"])

    def test_devices_compute_the_same(self):
        here = self.found("--overdecompose", "2", "--workers", "2")
        on_devices = self.found("--overdecompose", "2", "--workers", "2", "--devices", "sim:2")
        self.assertEqual((here["on_devices"], on_devices["on_devices"]), (False, True))
        self.assertEqual(here["runs"][0]["last_change"], on_devices["runs"][0]["last_change"])
        if mpis:
            there = self.found("-n", "2", "--workers", "1", "--overdecompose", "2", "--devices", "sim:2")
            self.assertEqual((there["nodes"], there["on_devices"]), (2, True))

    def test_killed(self):
        words = ["--size", "20x16x12", "--steps", "3000", "--json", "--workers", "1"]
        for nodes, others in [(2, (1, 3)), (1, (2,))] if mpis else [(1, (1,))]:
            with self.subTest(nodes=nodes), tempfile.TemporaryDirectory() as folder:
                saved = Path(folder) / "run.ckpt"
                env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
                started = [command, "demo", "jacobi3d", *words, "--checkpoint", str(saved), "--every", "7"]
                # Where processors are scarce, it goes on more slowly than this test, which kills it before its
                # last step.
                process = subprocess.Popen(started + (["-n", str(nodes)] if nodes > 1 else []), env=env, start_new_session=True,
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                           preexec_fn=lambda: os.nice(19))
                while process.poll() is None and not saved.exists():
                    time.sleep(0.002)
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()  # until nobody is left who writes
                self.assertEqual(process.returncode, -signal.SIGKILL)
                reached = None
                for n in others:
                    done = run(*words, "--restore", str(saved), *(["-n", str(n)] if n > 1 else []))
                    self.assertEqual(done.returncode, 0, done.stderr)  # every value is the serial loop's
                    there = json.loads(done.stdout)
                    [goes_on] = there["runs"]
                    self.assertEqual((there["nodes"], goes_on["cuboids"]), (n, 2 * nodes))
                    self.assertTrue(0 < goes_on["from_step"] < 3000 and goes_on["from_step"] % 7 == 0, goes_on)
                    self.assertEqual(goes_on["from_step"], reached or goes_on["from_step"])
                    reached = goes_on["from_step"]

    def test_the_program_stays_short(self):
        folder = Path(__file__).resolve().parents[2] / "examples/demo/jacobi3d"
        program = "".join((folder / name).read_text() for name in ("cuboid.hpp", "cuboid.cpp", "run.hpp", "run.cpp"))
        self.assertLess(len(re.findall(r"^ *[^ \n]", program, re.MULTILINE)), 300)

    def test_mistakes(self):
        for words, said in [(["--size", "0"], "error W33"), (["--steps", "0"], "error W03"),
                            (["--overdecompose", "1;2"], "error W33"),
                            (["--size", "2", "--overdecompose", "64"], "error W33"), (["-n", "none"], "error W52"),
                            (["--checkpoint", "c", "--overdecompose", "1,2"], "name one factor"),
                            (["--every", "5"], "requires --checkpoint"),
                            (["--restore", "c", "--overdecompose", "1"], "excludes --restore")]:
            with self.subTest(words=words):
                done = run(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)


unittest.main(argv=sys.argv[:1], verbosity=2)
