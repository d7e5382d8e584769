"""driver_test.py - the benchmark driver with made-up systems: order, medians, ratios, reasons, METG search."""

import contextlib
import io
import json
import sys
import tempfile
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import bench
import metg
import suites

FAKE = """#!/bin/sh
# A system whose figure is the number of its calls so far, times ten.
calls="$0.calls"
echo x >> "$calls"
value=$(($(wc -l < "$calls") * 10))
echo "{\\"system\\":\\"fake\\",\\"value\\":$value,\\"unit\\":\\"ns/task\\",\\"better\\":\\"lower\\"}"
"""


def modelled(overhead, peak=1e10, flops_per_iteration=128):
    """A system that adds `overhead` microseconds to tasks that otherwise run at peak; one worker."""
    def measure(iterations):
        work = flops_per_iteration * iterations
        granularity = work / peak * 1e6 + overhead
        return granularity, work / (granularity * 1e-6)
    return measure


class Metg(unittest.TestCase):
    def test_it_finds_the_granularity_of_twice_the_overhead_from_any_start(self):
        for overhead in (0.1, 1.0, 30.0):
            for start in (1, 256, 1 << 17):
                found = metg.search(modelled(overhead), 1e10, start)
                self.assertEqual(found.kind, "found")
                self.assertAlmostEqual(found.granularity / (2 * overhead), 1, delta=0.02)

    def test_it_adds_one_midpoint_and_doubts_only_what_is_below_half(self):
        asked = []

        def measure(iterations):
            asked.append(iterations)
            return modelled(1.0)(iterations)

        metg.search(measure, 1e10, 256)
        self.assertEqual(asked, [256, 128, 64, 64, 64, 32, 32, 32, 91])  # half of peak is at 78

    def test_a_system_without_overhead_has_at_most_the_smallest_task(self):
        found = metg.search(modelled(0.0), 1e10, 4)
        self.assertEqual((found.kind, found.points[0].iterations), ("at most", 1))

    def test_a_system_that_never_reaches_half_has_at_least_the_largest_task(self):
        self.assertEqual(metg.search(lambda i: (float(i), 1e9), 1e10).kind, "at least")

    def test_one_disturbed_measurement_changes_nothing(self):
        asked = []

        def disturbed(iterations):
            asked.append(iterations)
            granularity, rate = modelled(1.0)(iterations)
            return (granularity * 50, rate / 50) if len(asked) == 1 else (granularity, rate)

        self.assertEqual(metg.search(disturbed, 1e10, 4096), metg.search(modelled(1.0), 1e10, 4096))

    def test_a_size_that_is_always_disturbed_does_not_end_the_search(self):
        def disturbed(iterations):
            granularity, rate = modelled(1.0)(iterations)
            return (granularity * 50, rate / 50) if iterations == 512 else (granularity, rate)

        found = metg.search(disturbed, 1e10, 4096)
        self.assertEqual(found.granularity, metg.search(modelled(1.0), 1e10, 4096).granularity)

    def test_it_interpolates_the_logarithm(self):
        below, above = metg.Point(1, 1.0, 0.4), metg.Point(2, 4.0, 0.6)
        self.assertAlmostEqual(metg.between(below, above), 2.0)


class Rounds(unittest.TestCase):
    def test_every_round_has_every_system_and_starts_with_another(self):
        self.assertEqual([column for _, column in bench.rounds_of(["A", "B", "C"], 3)], list("ABCBCACAB"))

    def test_ratios_refer_to_the_peer_with_the_same_workers(self):
        rows = [{"system": s, "workers": w, "value": v} for s, w, v in
                (("tbb", 1, 80.0), ("tbb", 2, 50.0), ("stretto", 1, 20.0), ("stretto", 2, 5.0))]
        self.assertEqual([row["ratio"] for row in bench.with_ratios(rows, "tbb")], [1, 1, 0.25, 0.1])

    def test_without_the_peer_there_are_no_ratios(self):
        rows = bench.with_ratios([{"system": "tbb", "workers": 1, "skipped": "gone"},
                                  {"system": "stretto", "workers": 1, "value": 20.0}], "tbb")
        self.assertNotIn("ratio", rows[1])


class Table(unittest.TestCase):
    def test_it_shows_figures_ratios_goals_and_reasons(self):
        suite = suites.Suite("fib", "fork-join", "fib", "tbb", (), goals={1: 15})
        rows = [{"system": "stretto", "workers": 1, "samples": [14.0, 16.0], "value": 15.0, "unit": "ns/task",
                 "better": "lower", "ratio": 0.2},
                {"system": "tbb", "workers": 1, "samples": [1500.0], "value": 1500.0, "unit": "ns/task",
                 "better": "lower", "ratio": 1.0, "kind": "at least"},
                {"system": "mpi", "workers": 1, "samples": [], "skipped": "not found"},
                {"system": "std", "workers": 1, "samples": [1.0], "failed": "exit code 1: boom"}]
        self.assertEqual(bench.table(suite, rows, "tbb"), "\n".join((
            "fork-join  (ns/task, lower is better)",
            "  system         workers     median       from         to       of tbb  goal",
            "  stretto              1         15         14         16       0.20 x  15",
            "  tbb                  1    >=1,500      1,500      1,500       1.00 x",
            "  mpi                  1   skipped: not found",
            "  std                  1   failed: exit code 1: boom")))

    def test_figures_have_three_digits(self):
        self.assertEqual([bench.figure(v) for v in (0.4471, 52.06, 367.9, 999.7, 28310.2)],
                         ["0.447", "52.1", "368", "1,000", "28,310"])


class Load(unittest.TestCase):
    def test_a_busy_machine_is_reported_and_a_quiet_one_is_not(self):
        self.assertEqual(bench.load_warning({"load_before": 0.9, "cores": 2}), "")
        self.assertEqual(bench.load_warning({"load_before": 1.25, "cores": 2}),
                         "bench: warning: load 1.2 on 2 cores before the first run; "
                         "figures with all cores will be too high\n")


class Driver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.build = Path(self.folder.name) / "build"
        (self.build / "bench").mkdir(parents=True)
        self.listing = {"mpi": {"path": "", "reason": "MPI was not found"}}
        for system in ("tbb", "libgomp"):
            self.add(system, FAKE)

    def add(self, system, script):
        path = self.build / "bench" / f"bench_{system}"
        path.write_text(script)
        path.chmod(0o755)
        self.listing[system] = {"path": str(path), "reason": ""}

    def peers(self):
        (self.build / "bench" / "peers.json").write_text(json.dumps(self.listing))
        return bench.Peers(self.build)

    def rows(self, systems, rounds=3):
        suite = suites.Suite("fib", "fork-join", "fib", "tbb", systems, workers=(1,))
        settings = types.SimpleNamespace(systems=systems, rounds=rounds, reps=1, against=None)
        return bench.run_suite(self.peers(), suite, settings, bench.measure_micro, lambda text: None)

    def test_the_figure_is_the_median_over_rounds(self):
        tbb, libgomp = self.rows(("tbb", "libgomp"))
        self.assertEqual((tbb["samples"], tbb["value"], tbb["ratio"]), ([10, 20, 30], 20, 1))
        self.assertEqual(libgomp["ratio"], 1)

    def test_curves_keep_the_best_of_all_rounds(self):
        def point(iterations, efficiency):
            return {"iterations": iterations, "granularity": 1.0, "efficiency": efficiency}

        merged = bench.merged([point(64, 0.5), point(32, 0.4)], [point(64, 0.6), point(32, 0.3), point(16, 0.2)])
        self.assertEqual(merged, [point(16, 0.2), point(32, 0.4), point(64, 0.6)])

    def test_a_variant_is_another_benchmark_of_the_same_program(self):
        self.add("tbb", "#!/bin/sh\necho \"{\\\"value\\\":1,\\\"unit\\\":\\\"$2\\\",\\\"better\\\":\\\"lower\\\"}\"\n")
        (row,) = self.rows(("tbb_static",))
        self.assertEqual(row["unit"], "taskbench_static")

    def test_a_system_that_is_not_built_keeps_its_reason(self):
        (row,) = self.rows(("mpi",))
        self.assertEqual(row["skipped"], "MPI was not found")
        (row,) = self.rows(("stretto",))
        self.assertEqual(row["skipped"], "not part of this build")

    def test_a_system_that_declines_is_skipped_with_its_own_words(self):
        self.add("starpu", "#!/bin/sh\necho '{\"system\":\"starpu\",\"skipped\":\"tasks may not wait\"}'\n")
        (row,) = self.rows(("starpu",))
        self.assertEqual(row["skipped"], "tasks may not wait")

    def test_a_wrong_answer_is_a_failure_and_no_figure(self):
        self.add("libomp", "#!/bin/sh\necho 'fib is 4, must be 5' >&2\nexit 1\n")
        (row,) = self.rows(("libomp",))
        self.assertEqual(row["failed"], "exit code 1: fib is 4, must be 5")
        self.assertNotIn("value", row)

    def test_results_are_written_and_failures_show_in_the_exit_code(self):
        self.add("libomp", "#!/bin/sh\nexit 3\n")
        self.peers()
        out = Path(self.folder.name) / "out"
        flags = ["--suite", "fib", "--system", "tbb,libomp,mpi", "--quick",
                 "--build", str(self.build), "--out", str(out)]
        with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.redirect_stderr(io.StringIO()):
            code = bench.main(flags)
        self.assertEqual(code, 1)
        self.assertIn("fork-join, fib without cut-off", shown.getvalue())
        results = json.loads((out / "results.json").read_text())
        self.assertEqual(results["rounds"], 2)
        self.assertEqual(set(results["system_info"]) & {"cpu", "cores", "kernel", "compiler"},
                         {"cpu", "cores", "kernel", "compiler"})
        self.assertEqual([row["system"] for row in results["suites"][0]["rows"]], ["tbb", "libomp", "tbb", "libomp"])

    def test_a_folder_that_cannot_be_written_is_refused_before_any_work(self):
        blocked = Path(self.folder.name) / "file"
        blocked.write_text("")
        with self.assertRaises(SystemExit) as refusal:
            bench.prepare(blocked)
        self.assertEqual(str(refusal.exception), f"bench: cannot write to {blocked}: File exists\n"
                                                 "  try   another folder: --out FOLDER")

    def test_a_build_without_benchmarks_says_what_to_do(self):
        with self.assertRaises(SystemExit) as refusal:
            bench.Peers(Path(self.folder.name) / "nowhere")
        self.assertIn("try   build first", str(refusal.exception))


class Flags(unittest.TestCase):
    def refusal(self, call, *arguments):
        with self.assertRaises(SystemExit) as stopped, contextlib.redirect_stderr(io.StringIO()) as shown:
            call(*arguments)
        return shown.getvalue().strip() or str(stopped.exception)

    def test_misspelt_names_get_the_nearest_one(self):
        self.assertEqual(self.refusal(bench.chosen_suites, "fibb", False),
                         "bench: there is no suite \"fibb\"\n  try   did you mean \"fib\"?")
        self.assertEqual(self.refusal(bench.parse, ["--system", "tb"]),
                         "bench: there is no system \"tb\"\n  try   did you mean \"tbb\"?")
        self.assertEqual(self.refusal(bench.parse, ["--siute", "fib"]),
                         "bench: there is no option \"--siute\"\n  try   did you mean \"--suite\"?")

    def test_no_rounds_is_refused(self):
        self.assertEqual(self.refusal(bench.parse, ["--rounds", "0"]),
                         "bench: --rounds takes a whole number of at least 1, not 0")

    def test_groups_and_quick_choose_suites(self):
        names = [s.name for s in bench.chosen_suites("uts", True)]
        self.assertEqual(names, ["uts_t1", "uts_t3"])
        self.assertEqual([s.name for s in bench.chosen_suites("uts_t1l", True)], ["uts_t1l"])
        self.assertEqual(len(bench.chosen_suites(None, False)), len(suites.SUITES))

    def test_mpi_programs_get_a_process_per_worker(self):
        line = suites.command("bench_mpi", "mpi", 2)
        self.assertEqual((line[0], line[-3:]), ("mpirun", ["-np", "2", "bench_mpi"]))
        self.assertEqual(suites.command("bench_tbb", "tbb", 2), ["bench_tbb"])


if __name__ == "__main__":
    unittest.main()
