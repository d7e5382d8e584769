"""examples.py - an example prints what its header says, with any number of workers, every time.

    examples.py SOURCE PROGRAM [REPETITIONS]
    examples.py --on-nodes SOURCE PROGRAM [STRETTO]
    examples.py --on-devices SOURCE PROGRAM
    examples.py --in-processes STRETTO NODES SOURCE PROGRAM [SOURCE PROGRAM]...

With --on-nodes the example runs on 1 to 4 simulated nodes, whose number is its first argument, with each available kind
of device, and in three processes that the command STRETTO starts. With --on-devices it runs with two devices of each
available kind and mixture. With --in-processes each example runs in NODES processes that the command STRETTO starts.

The header is the comment that opens the source. The expected output follows the line `// Output`, each line
behind `//   `, up to the end of the comment. `<*>` stands for any text in a line.
"""
import os
import re
import subprocess
import sys
from pathlib import Path


NO_SUCH_DEVICE = "no such device"
DEVICES = ("none", "sim:2", "opencl", "cuda")
PAIRS = ("sim:2", "opencl:1,sim:1", "cuda:1,sim:1")


def expected(source):
    """What the header promises, or None if it promises nothing."""
    header = re.match(r"(//.*\n)+", source)
    parts = header[0].split("// Output\n") if header else []
    if len(parts) != 2:
        return None
    return "".join(line[5:] if line.startswith("//   ") else line[2:].lstrip(" ")
                   for line in parts[1].splitlines(keepends=True))


def check(program, promise, workers, seconds=120, nodes=None, devices=None, command=None):
    """A description of what went wrong, or None; NO_SUCH_DEVICE where there are no such devices."""
    where = f"{Path(program).name} with {workers} workers"
    env = {**os.environ, "STRETTO_WORKERS": str(workers)}
    words = [program]
    if devices and not nodes:
        where += f" and devices {devices}"
        env |= {"STRETTO_DEVICES": devices}
    if nodes:
        where += f" {'in' if command else 'on'} {nodes} {'processes' if command else 'nodes'}"
        words = [command, "run", "-n", str(nodes), program] if command else [program, str(nodes)]
        if devices:
            where += f" with devices {devices}"
            env |= {"STRETTO_DEVICES": devices, "STRETTO_DEVICE_MEMORY": "8M"}
    try:
        ran = subprocess.run(words, env=env, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"{where}: did not end within {seconds} s"
    if devices and "error K27" in ran.stderr:
        return NO_SUCH_DEVICE
    if ran.returncode:
        return f"{where}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}"
    pattern = ".*".join(re.escape(piece) for piece in promise.split("<*>"))
    if not re.fullmatch(pattern, ran.stdout):
        return f"{where}: printed\n{ran.stdout}where its header says\n{promise}"
    return None


def check_kinds(kinds, runs, checked):
    """A description of what went wrong, or None, and the kinds of devices that there were; `checked` runs it with one
    of `runs` and a kind."""
    there = []
    for devices in kinds:
        for run in runs:
            fault = checked(run, devices)
            if fault == NO_SUCH_DEVICE:
                break
            if fault:
                return fault, there
        else:
            there.append(devices)
    return None, there


def check_on_nodes(program, promise, command=None):
    """As check_kinds, on 1 to 4 nodes; then in processes by `stretto` if command is that."""
    fault, there = check_kinds(DEVICES, (1, 2, 3, 4), lambda nodes, devices: check(program, promise, 1, nodes=nodes,
                                                                                   devices=devices))
    if not fault and command:
        fault = check(program, promise, 1, nodes=3, devices="sim:2", command=command)
    return fault, there


def check_in_processes(command, nodes, examples):
    """Descriptions of what went wrong; of examples, each a source and its program."""
    faults = []
    for source, program in examples:
        promise = expected(Path(source).read_text())
        if not promise:
            faults.append(f"{source}: the header has no part \"// Output\"")
        elif fault := check(program, promise, 1, nodes=nodes, command=command):
            faults.append(fault)
    return faults


def check_on_devices(program, promise):
    """As check_kinds, with several numbers of workers."""
    return check_kinds(PAIRS, (1, 3), lambda workers, devices: check(program, promise, workers, devices=devices))


def main():
    mode = sys.argv[1] if sys.argv[1].startswith("--") else None
    if mode == "--in-processes":
        command, nodes, *words = sys.argv[2:]
        if not words:
            sys.exit("no examples are named")
        if faults := check_in_processes(command, int(nodes), list(zip(words[::2], words[1::2], strict=True))):
            sys.exit("\n".join(faults))
        print(f"{len(words) // 2} examples print what their headers say in {nodes} processes")
        return
    source, program, *rest = sys.argv[2:] if mode else sys.argv[1:]
    promise = expected(Path(source).read_text())
    if not promise:
        sys.exit(f"{source}: the header has no part \"// Output\"")
    if mode == "--on-devices":
        fault, there = check_on_devices(program, promise)
        if fault or not there:
            sys.exit(fault or "none of the kinds of devices was there")
        print(f"{Path(program).name} prints what its header says with devices {' and '.join(there)}")
        return
    if mode == "--on-nodes":
        fault, there = check_on_nodes(program, promise, *rest)
        if fault:
            sys.exit(fault)
        print(f"{Path(program).name} prints what its header says on 1 to 4 nodes with devices {', '.join(there)}{', and in processes' if rest else ''}")
        return
    repetitions = int(rest[0]) if rest else 5
    for _ in range(repetitions):
        for workers in (1, 2, 3):
            fault = check(program, promise, workers)
            if fault:
                sys.exit(fault)
    print(f"{Path(program).name} prints what its header says, {repetitions} times with 1, 2 and 3 workers")


if __name__ == "__main__":
    main()
