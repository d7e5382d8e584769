"""Checks the summaries that test_times.py makes of logs."""
import tempfile
import unittest
from pathlib import Path

import test_times


class Times(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)

    def put(self, file, text):
        path = self.build / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_seconds_of_jobs_are_added_up_by_tree_and_part(self):
        self.put("asan/.ninja_log", "# ninja log v5\n"
                 "0\t20000\t1\tCMakeFiles/stretto.dir/Unity/unity_src_sched_0_cxx.cxx.o\tab\n"
                 "20000\t31000\t1\tCMakeFiles/stretto.dir/Unity/unity_src_sched_1_cxx.cxx.o\tab\n"
                 "0\t9000\t1\tlibstretto.a\tab\n")
        self.assertEqual(test_times.report(self.build)[:2], ["asan: 40 s of compilations", "       31 s  src/sched"])

    def test_an_output_that_was_made_twice_counts_once(self):
        self.put("asan/.ninja_log", "# ninja log v5\n0\t90000\t1\ta/CMakeFiles/b.dir/c.cpp.o\tab\n"
                 "0\t12000\t1\ta/CMakeFiles/b.dir/c.cpp.o\tab\n")
        self.assertEqual(test_times.report(self.build)[:2], ["asan: 12 s of compilations", "       12 s  a"])

    def test_the_slowest_tests_come_first(self):
        self.put("release/Testing/Temporary/LastTest.log",
                 "1/2 Test: quick\nTest time =   0.50 sec\n2/2 Test: slow\nTest time =  12.25 sec\n")
        self.assertEqual(test_times.report(self.build),
                         ["tests: 13 s in 2, the slowest:", "     12.2 s  slow", "      0.5 s  quick"])

    def test_without_logs_nothing_is_said_of_them(self):
        self.assertEqual(test_times.report(self.build), ["tests: 0 s in 0, the slowest:"])


if __name__ == "__main__":
    unittest.main()
