"""command_test.py COMMAND [MPI...] - `stretto demo uts` as its user meets it, here and on two nodes."""
import json
import os
import subprocess
import sys
import unittest

command, *mpis = sys.argv[1:]


def run(*words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
    return subprocess.run([command, "demo", "uts", *words], env=env, capture_output=True, text=True, timeout=240)


class Uts(unittest.TestCase):
    def found(self, *words):
        done = run("--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_one_process(self):
        here = self.found("--workers", "2")
        self.assertEqual((here["tree"], here["nodes"], len(here["workers"])), ("T1", 4130071, 2))
        self.assertNotIn("workers_of_nodes", here)

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_two_nodes_search_together(self):
        there = self.found("-n", "2", "--workers", "1", "--tree", "T3")
        self.assertEqual((there["tree"], there["nodes"], there["workers_of_nodes"]), ("T3", 4112897, [1, 1]))
        self.assertEqual(sum(worker["nodes"] for worker in there["workers"]), 4112897)
        self.assertGreater(min(worker["nodes"] for worker in there["workers"]), 0)

    @unittest.skipUnless(mpis and os.environ.get("STRETTO_TEST_LONG") == "1", "of the long campaign, and over MPI")
    def test_four_nodes_find_the_hundred_million_of_t1l(self):
        there = self.found("-n", "4", "--workers", "1", "--tree", "T1L")
        self.assertEqual((there["nodes"], sum(worker["nodes"] for worker in there["workers"])), (102181082, 102181082))
        self.assertEqual(len(there["workers_of_nodes"]), 4)

    def test_mistakes(self):
        for words, said in [(["--tree", "T9"], "error W30"), (["-n", "2", "--tree", "T9"], "error W30"),
                            (["-n", "none"], "error W52")]:
            with self.subTest(words=words):
                done = run(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count(said), 1)


unittest.main(argv=sys.argv[:1], verbosity=2)
