"""particles_test.py COMMAND [MPI...] - `stretto demo particles` as its user meets it, here and on two nodes over each
MPI."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

command, *mpis = sys.argv[1:]


class Particles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(self, *words):
        env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
        out = [] if "--out" in words else ["--out", self.folder]
        return subprocess.run([command, "demo", "particles", *out, *words], env=env, capture_output=True, text=True,
                              timeout=240)

    def found(self, *words):
        done = self.run_with("--particles", "2000", "--steps", "30", "--patches", "8x8", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_simulated_nodes(self):
        here = self.found("--simulated", "3", "--balancer", "none,greedy,hints", "--every", "7")
        self.assertEqual((here["nodes"], here["workers"], here["steps"], here["patches"]), (3, 1, 30, [8, 8]))
        self.assertEqual([(r["balancer"], r["rounds"]) for r in here["runs"]],
                         [("none", 0), ("greedy", 5), ("hints", 5)])
        without, *_, hints = [r["imbalance_of_pairs"] for r in here["runs"]]
        self.assertLess(hints["mean"], without["mean"])
        picture = xml.etree.ElementTree.parse(self.folder / "particles.svg").getroot()
        self.assertEqual(len(picture.findall("{http://www.w3.org/2000/svg}polyline")), 6)

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_two_nodes_are_balanced_as_simulated_ones(self):
        words = ["--balancer", "none,hints", "--workers", "1"]
        there, here = self.found("-n", "2", *words), self.found("--simulated", "2", *words)
        self.assertEqual((there["nodes"], there["workers"]), (2, 1))
        for a, b in zip(here["runs"], there["runs"], strict=True):
            self.assertEqual(a["imbalance_of_pairs"], b["imbalance_of_pairs"])
            self.assertEqual(a["moves"], b["moves"])

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_two_nodes_without_being_told(self):
        self.assertEqual(self.found("--balancer", "none")["nodes"], 2)
        self.assertEqual(self.found("--balancer", "none", "-n", "1")["nodes"], 1)

    def test_text(self):
        done = self.run_with("--simulated", "2", "--particles", "1000", "--steps", "12", "--overdecompose", "16")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1000 particles in 6 x 6 patches, 12 steps, on 2 nodes with 1 worker each", done.stdout)
        self.assertIn(str(self.folder / "particles.svg"), done.stdout)
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines() if "particles.svg" not in line), 110)

    def test_killed(self):
        words = ["--simulated", "2", "--particles", "3000", "--steps", "400", "--patches", "8x8", "--every", "5",
                 "--checkpoint", str(self.folder / "run.ckpt"), "--out", str(self.folder), "--json"]
        env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
        process = subprocess.Popen([command, "demo", "particles", *words], env=env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and not (self.folder / "run.ckpt").exists():
            time.sleep(0.002)
        process.kill()
        process.wait()
        done = self.run_with(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["runs"][0]["from_step"], 0)

    def test_mistakes(self):
        for words, said in [(["--balancer", "gredy"], "did you mean \"greedy\"?"), (["--patches", "8"], "error W36"),
                            (["--patches", "2x8", "--simulated", "2"], "eight different neighbours"),
                            (["--steps", "0"], "error W03"),
                            (["--particles", "1000", "--patches", "90x90", "--simulated", "2"], "has 3 cells"),
                            (["--patches", "8x8", "--overdecompose", "4"], "error W0"), (["-n", "none"], "error W52"),
                            (["--checkpoint", "c", "--balancer", "none,hints"], "name one balancer")]:
            with self.subTest(words=words):
                done = self.run_with(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)
        done = self.run_with("--out", __file__)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error W15", done.stderr)


unittest.main(argv=sys.argv[:1], verbosity=2)
