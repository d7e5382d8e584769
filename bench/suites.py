"""suites.py - what is measured: a table of suites, and how each system is started."""

import os
from dataclasses import dataclass, field

# Names of executables are bench_<system>; the order is the order in tables and plots.
SYSTEMS = ("stretto", "stretto_static", "tbb", "tbb_static", "libgomp", "libomp", "starpu", "std", "pthreads", "mpi",
           "serial")

# Another benchmark of the same program as a system of its own: here, task graphs that stand before the clock runs.
VARIANTS = {"stretto_static": ("stretto", "taskbench_static"), "tbb_static": ("tbb", "taskbench_static")}

# Options of the runtimes under which they are at their best in these benchmarks.
ENVIRONMENT = {"OMP_WAIT_POLICY": "active", "OMP_PROC_BIND": "spread", "STARPU_SILENT": "1"}

MPIRUN = ("mpirun", "--mca", "pml", "ob1", "--mca", "btl", "self,vader",
          "--mca", "btl_vader_single_copy_mechanism", "none")


@dataclass(frozen=True)
class Suite:
    name: str
    title: str
    bench: str
    against: str  # the peer that ratios refer to
    systems: tuple
    workers: tuple = (1, 2)
    arguments: tuple = ()
    goals: dict = field(default_factory=dict)  # workers -> figure that Stretto is to reach
    quick: bool = True  # part of a --quick run
    metg: bool = False


_TASKS = ("stretto", "tbb", "libgomp", "libomp", "starpu", "std")
_SEARCHES = ("stretto", "pthreads", "tbb", "libgomp", "libomp", "serial")
_GRAPHS = ("stretto", "stretto_static", "mpi", "tbb", "tbb_static", "libgomp", "libomp", "starpu")


def _uts(tree, goal, quick=True):
    return Suite(f"uts_{tree.lower()}", f"Unbalanced Tree Search, {tree}", "uts", "pthreads", _SEARCHES,
                 arguments=("--tree", tree), goals=goal, quick=quick)


def _metg(pattern, quick=False, width=4):
    return Suite(f"metg_{pattern}", f"METG(50 %), {pattern}, width {width}", "taskbench", "mpi", _GRAPHS,
                 workers=(2,), arguments=("--pattern", pattern, "--width", str(width), "--radix", "5"),
                 quick=quick, metg=True)


SUITES = (
    Suite("fib", "fork-join, fib without cut-off", "fib", "tbb", _TASKS + ("serial",), goals={1: 15, 2: 9}),
    Suite("empty", "independent empty tasks and a wait", "empty", "tbb", _TASKS, goals={1: 30, 2: 30}),
    Suite("chain", "dependent chain, built and run", "chain", "tbb", _TASKS, goals={1: 30, 2: 60}),
    Suite("spawn_wait", "task plus wait for its result", "spawn_wait", "tbb", _TASKS, goals={1: 35, 2: 60}),
    Suite("handoff", "hand-off between two suspending tasks", "handoff", "tbb", _TASKS, goals={1: 40, 2: 120}),
    Suite("pending_bytes", "memory per pending dependent task", "pending_bytes", "tbb", _TASKS,
          workers=(2,), goals={2: 128}),
    _uts("T1", {}), _uts("T3", {}), _uts("T1L", {}, quick=False),
    _metg("trivial"), _metg("stencil_1d", quick=True), _metg("fft"), _metg("nearest"), _metg("random_nearest"),
    _metg("no_comm"), _metg("stencil_1d_periodic"), _metg("dom"), _metg("tree"), _metg("all_to_all"),
    _metg("spread"),
)


def command(executable, system, workers):
    """The start of the command line; MPI programs have one process per worker."""
    if system != "mpi":
        return [executable]
    extra = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    fits = len(os.sched_getaffinity(0)) >= workers
    extra += ["--bind-to", "core"] if fits else ["--oversubscribe"]
    return [*MPIRUN, *extra, "-np", str(workers), executable]
