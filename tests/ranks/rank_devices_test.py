"""rank_devices_test.py - programs with regions of OpenACC have a rank for each accelerator.

    rank_devices_test.py BIN SOURCES WORK [FAKE_CUDA]

BIN holds the compilers; SOURCES is tests/ranks. Programs are made in WORK. FAKE_CUDA is a folder with our own CUDA
driver and NVRTC.
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
FAKE_CUDA = Path(sys.argv[4]).resolve() if len(sys.argv) > 4 and not sys.argv[4].startswith("-") else None
STRETTO = BIN.parents[1] / "tools/stretto"
EXAMPLES = SOURCES.parents[1] / "examples/acc"
SECONDS = 300  # ends a program that hangs, however busy the machine is


def run(*command, code=0, **variables):
    unset = {name for name in os.environ if name.startswith(("STRETTO_", "IMPACC_"))} - {"STRETTO_CC", "STRETTO_CXX"}
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=WORK, timeout=SECONDS,
                          env=inherited | {name: str(value) for name, value in variables.items()},
                          stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise AssertionError(f"{command} with {variables} ended with {done.returncode}, not {code}:\n"
                             f"{done.stdout}{done.stderr}")
    return done


def build(source):
    run(BIN / "stretto-cc", "-O1", "-g", source, "-o", source.stem, "-lm")


def devices(*command, **variables):
    """The type and name of the device of each rank; what else a rank prints is checked."""
    done = run(*(command or ["./own_device"]), **variables)
    lines = sorted(done.stdout.splitlines(), key=lambda line: int(line.split("/")[0]))
    form = r" (\w+) (.*), devices 1 (\d) (\d), number 0, sum (\d+)"
    found = []
    for rank, line in enumerate(lines):
        said = re.fullmatch(f"{rank}/{len(lines)}{form}", line)
        assert said, line
        assert int(said[5]) == 1000 * rank + 499500, line
        assert int(said[3]) == (said[1] != "host") and int(said[4]) == (said[1] == "nvidia"), line
        found.append(f"{said[1]} {said[2]}")
    return found


def simulated(*numbers):
    return [f"not_host simulated device {n}" for n in numbers]


class Devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        WORK.mkdir(parents=True, exist_ok=True)
        build(SOURCES / "acc/own_device.c")
        build(SOURCES / "acc/own_thread.c")

    def test_without_devices_there_is_one_rank(self):
        self.assertEqual(devices(), ["host host"])
        self.assertEqual(devices(STRETTO_ACC_DEVICE_TYPE="acc_device_cpu"), ["host host"])

    def test_there_is_a_rank_for_each_device(self):
        for kinds in "sim", "acc_device_not_host", "GPU", "default", "":
            with self.subTest(kinds=kinds):
                self.assertEqual(devices(STRETTO_ACC_DEVICE_TYPE=kinds, STRETTO_DEVICES="sim:3"), simulated(0, 1, 2))
        self.assertEqual(devices(IMPACC_ACC_DEVICE_TYPE="sim"), simulated(0))

    def test_kinds_combine(self):
        self.assertEqual(devices(STRETTO_ACC_DEVICE_TYPE="cpu | sim", STRETTO_DEVICES="sim:2"),
                         simulated(0, 1) + ["host host"])

    def test_more_ranks_share_devices_in_turn(self):
        self.assertEqual(devices(STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_DEVICES="sim:2", STRETTO_RANKS=5),
                         simulated(0, 1, 0, 1, 0))
        self.assertEqual(devices(STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_DEVICES="sim:3", STRETTO_RANKS=2),
                         simulated(0, 1))

    def test_a_device_near_some_cores_has_its_rank(self):
        self.assertEqual(devices(STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_DEVICES="sim(near=1),sim(near=0)"),
                         simulated(0, 0))

    @unittest.skipUnless({0, 1} <= os.sched_getaffinity(0), "the system lends fewer than two processors")
    def test_ranks_share_the_worker_near_their_devices_unless_that_is_off(self):
        both_near = {"STRETTO_ACC_DEVICE_TYPE": "sim", "STRETTO_DEVICES": "sim(near=0),sim(near=0)",
                     "STRETTO_WORKERS": 2}
        self.assertEqual(run("./own_thread", **both_near).stdout, "one thread\n")
        self.assertEqual(run("./own_thread", **both_near, STRETTO_ACC_NEAR=0).stdout, "several threads\n")

    def test_unlike_nodes_have_unlike_numbers_of_ranks(self):
        script = WORK / "unlike_nodes.sh"
        script.write_text('#!/bin/sh\nnode=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n'
                          'eval export STRETTO_DEVICES=\\$NODE_$node\nexec ./own_device\n')
        script.chmod(0o755)
        for first, second, expected in [("sim:1", "sim:3", [0, 0, 1, 2]), ("none", "sim:2", [0, 1]),
                                        ("sim:2", "none", [0, 1])]:
            with self.subTest(first=first, second=second):
                self.assertEqual(devices(STRETTO, "run", "-n", 2, "./unlike_nodes.sh", NODE_0=first,
                                         NODE_1=second, STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_WORKERS=1),
                                 simulated(*expected))

    def test_errors_name_what_is_missing(self):
        self.assertTrue(run("./own_device", code=1, STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_DEVICES="none").stderr
                        .startswith("error O17: the node has no accelerator of kind \"sim\"\n"))
        self.assertTrue(run("./own_device", code=1, STRETTO_ACC_DEVICE_TYPE="sym").stderr
                        .startswith("error O19: \"sym\" is no kind of accelerator\n"))
        self.assertIn("error O17: no node of the job has an accelerator of kind \"sim\"\n",
                      run(STRETTO, "run", "-n", 2, "./own_device", code=1, STRETTO_ACC_DEVICE_TYPE="sim",
                          STRETTO_DEVICES="none").stderr)

    def test_the_examples_on_simulated_devices(self):
        self.run_examples(STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_DEVICES="sim:2(in_place)")

    @unittest.skipUnless(FAKE_CUDA, "there is no CUDA driver for tests")
    def test_programs_on_cuda(self):
        driver = {"CUDA_HOME": FAKE_CUDA, "LD_LIBRARY_PATH": FAKE_CUDA / "lib64", "STRETTO_ACC_DEVICE_TYPE": "cuda"}
        found = devices(**driver)
        self.assertGreater(len(found), 0)
        self.assertTrue(all(one.startswith("nvidia ") for one in found), found)
        self.run_examples(STRETTO_RANKS=2, **driver)

    def run_examples(self, **variables):
        for source in sorted(EXAMPLES.glob("*.c")):
            with self.subTest(program=source.stem):
                build(source)
                promised = source.read_text().split("\n * Output\n")[1].split("\n */")[0]
                done = run(f"./{source.stem}", **variables)
                self.assertEqual(done.stdout, re.sub(r"^ \*   ", "", promised, flags=re.MULTILINE) + "\n")
                self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [a for a in sys.argv[4:] if a.startswith("-")])
