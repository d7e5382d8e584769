"""layers_test.py - proves on small made-up trees that layers.py finds what it is there to find."""
import tempfile
import unittest
from pathlib import Path

import layers

LAW = """
base :
event : base
sched : base event
examples : public
demo : public base examples
tests : *
may use #if : src/base/config.hpp src/event/backend
base = error.hpp
event = event.hpp
sched = task.hpp
"""


class Layers(unittest.TestCase):
    def faults(self, files, law=LAW):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "LAYERS").write_text(law)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return layers.check(root)[0]

    def assert_fault(self, files, *expected, law=LAW):
        self.assertEqual(self.faults(files, law), list(expected))

    def test_a_tree_that_looks_down_only_has_no_faults(self):
        self.assert_fault({
            "include/stretto/error.hpp": "#pragma once\n#include <string>\n",
            "include/stretto/event.hpp": "#include <stretto/error.hpp>\n",
            "src/event/event.cpp": '#include <stretto/event.hpp>\n#include "event/slot.hpp"\n#include <hwloc.h>\n',
            "src/event/slot.hpp": '#include "base/config.hpp"\n',
            "src/base/config.hpp": "#if 1\n#endif\n",
            "src/event/backend/x.cpp": "#ifdef Y\n#endif\n",
            "examples/one.cpp": "#include <stretto/event.hpp>\n",
            "tests/event/event_test.cpp": '#include "event/slot.hpp"\n'})

    def test_an_upward_include_is_found(self):
        self.assert_fault(
            {"src/event/a.cpp": '// first\n#include "sched/b.hpp"\n', "src/sched/b.hpp": ""},
            "src/event/a.cpp:2: event may not include sched (sched/b.hpp)")

    def test_an_upward_include_of_a_public_header_is_found(self):
        self.assert_fault(
            {"src/base/a.cpp": "#include <stretto/event.hpp>\n", "include/stretto/event.hpp": ""},
            "src/base/a.cpp:1: base may not include event (stretto/event.hpp)")

    def test_a_cycle_of_three_headers_is_found_once(self):
        faults = self.faults({"src/event/a.hpp": '#include "event/b.hpp"\n',
                              "src/event/b.hpp": '#include "event/c.hpp"\n',
                              "src/event/c.hpp": '#include "a.hpp"\n'})
        self.assertEqual(faults, ["src/event/c.hpp:1: include cycle: event/a -> event/b -> event/c -> event/a"])

    def test_a_cycle_that_goes_through_a_source_file_is_found(self):
        faults = self.faults({"src/event/a.hpp": '#include "event/b.hpp"\n', "src/event/b.hpp": "",
                              "src/event/b.cpp": '#include "event/b.hpp"\n#include "event/a.hpp"\n'})
        self.assertEqual(faults, ["src/event/b.cpp:2: include cycle: event/a -> event/b -> event/a"])

    def test_a_public_header_and_its_source_are_one_component(self):
        faults = self.faults({"include/stretto/event.hpp": "", "src/event/slot.hpp": "#include <stretto/event.hpp>\n",
                              "src/event/event.cpp": '#include "event/slot.hpp"\n'})
        self.assertEqual(faults, ["src/event/slot.hpp:1: include cycle: event/event -> event/slot -> event/event"])

    def test_a_public_header_with_a_foreign_include_is_found(self):
        self.assert_fault(
            {"include/stretto/error.hpp": "#include <fmt/core.h>\n"},
            "include/stretto/error.hpp:1: public header includes <fmt/core.h>, which is not the standard library's")

    def test_a_public_header_with_a_private_include_is_found(self):
        self.assert_fault(
            {"include/stretto/error.hpp": '#include "base/x.hpp"\n', "src/base/x.hpp": ""},
            "include/stretto/error.hpp:1: public header includes src/base/x.hpp, which is not public")

    def test_a_public_header_of_no_floor_is_found(self):
        self.assert_fault({"include/stretto/new.hpp": ""},
                          "include/stretto/new.hpp:1: LAYERS gives this public header to no floor")

    def test_a_folder_of_no_floor_is_found(self):
        self.assert_fault({"src/attic/x.hpp": ""}, "src/attic/x.hpp:1: LAYERS has no floor attic")

    def test_conditional_compilation_outside_its_places_is_found(self):
        self.assert_fault({"src/event/a.cpp": "int x;\n  # ifdef NDEBUG\n#pragma once\n"},
                          "src/event/a.cpp:2: #ifdef here; LAYERS says where it may stand")

    def test_an_example_may_see_public_headers_only(self):
        self.assert_fault({"examples/x.cpp": '#include "event/a.hpp"\n', "src/event/a.hpp": ""},
                          "examples/x.cpp:1: examples may not include event (event/a.hpp)")

    def test_a_demonstration_is_a_floor_within_examples(self):
        self.assert_fault({"examples/demo/life/x.cpp": '#include "y.hpp"\n#include "demo/life/z.hpp"\n#include "base/b.hpp"\n'
                                                       '#include "event/a.hpp"\n',
                           "examples/y.hpp": "", "examples/demo/life/z.hpp": "", "src/base/b.hpp": "",
                           "src/event/a.hpp": ""},
                          "examples/demo/life/x.cpp:4: demo may not include event (event/a.hpp)")

    def test_an_include_of_a_missing_file_is_found(self):
        self.assert_fault({"src/event/a.cpp": '#include "event/gone.hpp"\n'},
                          "src/event/a.cpp:1: event/gone.hpp is no file of this project")

    def test_a_readme_that_says_something_else_is_found(self):
        def assert_readme(text, *expected):
            self.assert_fault({"src/sched/README.md": text}, *expected)
        assert_readme("# sched\n\nMay include  base, event. Never tests.\n")
        assert_readme("# sched\n\n- **May include**: base,\n  event (uses base only).\n")
        assert_readme("# sched\n\nMay include  base.\n",
                      "src/sched/README.md:3: names base; by LAYERS sched may include base, event")
        assert_readme("# sched\n\nMay include: every floor below.\n",
                      "src/sched/README.md:3: names no floor; by LAYERS sched may include base, event")
        self.assert_fault({"src/base/README.md": "May include no other floor. Of libraries fmt.\n"})

    def test_a_law_that_looks_up_is_found(self):
        self.assert_fault({}, "LAYERS:1: base may not list event, which is not declared above it",
                          law="base : event\nevent :\n")

    def test_a_law_that_gives_a_header_twice_is_found(self):
        self.assert_fault({}, "LAYERS:4: x.hpp already belongs to base",
                          law="base :\nevent :\nbase = x.hpp\nevent = x.hpp\n")


if __name__ == "__main__":
    unittest.main()
