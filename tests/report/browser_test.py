"""browser_test.py - the page of `stretto report`, clicked through in a browser.

    browser_test.py COMMAND

Needs Chromium; without it the test says so and is skipped (exit code 77). With STRETTO_TEST_LONG it also opens a
million records, and prints how long that took and how long frames take while one zooms and moves.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import chromium

command = browser = None
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">\u202e\x00'"
BLUE, GREEN, RED = (0x22, 0x77, 0xcc), (0x22, 0xaa, 0x55), (0xdd, 0x33, 0x33)
NAMES, ROW, AXIS = 130, 24, 22  # of page/timeline.js, in pixels


def event(phase, lane, ts, **more):
    return {"ph": phase, "pid": 0, "tid": lane, "ts": ts, **more}


def timeline(events):
    return json.dumps({"otherData": {"format": "stretto trace 1", "nodes": []}, "traceEvents": events})


def small(blur=3):
    """Worker 1: hostile, then blur, which it made ready, then sum on worker 2, which blur made ready; and a copy."""
    events = [event("M", lane, 0, name="thread_name", args={"name": name}) for lane,
              name in ((1, "worker 0"), (2, HOSTILE))]
    task = lambda lane, ts, dur, name, **args: event("X", lane, ts, dur=dur, cat="task", name=name, args=args)
    events.append(task(1, 1, 3, HOSTILE, id="0x1", at=HOSTILE, place=HOSTILE))
    events.append(task(1, 4, blur, "blur", id="0x2", cause="0x1", at="wave.cpp:41"))
    events.append(task(2, 5 + blur, 2, "sum", id="0x20000000003", cause="0x2"))
    events.append(event("X", 2, 1, dur=2, cat="copy", name="copy of x", args={
        "id": "0x4", "bytes": 4096, "from": "sysmem", "to": "gpu", "at": "wave.cpp:9"}))
    for number, (lane, ts, to_lane, to_ts) in enumerate([(1, 3.9, 1, 4), (1, 3.9 + blur, 2, 5 + blur)]):
        events += [event("s", lane, ts, id=number), event("f", to_lane, to_ts, id=number, bp="e")]
    return timeline(events)


def with_devices():
    """Two devices that a worker gives work: elements go there, a kernel, and elements back; the second stream of each
    has nothing."""
    names = ["worker 0"] + [f"sim_{d} {what}" for d in (0, 1) for what in ("copies in", "copies out", "stream 0",
                                                                           "stream 1")]
    events = [event("M", lane, 0, name="thread_name", args={"name": name}) for lane, name in enumerate(names, 1)]
    events.append(event("X", 1, 0, dur=30, cat="task", name="step on the host", args={"id": "0x1", "place": "core_0"}))
    for d in (0, 1):
        lane, at, memory = 2 + 4 * d, 2 + 3 * d, f"sim_{d}_memory"
        events.append(event("X", lane, at, dur=4, cat="copy", name=f"u to sim_{d}", args={
            "id": f"0x{d}02", "cause": "0x1", "bytes": 4096, "from": "sysmem", "to": memory}))
        events.append(event("X", lane + 2, at + 4, dur=8, cat="kernel", name=f"step {d}", args={
            "id": f"0x{d}03", "cause": f"0x{d}02", "place": f"sim_{d}"}))
        events.append(event("X", lane + 1, at + 13, dur=4, cat="copy", name=f"u from sim_{d}", args={
            "id": f"0x{d}04", "cause": f"0x{d}03", "bytes": 4096, "from": memory, "to": "sysmem"}))
        for number, (a, a_ts, b, b_ts) in enumerate([(lane, at + 3.9, lane + 2, at + 4),
                                                     (lane + 2, at + 11.9, lane + 1, at + 13)]):
            events += [event("s", a, a_ts, id=4 * d + number), event("f", b, b_ts, id=4 * d + number, bp="e")]
    return timeline(events)


def million(file, count=1_000_000, lanes=4):
    with open(file, "w") as out:
        out.write('{"otherData":{"format":"stretto trace 1","nodes":[]},"traceEvents":[')
        for k in range(count):
            lane, step = k % lanes + 1, k // lanes
            out.write('%s\n{"ph":"X","pid":0,"tid":%d,"ts":%d.%d,"dur":%d.5,"cat":"task","name":"part %d","args":'
                      '{"id":"0x%x","at":"part.cpp:%d"}}' % ("," if k else "", lane, step * 9, k % 10, 2 + step * 7 % 5,
                                                           step * 5 // 7 % 12, k + 1, step % 40))
        for k in range(0, count - lanes, 3):
            out.write(',\n{"ph":"s","id":%d,"pid":0,"tid":%d,"ts":%d.%d},\n{"ph":"f","id":%d,"pid":0,"tid":%d,"ts":%d.%d}' % (
                k, k % lanes + 1, k // lanes * 9 + 1, k % 10, k, k % lanes + 1, k // lanes * 9 + 9, (k + lanes) % 10))
        out.write("\n]}\n")


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def report(self, text, *more):
        folder = Path(self.folder.name)
        if text is not None:
            (folder / "run.json").write_text(text)
        subprocess.run([str(Path(command).resolve()), "report", "run.json", *more], cwd=folder, check=True,
                       capture_output=True, timeout=240)
        return (folder / "run.html").as_uri()

    def open(self, text, address="", more=()):
        page = browser.open(self.report(text, *more) + address)
        page.wait_for("document.body && document.body.dataset.ready")
        return page

    def shows(self, page, colour):
        """Whether a pixel of the timeline has that colour."""
        page.value("draw()")
        return page.value("(() => { const all = pen.getImageData(0, 0, canvas.width, canvas.height).data;"
                          "for (let i = 0; i < all.length; i += 4) if (all[i] === %d && all[i+1] === %d && all[i+2] === %d)"
                          "return true; return false; })()" % colour)

    def at(self, page, lane, time):
        """Where on the page a lane shows a time in microseconds from the first record."""
        box = page.value("(() => { const b = canvas.getBoundingClientRect(); return [b.left, b.top]; })()")
        return box[0] + page.value(f"x_of({time * 1000})"), box[1] + page.value(f"y_of({lane})") + ROW / 2

    def test_a_click_selects_a_record_and_draws_arrows_from_its_causes_and_to_its_effects(self):
        page = self.open(small())
        self.assertFalse(self.shows(page, BLUE) or self.shows(page, GREEN))
        page.click(*self.at(page, 0, 4.5))
        said = page.text("chosen")
        self.assertIn("task blur  0x2  wave.cpp:41", said)
        self.assertIn("after 1: </script><script>", said)
        self.assertIn("before 1: sum", said)
        self.assertTrue(self.shows(page, BLUE), "no arrow from the cause")
        self.assertTrue(self.shows(page, GREEN), "no arrow to the effect")
        page.click(*self.at(page, 0, 7))
        self.assertEqual(page.text("chosen"), "Nothing selected.")
        self.assertFalse(self.shows(page, BLUE))

    def test_a_record_shows_its_id_places_and_bytes(self):
        page = self.open(small(), "#task=0x4")
        self.assertIn("copy copy of x  0x4  wave.cpp:9", page.text("chosen"))
        self.assertIn("4096 bytes from sysmem at gpu", page.text("chosen"))
        page.value("location.hash = '#task=0x20000000003'")
        page.wait_for("document.getElementById('chosen').textContent.includes('task sum  0x20000000003')")

    def test_hostile_names_are_text(self):
        page = self.open(small())
        self.assertEqual(page.value("document.title"), "run.json - Stretto report")
        self.assertEqual(page.value("document.images.length"), 0)
        # facts and the page's own: the records have been taken away
        self.assertEqual(page.value("document.scripts.length"), 2)
        self.assertIn(HOSTILE.replace("\0", "\ufffd"), page.text("names").replace("\0", "\ufffd"))

    def test_the_wheel_zooms_to_where_it_turns_and_a_drag_moves(self):
        page = self.open(small())
        x, y = self.at(page, 0, 2)
        before = page.value("[shown.from, shown.to]")
        page.wheel(x, y, -300)
        page.wait_for(f"shown.to - shown.from < {(before[1] - before[0]) / 2}")
        self.assertAlmostEqual(page.value("x_of(2000)"), x - page.value("canvas.getBoundingClientRect().left"), delta=2)
        zoomed = page.value("[shown.from, shown.to]")
        page.drag(x, y, x - 200, y)
        moved = page.value("[shown.from, shown.to]")
        self.assertGreater(moved[0], zoomed[0])
        self.assertAlmostEqual(moved[1] - moved[0], zoomed[1] - zoomed[0], delta=1)

    def test_the_critical_path_is_drawn_until_it_is_switched_off(self):
        page = self.open(small())
        self.assertTrue(self.shows(page, RED))
        page.value("document.getElementById('path-shown').click()")
        self.assertFalse(self.shows(page, RED))
        self.assertIn("blur", page.text("path"))
        self.assertRegex(page.text("path-kinds"), r"task\d.*wait for a worker\d")

    def test_a_search_counts_and_goes_to_the_next_and_the_address_does_the_same(self):
        page = self.open(small())
        page.value("document.getElementById('query').focus()")
        page.type("wave.cpp")
        self.assertIn("2 found", page.text("found"))
        page.press("Enter")
        page.wait_for("document.getElementById('chosen').textContent.includes('copy of x')")
        page.press("Enter")
        page.wait_for("document.getElementById('chosen').textContent.includes('task blur')")
        self.assertIn("1 found", self.open(small(), "#find=blur").text("found"))
        family = self.open(small().replace("blur", "blur 7,12"), "#find=blur%20%23,%23")
        self.assertIn("1 found", family.text("found"))

    def test_a_kind_that_is_filtered_out_is_neither_drawn_nor_clicked(self):
        page = self.open(small())
        where = self.at(page, 1, .5)
        page.value("[...document.querySelectorAll('#filter label')].find(l => l.textContent === ' copy').firstChild.click()")
        page.click(*where)
        self.assertEqual(page.text("chosen"), "Nothing selected.")
        page.value("[...document.querySelectorAll('#filter label')].find(l => l.textContent === ' copy').firstChild.click()")
        page.click(*where)
        self.assertIn("copy of x", page.text("chosen"))

    def test_two_runs_are_compared(self):
        (Path(self.folder.name) / "before.json").write_text(small(blur=5))
        page = self.open(small(), more=("--beside", "before.json"))
        self.assertIn("Before (before.json)", page.text("comparison"))
        self.assertRegex(page.text("comparison"), r"-2\.00 us\s*5\.00 us\s*3\.00 us.*blur")
        self.assertFalse(page.value("document.getElementById('comparison-part').hidden"))

    def test_long_tables_show_their_first_rows_and_the_others_when_asked_to(self):
        events = [event("X", 1, 2 * k, dur=1, cat="task", name="n" + chr(97 + k), args={}) for k in range(25)]
        page = self.open(timeline(events))
        visible = "[...document.querySelectorAll('#names tbody tr')].filter(r => r.offsetHeight > 0).length"
        self.assertEqual(page.value(visible), 12)
        page.value("document.querySelector('#names button').click()")
        self.assertEqual(page.value(visible), 25)

    def test_a_run_that_was_cut_off_says_so(self):
        whole = small()
        page = self.open(whole[:whole.index('{"ph": "s"')])
        self.assertIn("This run is not whole: the file ends in the middle", page.text("notes"))
        self.assertEqual(page.value("records"), 4)

    def test_the_overview_shows_what_ran_before_the_records_are_unpacked(self):
        page = self.open(small())
        page.value("start = undefined, draw()")
        busy = page.value("Array.from(overview_busy)")
        slices = page.value("facts.overview.slices")
        self.assertEqual(busy[0], 255)
        self.assertEqual(busy[slices - 1], 0)
        self.assertEqual(busy[2 * slices - 1], 255)

    def test_devices_have_their_kernels_and_copies_in_lanes_beside_the_hosts(self):
        page = self.open(with_devices())
        self.assertEqual(page.value("lanes.map(l => l.name)"), ["worker 0"] + [
            f"{device} {what}" for device in ("sim_0", "sim_1") for what in ("copies in", "copies out", "stream 0",
                                                                             "stream 1")])
        self.assertIn("on 1 worker,", page.value("document.body.textContent"))
        for lane, (colour, said) in enumerate((
                ("task", "task step on the host"), ("copy", "copy u to sim_0"), ("copy", "copy u from sim_0"),
                ("kernel", "kernel step 0"),
                (None, None), ("copy", "copy u to sim_1"), ("copy", "copy u from sim_1"), ("kernel", "kernel step 1"),
                (None, None))):
            x, y = self.at(page, lane, 0)
            drawn = page.value("(() => { draw(); const y = %f, seen = new Set(), whole = canvas.getBoundingClientRect().width;"
                               "const ratio = canvas.width / whole;"
                               "const all = pen.getImageData(names_width * ratio, (y + 4) * ratio, (whole - names_width) * ratio, 1).data;"
                               "for (let i = 0; i < all.length; i += 4) seen.add([all[i], all[i+1], all[i+2], all[i+3]].join());"
                               "return [...seen]; })()" % (AXIS + lane * ROW))
            if not colour:
                self.assertEqual(len(drawn), 1, f"something is drawn in lane {lane}")
                continue
            self.assertGreater(len(drawn), 1, f"nothing is drawn in lane {lane}")
            begin = page.value("(() => { for (let i = 0; i < records; ++i)"
                               "if (lane_of[i] === %d) return (start[i] + end_of(i)) / 2; })()" % lane)
            page.click(*self.at(page, lane, begin / 1000))
            self.assertIn(said, page.text("chosen"))
        self.assertTrue(self.shows(page, BLUE), "no arrow from the kernel to the copy of what it wrote")
        for word in ("sim_0", "sim_1_memory", "copies in", "stream 0"):
            self.assertIn(word, page.text("workers") + page.text("places"))

    @unittest.skipUnless(os.environ.get("STRETTO_TEST_LONG"), "a million records take a minute")
    def test_a_million_records(self):
        million(Path(self.folder.name) / "run.json")
        address = self.report(None)
        times = []
        for _ in range(3):
            page = browser.open(address)
            page.wait_for("document.body && document.body.dataset.ready")
            times.append((page.value("+document.body.dataset.drawn"),
                          page.value("+document.body.dataset.milliseconds")))
        self.assertEqual(page.value("records"), 1_000_000)
        drawn, ready = min(times)
        # Frames as one zooms in to a single record and back, and moves: what is drawn is bounded by pixels, not
        # records.
        frames = page.value("""(async () => {
          const times = [], rectangles = [], fill = pen.fillRect;
          let count = 0;
          pen.fillRect = function(...a) { ++count; fill.apply(this, a); };
          const frame = () => new Promise(requestAnimationFrame);
          const step = async change => {
            count = 0;
            change();
            const since = performance.now();
            draw();
            pen.getImageData(0, 0, 1, 1);
            times.push(performance.now() - since);
            rectangles.push(count);
            await frame();
          };
          for (let k = 0; k < 40; ++k) await step(() => zoom(.7, facts.length * .4));
          for (let k = 0; k < 40; ++k) await step(() => show(shown.from + (shown.to - shown.from) / 7, shown.to + (shown.to - shown.from) / 7));
          for (let k = 0; k < 40; ++k) await step(() => zoom(1 / .7, facts.length * .4));
          for (let k = 0; k < 20; ++k) await step(() => show(shown.from * .99, shown.to * .9));
          times.sort((a, b) => a - b);
          return {median: times[times.length >> 1], longest: times[times.length - 1], most: Math.max(...rectangles), pixels: width() * lanes.length};
        })()""")
        self.assertLess(frames["most"], 2 * frames["pixels"])
        page.value("zoom(1e9, 0)")
        count = page.value("search('part 7'), document.getElementById('found').textContent")
        self.assertRegex(count, r"^\d{4,} found")
        first = page.value("(() => { const t = performance.now(); centre(edges().from[100000]); return performance.now() - t; })()")
        self.assertIn("before 1: part", page.text("chosen"))
        print(f"a million records: drawn after {drawn} ms, complete after {ready} ms; frames {frames['median']:.1f} ms (median), "
              f"{frames['longest']:.1f} ms (longest); first selection {first:.0f} ms")


def main():
    global command, browser
    command = sys.argv.pop(1)
    if not chromium.found():
        print("skipped: Chromium is not installed (apt-get install chromium), so the page was not opened")
        sys.exit(77)
    with chromium.Browser() as browser:
        result = unittest.main(exit=False).result
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
