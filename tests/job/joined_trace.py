"""joined_trace.py - timelines of real processes are one: what happened on a node because of another began after that,
on one clock.

    joined_trace.py STRETTO MPI...
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

stretto, *mpis = sys.argv[1:]
NODES = 3
# processes of one host have one clock: what was measured is at most so wrong, also beside other work
CLOCK_ERROR_US = 500


def run(*command, **variables):
    done = subprocess.run([stretto, *command], capture_output=True, text=True, timeout=120, check=False,
                          env=os.environ | variables)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def records(files):
    """(node, start, end, id, cause, name) of each span, microseconds on the job's clock."""
    for file in files:
        timeline = json.loads(file.read_text())
        node, = timeline["otherData"]["nodes"]
        if abs(node["clock_offset_ns"]) > CLOCK_ERROR_US * 1000:
            sys.exit(f"{file.name}: the clock of node {node['node']} is off by {node['clock_offset_ns']} ns on one host")
        origin = (node["steady_origin_ns"] + node["clock_offset_ns"]) / 1000
        for e in timeline["traceEvents"]:
            if e["ph"] == "X":
                yield (node["node"], e["ts"] + origin, e["ts"] + origin + e["dur"], int(e["args"].get("id", "0"), 16),
                       int(e["args"].get("cause", "0"), 16), e["name"])


def check(mpi):
    """Cuboids lie in a row: those of nodes 0 and 2 send one another nothing, but node 0 sets all going."""
    with tempfile.TemporaryDirectory() as where:
        file = Path(where) / "run.json"
        run("run", "-n", str(NODES), "--mpi", mpi, stretto, "demo", "jacobi3d", "--size", "24", "--steps", "20",
            "--overdecompose", "2", "--workers", "1",
            STRETTO_TRACE=str(file))
        files = [file, *(file.with_suffix(f".N{n}.json") for n in range(1, NODES))]
        all_records = list(records(files))
        first = {}  # of what has an identifier, in however many parts
        for node, start, _, identifier, _, _ in all_records:
            if identifier:
                known = first.get(identifier, (node, start))
                first[identifier] = (node, min(start, known[1]))
        pairs, faults = {}, []
        for node, start, _, _, cause, name in all_records:
            if cause not in first or first[cause][0] == node:
                continue
            because = first[cause]
            pairs[because[0], node] = pairs.get((because[0], node), 0) + 1
            if start < because[1] - CLOCK_ERROR_US:
                faults.append(f"\"{name}\" on node {node} began {because[1] - start:.0f} us before what it follows on node {because[0]}")
        for pair in ((0, 1), (1, 0), (0, 2), (1, 2)):
            if not pairs.get(pair):
                faults.append(f"nothing on node {pair[1]} follows anything on node {pair[0]}: {pairs}")
        told = json.loads(run("report", "--json", str(file)))
        lanes = [w["name"] for w in told["workers"]]
        faults += [f"the report has no lane of node {n}: {lanes}" for n in range(NODES)
                   if not any(f"node {n} worker" in lane for lane in lanes)]
        if told["records"] < len(all_records) / 2 or told["edges"] < sum(pairs.values()):
            faults.append(f"the report has {told['records']} records and {told['edges']} arrows of {len(all_records)}, {sum(pairs.values())} between nodes")
        print("\n".join(faults)
              or f"{mpi}: {len(all_records)} records of {NODES} nodes, {sum(pairs.values())} of which follow another node's")
        return not faults


def main():
    sys.exit(0 if all([check(mpi) for mpi in mpis]) else 1)


if __name__ == "__main__":
    main()
