"""words_test.py - proves on small made-up trees that words.py finds what it is there to find."""
import subprocess
import tempfile
import unittest
from pathlib import Path

import words

DECISION = """# 0007: Copy the thief's side

**Status.** Accepted, 2026-11.

**Context.** Thieves are rare.

**Decision.** They copy.

**Consequences.** They are slow.
"""
INDEX = "- [0007] Copy the thief's side\n\n[0007]: 0007-copy-the-thiefs-side.md\n"
NAME = "docs/adr/0007-copy-the-thiefs-side.md"


class Words(unittest.TestCase):
    def findings(self, files, commits=(), **law):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            if commits:
                subprocess.run(["git", "init", "-q", root], check=True)
            who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
            for subject in commits:
                subprocess.run(["git", "-C", root, *who, "commit", "-q", "--no-verify", "--allow-empty", "-m", subject],
                               check=True)
            return words.check(root, words.Law(**law))[0]

    def assert_faults(self, files, *expected, **law):
        self.assertEqual(self.findings(files, **law).faults, list(expected))

    def test_a_tree_in_plain_words_has_no_faults(self):
        self.assert_faults({
            "src/event/slot.hpp": "// slot.hpp - a slot. is_free() is O(1).\nbool is_free();  // What for?\n",
            "src/event/slot.cpp": 'auto s = "the letter";\nauto t = R"(the letter)";\n',
            "src/trace/ring.cpp": "", "tests/event/slot_test.cpp": "", "tests/trace/slot_test.cpp": "",
            "docs/guide.md": "# What it is\n\nA guide.\n\n```\nWhat it prints.\n```\n\n| What | Who |\n",
            NAME: DECISION, "docs/adr/README.md": INDEX}, avoided={"letter": (0, "message")})

    def test_a_file_named_by_a_gerund_alone_is_found(self):
        self.assert_faults({"src/event/writing.cpp": "", "src/event/message_writing.cpp": "",
                            "tests/event/reading_test.cpp": ""},
                           "src/event/writing.cpp:1: a file is named by a noun, not by a gerund alone",
                           "tests/event/reading_test.cpp:1: a file is named by a noun, not by a gerund alone")

    def test_a_file_name_that_says_nothing_or_has_an_avoided_word_is_found(self):
        self.assert_faults({"src/event/beside.cpp": "", "src/event/old_letter.cpp": ""},
                           'src/event/beside.cpp:1: "beside" says nothing alone',
                           'src/event/old_letter.cpp:1: "letter" is an avoided word',
                           empty_names={"beside"}, avoided={"letter": (0, "message")})

    def test_an_old_file_name_is_allowed_and_must_leave_the_list_with_the_file(self):
        self.assert_faults({"src/event/writing.cpp": ""}, old_names={"writing"})
        self.assert_faults({}, "tests/words.py: writing must leave the list of old file names", old_names={"writing"})

    def test_a_file_name_of_two_floors_is_found(self):
        files = {"src/event/handle.cpp": "", "src/data/handle.hpp": "", "src/data/sim/handle.hpp": ""}
        self.assert_faults(files, "src/event/handle.cpp:1: data and event have a file handle each")
        self.assert_faults(files, shared_names={"handle"})

    def test_a_public_header_and_a_file_of_another_floor_with_its_name_are_found(self):
        self.assert_faults({"include/stretto/task.hpp": "", "src/sched/task.cpp": "", "src/graph/task.hpp": "",
                            "LAYERS": "sched :\ngraph :\nsched = task.hpp\n"},
                           "src/graph/task.hpp:1: graph and sched have a file task each")

    def test_avoided_words_in_identifiers_and_comments_are_found(self):
        self.assert_faults({"src/event/a.cpp": "int x;\n// A Letter to all.\nint far_letters = letterhead;\n"},
                           'src/event/a.cpp:2: "letter" in // A Letter to all.',
                           'src/event/a.cpp:3: "letters" in far_letters',
                           "tests/words.py: letter, letters (say message): 2, at most 0; --list shows all",
                           avoided={"letter, letters": (0, "message")})

    def test_avoided_words_within_their_limit_are_allowed_and_listed(self):
        found = self.findings({"src/event/a.cpp": "int letter;\n"}, avoided={"letter": (12, "message")})
        self.assertEqual(found.faults, [])
        self.assertEqual(found.within, ['src/event/a.cpp:1: "letter" in letter'])
        self.assertIn("letter (say message): the limit 12 may shrink to 1", found.notes)

    def test_a_word_is_allowed_where_the_field_has_it(self):
        files = {"src/json/reader.cpp": "int peek;\n", "src/data/a.hpp": "class loop_nest;  // a loop nest\n"}
        law = {"avoided": {"peek": (0, "snapshot read"), "nest": (0, "loop nest")}}
        self.assert_faults(files, own_terms={"peek": ["src/json/"]}, own_phrases=["loop nest"], **law)
        self.assertEqual(len(self.findings(files, **law).faults), 5)

    def test_sentences_that_begin_with_who_or_what_are_found(self):
        text = "// It waits. What\n// comes is late.\nint x;  // Who reads. Who else?\n"
        self.assert_faults({"src/event/a.cpp": text},
                           "src/event/a.cpp:1: begins with What: What comes is late.",
                           "src/event/a.cpp:3: begins with Who: Who reads.",
                           "tests/words.py: sentences of src that begin with Who or What: 500 of 1,000 (2 of 4), at "
                           "most 0; --list shows all")

    def test_sentences_of_documents_are_found_and_their_share_is_bounded(self):
        files = {"docs/a.md": "It waits.\nWhoever sends is heard.\n\n- Whose turn it is.\n- It is.\n"}
        self.assert_faults(files,
                           "docs/a.md:1: begins with Whoever: Whoever sends is heard.",
                           "docs/a.md:4: begins with Whose: Whose turn it is.",
                           "tests/words.py: sentences of documents that begin with Who or What: 500 of 1,000 (2 of 4), "
                           "at most 499; --list shows all", openings={"documents": 499})
        self.assert_faults(files, openings={"documents": 500})

    def test_long_lines_are_found_where_they_may_be_broken(self):
        long = "x" * 121
        self.assert_faults({
            "src/a/a.cpp": f"#define A \\\n  {long}\n// clang-format off\n{long}\n// clang-format on\n"
                           f'auto s = R"(\n{long}\n)";\n{long}\n',
            "docs/a.md": f"| {long} |\n```\n{long}\n```\n[a]: {long}\n{long}\n", "tests/a.py": f"{long}\n"},
            "src/a/a.cpp:9: 121 columns",
            "tests/words.py: lines of more than 120 columns in *.cpp: 1, at most 0; --list shows all",
            "docs/a.md:6: 121 columns",
            "tests/words.py: lines of more than 120 columns in *.md: 1, at most 0; --list shows all",
            long_lines={".py": 1})

    def test_decisions_of_another_form_are_found(self):
        def assert_decision(text, fault, index=INDEX):
            self.assert_faults({NAME: text, "docs/adr/README.md": index}, f"{NAME}:{fault}")
        assert_decision(DECISION.replace("0007:", "0008:"), '1: must begin with "# 0007: title"')
        assert_decision(DECISION.replace("**Context.**", "Context."),
                        "1: has the parts Status, Decision, Consequences instead of Status, Context, Decision, "
                        "Consequences")
        assert_decision(DECISION.replace("Accepted, 2026-11.", "Proposed."),
                        '1: the status is neither "Accepted, 2026-11." nor "Replaced by decision 00NN, 2026-11."')
        assert_decision(DECISION + 52 * "- One more.\n", "61: 61 lines; a page has 60")
        unlisted = "1: docs/adr/README.md does not list it as \"- [0007] Copy the thief's side\" with its link"
        assert_decision(DECISION, unlisted, index="")
        assert_decision(DECISION, unlisted, index=INDEX.replace("[0007]:", "[7]:"))
        title = DECISION.replace("thief's side", "thieves' side")
        index = INDEX.replace("thief's side", "thieves' side")
        assert_decision(title, "1: the file's name does not follow the title", index)

    def test_long_public_headers_are_found(self):
        files = {"include/stretto/a.hpp": 301 * "\n", "include/stretto/b.hpp": 300 * "\n", "src/a/a.hpp": 301 * "\n"}
        self.assert_faults(files, "include/stretto/a.hpp:301: 301 lines; a public header has at most 300")
        self.assert_faults(files, long_headers={"a.hpp": 310})
        files["include/stretto/a.hpp"] = 311 * "\n"
        self.assert_faults(files, "include/stretto/a.hpp:301: 311 lines, at most 310", long_headers={"a.hpp": 310})
        self.assert_faults({}, "tests/words.py: a.hpp must leave the list of long headers", long_headers={"a.hpp": 310})

    def test_commits_with_long_subjects_or_full_stops_are_found(self):
        subjects = [73 * "a", "Begin", 72 * "b", 73 * "c", "It ends."]
        faults = [fault.split(": ", 1)[1] for fault in self.findings({}, subjects, first_commit="Begin").faults]
        self.assertEqual(faults, ["the subject ends with a full stop: It ends.",
                                  f"73 characters, at most 72: {73 * 'c'}"])

    def test_commits_are_skipped_without_their_history(self):
        skipped = "commits: skipped, for their history is not here"
        self.assertEqual(self.findings({"docs/a.md": ""}, first_commit="Begin").notes, [skipped])
        later = self.findings({}, [73 * "a"], first_commit="Begin")
        self.assertEqual((later.faults, later.notes), ([], [skipped]))


if __name__ == "__main__":
    unittest.main()
