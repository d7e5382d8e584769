"""on_buffers_test.py COMMAND [MPI...] - `stretto demo life` and `stretto demo rsim` as their user meets them, here and on nodes."""
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
        done = subprocess.run([command, "demo", name, "--out", self.folder, *words], env=env, capture_output=True, text=True, timeout=120)
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

    def test_rsim(self):
        said = self.run_with("rsim", "--side", "3", "--steps", "20", "--devices", "sim:2")
        self.assertIn("A flash in a room of 90 patches, 20 steps, on 1 node:", said)
        self.assertIn("\nas a serial run", said)
        self.assertEqual(self.size_of("rsim_moving.png"), (6 * 3 * 40, 3 * 3 * 40))
        self.size_of("rsim.png")

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_three_nodes_draw_what_one_draws(self):
        pictures = []
        for nodes in (1, 3):
            life = json.loads(self.run_with("life", "-n", str(nodes), "--rows", "61", "--columns", "90", "--steps", "50", "--json"))
            self.assertEqual((life["nodes"], life["as_serial"]), (nodes, True))
            rsim = json.loads(self.run_with("rsim", "-n", str(nodes), "--side", "3", "--steps", "16", "--json"))
            self.assertEqual((rsim["nodes"], rsim["patches"], rsim["largest_difference"]), (nodes, 90, 0))
            pictures.append([(self.folder / p).read_bytes() for p in ("life.png", "rsim.png", "rsim_moving.png")])
        self.assertEqual(*pictures)


unittest.main(argv=sys.argv[:1], verbosity=2)
