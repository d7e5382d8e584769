#!/usr/bin/env python3
"""report.py RESULTS PAGE - puts the results of a run into a page, such as docs/performance/loops.md.

A block of the page between `<!-- bench: KIND SUITE... -->` and `<!-- end -->` is replaced by a table of these suites,
and stays as it is if the run measured none of them. Pictures that the page shows are copied from the folder of RESULTS.
board.py does this for all pages of docs/performance, and renews the score board.

    machine                one line: when, where, with what
    peers SUITE...         Stretto, its goal, and the best peer with the same workers
    patterns               METG of all patterns by all systems
    own SUITE...           figures of Stretto alone
    sweep SUITE            a column per size
"""

import json
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import suites
from bench import figure

BLOCK = re.compile(r"(<!-- bench: ([^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
PICTURE = re.compile(r"\]\(((?:\.\./)?pictures/bench)/([\w.]+)\)")


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def bounded(row):
    return {"at most": "below ", "at least": "above "}.get(row.get("kind"), "") + figure(row["value"])


def measured(suite):
    return [row for row in suite["rows"] if "value" in row]


def is_own(system):
    return suites.VARIANTS.get(system, (system,))[0] == "stretto"


def machine(results):
    info = results["system_info"]
    versions = [f"oneTBB {info['tbb']}", f"StarPU {info['starpu']}", info["mpi"], info["compiler"], info["clang"]]
    named = ", ".join(v for v in versions if v and "None" not in v)
    return (f"{info.get('date', 'no date')}, {info['cores']} cores of {info['cpu']}, Linux {info['kernel']}; {named}.\n"
            f"Load before the run {info['load_before']:.1f}; {results['rounds']} rounds.\n")


def peers(found):
    rows = []
    for suite in found:
        for row in measured(suite):
            if row["system"] != "stretto":
                continue
            sign = 1 if row["better"] == "lower" else -1
            others = [r for r in measured(suite) if r["workers"] == row["workers"] and r["system"] != "serial"
                      and not is_own(r["system"])]
            best = min(others, key=lambda r: sign * r["value"], default=None)
            goal = suite["goals"].get(str(row["workers"]))
            rows.append([f"{suite['title']}, {row['unit']}", str(row["workers"]), figure(row["value"]),
                         figure(goal) if goal else "",
                         f"{best['system']} {figure(best['value'])}" if best else "",
                         f"{row['value'] / best['value']:.2f}" if best else ""])
    return markdown(["what", "workers", "Stretto", "goal", "best peer", "Stretto / best"], rows)


def patterns(found):
    systems = list(dict.fromkeys(row["system"] for suite in found for row in suite["rows"]))
    rows = []
    for suite in found:
        by_system = {row["system"]: row for row in measured(suite)}
        rows.append([suite["name"].removeprefix("metg_")] +
                    [bounded(by_system[s]) if s in by_system else "" for s in systems])
    return markdown(["pattern", *systems], rows)


def own(found):
    rows = []
    for suite in found:
        for row in measured(suite):
            part = "" if row["system"] == "stretto" else row["system"].replace("_", " ") + ": "
            goal = suite["goals"].get(row["system"], suite["goals"].get(str(row["workers"])))
            ratio = suite.get("ratio_goals", {}).get(row["system"])
            rows.append([part + suite["title"], str(row["workers"]), f"{figure(row['value'])} {row['unit']}",
                         figure(goal) if goal else f"{ratio:.2f} of {suite['against']}" if ratio else ""])
    return markdown(["what", "workers", "measured", "goal"], rows)


def sweep(found):
    (suite,) = found
    rows = measured(suite)
    sizes = list(dict.fromkeys(row["x"] for row in rows))
    has_several = len({row["workers"] for row in rows}) > 1
    lines = {}
    for row in rows:
        lines.setdefault(suites.named(row) if has_several else row["system"], {})[row["x"]] = figure(row["value"])
    lines = [[name, *(by_size.get(x, "") for x in sizes)] for name, by_size in lines.items()]
    return markdown([f"{rows[0]['unit']}, by {suite['axis']}", *map(str, sizes)], lines)


def block(results, kind, names):
    """The new text of a block, or None if the run has nothing for it."""
    if kind == "machine":
        return machine(results)
    by_name = {suite["name"]: suite for suite in results["suites"]}
    if kind == "patterns":
        names = [name for name in by_name if name.startswith("metg_")]
    found = [by_name[name] for name in names if name in by_name and measured(by_name[name])]
    return {"peers": peers, "patterns": patterns, "own": own, "sweep": sweep}[kind](found) if found else None


def fill(page, results):
    def new(match):
        kind, *names = match[2].split()
        text = block(results, kind, names)
        return match[0] if text is None else match[1] + text + match[3]

    return BLOCK.sub(new, page)


def main(results_file, page_file):
    results_file, page_file = Path(results_file), Path(page_file)
    page = page_file.read_text()
    page_file.write_text(fill(page, json.loads(results_file.read_text())))
    for folder, name in PICTURE.findall(page):
        if (results_file.parent / name).exists():
            (page_file.parent / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(results_file.parent / name, page_file.parent / folder / name)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: report.py RESULTS PAGE")
    main(sys.argv[1], sys.argv[2])
