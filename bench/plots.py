"""plots.py RESULTS FOLDER - draws the suites of a results.json as SVG: bars per system, and METG curves."""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "bench"  # the same results give the same file
import matplotlib.pyplot as plt

COLOURS = {"stretto": "#d1495b", "stretto_static": "#e58c98", "tbb": "#00798c", "tbb_static": "#66b0bb",
           "libgomp": "#edae49", "libomp": "#b8860b", "starpu": "#66a182", "std": "#8d96a3",
           "pthreads": "#2e4057", "mpi": "#5b5f97", "serial": "#aaaaaa"}


def bars(suite, folder):
    """One bar per system and worker count, longest below, with the figure at its end."""
    rows = [row for row in suite["rows"] if "value" in row]
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(7, 0.9 + 0.3 * len(rows)), layout="constrained")
    labels = [f"{row['system']}, {row['workers']} worker{'s' if row['workers'] > 1 else ''}" for row in rows]
    drawn = axes.barh(range(len(rows)), [row["value"] for row in rows],
                      color=[COLOURS[row["system"]] for row in rows])
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


def save(figure, path):
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(results, folder):
    for suite in json.loads(Path(results).read_text())["suites"]:
        bars(suite, Path(folder))
        curves(suite, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
