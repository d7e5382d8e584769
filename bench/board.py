#!/usr/bin/env python3
"""board.py - writes the score board docs/performance.md from docs/performance/results.json.

    board.py             write the page from the file
    board.py RUN         first take the figures of a run, the results.json of `./stretto bench`, into the file and into
                         the marked tables of docs/performance/*.md; the best peer is the best that the run has
    board.py --check     say what is wrong with the file and the pages; change nothing

A row of the file:

    area       the area whose table has the row
    what       what is measured
    unit       unit of all figures of the row
    better     "lower" or "higher"
    by, at     what the figures of the row differ by, and a value or a label for each figure
    figures    Stretto's figures: a number, two numbers (from, to; their middle is compared), or null
    peer       the best peer: names (one, or a list with one for each figure), a list of figures (one for each, or one
               for all), and their date if it is another day
    limit      what cannot be beaten, and why
    goal       {"figures": ...}; or {"of_peer": ...}, a multiple of the peer's figures; one for all, or one each; or
               {"of_first": ...}, a multiple of the first figure for all others
    date       day of the measurement
    machine    letter of the machine
    busy       true if other programs used the cores
    reason     why the figure is what it is, in one line; a row with a missed goal must have it
    bench      where a run has each figure: suite, system, workers and, of a sweep, its value; null: in no run
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import report
import suites
from bench import figure

ROOT = Path(__file__).resolve().parent.parent
FIELDS = ("area", "what", "unit", "better", "by", "at", "figures", "peer", "limit", "goal", "date", "machine", "busy",
          "reason", "bench")
NEEDED = ("area", "what", "unit", "better", "figures", "date", "machine")
MOST_LINES_OF_BOARD = 220
MOST_LINES_OF_PAGE = 120
SHOWN = {"tbb": "oneTBB", "tbb_static": "oneTBB, static", "starpu": "StarPU", "mpi": "MPI", "opencl": "OpenCL",
         "cuda": "CUDA", "openmpi": "Open MPI", "mpich": "MPICH", "gcc_openmp": "OpenMP", "opencl_kernels": "OpenCL",
         "opencl_messages": "Open MPI and OpenCL", "opencl_copy": "copy command", "opencl_mapped": "memcpy",
         "openmpi_programs": "Open MPI", "openmpi_synchronous": "Open MPI", "openmpi_asynchronous": "Open MPI",
         "openmpi_inputs": "Open MPI"}

HEAD = """# Performance

This score board is generated from [performance/results.json](performance/results.json). The heading of each area
leads to a page with the findings: the causes of the figures, the attempts to improve them, and their limits. Another
section explains [what the doctor expects](performance/diagnosis.md#what-the-doctor-expects).

    ./stretto bench                            # all suites; --list names them, --suite and --system choose
    ./stretto bench --suite fib,chain --renew  # renew the rows of these suites, here and on the pages of the areas

A row with several figures has one for each case that its first column names. The machine
and the day follow the figures; `*` means that other programs used the cores, so that times are too high. A ratio within
one row is reliable; times of different rows and days are not comparable. "1.1 x peer" is a multiple of the peer's
figure.

"""
TABLE_HEAD = ["measured", "Stretto", "best peer", "limit", "goal", "met or missed", "why"]


def text_of(results):
    """The file as this program writes it: a line for each field of a row."""
    def fields(row):
        return ",\n".join(f"   {json.dumps(name)}: {json.dumps(row[name], ensure_ascii=False)}"
                          for name in FIELDS if name in row)

    def lines(pairs):
        return ",\n".join(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
                          for key, value in pairs.items())

    rows = ",\n".join("  {\n" + fields(row) + "\n  }" for row in results["rows"])
    return (f'{{\n "machines": {{\n{lines(results["machines"])}\n }},\n "areas": {{\n{lines(results["areas"])}\n }},\n'
            f' "rows": [\n{rows}\n ]\n}}\n')


def each(value, count):
    """One value for each of `count` figures; a single value is that of all."""
    values = value if isinstance(value, list) else [value]
    return values * count if len(values) == 1 else values


def middle(value):
    return sum(value) / len(value) if isinstance(value, list) else value


def shown(value):
    if isinstance(value, list):
        return " to ".join(figure(v) for v in value)
    return "-" if value is None else figure(value)


def is_met(row):
    """For each figure: whether it reaches its goal, or None if it has none."""
    goal = row.get("goal")
    count = len(row["figures"])
    if not goal:
        return [None] * count
    if "of_peer" in goal:
        peers = map(middle, each(row["peer"]["figures"], count))
        wanted = [part * peer if part is not None and peer is not None else None
                  for part, peer in zip(each(goal["of_peer"], count), peers, strict=True)]
    elif "of_first" in goal:
        wanted = [None, *[goal["of_first"] * middle(row["figures"][0])] * (count - 1)]
    else:
        wanted = each(goal["figures"], count)
    found = []
    for value, bound in zip(map(middle, row["figures"]), wanted, strict=True):
        if value is None or bound is None:
            found.append(None)
        else:
            found.append(value >= bound if row["better"] == "higher" else value <= bound)
    return found


def joined(texts):
    """All texts, or one if all are alike."""
    return texts[0] if len(set(texts)) == 1 else "; ".join(texts)


def peer_of(row):
    peer = row.get("peer")
    if not peer:
        return ""
    figures = peer["figures"]
    day = f" ({peer['date']})" if "date" in peer else ""
    if isinstance(peer["names"], str):
        return f"{peer['names']} {'; '.join(map(shown, figures))}{day}"
    return joined([f"{name} {shown(value)}" if name else "-"
                   for name, value in zip(peer["names"], figures, strict=True)]) + day


def goal_of(row):
    goal = row.get("goal")
    if not goal:
        return ""
    values = next(iter(goal.values()))
    text = joined([shown(value) for value in values]) if isinstance(values, list) else shown(values)
    return text + {"of_peer": " x peer", "of_first": " x the first", "figures": ""}[next(iter(goal))]


def verdict(row):
    found = is_met(row)
    if all(met is None for met in found):
        return ""
    return joined([{True: "met", False: "missed", None: "-"}[met] for met in found])


def what_of(row):
    cases = "; ".join(map(str, row["at"])) if "at" in row else ""
    if cases and "by" in row:
        cases = f"{row['by']} {cases}"
    return f"{row['what']}, {row['unit']}" + (f": {cases}" if cases else "")


def cells(row):
    place = f" ({row['machine']} {row['date']}{'*' if row.get('busy') else ''})"
    return [what_of(row), "; ".join(map(shown, row["figures"])) + place, peer_of(row), row.get("limit", ""),
            goal_of(row), verdict(row), row.get("reason", "")]


def page(results):
    """The score board, as Markdown."""
    rows = results["rows"]
    last = max(row["date"] for row in rows)
    counts = [met for row in rows for met in is_met(row) if met is not None]
    text = HEAD + f"{len(rows)} rows, the newest of {last}; of {len(counts)} goals {sum(counts)} are met. Machines:\n\n"
    used = {row["machine"] for row in rows}
    text += "".join(f"- {letter}: {machine}\n" for letter, machine in results["machines"].items() if letter in used)
    for area, title in results["areas"].items():
        own = [cells(row) for row in rows if row["area"] == area]
        text += f"\n## [{title}](performance/{area}.md)\n\n{report.markdown(TABLE_HEAD, own)}"
    return text


def faults_of_row(row, results):
    """What is wrong with a row of the file."""
    missing = [name for name in NEEDED if name not in row]
    if missing:
        yield f"lacks {', '.join(missing)}"
        return
    count = len(row["figures"])
    if unknown := [name for name in row if name not in FIELDS]:
        yield f"has no use for {', '.join(unknown)}"
    if row["area"] not in results["areas"]:
        yield f"area {row['area']} is not in the file"
    if row["machine"] not in results["machines"]:
        yield f"machine {row['machine']} is not in the file"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"]):
        yield f"date {row['date']} is none"
    if row["better"] not in ("lower", "higher"):
        yield f"better is {row['better']}"
    if count != len(row.get("at", [None])):
        yield f"{count} figures, {len(row.get('at', [None]))} cases"
    lists = {"bench": row.get("bench"), "goal": next(iter(row.get("goal", {}).values()), None)}
    if peer := row.get("peer"):
        lists |= {"figures of the peer": peer["figures"], "names of the peer": peer["names"]}
    for name, value in lists.items():
        if isinstance(value, list) and len(value) not in (1, count):
            yield f"{count} figures, {len(value)} of {name}"
            return
    if any("|" in text or "\n" in text for text in (row["what"], row.get("reason", ""), row.get("limit", ""))):
        yield "a text has a bar or a new line"
    if False in is_met(row) and not row.get("reason"):
        yield "misses a goal without a reason"


def faults_of(root):
    """What is wrong with the file and the pages below `root`; an empty list if nothing is."""
    file = root / "docs/performance/results.json"
    results = json.loads(file.read_text())
    found = [f"{row.get('what', 'a row')}: {fault}" for row in results["rows"] for fault in faults_of_row(row, results)]
    if found:
        return found
    if file.read_text() != text_of(results):
        found.append("results.json is not as bench/board.py writes it")
    board = (root / "docs/performance.md").read_text()
    if board != page(results):
        found.append("docs/performance.md is not what results.json gives: run python3 bench/board.py")
    pages = {"docs/performance.md": MOST_LINES_OF_BOARD}
    pages |= {f"docs/performance/{area}.md": MOST_LINES_OF_PAGE for area in results["areas"]}
    for name, most in pages.items():
        if not (root / name).exists():
            found.append(f"{name} is missing")
        elif (count := len((root / name).read_text().splitlines())) > most:
            found.append(f"{name} has {count} lines, more than {most}")
    return found


def is_own(system):
    return suites.VARIANTS.get(system, (system,))[0].startswith("stretto")


def best_peer(suite, row):
    """The row of the fastest other system with the same workers and size, or None."""
    sign = -1 if row.get("better") == "higher" else 1
    others = [other for other in report.measured(suite) if not is_own(other["system"]) and other["system"] != "serial"
              and (other["workers"], other.get("x")) == (row["workers"], row.get("x"))]
    return min(others, key=lambda other: sign * other["value"], default=None)


def renewed(row, run, letter):
    """The row with the figures of the run, or the row itself if the run does not have all of them."""
    by_name = {suite["name"]: suite for suite in run["suites"]}
    figures, peers = list(row["figures"]), []
    for place, where in enumerate(row.get("bench", [])):
        if where is None:
            return row
        name, system, workers, *size = where
        suite = by_name.get(name, {"rows": []})
        wanted = (system, workers, *size)
        found = [r for r in report.measured(suite)
                 if (r["system"], r["workers"], *([r["x"]] if size else [])) == wanted]
        if not found:
            return row
        figures[place] = float(f"{found[0]['value']:.6g}")
        peers.append(best_peer(suite, found[0]))
    if not peers:
        return row
    new = row | {"figures": figures, "date": run["system_info"]["date"], "machine": letter}
    new.pop("busy", None)
    if run["system_info"].get("load_before", 0) >= 0.5 * run["system_info"].get("cores", 1):
        new["busy"] = True
    if all(peers):
        new["peer"] = {"names": [SHOWN.get(peer["system"], peer["system"]) for peer in peers],
                       "figures": [float(f"{peer['value']:.6g}") for peer in peers]}
    elif "peer" in row:
        new["peer"] = {"date": row["date"]} | row["peer"]
    return new


def letter_of(results, run):
    """The letter of the machine of a run; a machine that the file does not have gets a new one."""
    info = run["system_info"]
    machine = f"{info.get('cores')} cores of {info.get('cpu')}, Linux {info.get('kernel')}"
    for letter, known in results["machines"].items():
        if known == machine:
            return letter
    letter = next(c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in results["machines"])
    results["machines"][letter] = machine
    return letter


def renew(run_file, root=ROOT):
    """Takes the figures of a run into the file and the pages; returns what the user should look at."""
    file = root / "docs/performance/results.json"
    results = json.loads(file.read_text())
    run = json.loads(Path(run_file).read_text())
    machines = dict(results["machines"])
    letter = letter_of(results, run)
    told, rows, count = [], [], 0
    for row in results["rows"]:
        new = renewed(row, run, letter)
        count += new is not row
        if is_met(new) != is_met(row):
            told.append(f"{row['what']}: {verdict(row)} before, now {verdict(new)}; is its reason still true?")
        rows.append(new)
    results["rows"] = rows
    if not count:
        results["machines"] = machines
    file.write_text(text_of(results))
    (root / "docs/performance.md").write_text(page(results))
    for area in results["areas"]:
        if (root / f"docs/performance/{area}.md").exists():
            report.main(run_file, root / f"docs/performance/{area}.md")
    return [f"{count} rows of docs/performance.md renewed", *told]


def main(arguments):
    if arguments == ["--check"]:
        found = faults_of(ROOT)
        print("\n".join(found) or "the score board is what its file gives")
        return 1 if found else 0
    if arguments:
        print("\n".join(renew(arguments[0])))
        return 0
    results = json.loads((ROOT / "docs/performance/results.json").read_text())
    (ROOT / "docs/performance/results.json").write_text(text_of(results))
    (ROOT / "docs/performance.md").write_text(page(results))
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: board.py [RUN | --check]")
    sys.exit(main(sys.argv[1:]))
