"""ranks_test.py COMMAND - `stretto demo ranks` as its user meets it."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

command = sys.argv[1]


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(self, *options):
        env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
        small = ["--side", "90", "--steps", "60", "--out", self.folder]
        done = subprocess.run([command, "demo", "ranks", *small, *options],
                              env=env, capture_output=True, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_a_plate_in_twelve_parts(self):
        said = self.run_with("--ranks", "12", "--workers", "2")
        self.assertIn("\nSTRETTO_RANKS=12 STRETTO_WORKERS=2 ", said)
        self.assertIn("\na plate of 90 x 90 cells, 4 x 3 ranks\n", said)
        self.assertIn("\nthe same as computed by one rank alone, to the last bit\n", said)
        head = (self.folder / "heat.png").read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", head[16:24]), (90, 90))

    def test_the_picture_is_the_same_with_any_number_of_ranks_but_for_their_borders(self):
        pictures = []
        for ranks in [1, 5]:
            self.assertEqual(json.loads(self.run_with("--ranks", str(ranks), "--json"))["ranks"], ranks)
            pixels = (self.folder / "heat.ppm").read_bytes().split(b"\n", 3)[3]
            rows = [row for row in range(90) if row % 18 != 0]  # 5 x 1 ranks meet in every 18th row
            pictures.append([pixels[270 * row:270 * (row + 1)] for row in rows])
        self.assertEqual(pictures[0], pictures[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
