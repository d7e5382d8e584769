"""plots.py RESULTS FOLDER - draws the suites of a results.json as SVG.

Bars per system; lines over sizes; METG curves, and one picture of all patterns; time lines.
"""

import json
import sys
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).resolve().parent))

import suites

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "bench"  # the same results give the same file
matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text; the file is two thirds as large
import matplotlib.pyplot as plt

COLOURS = {"stretto": "#d1495b", "stretto_static": "#e58c98", "stretto_blocks": "#8c1c2c", "tbb": "#00798c",
           "tbb_static": "#66b0bb", "libgomp": "#edae49", "libomp": "#b8860b", "starpu": "#66a182", "std": "#8d96a3",
           "pthreads": "#2e4057", "mpi": "#5b5f97", "serial": "#aaaaaa",
           "original": "#2e4057", "fold": "#00798c", "shared_fold": "#66b0bb", "list": "#d1495b",
           "automatic": "#edae49", "stretto_ranks": "#d1495b", "one_worker": "#e58c98", "openmpi": "#00798c",
           "mpich": "#66a182", "localize": "#66a182", "single": "#8d96a3", "no_horizons": "#00798c"}
OWN = "#d1495b"


def bars(suite, folder):
    """One bar per system and worker count, longest below, with the figure at its end."""
    rows = [row for row in suite["rows"] if "value" in row and "x" not in row]
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(7, 0.9 + 0.3 * len(rows)), layout="constrained")
    labels = [suites.named(row) for row in rows]
    drawn = axes.barh(range(len(rows)), [row["value"] for row in rows],
                      color=[COLOURS.get(row["system"], OWN) for row in rows])
    axes.bar_label(drawn, [f"{row['value']:.3g}" for row in rows], padding=3, fontsize=8)
    axes.set_yticks(range(len(rows)), labels, fontsize=8)
    axes.invert_yaxis()
    values = [row["value"] for row in rows]
    if min(values) > 0 and max(values) > 20 * min(values):
        axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.set_title(suite["title"], fontsize=10)
    axes.set_xlabel(f"{rows[0]['unit']}, {rows[0]['better']} is better", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, folder / f"{suite['name']}.svg")


def curves(suite, folder):
    """Efficiency over granularity: where a line crosses one half is the figure of its system."""
    rows = [row for row in suite["rows"] if row.get("points")]
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for row in rows:
        points = sorted(row["points"], key=lambda p: p["granularity"])
        axes.plot([p["granularity"] for p in points], [p["efficiency"] for p in points], marker="o", markersize=3,
                  color=COLOURS[row["system"]], label=f"{row['system']} {row['value']:.3g} us")
    axes.axhline(0.5, color="black", linewidth=0.6, linestyle="--")
    axes.set_xscale("log")
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("task granularity, us", fontsize=8)
    axes.set_ylabel("fraction of peak flop rate", fontsize=8)
    axes.set_title(suite["title"], fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, folder / f"{suite['name']}_curves.svg")


STYLES = ("-", "--", ":", "-.")


def sizes(suite, folder):
    """One line per system over the sizes of a sweep; of several numbers of workers each has a style."""
    rows = [row for row in suite["rows"] if "value" in row and "x" in row]
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    workers = list(dict.fromkeys(row["workers"] for row in rows))
    for system, count in dict.fromkeys((row["system"], row["workers"]) for row in rows):
        line = [row for row in rows if row["system"] == system and row["workers"] == count]
        axes.plot([row["x"] for row in line], [row["value"] for row in line], marker="o", markersize=3,
                  linestyle=STYLES[workers.index(count) % 4], color=COLOURS.get(system, OWN),
                  label=system if len(workers) == 1 else suites.named(line[0]))
    axes.set_xscale("log", base=2)
    values = [row["value"] for row in rows]
    if max(values) > 20 * min(values):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(suite["axis"], fontsize=8)
    axes.set_ylabel(f"{rows[0]['unit']}, {rows[0]['better']} is better", fontsize=8)
    axes.set_title(suite["title"], fontsize=10)
    beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5)} if len(workers) > 1 else {}
    if len({(row["system"], row["workers"]) for row in rows}) > 1:
        axes.legend(fontsize=8, frameon=False, **beside)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, folder / f"{suite['name']}.svg")


def over_workers(suite, folder):
    """One line per system over many numbers of workers."""
    rows = [row for row in suite["rows"] if "value" in row and "x" not in row]
    if len({row["workers"] for row in rows}) < 4:
        return
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for system in dict.fromkeys(row["system"] for row in rows):
        line = [row for row in rows if row["system"] == system]
        axes.plot([row["workers"] for row in line], [row["value"] for row in line], marker="o", markersize=3,
                  color=COLOURS.get(system, OWN), label=system)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("ranks" if rows[0]["system"] in suites.RANKS else "workers", fontsize=8)
    axes.set_ylabel(f"{rows[0]['unit']}, {rows[0]['better']} is better", fontsize=8)
    axes.set_title(suite["title"], fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, folder / f"{suite['name']}_lines.svg")


def time_lines(suite, folder):
    """What a benchmark sampled while it ran, a picture for each number of workers."""
    rows = [row for row in suite["rows"] if "ms" in row.get("series", {})]
    for row in rows:
        time_line(suite, row["series"],
                  folder / f"{suite['name']}_events{'_' + str(row['workers']) if len(rows) > 1 else ''}.svg")


def time_line(suite, series, path):
    """Every column over the first, which is the time."""
    (clock, times), *columns = series.items()
    order = sorted(range(len(times)), key=times.__getitem__)
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for (name, values), colour in zip(columns, ("#2e4057", "#edae49", "#00798c", "#d1495b"), strict=False):
        axes.plot([times[i] for i in order], [values[i] for i in order], linewidth=1.2, color=colour, label=name)
    axes.set_yscale("log")
    axes.set_xlabel(f"time, {clock}", fontsize=8)
    axes.set_ylabel("events", fontsize=8)
    axes.set_title(suite["title"].split(":")[0] + " over time", fontsize=10)
    axes.legend(fontsize=8, frameon=False, ncols=len(columns), loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)


def iterations(suite, folder):
    """What each step took, by how many there were before it: a line per system and number of workers."""
    rows = [row for row in suite["rows"] if "step" in row.get("series", {})]
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    workers = list(dict.fromkeys(row["workers"] for row in rows))
    for row in rows:
        (step, numbers), (unit, values) = row["series"].items()
        axes.plot(numbers, values, linewidth=1.2, linestyle=STYLES[workers.index(row["workers"]) % 4],
                  color=COLOURS.get(row["system"], OWN), label=suites.named(row))
    axes.set_ylim(bottom=0)
    axes.set_xlabel(step, fontsize=8)
    axes.set_ylabel(unit, fontsize=8)
    axes.set_title(suite["title"].split(":")[0], fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, folder / f"{suite['name']}_steps.svg")


def patterns(suites, folder):
    """METG of every pattern and system in one picture."""
    suites = [s for s in suites if s["name"].startswith("metg_") and any("value" in row for row in s["rows"])]
    if len(suites) < 2:
        return
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    names = [s["name"].removeprefix("metg_") for s in suites]
    for system in dict.fromkeys(row["system"] for s in suites for row in s["rows"]):
        found = [next((row.get("value") for row in s["rows"] if row["system"] == system), None) for s in suites]
        axes.plot([n for n, v in zip(names, found, strict=True) if v], [v for v in found if v], marker="o",
                  linestyle="none" if sum(v is not None for v in found) < 2 else "-", linewidth=0.8, markersize=4,
                  color=COLOURS.get(system, OWN), label=system)
    axes.set_yscale("log")
    axes.set_ylabel("METG(50 %), us, lower is better", fontsize=8)
    axes.tick_params(axis="x", labelrotation=40, labelsize=8)
    axes.legend(fontsize=7, frameon=False, ncols=1, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, folder / "metg.svg")


def save(figure, path):
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(results, folder):
    suites = json.loads(Path(results).read_text())["suites"]
    for suite in suites:
        for draw in (bars, sizes, over_workers, curves, time_lines, iterations):
            draw(suite, Path(folder))
    patterns(suites, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
