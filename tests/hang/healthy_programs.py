"""healthy_programs.py - no cause of a hang is reported for programs that do not hang, with any limit and any load of
the machine.

    healthy_programs.py COMMAND...             each runs with the smallest limits, next to busy processes
    healthy_programs.py --accused COMMAND      the opposite, so that the test can fail: this one hangs, and gets a
                                               report

A message H10 (no progress) names no cause and is allowed.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMITS = ["0.000001"]  # seconds: whenever nothing has gone on between two looks
BUSY = 1  # processes beside; those of other tests come on top
MORE = {}
if os.environ.get("STRETTO_TEST_LONG") == "1":
    LIMITS.append("0.02")
    BUSY = os.cpu_count() or 1
    MORE = {"STRETTO_TEST_LONG": "1"}
ACCUSED = re.compile(r"^error H0\d:.*", re.M)
FAILED = re.compile(r"^TEST CASE:.*|^\S+:\d+: (?:FATAL )?ERROR.*", re.M)  # what a unit test says that fails
PATIENCE = 900  # seconds


def environment(limit):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
    return clean | MORE | {"STRETTO_STUCK": limit}


def check(command, limit, is_accused):
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with open(log, "w") as out:
            process = subprocess.Popen(shlex.split(command), cwd=folder, env=environment(limit), stdout=out, stderr=out)
        try:
            until = time.monotonic() + PATIENCE
            while process.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
                if is_accused and ACCUSED.search(log.read_text(errors="replace")):
                    break
            text = log.read_text(errors="replace")
            accusation = ACCUSED.search(text)
            if is_accused:
                return [] if accusation else [f"{command}, limit {limit}: hangs and is not accused\n{text[-2000:]}"]
            if accusation:
                return [f"{command}, limit {limit}: is accused\n{text[max(0, accusation.start() - 1000):][:4000]}"]
            if process.poll() is None:
                return [f"{command}, limit {limit}: does not end within {PATIENCE} s\n{text[-2000:]}"]
            if process.returncode:
                failed = "\n".join(FAILED.findall(text)[:40])
                return [f"{command}, limit {limit}: exit code {process.returncode}\n{failed}\n{text[-2000:]}"]
            return []
        finally:
            process.kill()
            process.wait()


def main():
    commands = sys.argv[1:]
    is_accused = commands[:1] == ["--accused"]
    if is_accused:
        commands.pop(0)
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        faults = [fault for command in commands for limit in LIMITS for fault in check(command, limit, is_accused)]
    finally:
        for process in load:
            process.kill()
            process.wait()
    print("\n".join(faults)
          or f"{len(commands)} programs under {len(LIMITS)} limits: {'all' if is_accused else 'none'} accused")
    sys.exit(1 if faults or not commands else 0)


if __name__ == "__main__":
    main()
