#!/usr/bin/env python3
"""bench.py - runs the benchmarks of all systems interleaved and prints them side by side.

Systems are interleaved, A B C A B C ..., so that a slow minute of the machine affects all of them; the figure of a
system is the median of its rounds. Everything shown is also written to OUT/results.json, and plots are drawn
from that file. A system that is not installed is left out, and the reason is printed.
"""

import argparse
import dataclasses
import difflib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import goals
import metg
import suites

PROCESS_LIMIT_SECONDS = 600


class Skipped(Exception):
    """This system cannot do this; the text says why."""


class Failed(Exception):
    """This system stopped or answered wrongly; the text says how."""


class Peers:
    """Where the executables are, and why others are not."""

    def __init__(self, build):
        listing = Path(build) / "bench" / "peers.json"
        if not listing.exists():
            raise SystemExit(f"bench: {listing} is missing\n"
                             "  try   build first: cmake --preset release && cmake --build build/release")
        self.known = json.loads(listing.read_text())
        self.peak = 0  # flops per second of one core, the best seen

    def path(self, system):
        entry = self.known.get(system, {"path": "", "reason": "not part of this build"})
        if not entry["path"]:
            raise Skipped(entry["reason"])
        if not Path(entry["path"]).exists():
            raise Skipped(f"{entry['path']} is not built")
        if system in suites.OF_PROCESSES and not shutil.which("mpirun"):
            raise Skipped("mpirun was not found (apt install openmpi-bin)")
        return entry["path"]

    def run(self, system, suite, workers, reps, more=()):
        """Starts one process and returns the measurements that it prints."""
        program, suffix = suites.VARIANTS.get(system, (system, ""))
        line = [*suites.command(self.path(program), program, workers), "--bench", suite.bench + suffix,
                "--workers", str(workers), "--reps", str(reps), *suite.arguments, *more]
        variables = {**os.environ, **suites.environment(system, workers)}
        try:
            done = subprocess.run(line, env=variables, capture_output=True, text=True,
                                  timeout=PROCESS_LIMIT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"no answer in {PROCESS_LIMIT_SECONDS} s") from None
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Failed(f"exit code {done.returncode}: {last}")
        measured = [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]
        if not measured:
            raise Failed("printed no measurement")
        if "skipped" in measured[0]:
            raise Skipped(measured[0]["skipped"])
        return measured


def measure_micro(peers, suite, system, workers, size, settings):
    more = ("--size", str(size)) if size is not None else ()
    found = peers.run(system, suite, workers, settings.reps, more)[0]
    kept = ("value", "unit", "better", "series")
    asked = ("system", "bench", "workers", "size", "tree", "reps", "best", "samples")
    facts = {name: found[name] for name in found if name not in kept + asked}
    return {name: found[name] for name in kept if name in found} | ({"facts": facts} if facts else {})


def measure_metg(peers, suite, system, workers, _size, settings):
    """The points of one ladder, or of a longer one where that held no efficient size."""
    slow = system in suites.SLOW_GRAPHS
    peak = peak_of_one_core(peers) * workers
    points = []
    for ladder in ((metg.LONG,) if slow else (metg.SHORT, metg.LONG)):
        steps = settings.metg_steps if ladder is metg.SHORT else settings.metg_steps // 10
        more = ("--iterations", ",".join(map(str, ladder)), "--steps", str(steps), "--milliseconds", "30")
        points += [metg.Point(p["iterations"], p["best"], p["flops_per_s"])
                   for p in peers.run(system, suite, workers, 1000, more)]
        if metg.answer(points, peak).kind != "at least":
            break
    return {"value": metg.answer(points, peak).granularity, "unit": "us/task", "better": "lower", "points": points}


def peak_of_one_core(peers):
    """Flops per second of the serial program with large tasks: the best seen so far, looked for anew at each call."""
    trivial = suites.Suite("peak", "", "taskbench", "serial", ("serial",), arguments=("--pattern", "trivial"))
    found = peers.run("serial", trivial, 1, 5, ("--iterations", "65536", "--steps", "50"))[0]["flops_per_s"]
    peers.peak = max(peers.peak, found)
    return peers.peak


def rounds_of(columns, rounds):
    """Every column once per round; each round starts with another one, so no place in the order is favoured."""
    for number in range(rounds):
        shift = number % len(columns)
        yield from ((number, column) for column in columns[shift:] + columns[:shift])


def wanted(system, suite, workers, settings):
    program = suites.VARIANTS.get(system, (system, ""))[0]
    chosen = system in settings.systems or (system not in suites.SYSTEMS and program in settings.systems)
    fast = not (settings.quick and suite.metg and system in suites.SLOW_GRAPHS and suite.name != suites.QUICK_PATTERN)
    has_cores = system not in suites.WITHOUT_YIELD or workers <= len(os.sched_getaffinity(0))
    return chosen and fast and has_cores and (system != "serial" or workers == 1)


def run_suite(peers, suite, settings, measure, progress):
    """One row per size, number of workers and system, in the order of the suite; skipped ones keep their reason."""
    rows = {(s, w, x): {"system": s, "workers": w, "samples": []} | ({"x": x} if suite.sweep else {})
            for x in suite.sweep or (None,) for w in suite.workers for s in suite.systems
            if wanted(s, suite, w, settings)}
    if not rows:
        return []
    for number, key in rounds_of(list(rows), settings.rounds):
        row = rows[key]
        if "skipped" in row or "failed" in row:
            continue
        progress(f"{suite.name}: round {number + 1} of {settings.rounds}, {key[0]} with {key[1]}")
        try:
            found = measure(peers, suite, *key, settings)
        except Skipped as reason:
            row["skipped"] = str(reason)
        except Failed as fault:
            row["failed"] = str(fault)
        else:
            row["samples"].append(found.pop("value"))
            if "points" in found:
                found["points"] = metg.merged([*row.get("points", []), *found["points"]])
            row.update(found)
    for row in rows.values():
        if row["samples"] and "failed" not in row:
            row["value"] = statistics.median(row["samples"])
        if "points" in row:
            peak = peers.peak * row["workers"]
            found = metg.answer(row["points"], peak)
            row |= {"value": found.granularity, "kind": found.kind,
                    "points": [dataclasses.asdict(p) | {"efficiency": p.rate / peak} for p in row["points"]]}
    return with_ratios(list(rows.values()), settings.against or suite.against)


def with_ratios(rows, against):
    """Adds how many times the figure of the peer `against`, with the same workers and size, each figure is."""
    def place(row):
        return row["workers"], row.get("x")

    if against == suites.LOOP:
        return [row | ({"ratio": row["facts"]["loops"]} if "loops" in row.get("facts", {}) else {}) for row in rows]
    reference = {place(row): row["value"] for row in rows if row["system"] == against and "value" in row}
    for row in rows:
        if "value" in row and reference.get(place(row), 0) > 0:
            row["ratio"] = row["value"] / reference[place(row)]
    return rows


def table(suite, rows, against):
    """The suite as text: a line per row, and the rows without a figure with their reason."""
    unit = next((row["unit"] for row in rows if "unit" in row), "")
    better = next((row["better"] for row in rows if "better" in row), "lower")
    columns = f"{'system':<14} {'workers':>7}" + (f" {suite.axis:>18}" if suite.sweep else "")
    middle = "best" if suite.metg else "median"
    lines = [f"{suite.title}  ({unit}, {better} is better)",
             f"  {columns} {middle:>10} {'from':>10} {'to':>10} {'of ' + against if against else '':>12}  goal"]
    for row in rows:
        head = f"  {row['system']:<14} {row['workers']:>7}" + (f" {row['x']:>18}" if suite.sweep else "")
        if "value" not in row:
            lines.append(f"{head}   {'failed' if 'failed' in row else 'skipped'}: "
                         f"{row.get('failed') or row.get('skipped')}")
            continue
        ratio = f"{row['ratio']:.2f} x" if "ratio" in row else "-"
        bound = {"at most": "<=", "at least": ">="}.get(row.get("kind"), "")
        lines.append(f"{head} {bound + figure(row['value']):>10} {figure(min(row['samples'])):>10} "
                     f"{figure(max(row['samples'])):>10} {ratio:>12}  {goals.told(suite, row, rows, figure)}".rstrip())
    return "\n".join(lines)


def figure(value):
    """Three significant digits, no exponent: 0.447, 52.1, 1,234."""
    if value >= 999.5:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except OSError:
        return None
    return (done.stdout.splitlines() or [None])[0]


def system_info(build):
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.processor())
    cache = Path(build) / "CMakeCache.txt"
    compiler = next((line.split("=", 1)[1] for line in cache.read_text().splitlines()
                     if line.startswith("CMAKE_CXX_COMPILER:")), "c++") if cache.exists() else "c++"
    return {"date": time.strftime("%Y-%m-%d"), "cpu": cpu, "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release(),
            "compiler": first_line(compiler, "--version"), "clang": first_line("clang++-16", "--version"),
            "tbb": first_line("pkg-config", "--modversion", "tbb"),
            "starpu": first_line("pkg-config", "--modversion", "starpu-1.3"),
            "mpi": first_line("mpirun", "--version"), "load_before": os.getloadavg()[0]}


def load_warning(info):
    """A line for the user if others use the cores too; peers that spin suffer most."""
    if info["load_before"] < 0.5 * info["cores"]:
        return ""
    return (f"bench: warning: load {info['load_before']:.1f} on {info['cores']} cores before the first run; "
            "figures with all cores will be too high\n")


def chosen_suites(names, quick):
    """The suites that are named, or all, or the quick ones. A name may also be a group."""
    groups = {"micro": [s for s in suites.SUITES
                        if s.against in suites.SYSTEMS and not s.metg and s.bench != "uts"],
              "own": [s for s in suites.SUITES if s.against not in suites.SYSTEMS],
              "devices": [s for s in suites.SUITES if s.name.startswith(("device_", "sim_", "beyond_", "host_kernels",
                                                                         "launch_"))],
              "nodes": [s for s in suites.SUITES if s.name.startswith("nodes_")],
              "ranks": [s for s in suites.SUITES if s.name.startswith("ranks_")],
              "acc": [s for s in suites.SUITES if s.name.startswith("acc_")],
              "modules": [s for s in suites.SUITES if s.name.startswith("modules_")],
              "buffers": [s for s in suites.SUITES if s.name.startswith(("graph_", "buffers_"))],
              "uts": [s for s in suites.SUITES if s.bench == "uts"], "metg": [s for s in suites.SUITES if s.metg]}
    known = {s.name: [s] for s in suites.SUITES} | groups
    if not names:
        return [s for s in suites.SUITES if s.quick or not quick]
    picked = []
    for name in names.split(","):
        if name not in known:
            raise SystemExit(unknown("suite", name, known))
        picked += [s for s in known[name] if s not in picked and (name == s.name or s.quick or not quick)]
    return picked


def unknown(what, name, known):
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean \"{near[0]}\"?" if near else "choose from " + ", ".join(known)
    return f"bench: there is no {what} \"{name}\"\n  try   {hint}"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        flags = [flag for action in self._actions for flag in action.option_strings]
        wrong = message.removeprefix("unrecognized arguments: ").split()[0]
        if message.startswith("unrecognized"):
            message = unknown("option", wrong, flags).removeprefix("bench: ")
        self.exit(2, f"bench: {message}\n")


def parse(arguments):
    parser = Parser(prog="stretto bench", allow_abbrev=False, description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="suites, or groups of them: micro, own, uts, metg, devices, nodes, ranks, acc, "
                             "modules, buffers")
    parser.add_argument("--suite", metavar="NAMES", help="the same, comma-separated")
    parser.add_argument("--system", metavar="NAMES", help="systems, comma-separated; default: all")
    parser.add_argument("--against", metavar="SYSTEM", help="the peer that ratios refer to; default: the suite's")
    parser.add_argument("--rounds", type=int, help="interleaved rounds, 5; the figure is their median")
    parser.add_argument("--quick", action="store_true", help="the short suites, 3 rounds")
    parser.add_argument("--out", metavar="FOLDER", type=Path, default=Path("out/bench"),
                        help="results.json and plots; default out/bench")
    parser.add_argument("--build", metavar="FOLDER", type=Path, default=HERE.parent / "build" / "release")
    parser.add_argument("--json", action="store_true", help="print the results as JSON, not as tables")
    parser.add_argument("--renew", action="store_true",
                        help="renew docs/performance.md and docs/performance from this run")
    parser.add_argument("--list", action="store_true", help="list the suites and stop")
    given = parser.parse_args(arguments)
    given.suite = ",".join([*given.names, *([given.suite] if given.suite else [])])
    given.systems = given.system.split(",") if given.system else list(suites.SYSTEMS)
    for name in given.systems + ([given.against] if given.against else []):
        if name not in suites.SYSTEMS:
            raise SystemExit(unknown("system", name, suites.SYSTEMS))
    if given.rounds is not None and given.rounds < 1:
        parser.error(f"--rounds takes a whole number of at least 1, not {given.rounds}")
    given.rounds = given.rounds or (3 if given.quick else 5)
    given.reps = 1 if given.quick else 3
    given.metg_steps = 1000 if given.quick else 4000
    return given


def prepare(folder):
    """Fails before any work if the results could not be kept."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.json").open("a").close()
    except OSError as fault:
        raise SystemExit(f"bench: cannot write to {folder}: {fault.strerror}\n"
                         "  try   another folder: --out FOLDER") from None


def draw(folder):
    """Draws with the first Python that has matplotlib; returns what to tell the user."""
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if not Path(python).exists():
            continue
        has = subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0
        if has:
            done = subprocess.run([python, HERE / "plots.py", folder / "results.json", folder],
                                  capture_output=True, text=True, check=False)
            return f"plots in {folder}" if done.returncode == 0 else f"no plots: {done.stderr.strip()[-300:]}"
    return "no plots: matplotlib was not found (apt install python3-matplotlib)"


def main(arguments):
    settings = parse(arguments)
    picked = chosen_suites(settings.suite, settings.quick)
    if settings.list:
        print("\n".join(f"{s.name:<24} {s.title}" for s in picked))
        return 0
    peers = Peers(settings.build)
    prepare(settings.out)
    show = sys.stderr.isatty()

    def progress(text):
        if show:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    results = {"system_info": system_info(settings.build), "rounds": settings.rounds, "suites": []}
    print(load_warning(results["system_info"]), end="", file=sys.stderr)
    interrupted = False
    try:
        for suite in picked:
            measure = measure_metg if suite.metg else measure_micro
            rows = run_suite(peers, suite, settings, measure, progress)
            against = settings.against or suite.against
            results["suites"].append({"name": suite.name, "title": suite.title, "against": against,
                                      "goals": suite.goals, "size_goals": suite.size_goals,
                                      "growth_goal": suite.growth_goal,
                                      "ratio_goals": suite.ratio_goals, "axis": suite.axis,
                                      "rows": rows})
            progress("")
            if not settings.json:
                print(table(suite, rows, against) + "\n", flush=True)
    except KeyboardInterrupt:
        interrupted = True
    (settings.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    if settings.json:
        print(json.dumps(results))
    plots = draw(settings.out)
    print(f"results in {settings.out / 'results.json'}; {plots}", file=sys.stderr)
    if settings.renew and not interrupted:
        import board  # which uses this module

        print("\n".join(board.renew(settings.out / "results.json")), file=sys.stderr)
    failed = any("failed" in row for suite in results["suites"] for row in suite["rows"])
    return 130 if interrupted else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
