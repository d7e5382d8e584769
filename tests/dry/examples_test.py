"""examples_test.py - examples on buffers can be run dry: drawn, and predicted on more nodes, though what they read is
not there.

    examples_test.py COMMAND PROGRAM...
"""
import json
import os
import subprocess
import sys

command, *programs = (os.path.abspath(word) for word in sys.argv[1:])
environment = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}


def run(*words):
    done = subprocess.run([command, *words], env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def faults_of(program):
    for nodes in (1, 3):
        code, out, said = run("graph", "--nodes", str(nodes), "--json", "--", program)
        if code or "error " in said:
            return f"graph of {nodes} nodes: exit code {code}\n{said}"
        kinds = [{c["kind"] for c in node["commands"]} for node in json.loads(out)["nodes"]]
        if len(kinds) != nodes or not all("execute" in k for k in kinds) or any("push" in k
                                                                                for k in kinds) != (nodes > 1):
            return f"graph of {nodes} nodes: {kinds}"
        if "NO" in said.split():
            return f"graph of {nodes} nodes: it judges what has not been computed\n{said}"
    code, out, said = run("scaling", "--up-to", "4", "--json", "--", program)
    if code or [p["nodes"] for p in json.loads(out)] != [1, 2, 4]:
        return f"scaling: exit code {code}\n{out}\n{said}"


faults = {os.path.basename(p): fault for p in programs if (fault := faults_of(p))}
print("\n".join(f"{name}: {fault}" for name, fault in faults.items()) or f"{len(programs)} examples were run dry")
sys.exit(1 if faults or not programs else 0)
