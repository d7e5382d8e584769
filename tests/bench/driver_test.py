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
import report
import suites

FAKE = """#!/bin/sh
# A system whose figure is the number of its calls so far, times ten.
calls="$0.calls"
echo x >> "$calls"
value=$(($(wc -l < "$calls") * 10))
echo "{\\"system\\":\\"fake\\",\\"value\\":$value,\\"unit\\":\\"ns/task\\",\\"better\\":\\"lower\\"}"
"""

LADDER = """
import json, pathlib, sys
calls = pathlib.Path(sys.argv[0] + ".calls")
disturbed = 10 if not calls.exists() else 1
calls.write_text("")
for iterations in map(int, sys.argv[sys.argv.index("--iterations") + 1].split(",")):
    work = 128 * iterations
    granularity = disturbed * (work / 1e10 * 1e6 + 1)
    print(json.dumps({"iterations": iterations, "best": granularity, "flops_per_s": work / (granularity * 1e-6)}))
"""


def modelled(overhead, peak=1e10, flops_per_iteration=128):
    """A system that adds `overhead` microseconds to tasks that otherwise run at peak; one worker."""
    def measure(iterations):
        work = flops_per_iteration * iterations
        granularity = work / peak * 1e6 + overhead
        return granularity, work / (granularity * 1e-6)
    return measure


PEAK = 1e10


def points(overhead, sizes=metg.SHORT):
    measure = modelled(overhead)
    found = []
    for iterations in sizes:
        granularity, rate = measure(iterations)
        found.append(metg.Point(iterations, granularity, rate))
    return found


class Metg(unittest.TestCase):
    def test_it_is_the_granularity_of_twice_the_overhead(self):
        for overhead in (0.1, 1.0, 20.0):
            found = metg.answer(points(overhead), PEAK)
            self.assertEqual(found.kind, "found")
            self.assertAlmostEqual(found.granularity / (2 * overhead), 1, delta=0.02)

    def test_a_ladder_has_two_sizes_for_each_doubling(self):
        self.assertEqual(metg.ladder(1, 16), [1, 2, 3, 4, 6, 8, 11, 16])
        self.assertEqual((metg.SHORT[0], metg.SHORT[-1], metg.LONG[-1]), (1, 4096, 131072))

    def test_a_system_without_overhead_has_at_most_the_smallest_task(self):
        self.assertEqual(metg.answer(points(0.0), PEAK), metg.Answer(points(0.0)[0].granularity, "at most"))

    def test_a_system_that_never_reaches_half_has_at_least_the_largest_task(self):
        self.assertEqual(metg.answer(points(1e6), PEAK), metg.Answer(points(1e6)[-1].granularity, "at least"))

    def test_a_disturbed_size_does_not_count_while_a_smaller_one_is_efficient(self):
        disturbed = [metg.Point(p.iterations, p.granularity * 50, p.rate / 50) if p.iterations == 1024 else p
                     for p in points(1.0)]
        self.assertEqual(metg.answer(disturbed, PEAK), metg.answer(points(1.0), PEAK))

    def test_of_two_rounds_the_less_disturbed_point_of_each_size_is_kept(self):
        good, bad = metg.Point(2, 1.0, 0.6), metg.Point(2, 1.5, 0.4)
        self.assertEqual(metg.merged([metg.Point(8, 1.0, 0.9), bad, good]), [good, metg.Point(8, 1.0, 0.9)])

    def test_it_interpolates_the_logarithm(self):
        below, above = metg.Point(1, 1.0, 4.0), metg.Point(2, 4.0, 6.0)
        self.assertAlmostEqual(metg.between(below, above, 10), 2.0)


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
            "  stretto              1         15         14         16       0.20 x  15, met",
            "  tbb                  1    >=1,500      1,500      1,500       1.00 x",
            "  mpi                  1   skipped: not found",
            "  std                  1   failed: exit code 1: boom")))

    def test_a_goal_may_be_a_part_of_what_the_peer_takes(self):
        suite = suites.Suite("chain", "chain", "chain", "opencl", (), ratio_goals={"stretto": 1.3})
        rows = [{"system": s, "workers": 1, "samples": [v], "value": v, "unit": "us", "better": "lower", "ratio": v / 2}
                for s, v in (("stretto", 5.0), ("opencl", 2.0))]
        lines = bench.table(suite, rows, "opencl").split("\n")
        self.assertTrue(lines[2].endswith("2.50 x  1.30 x, missed"))
        self.assertTrue(lines[3].endswith("1.00 x"))

    def test_goals_by_size_and_by_growth_are_met_or_missed(self):
        suite = suites.Suite("graph", "graph", "graph", "", ("stretto", "other"),
                             size_goals={"other": {1: 200}, 16: 1000}, growth_goal=2,
                             sweep=(1, 16), axis="nodes")
        rows = [{"system": s, "workers": 1, "x": x, "samples": [v], "value": v, "unit": "ns", "better": "lower"}
                for s, x, v in (("stretto", 1, 300.0), ("stretto", 16, 900.0), ("other", 1, 201.0),
                                ("other", 16, 402.0))]
        self.assertEqual([line.split("  ")[-1].strip() for line in bench.table(suite, rows, "").split("\n")[2:]],
                         ["-", "1,000, met; 2 x that of 1, missed", "200, missed", "2 x that of 1, met"])

    def test_where_more_is_better_a_goal_is_a_least_figure(self):
        suite = suites.Suite("room", "room", "room", "", ("stretto",), goals={1: 0.8})
        row = {"system": "stretto", "workers": 1, "samples": [0.9], "value": 0.9, "unit": "of the speed",
               "better": "higher"}
        self.assertTrue(bench.table(suite, [row], "").endswith("0.8, met"))
        self.assertTrue(bench.table(suite, [row | {"value": 0.7}], "").endswith("0.8, missed"))

    def test_figures_have_three_digits(self):
        self.assertEqual([bench.figure(v) for v in (0.4471, 52.06, 367.9, 999.7, 28310.2)],
                         ["0.447", "52.1", "368", "1,000", "28,310"])


class Report(unittest.TestCase):
    RESULTS = {"system_info": {}, "rounds": 3, "suites": [
        {"name": "fib", "title": "fork-join", "goals": {"1": 15}, "rows": [
            {"system": "stretto", "workers": 1, "value": 20.0, "unit": "ns/task", "better": "lower"},
            {"system": "tbb", "workers": 1, "value": 80.0, "unit": "ns/task", "better": "lower"},
            {"system": "std", "workers": 1, "skipped": "no"}]},
        {"name": "metg_fft", "title": "METG", "goals": {}, "rows": [
            {"system": "stretto_blocks", "workers": 2, "value": 0.25, "kind": "at most"},
            {"system": "starpu", "workers": 2, "failed": "boom"}]},
        {"name": "fan", "title": "fan", "goals": {}, "axis": "fan", "rows": [
            {"system": "stretto", "workers": 1, "x": x, "value": 10.0 * x, "unit": "M/s"} for x in (1, 2)]}]}

    def test_blocks_become_tables_and_the_rest_of_the_page_stays(self):
        page = "before\n<!-- bench: peers fib -->\nold\n<!-- end -->\nafter\n"
        self.assertEqual(report.fill(page, self.RESULTS), """before
<!-- bench: peers fib -->
| what | workers | Stretto | goal | best peer | Stretto / best |
| --- | --- | --- | --- | --- | --- |
| fork-join, ns/task | 1 | 20 | 15 | tbb 80 | 0.25 |
<!-- end -->
after
""")

    def test_patterns_have_a_column_per_system_and_sweeps_one_per_size(self):
        self.assertIn("| fft | below 0.25 |  |\n", report.block(self.RESULTS, "patterns", []))
        self.assertIn("| M/s, by fan | 1 | 2 |\n| --- | --- | --- |\n| stretto | 10 | 20 |\n",
                      report.block(self.RESULTS, "sweep", ["fan"]))

    def test_a_sweep_with_several_numbers_of_ranks_has_a_row_for_each(self):
        suite = {"name": "sum", "axis": "bytes", "rows": [
            {"system": "openmpi", "workers": w, "x": x, "value": 1.0 * w * x, "unit": "us"}
            for x in (8, 64) for w in (2, 8) if (x, w) != (64, 8)]}
        self.assertIn("| openmpi, 2 ranks | 16 | 128 |\n| openmpi, 8 ranks | 64 |  |\n",
                      report.block({"suites": [suite]}, "sweep", ["sum"]))

    def test_goals_by_ratio_are_named_with_their_peer(self):
        suite = {"name": "chain", "title": "chain", "against": "opencl", "goals": {}, "ratio_goals": {"stretto": 1.3}, "rows": [
            {"system": "stretto", "workers": 1, "value": 5.0, "unit": "us"},
            {"system": "opencl", "workers": 1, "value": 2.0, "unit": "us"}]}
        self.assertIn("| chain | 1 | 5 us | 1.30 of opencl |\n| opencl: chain | 1 | 2 us |  |\n",
                      report.block({"suites": [suite]}, "own", ["chain"]))

    def test_what_was_not_measured_keeps_its_old_table(self):
        page = "<!-- bench: own copy -->\nold\n<!-- end -->\n"
        self.assertEqual(report.fill(page, self.RESULTS), page)

    def test_pictures_of_the_page_are_copied(self):
        with tempfile.TemporaryDirectory() as folder:
            run, docs = Path(folder) / "run", Path(folder) / "docs"
            run.mkdir(), docs.mkdir()
            (run / "results.json").write_text(json.dumps(self.RESULTS))
            (run / "fib.svg").write_text("<svg/>"), (run / "other.svg").write_text("<svg/>")
            (docs / "performance").mkdir()
            (docs / "page.md").write_text("![x](pictures/bench/fib.svg)\n")
            (docs / "performance" / "page.md").write_text("![x](../pictures/bench/other.svg)\n")
            report.main(run / "results.json", docs / "page.md")
            self.assertEqual([p.name for p in (docs / "pictures" / "bench").iterdir()], ["fib.svg"])
            report.main(run / "results.json", docs / "performance" / "page.md")
            self.assertEqual({p.name for p in (docs / "pictures" / "bench").iterdir()}, {"fib.svg", "other.svg"})


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

    def rows(self, systems, rounds=3, measure=bench.measure_micro, **more):
        suite = suites.Suite("fib", "fork-join", "fib", "tbb", systems, **{"workers": (1,)} | more)
        settings = types.SimpleNamespace(systems=systems, rounds=rounds, reps=1, against=None, quick=True,
                                         metg_steps=1000)
        return bench.run_suite(self.peers(), suite, settings, measure, lambda text: None)

    def test_the_figure_is_the_median_over_rounds(self):
        tbb, libgomp = self.rows(("tbb", "libgomp"))
        self.assertEqual((tbb["samples"], tbb["value"], tbb["ratio"]), ([10, 20, 30], 20, 1))
        self.assertEqual(libgomp["ratio"], 1)

    def test_a_variant_is_another_benchmark_of_the_same_program(self):
        self.add("tbb", "#!/bin/sh\necho \"{\\\"value\\\":1,\\\"unit\\\":\\\"$2\\\",\\\"better\\\":\\\"lower\\\"}\"\n")
        (row,) = self.rows(("tbb_static",))
        self.assertEqual(row["unit"], "fib_static")

    def test_a_sweep_has_a_row_per_size_and_ratios_within_a_size(self):
        self.add("tbb",
                 "#!/bin/sh\necho \"{\\\"value\\\":${8},\\\"unit\\\":\\\"ns\\\",\\\"better\\\":\\\"lower\\\"}\"\n")
        rows = self.rows(("tbb",), sweep=(4, 16), axis="fan")
        self.assertEqual([(row["x"], row["value"], row["ratio"]) for row in rows], [(4, 4, 1), (16, 16, 1)])

    def test_what_else_was_measured_is_kept_beside_the_figure(self):
        self.add("tbb", FAKE.replace('\\"unit', '\\"seconds\\":3,\\"series\\":{\\"ms\\":[1,2]},\\"unit'))
        (row,) = self.rows(("tbb",), rounds=1)
        self.assertEqual((row["facts"], row["series"]), ({"seconds": 3}, {"ms": [1, 2]}))

    def test_metg_is_found_from_the_best_of_all_rounds(self):
        # Every second call is disturbed; peak is 1e10.
        self.add("serial", "#!/bin/sh\necho '{\"flops_per_s\":1e10}'\n")
        self.add("tbb", f"#!{sys.executable}\n" + LADDER)
        (row,) = self.rows(("tbb",), rounds=2, measure=bench.measure_metg, metg=True)
        self.assertEqual(row["kind"], "found")
        self.assertAlmostEqual(row["value"] / 2.0, 1, delta=0.02)
        self.assertGreater(row["samples"][0], 2 * row["value"])

    def test_a_quick_run_leaves_slow_systems_out_of_all_patterns_but_one(self):
        settings = types.SimpleNamespace(systems=suites.SYSTEMS, quick=True)
        one, other = (next(s for s in suites.SUITES if s.name == name) for name in ("metg_stencil_1d", "metg_fft"))
        self.assertTrue(bench.wanted("starpu", one, 2, settings))
        self.assertFalse(bench.wanted("starpu", other, 2, settings))
        settings.quick = False
        self.assertTrue(bench.wanted("starpu", other, 2, settings))

    def test_a_system_that_does_not_yield_has_a_core_for_each_process(self):
        settings = types.SimpleNamespace(systems=suites.SYSTEMS, quick=False)
        suite = next(s for s in suites.SUITES if s.name == "ranks_allreduce_sizes")
        self.assertTrue(bench.wanted("mpich", suite, 1, settings))
        self.assertFalse(bench.wanted("mpich", suite, 10_000, settings))
        self.assertTrue(bench.wanted("openmpi", suite, 10_000, settings))

    def test_own_variants_are_chosen_with_their_program(self):
        suite = next(s for s in suites.SUITES if s.name == "histogram_dense")
        for systems, chosen in ((["stretto"], True), (["tbb"], False)):
            self.assertEqual(bench.wanted("fold", suite, 2, types.SimpleNamespace(systems=systems, quick=False)),
                             chosen)

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
        self.assertEqual(results["rounds"], 3)
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

    def test_suites_may_be_named_without_a_flag(self):
        self.assertEqual(bench.parse(["devices", "uts", "--suite", "fib"]).suite, "devices,uts,fib")
        self.assertEqual((bench.parse([]).suite, bench.parse([]).renew), ("", False))
        names = [s.name for s in bench.chosen_suites("devices", False)]
        self.assertIn("device_series", names)
        self.assertIn("beyond_memory", names)
        self.assertIn("launch_chain_1", names)
        self.assertEqual({s.against for s in bench.chosen_suites("nodes", False)},
                         # "": to itself
                         {"mpi", "stretto_module", "of_0", "staged", "barriers", "in_host", "no_horizons", ""})

    def test_every_system_of_a_suite_is_a_program_or_a_variant_of_one(self):
        for suite in suites.SUITES:
            for system in suite.systems:
                program = suites.VARIANTS.get(system, (system, ""))[0]
                self.assertIn(program, suites.SYSTEMS, f"{system} of {suite.name}")
        nodes = {s.name: s for s in bench.chosen_suites("nodes", False)}
        for name in ("nodes_near", "nodes_migration", "nodes_fan_out", "nodes_histogram", "nodes_jacobi_weak",
                     "nodes_fan_in", "nodes_fan_levels", "nodes_contenders", "nodes_reservations", "nodes_heat",
                     "nodes_circuit_step", "nodes_circuit_memories", "nodes_fluid_step", "nodes_fluid_events",
                     "nodes_room"):
            self.assertIn(name, nodes)
        self.assertEqual(nodes["nodes_ring"].workers, (2, 4))
        self.assertEqual(suites.VARIANTS["nodes_list"], ("stretto_jobs", "_list"))

    def test_graphs_are_compared_to_a_loop_that_they_measure_themselves(self):
        names = [s.name for s in bench.chosen_suites("buffers", False)]
        self.assertIn("graph_many", names)
        self.assertTrue(all(name.startswith(("graph_", "buffers_")) for name in names))
        rows = [{"system": "2d", "workers": 1, "value": 9, "facts": {"loops": 30}},
                {"system": "1d", "workers": 1, "failed": "x"}]
        self.assertEqual([row.get("ratio") for row in bench.with_ratios(rows, suites.LOOP)], [30, None])

    def test_groups_and_quick_choose_suites(self):
        names = [s.name for s in bench.chosen_suites("uts", True)]
        self.assertEqual(names, ["uts_t1", "uts_t3"])
        self.assertIn("circuit", [s.name for s in bench.chosen_suites("own", True)])
        self.assertNotIn("circuit", [s.name for s in bench.chosen_suites("micro", True)])
        self.assertEqual([s.name for s in bench.chosen_suites("uts_t1l", True)], ["uts_t1l"])
        self.assertEqual(len(bench.chosen_suites(None, False)), len(suites.SUITES))

    def test_mpi_programs_get_a_process_per_worker(self):
        line = suites.command("bench_mpi", "mpi", 2)
        self.assertEqual((line[0], line[-3:]), ("mpirun", ["-np", "2", "bench_mpi"]))
        self.assertEqual(suites.command("bench_stretto_nodes", "stretto_nodes", 2)[-3:],
                         ["-np", "2", "bench_stretto_nodes"])
        self.assertEqual(suites.command("bench_tbb", "tbb", 2), ["bench_tbb"])


if __name__ == "__main__":
    unittest.main()
