"""kernel_texts.py ROOT LIBRARY PROGRAM... - the installed compilers accept the CUDA text of every kernel that is linked
into a program.

    LIBRARY   tests/device/drivers/kernel_texts.cpp, which makes a program write the texts of its kernels and do nothing
              else

Compilers are NVIDIA's NVRTC, or nvcc where it comes without, and the newest clang that lowers to PTX, without any
toolkit.
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CLANGS = ["clang-%d" % n for n in range(22, 13, -1)] + ["clang"]


def written(library, program, folder):
    """Names and files of a program's kernels; faults."""
    folder.mkdir()
    ran = subprocess.run([program], env={**os.environ, "LD_PRELOAD": str(library),
                                         "STRETTO_TEST_KERNEL_TEXTS": str(folder)},
                         capture_output=True, text=True, timeout=120)
    name = Path(program).name
    if ran.returncode:
        return [], [f"{name}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}"]
    lines = [line.split(" ", 2) for line in ran.stdout.splitlines()]
    faults = [f"{name}: kernel {kernel} is refused: {refused}" for _, kernel, refused in lines if refused]
    kernels = [(f"{name}: kernel {kernel}", next(folder.glob(f"{number}.*.cu"))) for number, kernel, refused in lines
               if not refused]
    return kernels, faults


def nvrtc():
    """A function from text and options to what the compiler says, or None where there is none."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    for name in ["libnvrtc.so", *(f"{home}/lib64/libnvrtc.so" for home in homes if home)]:
        try:
            library = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        return None

    def compile_text(text, options):
        handle = ctypes.c_void_p()
        library.nvrtcCreateProgram(ctypes.byref(handle), text.encode(), b"kernel.cu", 0, None, None)
        words = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        failed = library.nvrtcCompileProgram(handle, len(options), words)
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(handle, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value + 1)
        library.nvrtcGetProgramLog(handle, log)
        library.nvrtcDestroyProgram(ctypes.byref(handle))
        return log.value.decode() or f"error {failed}" if failed else ""
    return compile_text


def by_command(words):
    def compile_text(text, options):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "kernel.cu"
            file.write_text(text)
            ran = subprocess.run([*words, *options, file, "-o", Path(folder) / "out"], capture_output=True, text=True)
            return ran.stderr if ran.returncode else ""
    return compile_text


def clang(root):
    """The first that lowers to PTX, and its name."""
    for name in CLANGS:
        words = [name, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70", "-S",
                 "-O1", "-w",
                 "-include", str(root / "tests/device/cuda_keywords_for_clang.hpp")]
        if shutil.which(name) and not by_command(words)("__global__ void empty() {}", ["--std=c++14"]):
            return name, by_command(words)
    return None, None


def compilers(root):
    found = {}
    if (by_nvrtc := nvrtc()):
        found["NVRTC"] = by_nvrtc
    elif (nvcc := shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")):
        found["nvcc"] = by_command([nvcc, "-ptx", "-w"])
    name, by_clang = clang(root)
    if name:
        found[name] = by_clang
    return found


def check(kernels, found):
    """What each compiler says against a text, of those that are not the same."""
    texts = {}
    for name, file in kernels:
        texts.setdefault((file.read_text(), file.name.split(".")[1]), name)
    jobs = [(by, compile_text, name, text, axes) for (text, axes), name in texts.items() for by,
            compile_text in found.items()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda job: job[1](job[3], ["--std=c++14", "-DSTRETTO_INDEXING=2",
                                                    f"-DSTRETTO_DIMENSIONS={job[4]}"]), jobs)
        return [f"{name}, by {by}:\n{words}" for (by, _, name, _, _), words in zip(jobs, said) if words], len(texts)


def main():
    root, library, *programs = (Path(word).resolve() for word in sys.argv[1:])
    found = compilers(root)
    if not found:
        print("no test of CUDA texts: there is no NVRTC, no nvcc and no clang that knows NVIDIA's devices")
        return
    with tempfile.TemporaryDirectory() as folder:
        all_kernels, faults = [], []
        for number, program in enumerate(programs):
            kernels, wrong = written(library, program, Path(folder) / str(number))
            all_kernels += kernels
            faults += wrong
        wrong, texts = check(all_kernels, found)
        faults += wrong
    if not texts:
        faults.append("no program has a kernel")
    print("\n".join(faults)
          or f"{texts} texts of kernels of {len(programs)} programs are CUDA to {' and '.join(found)}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
