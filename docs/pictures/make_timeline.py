"""make_timeline.py TRACE PICTURE - draws a trace of Stretto (Chrome trace JSON) as one lane per worker.

    stretto demo wave --size 1200x900 --steps 10 --tiles 3x4 --workers 2 --out out
    python3 docs/pictures/make_timeline.py out/trace.json docs/pictures/timeline.svg

The picture of the README is the quickest of 120 such runs. Only tasks with a name are drawn, from the first to the
last. The nth task of a name has the nth colour: in a program of time steps, one colour is one step, and colours that
mix are steps that overlap.
"""
import json
import sys
from collections import Counter
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "timeline"  # the same trace gives the same file
import matplotlib.pyplot as plt

COLOURS = ["#d1495b", "#edae49", "#66a182", "#00798c", "#5b5f97", "#8d96a3", "#2e4057", "#e58c98", "#b8860b", "#66b0bb"]


def main():
    events = json.loads(Path(sys.argv[1]).read_text())["traceEvents"]
    lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    spans = [e for e in events if e["ph"] == "X" and e["cat"] == "task" and e["name"] != "task"]
    begin = min(e["ts"] for e in spans)
    seen = Counter()
    for e in sorted(spans, key=lambda e: e["ts"]):
        e["colour"] = COLOURS[seen[e["name"]] % len(COLOURS)]
        seen[e["name"]] += 1

    figure, axes = plt.subplots(figsize=(9, 0.7 + 0.45 * len(lanes)), layout="constrained")
    for row, lane in enumerate(sorted(lanes)):
        own = [e for e in spans if (e["pid"], e["tid"]) == lane]
        axes.broken_barh([(e["ts"] - begin, e["dur"]) for e in own], (row - 0.4, 0.8),
                         facecolors=[e["colour"] for e in own], edgecolor="white", linewidth=0.4)
    axes.set_ylim(-0.5, len(lanes) - 0.5)
    axes.set_yticks(range(len(lanes)), [lanes[lane] for lane in sorted(lanes)])
    axes.invert_yaxis()
    axes.set_xlabel("microseconds", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.margins(x=0.005)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.savefig(sys.argv[2], facecolor="white", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))


if __name__ == "__main__":
    main()
