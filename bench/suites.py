"""suites.py - the table of suites, and the command lines of each system."""

import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

# Names of executables are bench_<system>; the order is the order in tables and plots.
SYSTEMS = ("stretto", "stretto_blocks", "stretto_static", "tbb", "tbb_static", "libgomp", "libomp", "starpu", "std",
           "pthreads", "mpi", "stretto_nodes", "stretto_jobs", "stretto_module", "stretto_ranks", "openmpi", "mpich",
           "stretto_acc", "stretto_acc_ranks", "stretto_programs", "gcc_openmp", "opencl_kernels", "opencl_messages",
           "openmpi_programs", "stretto_modules", "modules_flat", "modules_hybrid",
           "opencl", "opencl_naive",
           "opencl_tiled",
           "cuda", "cuda_naive", "cuda_tiled", "serial")

# Other benchmarks of a program, shown as systems of their own: the program, and what follows the suite's benchmark in
# the name of theirs. taskbench_static: the graph stands before the clock runs; taskbench_blocks: a task per worker.
VARIANTS = {"stretto_static": ("stretto", "_static"), "stretto_blocks": ("stretto", "_blocks"),
            "tbb_static": ("tbb", "_static"), "opencl_naive": ("opencl", "_naive"),
            "opencl_tiled": ("opencl", "_tiled"), "cuda_naive": ("cuda", "_naive"),
            "cuda_tiled": ("cuda", "_tiled"), "two": ("stretto_jobs", "_two"), "four": ("stretto_jobs", "_four"),
            "imbalance": ("stretto_jobs", "_imbalance"),
            "object": ("stretto_jobs", "_object"), "flood": ("stretto_jobs", "_flood"),
            "buffer": ("stretto_jobs", "_buffer"), "shared": ("stretto_jobs", "_shared"),
            "staged": ("stretto_jobs", "_staged"),
            "mpi_cuda": ("mpi", "_cuda"), "mpi_accumulate": ("mpi", "_accumulate"),
            "waits": ("stretto_jobs", "_waits"), "barriers": ("stretto_jobs", "_barriers"),
            "reservations": ("stretto_jobs", "_reservations"), "lock": ("stretto_jobs", "_lock"),
            "no_horizons": ("stretto_jobs", "_none"), "in_host": ("stretto_jobs", "_host"),
            "in_gpu": ("stretto_jobs", "_gpu"), "in_zero_copy": ("stretto_jobs", "_zero_copy"),
            "object_unpooled": ("stretto_jobs", "_object_unpooled"),
            "buffer_unpooled": ("stretto_jobs", "_buffer_unpooled")}
FAIRNESS = ("of_0", "of_4", "of_16", "of_256")  # grants in a row to who waits on the same node
METHODS_OF_NODES = ("nodes_fold", "nodes_list", "nodes_automatic", "nodes_localize", "nodes_batches", "nodes_messages",
                    "nodes_single_reductions", "nodes_single_copies")
VARIANTS |= {name: ("stretto_jobs", name.removeprefix("nodes")) for name in METHODS_OF_NODES}
EVENTS = ("chain", "link", "trigger", "merge", "fan_out")
METHODS = ("original", "fold", "shared_fold", "list", "automatic", "localize", "single")
LIFE = ("startup", "shutdown")
RECORDING = ("span", "share")
REPORT = ("seconds", "memory")
SERIES = ("plain", "records", "pool", "locked", "overlap", "copies", "streams")  # each has one option more
HOST_KERNELS = ("stencil", "wave", "product", "tiles", "sum")
DEVICE_KERNELS = ("update", "stencil", "space", "product", "tiles", "sums")
TOPOLOGIES = ("of_chain", "of_soup", "of_expanding", "of_contracting", "of_wave", "of_jacobi")
PATTERNS_OF_GRAPHS = ("1d", "2d", "3d")
MANY = ("many_on_1", "many_on_16", "many_on_256", "row_on_1", "row_on_16", "row_on_256")
VARIANTS |= {part: ("stretto", "_" + part) for part in TOPOLOGIES + PATTERNS_OF_GRAPHS + MANY + EVENTS + METHODS + LIFE
             + RECORDING + REPORT + HOST_KERNELS + DEVICE_KERNELS + SERIES + FAIRNESS
             + ("bus", "instance", "recorded", "demo", "threads", "into", "tiled", "bodies", "none", "off", "on")}

# Ranks of one worker; else there are as many workers as cores.
VARIANTS |= {"one_worker": ("stretto_ranks", "")}

# Programs with OpenACC on a device of OpenCL; without "_device" they run on the host.
VARIANTS |= {"stretto_acc_device": ("stretto_acc", ""), "stretto_ranks_device": ("stretto_acc_ranks", ""),
             "opencl_copy": ("opencl_kernels", "_copy"), "opencl_mapped": ("opencl_kernels", "_mapped")}
FORMS_OF_JACOBI = ("synchronous", "asynchronous", "unified")
VARIANTS |= {form + on: ("stretto_programs", "_" + form) for form in FORMS_OF_JACOBI for on in ("", "_device")}
PARTS_OF_DGEMM = ("messages", "copies", "regions")
VARIANTS |= {f"dgemm_{part}{on}": ("stretto_programs", "_" + part) for part in PARTS_OF_DGEMM for on in ("", "_device")}
# Messages between simulated devices, whose memory the host cannot access.
VARIANTS |= {"directly": ("stretto_acc_ranks", ""), "by_way_of_host": ("stretto_acc_ranks", "")}
SIMULATED_DEVICES = {"STRETTO_ACC_DEVICE_TYPE": "sim", "STRETTO_DEVICES": "sim:2"}
# A machine with two sockets, each with a core and a device. Ranks are near their devices unless that is off: then each
# copies by way of the other socket, at a sixth of the speed.
TWO_SOCKETS = {"STRETTO_ACC_DEVICE_TYPE": "sim", "STRETTO_DEVICES": "sim(near=1,far=2G),sim(near=0,far=2G)",
               "STRETTO_WORKERS": "2",
               "STRETTO_PLATFORM": str(Path(__file__).resolve().parent / "peers/acc/two_sockets.json")}
DISTANCES = {"near_ranks": {}, "far_ranks": {"STRETTO_ACC_NEAR": "0"}}
VARIANTS |= {name: ("stretto_acc_ranks", "") for name in DISTANCES}
SWITCHES = {"with_all": {}} | {"without_" + name.lower(): {f"STRETTO_ACC_{name}": "0"}
                               for name in ("DIRECT", "SHARE_HEAP", "NEAR", "QUEUES")}
VARIANTS |= {name: ("stretto_programs", "_unified") for name in SWITCHES}
VARIANTS |= {"openmpi_" + form: ("openmpi_programs", "_" + form) for form in FORMS_OF_JACOBI[:2]}
VARIANTS |= {way + "_inputs": ("stretto_programs", "_" + way) for way in ("shared", "copied")}
VARIANTS |= {"openmpi_inputs": ("openmpi_programs", "_copied")}

# Options of the runtimes under which they are at their best in these benchmarks.
ENVIRONMENT = {"OMP_WAIT_POLICY": "active", "OMP_PROC_BIND": "spread", "STARPU_SILENT": "1"}

# What graphs cost is also told in steps of a fixed loop beside it, so that machines can be compared.
LOOP = "a loop"

MPIRUN = ("mpirun", "--mca", "pml", "ob1", "--mca", "btl", "self,vader")


@dataclass(frozen=True)
class Suite:
    name: str
    title: str
    bench: str
    against: str  # the peer that ratios refer to; "" if there is none
    systems: tuple
    workers: tuple = (1, 2)
    arguments: tuple = ()
    goals: dict = field(default_factory=dict)  # workers, or a variant of Stretto -> figure to reach
    # a value of `sweep` -> figure to reach; or a variant -> such a table
    size_goals: dict = field(default_factory=dict)
    growth_goal: float = 0  # at most so many times the figure at the first value of `sweep`
    # a variant of Stretto -> what its figure shall be of that of `against`; or a table of that by a value of `sweep`,
    # by workers if there is none
    ratio_goals: dict = field(default_factory=dict)
    quick: bool = True  # part of a --quick run
    metg: bool = False
    sweep: tuple = ()  # values of --size, a row each
    axis: str = ""  # what they are


_TASKS = ("stretto", "tbb", "libgomp", "libomp", "starpu", "std")
_SEARCHES = ("stretto", "pthreads", "tbb", "libgomp", "libomp", "serial")
_GRAPHS = ("stretto_blocks", "stretto", "stretto_static", "mpi", "tbb", "tbb_static", "libgomp", "libomp", "starpu")

# Systems whose METG is tens of microseconds begin with larger tasks, in fewer steps; in a --quick run they are
# measured on one pattern only.
SLOW_GRAPHS = ("libgomp", "libomp", "starpu")
QUICK_PATTERN = "metg_stencil_1d"

PATTERNS = ("stencil_1d", "stencil_1d_periodic", "fft", "nearest", "random_nearest", "spread", "all_to_all", "tree",
            "dom", "no_comm", "trivial")


def _uts(tree, goal, quick=True):
    return Suite(f"uts_{tree.lower()}", f"Unbalanced Tree Search, {tree}", "uts", "pthreads", _SEARCHES,
                 arguments=("--tree", tree), goals=goal, quick=quick)


def _metg(pattern, width=4):
    return Suite(f"metg_{pattern}", f"METG(50 %), {pattern}, width {width}", "taskbench", "mpi", _GRAPHS,
                 workers=(2,), arguments=("--pattern", pattern, "--width", str(width), "--radix", "5"), metg=True)


_MEDIUM = (1 << 10, 1 << 12, 1 << 14)  # bytes
_LARGE = (1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24)  # bytes


# Systems whose `workers` are ranks, however many workers run these.
RANKS = ("stretto_ranks", "one_worker", "openmpi", "mpich")


def named(row):
    """The system of a row with the number of its workers: "tbb, 2 workers"."""
    what = "rank" if row["system"] in RANKS else "worker"
    return f"{row['system']}, {row['workers']} {what}{'s' if row['workers'] > 1 else ''}"


# MPICH does not yield: where ranks share cores, a barrier takes it milliseconds, and it is not measured.
WITHOUT_YIELD = ("mpich",)
_RANKS = ("stretto_ranks", "one_worker", "openmpi")
_TWO_RANKS = (*_RANKS, "mpich")


def _ranks(name, title, bench, part=None, systems=_RANKS, **more):
    """Ranks of one node; `part` is the goal, of Open MPI's figure, or one by size or by ranks. The number of
    workers is that of ranks."""
    return Suite(f"ranks_{name}", title, bench, "openmpi", systems,
                 ratio_goals={"stretto_ranks": part, "one_worker": part} if part else {}, **more)


def _ranks_by_size(name, title, bench, largest, **more):
    """A sweep as those of the OSU benchmarks: with two ranks, and with eight where they yield."""
    sizes = tuple(size for size in (8, 64, 512, 1 << 12, 1 << 15, 1 << 18, 1 << 20) if size <= largest)
    return _ranks(f"{name}_sizes", title, bench, systems=_TWO_RANKS, workers=(2, 8), sweep=sizes, axis="bytes",
                  quick=False, **more)


_MESSAGES = (64, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26)  # bytes


def _acc(name, title, goal, device_goal):
    """A loop with directives on the host, next to OpenMP, and on a device of OpenCL, next to a kernel by hand. The
    goals are parts of the peer's figure; 1.11 is 0.9 of its speed."""
    return (Suite(f"acc_{name}", f"{title}, OpenACC on the host and OpenMP", f"acc_{name}", "gcc_openmp",
                  ("stretto_acc", "gcc_openmp"), ratio_goals={"stretto_acc": goal}),
            Suite(f"acc_device_{name}", f"{title}, OpenACC on a device of OpenCL and OpenCL by hand",
                  f"acc_{name}", "opencl_kernels", ("stretto_acc_device", "opencl_kernels"), workers=(2,),
                  ratio_goals={"stretto_acc_device": device_goal}))


def _acc_messages(one, other, more=(), against="opencl_messages", goals=None):
    return Suite(f"acc_{one}_{other}", f"message from the {one} of a rank to the {other} of another, one way",
                 f"acc_{one}_{other}", against, ("stretto_ranks_device", "opencl_messages", *more), workers=(2,),
                 ratio_goals={"stretto_ranks_device": goals} if goals else {}, sweep=_MESSAGES, axis="bytes")


def _acc_program(name, title, goal):
    return Suite(f"acc_{name}", f"{title} with two ranks, and the same source by Open MPI and gcc", f"acc_{name}",
                 "openmpi_programs", ("stretto_programs", "openmpi_programs"), workers=(2,),
                 ratio_goals={"stretto_programs": goal})


def _application(name, title, bench, hybrid=("modules_hybrid",), **more):
    """An application of examples/modules: by a module, by the library alone, and with OpenMP. The number of workers is
    that of processes."""
    return Suite(f"modules_{name}", title, f"modules_{bench}", "modules_flat",
                 ("stretto_modules", "modules_flat", *hybrid), workers=(2, 4), ratio_goals={"stretto_modules": 1},
                 **more)


def _own(name, title, bench, systems=("stretto",), **more):
    """A figure of Stretto alone, or of what its own ways cost; ratios refer to the first of them."""
    return Suite(name, title, bench, systems[0] if len(systems) > 1 else "", systems, **more)


def _graphs(name, title, bench, systems, goals=None, **more):
    """What it costs to generate graphs of programs on buffers, on one node of a job."""
    return Suite(name, title, bench, LOOP, systems, workers=(1,), goals=goals or {}, **more)


SUITES = (
    Suite("fib", "fork-join, fib without cut-off", "fib", "tbb", _TASKS + ("serial",), goals={1: 15, 2: 9}),
    Suite("empty", "independent empty tasks and a wait", "empty", "tbb", _TASKS, goals={1: 30, 2: 30}),
    Suite("chain", "dependent chain, built and run", "chain", "tbb", _TASKS, goals={1: 30, 2: 60}),
    Suite("spawn_wait", "task plus wait for its result", "spawn_wait", "tbb", _TASKS, goals={1: 35, 2: 60}),
    Suite("handoff", "hand-off between two suspending tasks", "handoff", "tbb", _TASKS, goals={1: 40, 2: 120}),
    Suite("pending_bytes", "memory per pending dependent task", "pending_bytes", "tbb", _TASKS,
          workers=(2,), goals={2: 128}),
    _uts("T1", {}), _uts("T3", {}), _uts("T1L", {}, quick=False),
    *(_metg(pattern) for pattern in PATTERNS),
    replace(_own("events", "events, one worker, per operation", "event", EVENTS, workers=(1,),
                 goals={"chain": 15, "link": 20, "trigger": 10, "merge": 15, "fan_out": 15}), against=""),
    _own("event_fan", "trigger rate by fan-in and fan-out", "event_fan", workers=(1,),
         sweep=(1, 2, 4, 8, 16, 32, 64, 128, 256), axis="fan"),
    _own("reservation", "reservation, acquire and release", "reservation", workers=(1,), goals={1: 50}),
    _own("reservation_chains", "1,024 chains of grants over reservations", "reservation_chains", workers=(1,),
         goals={1: 10}, sweep=(1, 4, 16, 64, 256, 1024), axis="reservations"),
    _own("barrier", "phase barrier, arrival and trigger", "barrier", workers=(1,), goals={1: 20}),
    _own("instance", "instance, create and destroy", "instance", workers=(1,), goals={1: 100}),
    _own("copy", "copy of 8 bytes, and a wait", "copy", workers=(1,), goals={1: 150}),
    _own("copy_chain", "copy of 8 bytes, in a chain", "copy_chain", workers=(1,), goals={1: 150}),
    _own("copy_large", "copy of 64 MiB, time of memcpy's", "copy_large", goals={1: 1, 2: 1}),
    *(Suite(f"launch_{bench}", f"launches on objects, {title}", f"launch_{bench}", "starpu", ("stretto", "starpu"),
            goals={1: goal, 2: goal})
      for bench, title, goal in (("none", "none", 250), ("readers_1", "one that all read", 400),
                                 ("chain_1", "one that each changes", 400),
                                 ("readers_3", "three that all read", 900),
                                 ("chain_3", "three that each changes", 900))),
    replace(_own("host_kernels", "kernels on the host, speed of the loop by hand", "host", HOST_KERNELS, workers=(1,),
                 goals=dict.fromkeys(HOST_KERNELS, 0.9)), against=""),
    replace(_own("device_kernels", "kernels on a device, speed of those in its own language by hand", "device_kernels",
                 DEVICE_KERNELS, workers=(1,),
                 goals=dict.fromkeys(DEVICE_KERNELS, 0.95)), against=""),
    Suite("device_series", "products in a series, their data brought each time, one device", "device_series", "opencl",
          ("opencl_naive", "opencl", "opencl_tiled", "cuda_naive", "cuda", "cuda_tiled", *SERIES, "stretto", "into",
           "tiled", "threads"), workers=(1,),
          sweep=(64, 128, 256, 512, 1024), axis="side", quick=False, ratio_goals={"stretto": 1.03}),
    Suite("device_chain", "dependent empty kernels on one device", "device_chain", "opencl",
          ("stretto", "threads", "instance", "recorded", "opencl", "cuda", "starpu"),
          workers=(1,), ratio_goals={"stretto": 1.3, "instance": 1.3, "recorded": 1.3}),
    Suite("device_copy", "copies to a device and back", "device_copy", "opencl",
          ("stretto", "opencl", "cuda", "cuda_naive"), workers=(1,),
          sweep=(64, 1024, 65536), axis="KiB", ratio_goals={"stretto": 0.95}),
    _own("device_together", "rows of a product on the host and an OpenCL device, speed of the better alone",
         "device_together", workers=(1,),
         goals={1: 1}),
    replace(_own("sim_series", "products of 64 x 64 on simulated devices, speed of one's", "sim_series",
                 ("stretto", "bus"),
                 workers=(1,), sweep=(1, 2, 4), axis="devices"), against=""),
    replace(_own("sim_wave", "the wave on simulated devices, speed of one's", "sim_wave", ("stretto", "demo", "bus"),
                 workers=(1,), sweep=(1, 2, 4), axis="devices"), against=""),
    replace(_own("beyond_memory", "four times a device's memory, time of the least transfers'", "beyond_memory",
                 ("wave", "product"),
                 workers=(1,), goals={"wave": 1.3, "product": 1.3}), against=""),
    _own("histogram_dense", "histogram, 32 values per bucket", "histogram_dense", METHODS, workers=(2,)),
    _own("histogram_sparse", "histogram, 64 buckets per value", "histogram_sparse", METHODS, workers=(2,)),
    _own("density", "reduction by density", "density", ("original", "fold", "list", "automatic"), workers=(2,),
         sweep=(1, 2, 4, 8, 16, 64, 256), axis="elements per value"),
    _own("circuit", "Circuit: events per slot", "circuit", workers=(2,)),
    replace(_own("life", "runtime, start-up and shut-down", "runtime", LIFE, workers=(2,),
                 goals={"startup": 5, "shutdown": 2}), against=""),
    _own("idle", "idle runtime, processor time", "idle", workers=(2,), goals={2: 1}),
    _own("two_runtimes", "two runtimes at once, time of one's", "two_runtimes", workers=(2,), goals={2: 1.1}),
    replace(_own("recording", "full recording, beside the default level", "recording", RECORDING, workers=(1,),
                 goals={"span": 20, "share": 2}), against=""),
    _own("trace_write", "trace of a million spans, written", "trace_write", workers=(2,), goals={2: 1}),
    replace(_own("report", "report of a million spans", "report", REPORT, workers=(2,),
                 goals={"seconds": 3, "memory": 1}), against=""),
    Suite("nodes_latency", "active message between two nodes, one way", "nodes_latency", "mpi",
          ("stretto_nodes", "mpi"), workers=(2,),
          goals={"stretto_nodes": 0.45}),
    Suite("nodes_payload", "active message with a payload, one way", "nodes_latency", "mpi", ("stretto_nodes", "mpi"),
          workers=(2,),
          sweep=(1024, 65536, 1048576), axis="bytes"),
    Suite("nodes_flood", "active messages, as many as there is room for", "nodes_flood", "mpi",
          ("stretto_nodes", "mpi"), workers=(2,),
          goals={"stretto_nodes": 4}, sweep=(8, 64, 512), axis="bytes"),
    Suite("nodes_single", "active messages, a poll after each", "nodes_single", "mpi", ("stretto_nodes",),
          workers=(2,)),
    Suite("nodes_copy", "copy between instances of two nodes, one way", "nodes_latency", "mpi", ("stretto_jobs", "mpi"),
          workers=(2,),
          sweep=(8, 65536, 1048576), axis="bytes"),
    Suite("nodes_put", "elements put into an object of another node, as an argument of a message, as a buffer: one way",
          "nodes_put", "mpi",
          ("stretto_jobs", "object", "buffer", "mpi"), workers=(2,), sweep=(8, 1024, 65536, 1048576, 8388608),
          axis="bytes"),
    Suite("nodes_put_device", "the same between devices, against staging by hand with OpenCL", "nodes_put_device",
          "mpi",
          ("stretto_jobs", "object", "buffer", "object_unpooled", "buffer_unpooled", "shared", "mpi", "mpi_cuda"),
          workers=(2,),
          sweep=(8, 1024, 65536, 1048576, 8388608), axis="bytes"),
    *(Suite(f"nodes_{bench}",
            f"copy between memories of simulated devices of two nodes, {title}: "
            "messages from and to them, and staged in the host's",
            f"nodes_{bench}", "staged", ("stretto_jobs", "staged"), workers=(2,),
            sweep=(8, 1024, 16384, 65536, 262144, 1048576, 8388608), axis="bytes")
      for bench, title in (("direct", "one way"), ("bandwidth", "bytes a second"))),
    Suite("nodes_ring", "event triggered behind one of another node, a hop", "nodes_ring", "mpi", ("stretto_jobs",),
          workers=(2, 4)),
    Suite("nodes_fan_out", "event with waiters on all other nodes, triggers", "nodes_fan_out", "", ("stretto_jobs",),
          workers=(2, 4),
          sweep=(1, 4, 16, 64, 256), axis="waiters on each"),
    Suite("nodes_fan_in", "event that waits for events of all other nodes, triggers", "nodes_fan_in", "",
          ("stretto_jobs",), workers=(2, 4), sweep=(1, 4, 16, 64, 256), axis="events of each"),
    Suite("nodes_fan_levels",
          "16 levels of 16 events on each node, each behind so many of the level before, of any node: time of a level",
          "nodes_fan_levels", "", ("stretto_jobs",), workers=(1, 2, 4), sweep=(1, 2, 4, 8, 16, 32, 64), axis="fan"),
    _own("nodes_fan_simulated", "the same levels of events on eight simulated nodes, in counted time", "fan_levels",
         workers=(1,), sweep=(1, 2, 4, 8, 16, 32, 64), axis="fan"),
    Suite("nodes_calls", "function on another node and its value, one way", "nodes_calls", "mpi", ("stretto_jobs",),
          workers=(2,)),
    Suite("nodes_grants", "grants of a reservation that all nodes want", "nodes_grants", "mpi", ("stretto_jobs",),
          workers=(1, 2, 4)),
    Suite("nodes_contenders", "grants of 8 reservations, by chains of 32 links that take them at random",
          "nodes_contenders", "", ("stretto_jobs",), workers=(1, 2, 4), sweep=(1, 4, 16, 64, 256),
          axis="chains on each node"),
    Suite("nodes_reservations", "grants of reservations that 32 chains of 32 links on each node take at random",
          "nodes_reservations", "", ("stretto_jobs",), workers=(1, 2, 4), sweep=(1, 4, 16, 64, 256, 1024),
          axis="reservations"),
    *(replace(_own(f"nodes_{what}_{axis}",
                   f"{title} on eight simulated nodes, by grants in a row to who waits on the same node",
                   f"{what}_{axis}", FAIRNESS, workers=(1,), sweep=sweep, axis=shown), against="of_0")
      for what, title in (("grants", "grants of reservations in counted time"),
                          ("passes", "moves of reservations between nodes"))
      for axis, sweep, shown in (("chains", (1, 4, 16, 64), "chains on each node, over 8 reservations"),
                                 ("reservations", (1, 4, 16, 64, 256), "reservations, 32 chains on each node"))),
    Suite("nodes_histogram", "histogram on node 0 of a million values of all nodes", "nodes_histogram", "mpi",
          (*METHODS_OF_NODES, "mpi", "mpi_accumulate"), workers=(1, 2, 4), sweep=(1 << 14, 1 << 22), axis="buckets"),
    Suite("nodes_quiescence", "message to a mobile object of another node, until none is on its way",
          "nodes_quiescence", "mpi",
          ("stretto_jobs",), workers=(2,), goals={"stretto_jobs": 50}),
    Suite("nodes_near", "message to a mobile object of the same node: with a wait for each, and for all", "nodes_near",
          "",
          ("stretto_jobs", "flood"), workers=(1, 2), goals={"stretto_jobs": 100, "flood": 100}),
    Suite("nodes_migration", "mobile object moved to the other node, as a message of so many bytes", "nodes_migration",
          "mpi",
          ("stretto_jobs", "mpi"), workers=(2,), sweep=(64, 65536, 1048576), axis="bytes"),
    Suite("nodes_jacobi", "Jacobi in three dimensions, cuboids as mobile objects: one, two and four per node",
          "nodes_jacobi", "mpi",
          ("stretto_jobs", "two", "four", "mpi"), workers=(1, 2, 4), sweep=(48, 96), axis="cells along each axis"),
    Suite("nodes_jacobi_weak", "the same, so many cells along each axis for each node", "nodes_jacobi_weak", "mpi",
          ("stretto_jobs", "two", "four", "mpi"), workers=(1, 2, 4), sweep=(48, 96), axis="cells along each axis"),
    Suite("nodes_jacobi_device",
          "Jacobi on simulated devices, one, two and four cuboids for each, "
          "against kernels, copies and messages by hand",
          "nodes_jacobi_device", "stretto_module", ("stretto_jobs", "two", "four", "stretto_module"), workers=(1, 2),
          sweep=(96,),
          axis="cells along each axis"),
    Suite("nodes_heat", "heat on three levels of refinement, operations with preconditions, against MPI by hand",
          "nodes_heat", "mpi", ("stretto_jobs", "mpi"), workers=(1, 2, 4), sweep=(48, 192, 768),
          axis="cells along each axis"),
    Suite("nodes_levels",
          "heat on three levels of refinement: time with a wait before each operation to that with preconditions",
          "nodes_levels", "", ("stretto_jobs",), workers=(1, 2, 4), sweep=(48, 192), axis="cells along each axis"),
    Suite("nodes_circuit", "circuit in pieces: time with a wait before each operation to that with preconditions",
          "nodes_circuit", "",
          ("stretto_jobs",), workers=(1, 2, 4), sweep=(6, 24), axis="pieces"),
    Suite("nodes_fluid",
          "fluid of particles in cells: time with a wait before each operation to that with preconditions",
          "nodes_fluid", "",
          ("stretto_jobs",), workers=(1, 2, 4), sweep=(12, 48), axis="cells along each axis"),
    Suite("nodes_circuit_step",
          "circuit in pieces: preconditions, waits, barriers; charge under reservations or one lock",
          "nodes_circuit_step", "barriers", ("stretto_jobs", "waits", "barriers", "reservations", "lock"),
          workers=(1, 2, 4), sweep=(6, 24), axis="pieces"),
    Suite("nodes_circuit_memories",
          "circuit by kernels on simulated devices of nodes, shared nodes in zero-copy memory, "
          "against all in one memory", "nodes_circuit_memories", "in_host",
          ("stretto_jobs", "in_host", "in_gpu", "in_zero_copy"), workers=(1, 2, 4), sweep=(6, 24), axis="pieces"),
    Suite("nodes_fluid_step", "fluid of particles in cells: preconditions, waits, barriers", "nodes_fluid_step",
          "barriers", ("stretto_jobs", "waits", "barriers"), workers=(1, 2, 4), sweep=(12, 48),
          axis="cells along each axis"),
    Suite("nodes_fluid_events", "Fluid over nodes: events per slot", "nodes_fluid_events", "", ("stretto_jobs",),
          workers=(1, 2, 4)),
    Suite("nodes_room", "room response over nodes, each step reads all before: horizons, and none", "nodes_room",
          "no_horizons", ("stretto_jobs", "no_horizons"), workers=(1, 2, 4)),
    *(Suite(f"nodes_uts_{tree.lower()}", f"Unbalanced Tree Search over nodes, {tree}", "nodes_uts", "",
            ("stretto_jobs",), workers=(1, 2, 4),
            arguments=("--tree", tree), quick=tree == "T3") for tree in ("T3", "T1L")),
    Suite("nodes_particles", "particles that move: time without a balancer to that with one, and imbalance with it",
          "nodes_particles", "",
          ("stretto_jobs", "imbalance"), workers=(2,), goals={"stretto_jobs": 1.5, "imbalance": 1.1}),
    Suite("nodes_module", "message of 8 bytes through a future of the MPI module, one way", "nodes_pingpong", "mpi",
          ("stretto_module", "mpi"),
          workers=(2,)),
    _graphs("graph_generative", "tasks and commands of one of 512 nodes, generative pattern, steps 240 to 255", "graph",
            PATTERNS_OF_GRAPHS,
            size_goals={"1d": dict.fromkeys((0, 1, 2, 4, 16), 60), "2d": {0: 1000, 2: 60}}, sweep=(0, 1, 2, 4, 16),
            axis="step of horizons"),
    _graphs("graph_nodes", "the same with S = 2, all steps", "graph_2d_nodes", ("stretto",), growth_goal=2,
            sweep=(1, 16, 256, 512, 1024, 4096), axis="nodes"),
    _graphs("graph_stencil", "stencil in tiles, S = 2", "graph_stencil_nodes", ("stretto",), growth_goal=2,
            sweep=(1, 16, 256, 512, 1024, 4096), axis="nodes"),
    _graphs("graph_many", "15,000 independent tasks, five times over: columns, and in a row", "graph", MANY,
            size_goals={"many_on_1": {0: 5, 256: 2}, "many_on_16": {0: 5, 256: 2}, "many_on_256": {0: 5, 256: 4}},
            sweep=(0, 16, 64, 256, 1024),
            axis="breadth of horizons"),
    _graphs("graph_topologies", "tasks alone (0), and with the commands of one node", "graph", TOPOLOGIES,
            size_goals={0: 200, 1: 500, 16: 1000},
            sweep=(0, 1, 16), axis="nodes"),
    _graphs("graph_instructions", "tasks, commands and instructions of one node", "graph_instructions", TOPOLOGIES,
            goals=dict.fromkeys(TOPOLOGIES, 2000),
            sweep=(1, 4), axis="devices"),
    _own("buffers_launches", "launches on buffers, independent, through the whole runtime", "buffers_launches",
         workers=(1,), goals={1: 1.5}),
    _own("buffers_many", "launches on buffers, each on a part not named before (many tasks), through the whole runtime",
         "buffers_many", workers=(1,),
         goals={1: 3}),
    _own("buffers_chain", "launches on buffers, in a chain, through the whole runtime", "buffers_chain", workers=(1,),
         goals={1: 1.5}),
    replace(_own("buffers_caller",
                 "what the call of a launch computes, wave with kernels of 50 us: by itself, or handed over, or either",
                 "buffers_caller",
                 ("stretto", "off", "on"), workers=(2,), sweep=(1, 2, 4), axis="devices"), against=""),
    replace(_own("buffers_by_hand", "wave and bodies on two simulated devices, time of the same kernels driven by hand",
                 "buffers", ("wave", "bodies"),
                 workers=(1,), goals={"wave": 1.05, "bodies": 1.05}, sweep=(50, 200, 1000), axis="us of a kernel"),
            against=""),
    replace(_own("buffers_room",
                 "room response on simulated devices, speed of so many times one's: S = 2, and without horizons",
                 "buffers_room",
                 ("stretto", "none"), workers=(1,), size_goals={"stretto": dict.fromkeys((1, 2, 4, 8, 16), 0.8)},
                 sweep=(1, 2, 4, 8, 16, 32),
                 axis="devices"), against=""),
    replace(_own("buffers_horizons",
                 "wave and bodies on two simulated devices, kernels of 50 us: "
                 "time spent generating and applying horizons, of all", "buffers_horizons",
                 ("wave", "bodies"), workers=(1,), size_goals=dict.fromkeys((1, 2, 4, 16), 1), sweep=(1, 2, 4, 16),
                 axis="step of horizons"), against=""),
    _graphs("graph_commands", "tasks and commands of one of 16 nodes: wave in tiles, bodies", "graph_commands",
            ("wave", "bodies"),
            goals={"wave": 1, "bodies": 2}, sweep=(0, 1, 2, 4, 16), axis="step of horizons"),
    _own("graph_horizons", "time spent generating horizons, 2-D generative on 512 nodes", "graph_horizons",
         workers=(1,), sweep=(1, 2, 4, 16),
         axis="step of horizons"),
    _ranks("latency", "message between two ranks, one way", "latency",
           {8: 0.6} | dict.fromkeys(_MEDIUM, 0.25) | dict.fromkeys(_LARGE, 0.4), _TWO_RANKS, workers=(2,),
           sweep=(8, *_MEDIUM, *_LARGE), axis="bytes"),
    _ranks("rate", "messages of 8 bytes between two ranks, 64 under way", "rate", systems=_TWO_RANKS, workers=(2,),
           goals={"one_worker": 20}),
    _ranks("bandwidth", "bandwidth of messages between two ranks, 64 under way", "bandwidth", systems=_TWO_RANKS,
           workers=(2,), sweep=(8, 128, *_MEDIUM, *_LARGE[:-1]), axis="bytes", quick=False),
    _ranks_by_size("allreduce", "sum of data of each rank, for all", "allreduce", 1 << 20),
    _ranks_by_size("broadcast", "data of one rank after another, for all", "broadcast", 1 << 20),
    _ranks_by_size("alltoall", "data from each rank to each", "alltoall", 1 << 18),
    _ranks("barrier_sizes", "barrier, by the number of ranks", "barrier", systems=_TWO_RANKS,
           workers=(2, 4, 8, 16, 32, 64), quick=False),
    _ranks("barrier", "barrier of ranks", "barrier", {2: 1, 8: 0.2}, workers=(2, 8)),
    _ranks("allreduce", "sum of 8 bytes of each rank, for all", "allreduce", {2: 1, 8: 0.2}, workers=(2, 8)),
    _ranks("alltoall", "8 bytes from each rank to each", "alltoall", {2: 1, 8: 0.2}, workers=(2, 8)),
    _ranks("ring", "8 KiB from each rank to the next one", "ring", {2: 1, 8: 0.2}, workers=(2, 8)),
    _ranks("barrier_many", "barrier of many ranks", "barrier", 0.05, workers=(32,)),
    _ranks("allreduce_many", "sum of 8 bytes of each of many ranks, for all", "allreduce", 0.05, workers=(32,)),
    _ranks("ring_many", "8 KiB from each of many ranks to the next one", "ring", 0.05, workers=(32,)),
    _ranks("allreduce_large", "sum of 1 MiB of each rank, for all", "allreduce", 1, workers=(2, 8),
           arguments=("--size", str(1 << 20))),
    _ranks("start", "start of a program, to the end of its first barrier", "start", workers=(64,),
           systems=("stretto_ranks", "openmpi"), goals={"stretto_ranks": 100}),
    _ranks("memory", "memory of a rank, with all that its process has", "memory", workers=(64,),
           systems=("stretto_ranks", "openmpi"), goals={"stretto_ranks": 100}),
    *_acc("stencil", "stencil of five points, 1,024 x 1,024", 1.11, 1.11),
    *_acc("product", "matrix product, 512 x 512", 1.11, 1.11),
    *_acc("sum", "sum of 4,194,304 numbers", 1.11, 1.11),
    *_acc("pairs", "pairs of random numbers of EP, class S", 1.11, 1.11),
    *_acc("histogram", "262,144 atomic additions to 64 counters", 1.11, 1.11),
    *_acc("launch", "start and end of a kernel with four arguments", 1, 1.3),
    _acc_messages("host", "host"),
    _acc_messages("host", "device"),
    _acc_messages("device", "host"),
    _acc_messages("device", "device", ("opencl_copy", "opencl_mapped")),
    Suite("acc_simulated_devices", "message between two simulated devices, one way: directly and by way of the host",
          "acc_device_device", "by_way_of_host", ("directly", "by_way_of_host"), workers=(2,), sweep=_MESSAGES[:-1],
          axis="bytes"),
    Suite("acc_jacobi", "Jacobi with two ranks on the host: the three forms, and Open MPI", "acc_jacobi", "synchronous",
          (*FORMS_OF_JACOBI, "openmpi_synchronous", "openmpi_asynchronous"), workers=(2,), sweep=(128, 512),
          axis="cells along each side"),
    Suite("acc_device_jacobi", "Jacobi with two ranks on a device of OpenCL: the three forms", "acc_jacobi",
          "synchronous_device", tuple(form + "_device" for form in FORMS_OF_JACOBI), workers=(2,), sweep=(128, 512),
          axis="cells along each side"),
    Suite("acc_distance", "copy to a rank's device, which is near or far: a simulated machine with two sockets",
          "acc_update", "far_ranks", tuple(DISTANCES), workers=(2,), sweep=(1 << 16, 1 << 20, 1 << 24), axis="bytes"),
    Suite("acc_switches", "Jacobi with messages in queues, with all and without one: a simulated machine, two sockets",
          "acc_jacobi", "with_all", tuple(SWITCHES), workers=(2,), sweep=(128, 512), axis="cells along each side"),
    _acc_program("dgemm", "DGEMM, 512 x 512", 1),
    Suite("acc_dgemm_parts", "DGEMM with two ranks: the parts of its time", "acc_dgemm", "",
          tuple(f"dgemm_{part}{on}" for on in ("", "_device") for part in PARTS_OF_DGEMM), workers=(2,),
          sweep=(256, 512), axis="rows"),
    Suite("acc_inputs", "inputs of DGEMM with two ranks that share or copy them, and Open MPI", "acc_inputs",
          "copied_inputs", ("shared_inputs", "copied_inputs", "openmpi_inputs"), workers=(2,), sweep=(512, 1024),
          axis="rows of each matrix"),
    _acc_program("ep", "EP, class S", 1),
    _acc_program("himeno", "Himeno, size S", 1),
    Suite("acc_translation", "translation of a source with 100 regions", "acc_translation", "openmpi_programs",
          ("stretto_programs", "openmpi_programs"), workers=(1,), goals={"stretto_programs": 1000}, sweep=(1000,),
          axis="lines"),
    _application("isx", "ISx, 2^20 keys on each PE", "isx"),
    _application("isx_large", "ISx, 2^23 keys on each PE", "isx", arguments=("--size", "23"), quick=False),
    _application("isx_strong", "ISx, 2^22 keys on all PEs", "isx_strong"),
    *(_application(f"uts_{tree.lower()}", f"Unbalanced Tree Search by OpenSHMEM, {tree}", "uts",
                   arguments=("--tree", tree), quick=tree != "T1L") for tree in ("T1", "T3", "T1L")),
    *(_application(f"bfs_{library}", f"Graph500 by {title}, 2^18 vertices", f"bfs_{library}", hybrid=())
      for library, title in (("shmem", "OpenSHMEM"), ("mpi", "MPI"))),
    _application("geo", "stencil of 96^3 on a simulated device and the host, and with blocking copies", "geo",
                 hybrid=()),
    _own("many_tasks", "ten million tasks, peak memory of the process", "many_tasks"),
)


# Programs that mpirun starts, a process per worker.
OF_PROCESSES = ("mpi", "stretto_nodes", "stretto_jobs", "stretto_module", "openmpi", "mpich", "opencl_messages")


def command(executable, system, workers):
    """The start of the command line; MPI programs have one process per worker."""
    if system not in OF_PROCESSES:
        return [executable]
    if system == "mpich":
        return ["mpirun.mpich", "-np", str(workers), executable]
    extra = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    fits = len(os.sched_getaffinity(0)) >= workers
    extra += ["--bind-to", "core"] if fits else ["--oversubscribe"]
    return [*MPIRUN, *extra, "-np", str(workers), executable]


def environment(system, workers):
    """What the variables of a system are set to."""
    program = VARIANTS.get(system, (system, ""))[0]
    ranks = {"STRETTO_RANKS": str(workers)} if program in ("stretto_ranks", "stretto_acc_ranks") else {}
    one = {"STRETTO_WORKERS": "1"} if system == "one_worker" else {}
    cores = {"stretto_acc": {"STRETTO_WORKERS": str(workers)}, "gcc_openmp": {"OMP_NUM_THREADS": str(workers)}}
    # With memory of its own, as a graphics card has: copies and messages of devices are what is measured.
    device = {"STRETTO_ACC_DEVICE_TYPE": "opencl", "STRETTO_ACC_DISCRETE": "1"} if system.endswith("_device") else {}
    if system in ("directly", "by_way_of_host"):
        device = SIMULATED_DEVICES | ({} if system == "directly" else {"STRETTO_ACC_DIRECT": "0"})
    if system in DISTANCES or system in SWITCHES:
        device = TWO_SOCKETS | (DISTANCES | SWITCHES)[system]
    return (ENVIRONMENT | ranks | one | cores.get(program, {}) | device | {"BENCH_STARTED": str(time.time_ns())})
