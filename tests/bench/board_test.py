"""board_test.py - the score board is what its file gives, is short, links well, and its checker finds mistakes."""

import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests")]

import board
from links import anchors

LINK = re.compile(r"\]\(([^)\s:]*?\.(?:md|svg|png|json))(#[^)\s]*)?\)|src=\"([^\":]+)\"")


def broken_links(root):
    """Links of the performance pages, and links of other pages to these, that lead nowhere."""
    own = [root / "docs/performance.md", *sorted((root / "docs/performance").glob("*.md"))]
    others = [path for top in ("docs", "src", "bench", "examples", "tools", "modules")
              for path in (root / top).rglob("*.md")]
    others += root.glob("*.md")
    found = []
    for path in dict.fromkeys(own + others):
        for target, anchor, picture in LINK.findall(path.read_text()):
            there = (path.parent / (target or picture)).resolve()
            if path not in own and there not in [page.resolve() for page in own]:
                continue
            if not there.exists() or (anchor and anchor not in anchors(there.read_text())):
                found.append(f"{path.relative_to(root)}: {target or picture}{anchor} leads nowhere")
    return found


def row(**more):
    return {"area": "tasks", "what": "fork-join", "unit": "ns", "better": "lower", "figures": [20.0],
            "date": "2026-11-22", "machine": "X"} | more


class Committed(unittest.TestCase):
    def test_the_pages_are_what_the_file_gives(self):
        self.assertEqual(board.faults_of(ROOT), [])

    def test_the_board_has_at_most_220_lines(self):
        self.assertLessEqual(len((ROOT / "docs/performance.md").read_text().splitlines()), 220)

    def test_all_links_lead_somewhere(self):
        self.assertEqual(broken_links(ROOT), [])

    def test_every_picture_is_shown(self):
        pages = [path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]]
        for picture in (ROOT / "docs/pictures").rglob("*.*g"):
            self.assertTrue(any(picture.name in page for page in pages), picture)


class Faults(unittest.TestCase):
    """What the checks say of a copy with one mistake."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs").mkdir()
        shutil.copytree(ROOT / "docs/performance", self.root / "docs/performance")
        shutil.copytree(ROOT / "docs/pictures", self.root / "docs/pictures")
        shutil.copy(ROOT / "docs/performance.md", self.root / "docs/performance.md")

    def change(self, name, old, new):
        path = self.root / "docs" / name
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new, 1))

    def test_a_copy_has_none(self):
        self.assertEqual(board.faults_of(self.root) + broken_links(self.root), [])

    def test_a_figure_that_only_the_file_has(self):
        self.change("performance/results.json", '"figures": [26.2, 13.3]', '"figures": [26.1, 13.3]')
        self.assertEqual(board.faults_of(self.root),
                         ["docs/performance.md is not what results.json gives: run python3 bench/board.py"])

    def test_a_figure_that_only_the_page_has(self):
        self.change("performance.md", "26.2; 13.3", "16.2; 13.3")
        self.assertEqual(len(board.faults_of(self.root)), 1)

    def test_a_file_in_another_form(self):
        self.change("performance/results.json", '"figures": [26.2, 13.3]', '"figures": [26.2,13.3]')
        self.assertEqual(board.faults_of(self.root), ["results.json is not as bench/board.py writes it"])

    def test_pages_that_are_too_long_or_missing(self):
        results = json.loads((self.root / "docs/performance/results.json").read_text())
        results["rows"] += [row(what=f"more {number}") for number in range(200)]
        (self.root / "docs/performance/results.json").write_text(board.text_of(results))
        (self.root / "docs/performance.md").write_text(board.page(results))
        (self.root / "docs/performance/tasks.md").write_text("line\n" * 121)
        (self.root / "docs/performance/loops.md").unlink()
        count = len(board.page(results).splitlines())
        self.assertEqual(board.faults_of(self.root),
                         [f"docs/performance.md has {count} lines, more than 220",
                          "docs/performance/tasks.md has 121 lines, more than 120",
                          "docs/performance/loops.md is missing"])

    def test_rows_that_cannot_be(self):
        results = {"areas": {"tasks": "Tasks"}, "machines": {"X": "a machine"}}
        for wrong, words in ((row(goal={"figures": 15}), "without a reason"), (row(area="none"), "area none"),
                             (row(machine="Q"), "machine Q"), (row(date="today"), "date today"),
                             (row(at=[1, 2]), "1 figures, 2 cases"), (row(colour="red"), "no use for colour"),
                             (row(figures=[1, 2], at=[1, 2], goal={"figures": [1, 2, 3]}), "3 of goal"),
                             (row(reason="a | b"), "a bar"), (row(better="more"), "better is more"),
                             ({"what": "x"}, "lacks area")):
            self.assertIn(words, " ".join(board.faults_of_row(wrong, results)))
        self.assertEqual(list(board.faults_of_row(row(goal={"figures": 20}), results)), [])

    def test_a_link_and_an_anchor_that_lead_nowhere(self):
        self.change("performance.md", "(performance/tasks.md)", "(performance/task.md)")
        self.change("performance.md", "#what-the-doctor-expects", "#what-the-doctor-knows")
        self.assertEqual(broken_links(self.root),
                         ["docs/performance.md: performance/diagnosis.md#what-the-doctor-knows leads nowhere",
                          "docs/performance.md: performance/task.md leads nowhere"])


class Goals(unittest.TestCase):
    def test_less_or_more_may_be_better(self):
        self.assertEqual(board.is_met(row(figures=[14, 16], goal={"figures": 15})), [True, False])
        self.assertEqual(board.is_met(row(figures=[14, 16], goal={"figures": 15}, better="higher")), [False, True])

    def test_a_goal_may_be_a_multiple_of_the_peer_or_of_the_first(self):
        peer = {"names": "MPI", "figures": [10, 20]}
        self.assertEqual(board.is_met(row(figures=[11, 23], peer=peer, goal={"of_peer": 1.1})), [True, False])
        self.assertEqual(board.is_met(row(figures=[2, 4, 5], goal={"of_first": 2})), [None, True, False])

    def test_of_a_range_the_middle_counts(self):
        self.assertEqual(board.is_met(row(figures=[[1.0, 1.2]], goal={"figures": 1.1})), [True])

    def test_cells_name_cases_peers_goals_and_verdicts(self):
        full = row(figures=[26.2, [9, 13]], by="workers", at=[1, 2], busy=True, goal={"figures": [30, 9]}, limit="5",
                   reason="because",
                   peer={"names": ["libgomp", "oneTBB"], "figures": [74.8, 72.2], "date": "2026-11-21"})
        self.assertEqual(board.cells(full), ["fork-join, ns: workers 1; 2", "26.2; 9 to 13 (X 2026-11-22*)",
                                             "libgomp 74.8; oneTBB 72.2 (2026-11-21)", "5", "30; 9", "met; missed",
                                             "because"])


class Renewal(unittest.TestCase):
    RUN = {"system_info": {"date": "2027-01-02", "cores": 4, "cpu": "Fast", "kernel": "7.0", "load_before": 0.1},
           "rounds": 3, "suites": [{"name": "fib", "goals": {}, "title": "fork-join", "rows": [
               {"system": "stretto", "workers": 1, "value": 14.0, "unit": "ns", "better": "lower"},
               {"system": "tbb", "workers": 1, "value": 70.0, "unit": "ns", "better": "lower"},
               {"system": "serial", "workers": 1, "value": 1.0, "unit": "ns", "better": "lower"},
               {"system": "libgomp", "workers": 1, "value": 80.0, "unit": "ns", "better": "lower"}]}]}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs/performance").mkdir(parents=True)
        self.run_file = self.root / "run.json"
        self.run_file.write_text(json.dumps(self.RUN))

    def renew(self, *rows):
        file = self.root / "docs/performance/results.json"
        file.write_text(board.text_of({"machines": {"X": "old"}, "areas": {"tasks": "Tasks"}, "rows": list(rows)}))
        said = board.renew(self.run_file, self.root)
        return json.loads(file.read_text()), said

    def test_a_run_renews_figures_peer_date_and_machine(self):
        old = row(goal={"figures": 15}, reason="slow", busy=True, bench=[["fib", "stretto", 1]])
        results, said = self.renew(old)
        peer = {"names": ["oneTBB"], "figures": [70.0]}
        expected = old | {"figures": [14.0], "peer": peer, "date": "2027-01-02", "machine": "A"}
        del expected["busy"]
        self.assertEqual(results["rows"], [expected])
        self.assertEqual(results["machines"]["A"], "4 cores of Fast, Linux 7.0")
        self.assertEqual(said, ["1 rows of docs/performance.md renewed",
                                "fork-join: missed before, now met; is its reason still true?"])
        self.assertIn("| 14 (A 2027-01-02) | oneTBB 70 |", (self.root / "docs/performance.md").read_text())

    def test_a_row_that_the_run_does_not_have_stays(self):
        for where in ([["chain", "stretto", 1]], [["fib", "stretto", 2]], [None], []):
            old = row(bench=where)
            results, said = self.renew(old)
            self.assertEqual((results["rows"], list(results["machines"]), said),
                             ([old], ["X"], ["0 rows of docs/performance.md renewed"]))

    def test_without_a_peer_in_the_run_the_old_one_keeps_its_date(self):
        alone = [{"name": "fib", "rows": self.RUN["suites"][0]["rows"][:1]}]
        self.run_file.write_text(json.dumps(self.RUN | {"suites": alone}))
        results, _ = self.renew(row(bench=[["fib", "stretto", 1]], peer={"names": "Realm", "figures": [500]}))
        self.assertEqual(results["rows"][0]["peer"], {"date": "2026-11-22", "names": "Realm", "figures": [500]})

    def test_the_tables_of_the_pages_of_areas_are_renewed_too(self):
        page = self.root / "docs/performance/tasks.md"
        page.write_text("<!-- bench: own fib -->\nold\n<!-- end -->\n")
        self.renew(row())
        self.assertIn("| fork-join | 1 | 14 ns |", page.read_text())


if __name__ == "__main__":
    unittest.main()
