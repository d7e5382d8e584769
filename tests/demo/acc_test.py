"""acc_test.py COMMAND - `stretto demo acc` as its user meets it, on the host, with memory of its own, and on OpenCL."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

command = sys.argv[1]
FORMS = ["synchronous", "asynchronous", "unified"]


class Forms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(self, *options, code=0):
        env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
        small = ["--side", "70", "--steps", "20", "--out", self.folder]
        done = subprocess.run([command, "demo", "acc", *small, *options],
                              env=env, capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def rows_of_picture(self):
        """The texts in the picture of what ranks and kernels did."""
        drawn = xml.etree.ElementTree.parse(self.folder / "acc_forms.svg")
        return [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]

    def test_three_forms_on_the_host(self):
        said = self.run_with("--ranks", "3", "--workers", "2").stdout
        self.assertIn("\nSTRETTO_RANKS=3 STRETTO_WORKERS=2 ", said)
        self.assertIn("\n20 steps on 70 x 70 cells: mean temperature ", said)
        self.assertIn("\ncheck passed: each form that ran gives the same temperatures\n", said)
        for form in FORMS:
            self.assertRegex(said, rf"\n{form} +[0-9.]+ +[0-9.]+ x +[0-9]+ +[0-9]+ % +[0-9]+ %\n")
        head = (self.folder / "plate.png").read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", head[16:24]), (70, 70))
        texts = self.rows_of_picture()
        self.assertEqual([sum(text == f"rank {rank}" for text in texts) for rank in range(4)], [3, 3, 3, 0])
        self.assertEqual([text.split(":")[0] for text in texts if ": ranks wait " in text], FORMS)

    def test_the_form_with_one_queue_waits_once(self):
        for device in "discrete", "opencl":
            with self.subTest(device=device):
                found = json.loads(self.run_with("--json", "--device", device).stdout)
                self.assertTrue(found["same"])
                self.assertEqual(list(found["forms"]), FORMS)
                for form in found["forms"].values():
                    self.assertGreater(form["seconds"], 0)
                    self.assertLessEqual(form["waiting"], 1)
                    self.assertGreater(form["computing"], 0)
                waits = [found["forms"][form]["waits"] for form in FORMS]
                self.assertGreater(waits[0], 20)  # each of the steps has several
                self.assertLess(waits[2], waits[0])

    def test_a_kind_of_devices_that_is_not_there(self):
        done = self.run_with("--device", "abacus", code=1)
        self.assertIn("\"abacus\" is no kind of accelerator", done.stderr)
        self.assertFalse((self.folder / "acc_forms.svg").exists())

    def test_the_picture_of_the_plate_is_that_of_one_rank(self):
        pictures = []
        for ranks in "1", "3":
            self.run_with("--ranks", ranks, "--json")
            pictures.append((self.folder / "plate.ppm").read_bytes())
        self.assertEqual(pictures[0], pictures[1])
        self.assertTrue(re.match(rb"P6\n70 70\n255\n", pictures[0]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
