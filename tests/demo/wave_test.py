"""wave_test.py COMMAND [MPI...] - `stretto demo wave` as its user meets it: files, exit codes, damaged media, Ctrl-C, a
task that throws. What it prints word for word is the matter of golden/demo.golden.
"""
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

command, *mpis = sys.argv[1:]
command = Path(command).resolve()
del sys.argv[1:]


def chunks(data):
    """A PNG's chunks as (kind, content), with its signature and checksums verified."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + content)
        yield kind, content
        at += 12 + length


def decoded(file):
    """(width, height, bytes of the first picture, frames)"""
    frames, packed, header = 1, b"", None
    for kind, content in chunks(file.read_bytes()):
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", content)
        elif kind == b"IDAT":
            packed += content
        elif kind == b"acTL":
            frames = struct.unpack(">II", content)[0]
    return header[0], header[1], zlib.decompress(packed), frames


def png(width, height, rows, tail=True):
    """A grey PNG of the rows given, whatever its header claims."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    body = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    body += chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))
    return body + chunk(b"IEND", b"") if tail else body


def processor_seconds(process):
    """The time for which a process has run, which other processes do not lengthen."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


class Wave(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_it(self, *words, **variables):
        env = {"PATH": os.environ["PATH"], **variables}
        done = subprocess.run([command, "demo", "wave", *words], cwd=self.folder, env=env, capture_output=True,
                              timeout=300)
        self.out, self.err = done.stdout.decode(), done.stderr.decode()
        return done.returncode

    def media(self, name, data):
        (self.folder / name).write_bytes(data)
        return name

    def spans(self):
        """The names in the trace."""
        trace = json.loads((self.folder / "out/trace.json").read_text())
        return {one.get("name") for one in (trace["traceEvents"] if isinstance(trace, dict) else trace)}

    def test_the_result_is_the_serial_loops_and_the_pictures_decode(self):
        for tiles, workers in [("1x1", "1"), ("5x3", "2"), ("7x9", "3")]:
            self.assertEqual(self.run_it("--size", "200x150", "--steps", "150", "--tiles", tiles, "--workers", workers,
                                         "--animate", "12", "--sources", "0.2,0.3:0.7,0.5", "--json"), 0, self.err)
            result = json.loads(self.out)
            self.assertEqual(result["largest_difference"], 0)
            self.assertGreater(result["largest_pressure"], 1e-3)
            self.assertEqual(result["files"], ["out/wave.png", "out/wave_animated.png", "out/trace.json"])
            self.assertEqual(self.err, "")  # no progress line where there is no terminal
            width, height, pixels, frames = decoded(self.folder / "out/wave.png")
            self.assertEqual((width, height, frames), (200, 150, 1))
            self.assertEqual(len(pixels), height * (1 + 3 * width))
            self.assertGreater(len(set(pixels)), 50)  # a picture, and not a uniform one
            width, height, pixels, frames = decoded(self.folder / "out/wave_animated.png")
            self.assertEqual((width, height, frames), (200, 150, 12))
            self.assertEqual(len(pixels), height * (1 + width))
            self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()),
                             ["trace.json", "wave.png", "wave_animated.png"])
            self.assertIn("tile 0,0", self.spans())

    def test_devices_and_host_together_give_the_same_picture(self):
        size = ["--size", "120x100", "--steps", "90", "--animate", "5", "--json"]
        self.assertEqual(self.run_it(*size, "--devices", "none"), 0, self.err)
        pictures = self.pictures()
        self.assertGreater(len(set(pictures[0])), 50)
        for devices, tiles in [(d, t) for d in self.usable("sim:2", "opencl:1", "opencl:1,sim:2", "cuda:1",
                                                           "cuda:1,sim:2")
                               for t in (None, "4x3")]:
            with self.subTest(devices=devices, tiles=tiles):
                words = size + (["--tiles", tiles] if tiles else [])
                self.assertEqual(self.run_it(*words, "--devices", devices, STRETTO_SPEEDS="none"), 0, self.err)
                self.looks_at_devices(devices)
                self.assertEqual(self.pictures(), pictures)

    def usable(self, *all_devices):
        """Those that this machine has; what is left out is said."""
        there = []
        for devices in all_devices:
            if self.run_it("--size", "20x20", "--steps", "1", "--devices", devices, STRETTO_SPEEDS="none") == 0:
                there.append(devices)
            else:
                self.assertIn("error K27", self.err)
                print(f"no demonstration on {devices}: {self.err}", file=sys.stderr)
        return there

    def pictures(self):
        return [decoded(self.folder / "out" / name)[2] for name in ("wave.png", "wave_animated.png")]

    def looks_at_devices(self, devices):
        names = [f"{kind}_{n}" for kind, _, count in (one.partition(":") for one in devices.split(","))
                 for n in range(int(count))]
        result = json.loads(self.out)
        self.assertLess(result["largest_difference"], 1e-4 * result["largest_pressure"])
        self.assertEqual(sum(one["launches"] for one in result["devices"]) - result["steps_done"], result["tasks"])
        self.assertEqual(result["devices"][0]["name"], "host")
        self.assertEqual([one["name"] for one in result["devices"][1:]], names)
        self.assertGreater(sum(one["launches"] for one in result["devices"][1:]), 0)
        self.assertEqual(decoded(self.folder / "out/wave_animated.png")[3], 5)
        self.assertIn("step of a tile", self.spans())

    @unittest.skipUnless(mpis, "no MPI was found")
    def test_two_nodes_compute_the_same(self):
        size = ["--size", "120x100", "--steps", "90", "--animate", "5", "--json"]
        self.assertEqual(self.run_it(*size), 0, self.err)
        here, pixels = json.loads(self.out), decoded(self.folder / "out/wave.png")[2]
        for nodes in ["2", "3"]:
            self.assertEqual(self.run_it("-n", nodes, "--workers", "1", *size), 0, self.err)
            there = json.loads(self.out)
            self.assertEqual((there["nodes"], there["workers"], there["largest_difference"]), (int(nodes), 1, 0))
            self.assertEqual(there["largest_pressure"], here["largest_pressure"])
            self.assertEqual(decoded(self.folder / "out/wave.png")[2], pixels)
            self.assertEqual(decoded(self.folder / "out/wave_animated.png")[3], 5)
            for n in range(1, int(nodes)):
                self.assertTrue((self.folder / f"out/trace.N{n}.json").exists())
        self.assertEqual(self.run_it("-n", "2", "--medium", "none.png"), 1)
        self.assertEqual(self.err.count("error W20"), 1)

    def test_any_grey_picture_is_a_medium(self):
        rows = [bytes((r * 5 + c) % 256 for c in range(30)) for r in range(20)]
        self.media("ground.png", png(30, 20, rows))
        self.media("ground.pgm", b"P5 30 20 255\n" + b"".join(rows))
        results = []
        for name in ["ground.png", "ground.pgm"]:
            self.assertEqual(self.run_it("--medium", name, "--steps", "40", "--json"), 0, self.err)
            results.append(json.loads(self.out))
        self.assertEqual((results[0]["columns"], results[0]["rows"]), (30, 20))
        self.assertEqual(results[0]["energy_kinetic"], results[1]["energy_kinetic"])

    def test_damaged_media_are_told_apart(self):
        good = png(30, 20, [bytes(range(30))] * 20)
        cases = {
            "W21": [b"", b"hello", good[1:]],
            "W22": [good[:40], good[:-20], b"P5 30 20 255\nabc", b"P2 5 5"],
            "W23": [png(0, 5, []), png(5, 0, []), b"P5 0 5 255\n"],
            "W24": [png(100000, 100000, []), png(0xffffffff, 1, []), b"P5 99999999999999999999 5 255\n"],
            "W25": [b"\xff\xd8\xff\xe0 JFIF", b"GIF89a", b"BM......"],
            "W26": [good[:45] + bytes([good[45] ^ 255]) + good[46:], b"P2 2 2 255\n1 2 3 x"],
        }
        for code, media in cases.items():
            for data in media:
                self.assertEqual(self.run_it("--medium", self.media("ground", data)), 1)
                self.assertTrue(self.err.startswith(f"error {code}: "), (data[:60], self.err))
                self.assertEqual(self.out, "")

    def test_an_unwritable_folder_is_found_before_any_work(self):
        (self.folder / "file").write_text("in the way")
        self.assertEqual(self.run_it("--out", "file", "--steps", "10000000"), 1)
        self.assertIn("error W15", self.err)
        self.assertEqual(self.out, "")
        self.assertEqual(self.run_it("--out", "file/inside", "--medium", "nothing.png"), 1)
        self.assertIn("error W15", self.err)

    def test_a_task_that_throws_ends_the_run_with_one_error_that_names_it(self):
        self.assertEqual(self.run_it("--size", "100x100", "--steps", "300", "--tiles", "4x4", "--animate", "20",
                                     STRETTO_TEST_FAIL_TILE="6:150"), 1)
        self.assertEqual(self.err,
                         'error W19: task "tile 2,1" failed\n  step        150 of 300\n  trace       out/trace.json\n'
                                   "  because     STRETTO_TEST_FAIL_TILE asked for it\n")
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], ["trace.json"])
        self.assertIn("tile 2,1", self.spans())
        self.assertEqual(self.run_it("--size", "30x20", "--steps", "9", "--trace-level", "off", "--out", "other",
                                     STRETTO_TEST_FAIL_TILE="0:3"), 1)
        self.assertEqual(list((self.folder / "other").iterdir()), [])

    def test_ctrl_c_ends_cleanly_and_says_how_far_it_got(self):
        process = subprocess.Popen([command, "demo", "--size", "200x150", "--steps", "10000000"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        lines = [process.stdout.readline() for _ in range(8)]  # printed before the work
        self.assertIn("workers", lines[7])
        used = processor_seconds(process)
        while process.poll() is None and processor_seconds(process) < used + 0.3:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(err, "")
        self.assertRegex(out, r"stopped   by Ctrl-C, after \d+ of 10,000,000 steps; not checked")
        decoded(self.folder / "out/wave.png")
        self.assertIn("tile 0,0", self.spans())

    def test_a_terminal_gets_a_progress_line_that_is_gone_at_the_end(self):
        self.assertEqual(self.run_it("--size", "100x100", "--steps", "2000", "--progress", "on"), 0)
        self.assertRegex(self.err, r"^\r  tasks  ")
        self.assertTrue(self.err.endswith("\r\x1b[K"))
        self.assertNotIn("\x1b[36m", self.err)
        self.assertEqual(self.run_it("--size", "50x50", "--steps", "20", "--progress", "on", "--color", "on"), 0)
        self.assertIn("\x1b[36m", self.err)
        self.assertIn("\x1b[1mwave", self.out)


if __name__ == "__main__":
    unittest.main()
