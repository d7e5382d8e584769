"""run_test.py - `stretto run` with each MPI that is here, and with a launcher that is a script.

    run_test.py COMMAND MPI...
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

command, mpis = os.path.abspath(sys.argv[1]), sys.argv[2:]
NUMBER = "n=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; "
LIMIT = 120  # seconds, on a machine that does other things too


def environment(**more):
    return {k: v for k, v in os.environ.items() if not k.startswith(("STRETTO_", "SLURM_", "OMPI_", "PMI"))} | more


def run(*words, **more):
    done = subprocess.run([command, "run", *map(str, words)], env=environment(**more), capture_output=True, text=True,
                          timeout=LIMIT)
    return done.returncode, done.stdout, done.stderr


def lives(process):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def with_each(self, body):
        for mpi in mpis:
            with self.subTest(mpi=mpi):
                body(mpi)

    def wait_until(self, what):
        end = time.monotonic() + LIMIT
        while not what():
            self.assertLess(time.monotonic(), end, "nothing happened")
            time.sleep(0.02)

    def test_every_node_runs_the_program_with_its_arguments_as_they_are(self):
        def body(mpi):
            code, out, err = run("-n", 3, "--mpi", mpi, "--", "sh", "-c", NUMBER + 'echo "$n $1 $2 $3"', "--",
                                 "--workers", "two words", "-n")
            self.assertEqual((code, sorted(out.splitlines()), err), (0,
                                                                     [f"{n} --workers two words -n" for n in range(3)],
                                                                     ""))
        self.with_each(body)

    def test_variables_of_stretto_reach_the_nodes_and_workers_share_the_cores(self):
        def body(mpi):
            say = ("sh", "-c", "echo $STRETTO_WORKERS $STRETTO_LOG $STRETTO_SEED")
            share = max(1, len(os.sched_getaffinity(0)) // 2)
            code, out, _ = run("-n", 2, "--mpi", mpi, "--seed=7", *say, STRETTO_LOG="info")
            workers = {int(line.split()[0]) for line in out.splitlines()}
            self.assertEqual((code, {line.split(maxsplit=1)[1] for line in out.splitlines()}), (0, {"info 7"}))
            self.assertTrue(len(workers) == 1 and max(workers) <= share)
            for said in (run("-n", 2, "--mpi", mpi, "--workers", 5, *say),
                         run("-n", 2, "--mpi", mpi, *say, STRETTO_WORKERS="5")):
                self.assertEqual([line.split() for line in said[1].splitlines()], [["5"], ["5"]])
        self.with_each(body)

    def test_lines_are_labelled_where_that_was_asked_for(self):
        def body(mpi):
            code, out, err = run("-n", 2, "--mpi", mpi, "--label", "sh", "-c", NUMBER
                                 + "echo out; echo err >&2; printf end$n")
            self.assertEqual((code, sorted(out.splitlines())), (0, ["N0: end0", "N0: out", "N1: end1", "N1: out"]))
            self.assertEqual(sorted(err.splitlines()), ["N0: err", "N1: err"])
        self.with_each(body)

    def test_a_node_that_fails_is_named_and_ends_all(self):
        def body(mpi):
            code, out, err = run("-n", 3, "--mpi", mpi, "sh", "-c", NUMBER
                                 + "if [ $n = 1 ]; then exit 3; fi; exec sleep 600")
            self.assertEqual(code, 1)
            self.assertIn("error W55: node 1 of 3 ended with exit code 3\n", err)
            self.assertIn(f"  host        {os.uname().nodename}\n", err)
            self.assertNotIn("\x1e", err)
            self.assertNotIn("  also ", err)
        self.with_each(body)

    def test_a_node_that_a_signal_ends_is_named_with_it(self):
        def body(mpi):
            code, out, err = run("-n", 2, "--mpi", mpi, "--json", "sh", "-c", NUMBER
                                 + "if [ $n = 0 ]; then kill -SEGV $$; fi; exec sleep 600")
            self.assertEqual(code, 1)
            self.assertIn("error W55: node 0 of 2 ended by signal 11 (Segmentation fault)\n", err)
            told = json.loads(out.strip().splitlines()[-1])
            self.assertEqual([(e["node"], e["signal"], e["exit_code"]) for e in told["ended"]], [(0, 11, None)])
        self.with_each(body)

    def test_a_program_that_a_node_cannot_start_is_told(self):
        program = self.folder / "program"
        program.write_text("#!/no/such/interpreter\n")
        program.chmod(0o755)

        def body(mpi):
            code, _, err = run("-n", 1, "--mpi", mpi, program)
            self.assertEqual(code, 1)
            self.assertIn("error W55: node 0 of 1 could not be started: No such file or directory\n", err)
        self.with_each(body)

    def start_sleepers(self, mpi, **how):
        here = self.folder / mpi
        here.mkdir(exist_ok=True)
        for old in here.iterdir():
            old.unlink()
        job = subprocess.Popen([command, "run", "-n", "2", "--mpi", mpi, "sh", "-c", NUMBER
                                + f"echo $$ > {here}/$n.new; mv {here}/$n.new {here}/$n; exec sleep 600"],
                               env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
        self.addCleanup(job.kill)
        self.wait_until(lambda: (here / "0").exists() and (here / "1").exists())
        return job, [int((here / n).read_text()) for n in "01"]

    def test_an_interrupt_is_passed_on_and_ends_all(self):
        def body(mpi):
            for to_all in (False, True):
                job, sleepers = self.start_sleepers(mpi, start_new_session=True)
                if to_all:
                    os.killpg(job.pid, signal.SIGINT)
                else:
                    job.send_signal(signal.SIGINT)
                _, err = job.communicate(timeout=LIMIT)
                self.assertEqual(job.returncode, 130)
                self.assertNotIn("W55", err)
                self.assertEqual(err.count("error W65: signal 2 (Interrupt) has ended all nodes\n"), 1, err)
                self.wait_until(lambda: not any(map(lives, sleepers)))
        self.with_each(body)

    def test_nodes_do_not_outlive_the_command(self):
        def body(mpi):
            job, sleepers = self.start_sleepers(mpi)
            job.kill()
            job.communicate(timeout=LIMIT)
            self.wait_until(lambda: not any(map(lives, sleepers)))
        self.with_each(body)

    def test_the_line_that_a_dry_run_prints_does_what_the_command_would(self):
        def body(mpi):
            words = ("-n", 2, "--mpi", mpi, "--workers", 3, "sh", "-c", "echo it\\'s $STRETTO_WORKERS")
            code, line, _ = run("--dry-run", *words)
            self.assertEqual((code, line.count("\n")), (0, 1))
            printed = subprocess.run(line, shell=True, env=environment(), capture_output=True, text=True,
                                     timeout=LIMIT).stdout
            self.assertEqual((printed, run(*words)[1]), ("it's 3\n" * 2, "it's 3\n" * 2))
            self.assertEqual(run("--verbose", *words)[1:], (printed, line))
            told = json.loads(run("--dry-run", "--json", *words)[1])
            self.assertEqual((told["nodes"], told["mpi"], told["command"][-3:]),
                             (2, mpi, ["sh", "-c", "echo it\\'s $STRETTO_WORKERS"]))
        self.with_each(body)

    def fake(self, name, text):
        (self.folder / "bin").mkdir(exist_ok=True)
        (self.folder / "bin" / name).write_text("#!/bin/sh\n" + text)
        (self.folder / "bin" / name).chmod(0o755)
        (self.folder / "stretto_mpi_mpich.so").touch()
        return {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "STRETTO_MPI_FOLDER": str(self.folder)}

    def test_a_launcher_that_fails_by_itself_is_told_with_its_own_words(self):
        code, _, err = run("-n", 2, "true", **self.fake("mpirun.mpich", "echo no room >&2; exit 7\n"))
        self.assertEqual((code, err.splitlines()[:3]),
                         (1, ["no room", "error W57: the launcher ended with exit code 7",
                              f"  launcher    {self.folder}/bin/mpirun.mpich"]))

    def test_a_node_is_named_also_where_the_launcher_loses_what_nodes_wrote_last(self):
        env = self.fake("mpirun.mpich",
                        f'while [ "$1" != "{command}" ]; do shift; done; PMI_RANK=1 "$@" 2>/dev/null; exit 9\n')
        code, _, err = run("-n", 2, "sh", "-c", "kill -9 $$", **env)
        self.assertEqual((code, err.splitlines()[0]), (1, "error W55: node 1 of 2 ended by signal 9 (Killed)"))

    def test_a_launcher_without_a_telling_name_is_asked_whose_it_is(self):
        env = self.fake("mpirun", 'if [ "$1" = --version ]; then echo HYDRA build details; else echo "given $3"; fi\n')
        env["PATH"] = f"{self.folder}/bin"
        (self.folder / "bin" / "true").symlink_to("/bin/true")
        (self.folder / "bin" / "sh").symlink_to("/bin/sh")
        self.assertEqual(run("-n", 2, "true", **env)[:2], (0, f"given {command}\n"))

    def test_inside_an_allocation_slurm_starts_the_nodes(self):
        env = self.fake("srun",
                        'if [ "$1" = --mpi=list ]; then echo "srun: none"; echo "srun: pmi2"; exit; fi; echo "$*" > '
                        + str(self.folder / "said") +
                        '; while [ "$1" != "${1#-}" ] || [ "$1" = 2 ]; do shift; done; for SLURM_PROCID in 0 1; do export SLURM_PROCID; "$@"; done\n')
        code, out, err = run("-n", 2, "--label", "sh", "-c", "echo here", SLURM_JOB_ID="7",
                             SLURM_JOB_CPUS_PER_NODE="1(x1)", **env)
        self.assertEqual((code, out, err), (0, "N0: here\nN1: here\n", ""))
        self.assertIn("-n 2 --kill-on-bad-exit=1 --overcommit --mpi=pmi2 --cpu-bind=none ",
                      (self.folder / "said").read_text())

    def test_processes_that_slurm_started_without_mpi_do_not_begin_each_by_itself(self):
        started = environment(SLURM_STEP_NUM_TASKS="4", SLURM_PROCID="0", SLURM_JOB_ID="7")
        done = subprocess.run([command, "demo", "uts", "--tree", "T1"], env=started, capture_output=True, text=True,
                              timeout=LIMIT)
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                         (1,
                          "error N20: Slurm started 4 processes without a bootstrap interface (PMI or PMIx) for MPI"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
