"""graph_test.py - `stretto graph -- PROGRAM`: what a program would do on many nodes, drawn.

    graph_test.py COMMAND PROGRAM
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

command, program = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def graph(*words, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")} | more
    done = subprocess.run([command, "graph", *map(str, words)], env=environment, capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


def commands_of(text):
    return {node["node"]: node["commands"] for node in json.loads(text)["nodes"]}


class Graph(unittest.TestCase):
    def test_the_commands_of_two_nodes_are_printed_as_dot_and_what_the_program_prints_goes_to_standard_error(self):
        code, out, errors = graph("--", program)
        self.assertEqual(code, 0, errors)
        self.assertTrue(out.startswith("digraph commands {\n  subgraph cluster_N0 {"))
        self.assertIn('N0 C2 push B0 \\"u\\" for T2 \\"mean\\"\\n[7,8)x[0,16) -> N1', out)
        self.assertIn("N0_C2 -> N1_C3 [style=dashed];", out)
        self.assertIn("N0 of 2\n", errors)
        self.assertRegex(errors, r"(?m)^stretto: dry run as N0-N1 of 2 nodes, no devices each: 4 tasks, \d horizon")

    def test_a_node_alone_is_what_it_is_among_the_others(self):
        all_of_them = commands_of(graph("--nodes", 3, "--node", "all", "--as", "json", "--", program)[1])
        self.assertEqual(list(all_of_them), ["N0", "N1", "N2"])
        for node in range(3):
            code, out, errors = graph("--nodes=3", "--node", node, "--json", "--", program)
            self.assertIn(f"N{node} of 3\n", errors)
            self.assertEqual(commands_of(out), {f"N{node}": all_of_them[f"N{node}"]})
        self.assertEqual(list(commands_of(graph("--nodes", 5, "--node", "1,3-4", "--json", "--", program)[1])),
                         ["N1", "N3", "N4"])

    def test_what_one_sends_another_awaits(self):
        nodes = commands_of(graph("--nodes", 4, "--json", "--", program)[1])
        sent, awaited = set(), set()
        for name, commands in nodes.items():
            for c in commands:
                if c["kind"] == "push":
                    for part in c["parts"]:
                        for nodes_of_part in part["to"].split():
                            first, _, last = nodes_of_part.partition("-")
                            for to in range(int(first[1:]), int((last or first)[1:]) + 1):
                                sent.add((c["task"], c["buffer"], part["elements"], to))
                elif c["kind"] == "await push":
                    for part in c["parts"]:
                        awaited.add((c["task"], c["buffer"], part, int(name[1:])))
        # The two steps; parts of the read that follows are joined where they are awaited.
        self.assertEqual({s for s in sent if s[0] in ("T2", "T3")}, {a for a in awaited if a[0] in ("T2", "T3")})
        self.assertEqual(len({s for s in sent if s[0] in ("T2", "T3")}), 2 * 2 * 3)

    def test_devices_that_are_not_there_may_be_asked_for_by_their_number(self):
        code, out, errors = graph("--devices", 4, "--what", "instructions", "--", program)
        self.assertEqual(code, 0, errors)
        self.assertIn("4 devices each", errors)
        self.assertIn("on D3", out)
        code, out, errors = graph("--devices=sim:2", "--what=instructions", "--", program)
        self.assertIn("2 devices each", errors)
        self.assertNotIn("on D2", out)

    def test_tasks_are_the_same_on_every_node(self):
        self.assertEqual(graph("--what", "tasks", "--", program)[1], graph("--what", "tasks", "--nodes", 64, "--node",
                                                                           63, "--", program)[1])

    def test_a_timeline_is_predicted_and_faster_devices_take_less(self):
        def seconds(*words):
            code, out, errors = graph("--what", "timeline", *words, "--", program)
            self.assertEqual(code, 0, errors)
            self.assertRegex(errors, r"stretto: predicted: .* on 2 nodes; busiest: ")
            return json.loads(out)["predicted_seconds"]
        self.assertLess(seconds("--graph-costs", "items=1e9"), seconds("--graph-costs", "items=1e6"))

    def test_the_graph_goes_to_a_file_whatever_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a graph"
            code, out, errors = graph("-o", file, "--", program)
            self.assertEqual((code, out), (0, ""), errors)
            self.assertEqual(file.read_text(), graph("--", program)[1])
            self.assertEqual(graph("-o", Path(folder) / "nowhere" / "graph", "--", program)[0], 1)

    @unittest.skipUnless(shutil.which("dot"), "there is no Graphviz")
    def test_a_picture_is_drawn_where_graphviz_is(self):
        self.assertRegex(graph("--as", "svg", "--", program)[1], r"(?s)^<\?xml.*<svg")

    def test_without_graphviz_a_picture_is_refused_with_what_to_install(self):
        code, out, errors = graph("--as", "svg", "--", program, PATH="/nowhere")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("error P14: the picture cannot be drawn", errors)
        self.assertIn("apt-get install graphviz", errors)
        self.assertIn("error W59", errors)

    def test_a_program_that_looks_at_elements_is_told_how_to_guard_that(self):
        code, out, errors = graph("--", program, "unguarded")
        self.assertEqual(code, 1)
        self.assertIn("error B09", errors)
        self.assertIn("if (!is_dry_run())", errors)
        self.assertRegex(errors, r"error W5[89]: the program .* ended by signal 6")

    def test_a_program_that_ends_badly_has_its_graph_shown_and_its_exit_code_told(self):
        code, out, errors = graph("--", program, "fails")
        self.assertEqual(code, 1)
        self.assertTrue(out.startswith("digraph commands {"))
        self.assertRegex(errors, r"error W58: the program .* ended with exit code 7")

    def test_a_program_without_a_runtime_leaves_no_graph(self):
        code, out, errors = graph("--", "true")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("error W59: the program true wrote no graph", errors)

    def test_a_real_run_writes_the_graph_of_what_it_did(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graph.dot"
            done = subprocess.run([program], env=os.environ | {"STRETTO_GRAPH": str(file)}, capture_output=True,
                                  text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "3\n", ""))
            self.assertEqual(file.read_text(), graph("--nodes", 1, "--", program)[1])


def scaling(*words, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")} | more
    done = subprocess.run([command, "scaling", *map(str, words)], env=environment, capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


class Scaling(unittest.TestCase):
    # So slow that the 16 x 16 items of a launch take a second, and nothing else takes time, but for the reader, which
    # is one item.
    costs = "task=0,launch=0,copy_latency=0,copy_bytes=1e18,message_latency=0,message_bytes=1e18,items=256"

    def test_where_only_items_cost_n_nodes_are_n_times_as_fast(self):
        code, out, errors = scaling("--nodes", "1,2,4,8", "--json", "--graph-costs", self.costs, "--", program)
        self.assertEqual((code, errors), (0, ""))
        rows = json.loads(out)
        self.assertEqual([row["nodes"] for row in rows], [1, 2, 4, 8])
        for row in rows:
            self.assertAlmostEqual(row["predicted_seconds"], 3 / row["nodes"] + 1 / 256)  # set_up, and mean twice
            self.assertAlmostEqual(row["efficiency"], 1, delta=0.01)
            self.assertAlmostEqual(row["busy"], 1, delta=0.01)
        self.assertEqual(rows[0]["most_sent_bytes"], 0)
        self.assertGreater(rows[1]["most_sent_bytes"], 0)

    def test_a_kernel_of_a_rate_of_its_own_takes_its_own_time(self):
        rows = json.loads(scaling("--nodes", 2, "--json", "--graph-costs", self.costs + ",items.mean=64", "--",
                                  program)[1])
        self.assertAlmostEqual(rows[0]["predicted_seconds"], (1 + 2 * 4) / 2 + 1 / 256)

    def test_it_says_what_the_timeline_says(self):
        row = json.loads(scaling("--nodes", 3, "--devices", 2, "--json", "--", program)[1])[0]
        drawn = json.loads(graph("--nodes", 3, "--devices", 2, "--what", "timeline", "--", program)[1])
        self.assertEqual(row["predicted_seconds"], drawn["predicted_seconds"])

    def test_the_table_has_powers_of_two_and_the_picture_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = Path(folder) / "scaling.svg"
            code, out, errors = scaling("--up-to", 9, "--svg", picture, "--", program, "a<b")
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual([line.split()[0] for line in out.splitlines()], ["nodes", "1", "2", "4", "8"])
            self.assertIn(">Predicted strong scaling of dry_program a&lt;b<", picture.read_text())

    def test_what_a_program_that_fails_says_is_shown(self):
        code, out, errors = scaling("--nodes", 2, "--json", "--", program, "unguarded")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("error B09", errors)
        self.assertIn("error W58", errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
