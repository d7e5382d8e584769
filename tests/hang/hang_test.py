"""hang_test.py - the report of a hanging program names the cause and the line at fault.

    hang_test.py HANG SOURCES [--no-stacks]

HANG is the program of tests/hang, SOURCES its folder. There, a comment GUILTY name marks the line that the report of
program `name` must contain, and NAMED name marks further lines. The programs of HEALTHY do not hang and get SIGUSR1
while they run.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PATIENCE = 300  # seconds; it ends a test that hangs
WITHIN = 2  # seconds of the limit, where the machine is idle, see reaction()
WITHIN_NODES = 10  # the same where several nodes find out together, which look at one another
TRIES = 5  # without other load, of which one must be that fast
MOST_TRIES = 20  # on a machine so busy that fewer than TRIES are without other load: then nothing is said of the speed
OTHER_LOAD = 0.1  # seconds that the threads of a program wait for a processor: workers go to sleep that much later
EXPECTED = {  # the code of the first accusation; H10: there is none
    "forgotten_event": "H01", "forgotten_precondition": "H01", "behind_many": "H01", "behind_a_merge": "H01",
    "many_waiters": "H01", "waiting_coroutine": "H01", "kept_promise": "H05", "two_tasks": "H02", "own_future": "H02",
    "own_finish": "H02", "through_an_event": "H02", "never_released": "H03", "acquired_twice": "H03",
    "lock_order": "H03", "short_barrier": "H04", "late_arrival": "H01", "at_the_end": "H03", "alone": "H10",
    "outside_thread": "H10", "blocked_outside": "H01", "blocked_in_finish": "H01",
    "bound_to_nobody": "H07", "each_other": "H01", "on_top": "H02", "piled_up": "H01", "beside_a_driver": "H01",
    "foreign_lock": "H10", "held_outside": "H10",
    "held_while_waiting": "H01", "view_kept": "H01", "view_in_the_way": "H01", "seen_and_written": "H01",
    "seen_far_ahead": "H01", "seen_elsewhere": "H01", "slow_but_healthy": "H10",
    "left_the_collective": "H04", "each_others_message": "H02", "lost_to_a_handler": "H01", "held_far_away": "H03",
    "broadcast_to_who_waits": "H01", "awaited_far_away": "H01", "spawned_far_away": "H01", "never_returns": "H10",
    "beside_a_failure": "H03",
    "copied_far_away": "H01", "made_far_away": "H01", "each_others_copy": "H02", "copied_behind": "H01",
}
NODES = ["left_the_collective", "each_others_message", "lost_to_a_handler", "broadcast_to_who_waits", "held_far_away",
         "awaited_far_away", "spawned_far_away",
         "copied_far_away", "made_far_away", "each_others_copy", "seen_elsewhere", "never_returns", "beside_a_failure"]
HEALTHY = ["busy", "busy_alone", "many_runtimes"]
WORDS = {  # more that must be told
    "view_kept": ['elements of object "x", which is never released', "the view that read() gave"],
    "view_in_the_way": ['the memory of object "x", which is never released', "the view that read() gave"],
    "seen_and_written": ['elements of buffer B0 "x", which is never released', "the view that read() gave since",
                         'task "again"'],
    "seen_far_ahead": ['elements of buffer B0 "x", which is never released', 'task "all_zero"'],
    "seen_elsewhere": ['elements of buffer B0 "x" on N1, which is never released', "the view that read() gave since",
                       'task "again" on N1'],
    "held_outside": ['held by thread "reader"', "held by the acquire at "],
    "held_while_waiting": ['view of "u", which is never released', 'task "keeper" since '],
    "left_the_collective": ["all 3 nodes sleep", "2 of 3", " on N"],
    "each_others_message": ['mobile object M1 "left" on N0', 'mobile object M2 "right" on N1'],
    "lost_to_a_handler": ['mobile object M1 "kept" on N2', "by N0"], "held_far_away": ["on N1"],
    "broadcast_to_who_waits": [" on N1", "by N0"],
    "awaited_far_away": ['task "far" on N1', "by N0"], "spawned_far_away": ['task "left behind" on N1'],
    "copied_far_away": [", by N2", "copy from node N1 to node N2 (submitted ",
                        'copy of instance "a" on N1, which waits for its preconditions'],
    "made_far_away": [", by N0", "fill on node N1", 'creation of instance "u" on N1'],
    "each_others_copy": ["copy from node N1 to node N2", "copy from node N2 to node N1",
                         "which waits for its preconditions"],
    "copied_behind": ['task "reader"', 'copy of instance "u" to instance "v" (submitted '],
    "never_returns": ["N1 worker", "nanosleep", "endless::run"],
    "alone": ["nanosleep"], "foreign_lock": ["lock"], "bound_to_nobody": ["worker 0"],
    "on_top": ['task "lower"', 'task "upper"'], "piled_up": ["the body of run", 'task "middle"', 'task "top"'],
}
ACCUSED = re.compile(r"error (H0\d)")
REPORTED = re.compile("error H10|nothing waits")


def marked_lines(folder):
    """{program: [lines that must be told, the guilty one first]}"""
    found = {}
    for word in ["GUILTY", "NAMED"]:
        for path in folder.glob("*.cpp"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if mark := re.search(rf"// {word} (\w+)", line):
                    found.setdefault(mark[1], []).append(f"{path.name}:{number}")
    return found


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
    return clean | more


def read_until(process, log, wanted):
    """What it has said, once all of `wanted` is in it, or it has ended, or PATIENCE has."""
    until = time.monotonic() + PATIENCE
    while True:
        text = Path(log).read_text(errors="replace")
        if all(w in text for w in wanted) or process.poll() is not None or time.monotonic() > until:
            return text
        time.sleep(0.02)


def catches_signal(process):
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    caught = re.search(r"SigCgt:\s*(\w+)", status)
    return caught is not None and int(caught[1], 16) >> (signal.SIGUSR1 - 1) & 1


def reaction(report, is_accused):
    """Seconds from the limit to the report on an idle machine: at most one interval for each sample, plus the processor
    time. The time that other processes used does not count. None: not yet."""
    try:
        run = json.loads(report.read_text())["runtimes"][0]
        if run["is_proven"] or not is_accused:
            cost = run["detection"]
            return cost["samples"] * cost["longest_interval_seconds"] + cost["processor_seconds"]
    except (OSError, ValueError, KeyError):
        pass
    return None


def waited_for_processors(process):
    """The seconds that the threads of a process have been ready without running."""
    waited = 0
    for thread in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        try:
            waited += int(thread.read_text().split()[1])
        except (OSError, IndexError):
            pass  # it has ended, or the system does not count
    return waited * 1e-9


def check_one(program, name, lines, folder):
    """Faults of a program, and its reaction(): of several tries the fastest, where the first is slow."""
    fastest, alone = None, 0
    within = WITHIN_NODES if name in NODES else WITHIN
    for _ in range(MOST_TRIES):
        faults, seconds, waited = try_one(program, name, lines, folder)
        if faults:
            return faults, None
        fastest = min(seconds, fastest or seconds)
        if fastest < within:
            break
        alone += waited < OTHER_LOAD
        if alone == TRIES:
            return [f"{name}: is told {fastest:.3g} s after the limit, or later, and not within {within}"], fastest
    return [], fastest


def try_one(program, name, lines, folder, by_signal=False):
    log, report = folder / f"{name}.log", folder / f"{name}.json"
    limit = "0" if by_signal else "0.4"
    report.unlink(missing_ok=True)
    seconds = waited = None
    with open(log, "w") as out:
        process = subprocess.Popen([program, name], stderr=out, stdout=out,
                                   env=environment(STRETTO_STUCK=limit, STRETTO_STUCK_FILE=str(report)))
    code = EXPECTED[name]
    wanted = [f"error {code}", *lines, *WORDS.get(name, [])]
    try:
        text = ""
        if by_signal:
            until = time.monotonic() + PATIENCE
            while not catches_signal(process) and time.monotonic() < until:
                time.sleep(0.01)
            while not all(w in text for w in wanted) and process.poll() is None and time.monotonic() < until:
                process.send_signal(signal.SIGUSR1)
                time.sleep(0.1)
                text = log.read_text()
        else:
            text = read_until(process, log, wanted)
        if name == "slow_but_healthy":
            process.wait(PATIENCE)
            text = log.read_text()
            wanted.append("ended")
        faults = [f"does not say {w!r}" for w in wanted if w not in text]
        accusation = ACCUSED.search(text)
        if not by_signal and code != "H10" and accusation and accusation[1] != code:
            faults.append(f"accuses of {accusation[1]} first, not {code}")
        if code == "H10" and ACCUSED.search(text):
            faults.append("accuses, though nothing is proven")
        if not faults:
            until = time.monotonic() + PATIENCE
            while True:  # the file follows the text
                try:
                    if json.loads(report.read_text())["stretto_stuck"] == 2:
                        waited = waited_for_processors(process)
                        seconds = reaction(report, code != "H10")
                        if by_signal or seconds is not None:
                            break
                except (OSError, ValueError):
                    pass
                if time.monotonic() > until:
                    faults.append("wrote no report as JSON, or not how long it took")
                    break
                time.sleep(0.02)
        return [f"{name}{' by signal' if by_signal else ''}: {f}\n{text}" for f in faults], seconds, waited
    finally:
        process.kill()
        process.wait()


def check_json(program, lines):
    """With STRETTO_ERRORS=json the message has the form of all errors."""
    process = subprocess.Popen([program, "short_barrier"], stderr=subprocess.PIPE, text=True,
                               env=environment(STRETTO_STUCK="0.1", STRETTO_ERRORS="json"))
    try:
        while True:
            report = json.loads(process.stderr.readline())
            if report["code"] != "H10":
                break
        facts = str(report["facts"])
        is_right = report["code"] == "H04" and all(line in facts for line in lines)
        return [] if is_right else [f"the report as JSON is {report}"]
    finally:
        process.kill()
        process.wait()


def check_unset(program, lines, folder):
    """Where nobody has asked and no terminal is there, a proven hang is told all the same, and what may go on is
    not."""
    logs = {name: folder / f"{name}.unset.log" for name in ["alone", "two_tasks"]}
    running = []
    for name, log in logs.items():
        with open(log, "w") as out:
            running.append(subprocess.Popen([program, name], stderr=out, stdout=out, env=environment()))
    try:
        wanted = ["error H02", *lines["two_tasks"]]
        text = read_until(running[1], logs["two_tasks"], wanted)
        faults = [f"two_tasks without STRETTO_STUCK: does not say {w!r}\n{text}" for w in wanted if w not in text]
        if "error H10" in logs["alone"].read_text():
            faults.append("alone without STRETTO_STUCK: is told, though nothing is proven")
        return faults
    finally:
        for process in running:
            process.kill()
            process.wait()


def check_storm(program, name, folder):
    """Asked all the time, and judged at each look that finds no progress, it goes on to its end and is not accused. It does not
    end before it has told something."""
    log, reported = folder / f"{name}.log", folder / f"{name}.told"
    with open(log, "w") as out:
        process = subprocess.Popen([program, name], stderr=out, stdout=out,
                                   env=environment(STRETTO_STUCK="0.000001", STRETTO_STUCK_FILE=str(folder / f"{name}.json"),
                                                   HANG_MAY_END=str(reported)))
    try:
        asked, until = 0, time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < until:
            if catches_signal(process):
                process.send_signal(signal.SIGUSR1)
                asked += 1
            if asked and not reported.exists() and REPORTED.search(log.read_text(errors="replace")):
                reported.touch()
            time.sleep(0.005)
        text = log.read_text(errors="replace")
        found = text.find("WARNING: ThreadSanitizer")  # the tail is what it was told, over and over
        why = text[found:found + 6000] if found >= 0 else text[-4000:]
        faults = [f"{name}: ends with {process.poll()}\n{why}"] if process.poll() != 0 else []
        if "ended" not in text:
            faults.append(f"{name}: does not come to its end\n{text[-4000:]}")
        if accusation := ACCUSED.search(text):
            faults.append(f"{name}: is accused\n{text[max(0, accusation.start() - 1000):][:4000]}")
        if not asked or not REPORTED.search(text):
            faults.append(f"{name}: asked {asked} times, it has told nothing")
        return faults
    finally:
        process.kill()
        process.wait()


def main():
    if "--no-stacks" in sys.argv:  # sanitizers keep signals back from threads that sleep
        for name in ["alone", "foreign_lock", "never_returns"]:
            WORDS.pop(name)
    program, sources = sys.argv[1], Path(sys.argv[2])
    lines = marked_lines(sources)
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    names = [n for n in names if n not in HEALTHY]
    faults = [f"{n} is not expected to say anything" for n in names if n not in EXPECTED or n not in lines]
    faults += [f"{n} is expected and not there" for n in EXPECTED if n not in names]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:  # most of them sleep
        every = [pool.submit(check_one, program, name, lines[name], Path(folder)) for name in names if name in EXPECTED]
        faults += [fault for one in every for fault in one.result()[0]]
        slowest = max((one.result()[1] or 0 for one in every), default=0)
        for name in ["forgotten_event", "alone"]:
            faults += try_one(program, name, lines[name], Path(folder), by_signal=True)[0]
        faults += check_json(program, lines["short_barrier"])
        faults += check_unset(program, lines, Path(folder))
        for name in HEALTHY:
            faults += check_storm(program, name, Path(folder))
    print("\n".join(faults) or f"{len(names)} programs that hang, each told where within {slowest:.3g} s of the limit")
    sys.exit(1 if faults or len(names) < 15 else 0)


if __name__ == "__main__":
    main()
