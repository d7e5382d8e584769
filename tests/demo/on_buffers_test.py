"""on_buffers_test.py COMMAND [MPI...] - the demonstrations on distributed buffers as their user meets them, here and on
nodes."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

command, *mpis = sys.argv[1:]


class OnBuffers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(self, name, *words):
        env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
        done = subprocess.run([command, "demo", name, "--out", self.folder, *words], env=env, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def size_of(self, picture):
        head = (self.folder / picture).read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", head[16:24])

    def test_life(self):
        said = self.run_with("life", "--rows", "60", "--columns", "92", "--steps", "40")
        self.assertIn("the same as in a serial run", said)
        self.assertIn(str(self.folder / "life.png"), said)
        self.assertEqual(self.size_of("life.png"), (368, 240))

    def test_sound(self):
        said = self.run_with("sound", "--columns", "120", "--steps", "90")
        self.assertIn("Sound in a ground of 90 x 120 cells, 90 steps", said)
        self.assertIn("as in a serial run, to the last bit\n", said)
        self.assertEqual(self.size_of("sound.png")[0], 120)
        told = json.loads(self.run_with("sound", "--columns", "100", "--steps", "60", "--devices", "sim:2", "--json"))
        self.assertTrue(told["as_serial"])
        self.assertGreater(told["largest"], 0)

    def test_rsim(self):
        said = self.run_with("rsim", "--side", "3", "--steps", "20", "--devices", "sim:2")
        self.assertIn("A flash in a room of 90 patches, 20 steps, on 1 node:", said)
        self.assertIn("\nas a serial run", said)
        self.assertEqual(self.size_of("rsim_moving.png"), (6 * 3 * 40, 3 * 3 * 40))
        self.size_of("rsim.png")

    def test_bodies(self):
        said = self.run_with("bodies", "--bodies", "60", "--steps", "40", "--devices", "sim:2")
        self.assertIn("Two discs of 60 bodies, 40 steps, on 1 node:", said)
        self.assertIn("\nas a serial run", said)
        self.assertIn("energy and momentum are kept", said)
        self.assertEqual(self.size_of("bodies.png"), (4 * 366 + 6, 2 * 366 + 6))
        self.assertEqual(self.size_of("bodies_moving.png"), (360, 360))
        self.assertIn("millionths", (self.folder / "bodies_energy.svg").read_text())

    def test_cg_of_a_grid_and_of_a_file(self):
        said = self.run_with("cg", "--side", "12")
        self.assertIn("144 equations, 672 coefficients,", said)
        self.assertIn("\nsolved, to a residual of", said)
        self.assertIn("what the condition number allows", (self.folder / "cg.svg").read_text())
        file = self.folder / "small.mtx"
        file.write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 4\n2 1 1\n2 2 3\n3 2 1\n3 3 2\n")
        small = json.loads(self.run_with("cg", "--matrix", file, "--devices", "sim:2", "--json"))
        self.assertEqual((small["rows"], small["entries"]), (3, 7))
        self.assertLess(small["residual"], 1e-11)

    def test_cg_refuses_what_is_not_symmetric_and_does_not_solve_what_it_cannot(self):
        file = self.folder / "other.mtx"
        file.write_text("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n1 2 1\n2 2 3\n")
        done = subprocess.run([command, "demo", "cg", "--matrix", file], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("other.mtx is not symmetric", done.stderr)
        file.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 1\n")  # eigenvalues 1 and -1
        done = subprocess.run([command, "demo", "cg", "--matrix", file, "--out", self.folder], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("NOT solved", done.stdout)

    def test_matrix(self):
        said = self.run_with("matrix", "--side", "48", "--devices", "sim:2")
        self.assertIn("it is the product", said)
        self.assertIn("elements of each node: 2304\n", said)
        self.assertEqual(self.size_of("matrix.png"), (720, 720))

    def test_patterns(self):
        self.assertIn("all elements are as closed forms say", self.run_with("patterns", "--doublings", "5", "--devices",
                                                                            "sim:2"))
        self.assertEqual(self.size_of("patterns_1d.png"), (512, 512))
        self.assertEqual(self.size_of("patterns_2d.png"), (512, 512))
        self.assertEqual(self.size_of("patterns_3d.png"), (2 * 8 * 32 + 64, 11 * 32))

    def test_streams(self):
        said = self.run_with("streams", "--tasks", "5", "--rounds", "3", "--devices", "sim:2")
        self.assertIn("15 tasks, 48000 sums of twelve random numbers, on 1 node:", said)
        self.assertIn("\nas by std::minstd_rand0", said)
        self.assertIn("the law", (self.folder / "streams.svg").read_text())

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_three_nodes_compute_what_one_computes(self):
        pictures = []
        for nodes in (1, 3):
            words = "-n", str(nodes), "--json"
            bodies = json.loads(self.run_with("bodies", *words, "--bodies", "50", "--steps", "32"))
            self.assertEqual((bodies["nodes"], bodies["largest_difference"]), (nodes, 0))
            cg = json.loads(self.run_with("cg", *words, "--side", "9"))
            self.assertEqual((cg["nodes"], cg["largest_difference"]), (nodes, 0))
            matrix = json.loads(self.run_with("matrix", *words, "--side", "60"))
            self.assertTrue(matrix["is_product"])
            self.assertEqual((len(matrix["computed"]), sum(matrix["computed"])), (nodes, 3600))
            self.assertGreater(min(matrix["computed"]), 3600 // nodes // 2)
            self.assertEqual(json.loads(self.run_with("patterns", *words, "--doublings", "4"))["wrong"], 0)
            streams = json.loads(self.run_with("streams", *words, "--tasks", "7", "--rounds", "2"))
            self.assertTrue(streams["as_serial"])
            names = ["bodies.png", "bodies_moving.png", "bodies_energy.svg", "cg.svg", "streams.svg",
                     *(f"patterns_{d}d.png" for d in (1, 2, 3))]
            pictures.append([(self.folder / p).read_bytes() for p in names] + [streams["chi_square"]])
        self.assertEqual(*pictures)

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_two_nodes_hear_what_one_hears(self):
        pictures = []
        for nodes in (1, 2):
            sound = json.loads(self.run_with("sound", "-n", str(nodes), "--columns", "120", "--steps", "90", "--json"))
            self.assertEqual((sound["nodes"], sound["as_serial"]), (nodes, True))
            pictures.append((self.folder / "sound.png").read_bytes())
        self.assertEqual(*pictures)

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_three_nodes_draw_what_one_draws(self):
        pictures = []
        for nodes in (1, 3):
            life = json.loads(self.run_with("life", "-n", str(nodes), "--rows", "61", "--columns", "90", "--steps",
                                            "50", "--json"))
            self.assertEqual((life["nodes"], life["as_serial"]), (nodes, True))
            rsim = json.loads(self.run_with("rsim", "-n", str(nodes), "--side", "3", "--steps", "16", "--json"))
            self.assertEqual((rsim["nodes"], rsim["patches"], rsim["largest_difference"]), (nodes, 90, 0))
            pictures.append([(self.folder / p).read_bytes() for p in ("life.png", "rsim.png", "rsim_moving.png")])
        self.assertEqual(*pictures)


unittest.main(argv=sys.argv[:1], verbosity=2)
