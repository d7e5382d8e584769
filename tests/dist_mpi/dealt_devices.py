"""dealt_devices.py - which devices the processes of one host get over one MPI, of PoCL's and of the tests' own CUDA
driver.

    dealt_devices.py NAME LAUNCHER PROGRAM FOLDER [FOLDER OF THE CUDA DRIVER]

The program prints of each node what memory it has on which devices, in MiB; its log names them.
"""
import os
import re
import subprocess
import sys

name, launcher, program, folder = sys.argv[1:5]
drivers = sys.argv[5] if len(sys.argv) > 5 else None
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated",
                            "STRETTO_MPI_FOLDER": folder, "STRETTO_WORKERS": "1", "STRETTO_LOG": "info"}
for variable in ("CUDA_VISIBLE_DEVICES", "STRETTO_DEVICE_MEMORY"):
    environment.pop(variable, None)
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []
faults = []
runs = 0


def run(groups, *variables, words=("devices",)):
    """Groups of (how many processes, their variables); what they say, lines that launchers mixed apart."""
    global runs
    runs += 1
    command = [launcher, *flags]
    for n, (processes, own) in enumerate(groups):
        command += [":"] * (n > 0) + ["-n", str(processes), "env", *[f"{v}={is_}" for v, is_ in own.items()], program,
                                      *words]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
                          | dict(variables), timeout=120)
    return done.returncode, done.stdout


def check(what, groups, variables, names, memories=None):
    """`names`: of each node, the devices that its log names. `memories`: in MiB."""
    code, said = run(groups, *variables.items())
    found = [re.findall(rf'stretto N{n} info: device \w+ is "([^"(]*?)(?: \(.*?)?"', said) for n in range(len(names))]
    bytes_of = [[int(b)
                 for b in re.findall(r"=(\d+)", line)] for _, line in sorted(re.findall(r"^node (\d+) of \d+:(.*)$",
                                                                                        said, re.M))]
    if code or found != names or (memories and bytes_of != memories):
        faults.append(f"{what}: exit code {code}, devices {found}, memories {bytes_of}\n{said}")
    return bytes_of, said


def pocl(*variables):
    return {"STRETTO_DEVICES": "opencl", "POCL_DEVICES": "pthread basic"} | dict(variables)


code, said = run([(1, {})], *pocl().items())
shown = re.findall(r'info: device \w+ is "([^"(]*?) \(', said)
if code or len(shown) != 2:
    print(f"no test of OpenCL devices that are dealt: PoCL does not show two here\n{said}")
else:
    one, other = shown
    alone, _ = check("one process has both", [(1, {})], pocl(), [[one, other]])
    check("two processes have one each", [(2, {})], pocl(), [[one], [other]], [[alone[0][0]], [alone[0][1]]])
    eight, _ = check("eight share in turn", [(8, {})], pocl(), [[one], [other]] * 4)
    if any(not 0 < m[0] <= alone[0][0] / 2 + 1 for m in eight):
        faults.append(f"eight take each their part of the memory: {eight}, alone {alone}")
    check("a number is each process's", [(2, {})], pocl(("STRETTO_DEVICES", "opencl:2")), [[one, other]] * 2)
    check("nothing is dealt when that is not wanted", [(2, {})], pocl(("STRETTO_DEAL_DEVICES", "0")),
          [[one, other]] * 2)
    kinds = [{"POCL_DEVICES": kind} for device in shown for kind in ("pthread", "basic") if device.startswith(kind)]
    check("a launcher has dealt them", [(1, kinds[0]), (1, kinds[1])], pocl(), [[one], [other]])
    check("who wants none gets none", [(1, {"STRETTO_DEVICES": "none"}), (2, {})], pocl(), [[], [one], [other]])
    code, said = run([(2, {"STRETTO_JOB": "alone"})], *pocl().items())
    if code or sorted(re.findall(r'info: device opencl_0 is "([^"(]*?) \(',
                                 said)) != sorted(shown) or "opencl_1" in said:
        faults.append(f"who joins no job goes by the launcher: exit code {code}\n{said}")
    for nodes in (2, 4):
        code, said = run([(nodes, {})], *pocl().items(), words=())
        if code or said.count(f" of {nodes} is content") != nodes:
            faults.append(f"{nodes} processes on devices that were dealt: exit code {code}\n{said}")
    # One that cannot begin is not waited for.
    for wrong in ("opencll", "opencl(parts=0)"):
        code, said = run([(1, {}), (1, {"STRETTO_DEVICES": wrong})], *pocl().items())
        if not code or not re.search(r"error K2[69]: ", said):
            faults.append(f"a wrong option of one: exit code {code}\n{said}")
if drivers:
    fake = {"STRETTO_DEVICES": "cuda", "CUDA_HOME": drivers,
            "LD_LIBRARY_PATH": f"{drivers}/lib64:{os.environ.get('LD_LIBRARY_PATH', '')}",
            "FAKE_CUDA_DEVICES": "4"}
    gpu = [f"Fake GPU {n}" for n in range(4)]
    check("a block each", [(2, {})], fake, [gpu[:2], gpu[2:]], [[230, 230], [230, 230]])
    check("one each", [(4, {})], fake, [[g] for g in gpu], [[230]] * 4)
    check("six on four", [(6, {})], fake, [[g] for g in gpu + gpu[:2]], [[114], [114], [230], [230], [114], [114]])
    check("a launcher has dealt them", [(1, {"CUDA_VISIBLE_DEVICES": "2,3"}), (1, {"CUDA_VISIBLE_DEVICES": "0,1"})],
          fake, [gpu[2:], gpu[:2]], [[230, 230]] * 2)
    check("a launcher gave halves to two each", [(2, {"CUDA_VISIBLE_DEVICES": "0,1"}),
                                                 (2, {"CUDA_VISIBLE_DEVICES": "2,3"})], fake, [[g] for g in gpu],
          [[230]] * 4)
    check("a number is each process's", [(2, {})], fake | {"STRETTO_DEVICES": "cuda:1"}, [[gpu[0]], [gpu[1]]],
          [[230], [230]])
    check("memory that is asked for is had", [(2, {})], fake | {"FAKE_CUDA_DEVICES": "1",
                                                                "STRETTO_DEVICE_MEMORY": "16M"}, [[gpu[0]]] * 2,
          [[16], [16]])
    code, said = run([(1, {}), (1, {"CUDA_VISIBLE_DEVICES": ""})], *fake.items())
    if not code or "error K27: option devices asks for cuda" not in said:
        faults.append(f"no device for one: exit code {code}\n{said}")
print("\n".join(faults) or f"{runs} runs over {name}")
sys.exit(1 if faults else 0)
