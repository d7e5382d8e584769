"""cuda_peer.py - CUDA by hand, and Stretto beside it, compute what they must on the driver that the tests bring with
them.

    cuda_peer.py BENCH_CUDA BENCH_STRETTO FAKE_DRIVER FAKE_COMPILER

That driver runs kernels on the host and is strict: whatever is wrong in the calls is seen here, how fast they are is
not. Where the machine has a device, everything runs on it too.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

peer, stretto, driver, compiler = sys.argv[1:5]
SIZES = {"device_series": 64, "device_series_naive": 64, "device_series_tiled": 128, "device_chain": 50,
         "device_copy": 64,
         "device_copy_naive": 64}


def run(program, bench, size, **environment):
    done = subprocess.run([program, "--bench", bench, "--size", str(size), "--workers", "1", "--reps", "1"],
                          capture_output=True, text=True,
                          timeout=600, env={**os.environ, **environment})
    return done.returncode, json.loads(done.stdout.splitlines()[0]), done.stderr


class Cuda(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = Path(self.folder.name)
        (root / "lib64").mkdir()
        (root / "libcuda.so.1").symlink_to(driver)
        (root / "lib64/libnvrtc.so.12").symlink_to(compiler)
        self.with_fake = {"LD_LIBRARY_PATH": str(root), "CUDA_HOME": str(root), "XDG_CACHE_HOME": str(root / "cache"),
                          "STRETTO_DEVICE_MEMORY": "64M"}  # of the 256 MiB that it has

    def test_every_benchmark_has_the_right_answers(self):
        for bench, size in SIZES.items():
            with self.subTest(bench=bench):
                code, said, fault = run(peer, bench, size, **self.with_fake)
                self.assertEqual(code, 0, fault)
                self.assertNotIn("skipped", said)
                self.assertGreater(said["value"], 0)

    def test_a_side_that_tiles_do_not_divide_is_refused(self):
        self.assertIn("64 x 64", run(peer, "device_series_tiled", 100, **self.with_fake)[1]["skipped"])
        self.assertNotIn("skipped", run(peer, "device_series", 100, **self.with_fake)[1])

    def test_stretto_takes_the_cuda_device_where_there_is_one(self):
        for bench, size in (("device_series", 64), ("device_chain", 50), ("device_chain_instance", 50),
                            ("device_chain_recorded", 50), ("device_copy", 64)):
            with self.subTest(bench=bench):
                code, said, fault = run(stretto, bench, size, BENCH_DEVICE="cuda", **self.with_fake)
                self.assertEqual(code, 0, fault)
                self.assertNotIn("skipped", said)

    def test_without_a_driver_it_says_so(self):
        (Path(self.folder.name) / "libcuda.so.1").unlink()
        (Path(self.folder.name) / "libcuda.so.1").write_text("no library")
        code, said, _ = run(peer, "device_chain", 10, **self.with_fake)
        self.assertEqual(code, 0)
        self.assertIn("no CUDA driver: ", said["skipped"])
        self.assertIn("no device", run(stretto, "device_chain", 10, BENCH_DEVICE="cuda",
                                       **self.with_fake)[1]["skipped"])

    def test_on_the_machines_own_device(self):
        said = run(peer, "device_chain", 10)[1]
        if "skipped" in said:
            self.skipTest(said["skipped"])
        for bench, size in SIZES.items():
            code, said, fault = run(peer, bench, size)
            self.assertEqual((code, "skipped" in said), (0, False), f"{bench}: {said} {fault}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
