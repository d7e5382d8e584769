"""front_door.py ROOT FOLDER - the commands of a source tree, one after another in a bare Debian 12 in FOLDER: each
installs what it needs, and finds what came after the tree was configured for another.
"""
import subprocess
import sys
import unittest
from pathlib import Path

from bare_system import BareSystem, why_there_is_none

root, folder = (Path(word) for word in sys.argv[1:])


class FrontDoor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bare = BareSystem(folder)
        (folder / "tmp/stretto").mkdir()
        copy = 'git -C "$0" ls-files -z | tar -C "$0" --null -T - -cf - | tar -C "$1" -xf -'
        subprocess.run(["sh", "-c", copy, root, folder / "tmp/stretto"], check=True)

    def test_1_the_first_demonstration(self):
        said = self.bare.run("stretto/stretto demo")
        self.assertIn("check     largest difference from the serial loop 0,", said)
        self.assertNotIn("libopenmpi", said)
        self.assertTrue((folder / "tmp/out/wave.png").exists())

    def test_2_several_nodes_get_an_mpi(self):
        self.assertIn("on 2 nodes", self.bare.run("stretto/stretto demo life -n 2", 3600))

    def test_3_the_benchmarks_find_all_peers(self):
        said = self.bare.run("stretto/stretto bench empty spawn_wait --rounds 1", 7200)
        self.assertNotIn("not found", said)
        for peer in ("tbb", "libgomp", "libomp", "starpu"):
            self.assertIn(peer, said)


if __name__ == "__main__":
    missing = why_there_is_none()
    if missing:
        print("skipped: " + missing)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], failfast=True)
