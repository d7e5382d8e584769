"""test_times.py - prints the time of a test run: compilations by tree and part, and the slowest tests.

    test_times.py BUILD      the folder that holds the trees: release, asan, tsan

Compilations are read from ninja's logs (seconds that a job took; two run at once on two cores), tests from ctest's log
of the release tree.
"""
import re
import sys
from collections import Counter
from pathlib import Path

TESTS_SHOWN = 25


def compilations(log):
    """Seconds of each output, of the last time that it was made."""
    seconds = {}
    for line in log.read_text().splitlines():
        parts = line.split("\t")
        if len(parts) == 5 and parts[0].isdigit():
            seconds[parts[3]] = (int(parts[1]) - int(parts[0])) / 1000
    return seconds


def part_of(output):
    """What an output belongs to: "src/sched", "tests/buffers", "link", ..."""
    if not output.endswith((".o", ".gch")):
        return "link"
    if output.endswith(".gch"):
        return "precompiled headers"
    joined = re.search(r"unity_(src|tests)_([a-z]+)_", output)
    if joined:
        return f"{joined[1]}/{joined[2]}"
    return output.split("/CMakeFiles/")[0] if "/CMakeFiles/" in output else "src"


def tests(log):
    """(seconds, name) of each test of the last run, slowest first."""
    names = re.findall(r'^\d+/\d+ Test: (\S+)$', log, re.M)
    seconds = re.findall(r"^Test time = +([0-9.]+) sec$", log, re.M)
    return sorted(((float(s), n) for s, n in zip(seconds, names)), reverse=True)


def report(build):
    lines = []
    for tree in sorted(p.parent for p in build.glob("*/.ninja_log")):
        parts = Counter()
        for output, seconds in compilations(tree / ".ninja_log").items():
            parts[part_of(output)] += seconds
        lines.append(f"{tree.name}: {sum(parts.values()):.0f} s of compilations")
        lines += [f"  {seconds:7.0f} s  {part}" for part, seconds in parts.most_common() if seconds >= 10]
    log = build / "release/Testing/Temporary/LastTest.log"
    all_tests = tests(log.read_text(errors="replace")) if log.exists() else []
    lines.append(f"tests: {sum(s for s, _ in all_tests):.0f} s in {len(all_tests)}, the slowest:")
    lines += [f"  {seconds:7.1f} s  {name}" for seconds, name in all_tests[:TESTS_SHOWN]]
    return lines


if __name__ == "__main__":
    print("\n".join(report(Path(sys.argv[1]))))
