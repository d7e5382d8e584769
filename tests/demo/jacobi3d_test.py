"""jacobi3d_test.py COMMAND [MPI...] - `stretto demo jacobi3d` as its user meets it, here and on two nodes over each MPI."""
import json
import os
import subprocess
import sys
import unittest

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

    def test_mistakes(self):
        for words, said in [(["--size", "0"], "error W33"), (["--steps", "0"], "error W03"), (["--overdecompose", "1;2"], "error W33"),
                            (["--size", "2", "--overdecompose", "64"], "error W33"), (["-n", "none"], "error W52")]:
            with self.subTest(words=words):
                done = run(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)


unittest.main(argv=sys.argv[:1], verbosity=2)
