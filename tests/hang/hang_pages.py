"""hang_pages.py - the hanging programs of the pages get the report of the page, and the repaired ones end.

    hang_pages.py ROOT INSTALLED COMPILER PAGE...

In a page, ```cpp hangs is a whole program that hangs, and the ```output behind it the report that it must get (`<*>`
stands for any text in a line, a line `<...>` for any lines). It may also be an excerpt of the page's ```cpp program,
changed so that the program hangs. ```cpp ends is an excerpt of the program that hangs, repaired, as in
error_programs.py; the program must end then and be told nothing.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import error_programs  # noqa: E402
import guide  # noqa: E402
from user_build import UserBuild, flags_of  # noqa: E402

FENCE = re.compile(r"^```(cpp program|cpp hangs|cpp ends|output)\n(.*?)^```$", re.M | re.S)
PATIENCE = 300  # seconds; it ends a test that hangs


def programs(page):
    """[(text, report or None if it must end)]"""
    found, before, whole = [], "", None
    for fence in FENCE.finditer(page):
        if fence[1] == "cpp program":
            whole = fence[2]
        elif fence[1] == "cpp hangs":
            is_whole = "int main(" in fence[2]
            found.append([fence[2] if is_whole else error_programs.repaired(whole, fence[2]), None])
        elif fence[1] == "cpp ends":
            found.append([error_programs.repaired(found[-1][0], fence[2]), None])
        elif before == "cpp hangs":
            found[-1][1] = fence[2]
        before = fence[1]
    return found


def check(where, text, report, user):
    with tempfile.TemporaryDirectory() as folder:
        if faults := guide.build_program(where, text, folder, user):
            return faults
        log = Path(folder) / "log"
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
        clean |= {"LD_LIBRARY_PATH": user.libraries, "STRETTO_STUCK": "0.1"}
        with open(log, "w") as out:
            process = subprocess.Popen([f"{folder}/program"], cwd=folder, stdout=out, stderr=out, env=clean)
        try:
            if report is None:
                if process.wait(PATIENCE):
                    return [f"{where}: exit code {process.returncode}\n{log.read_text()}"]
                return [f"{where}: is told\n{log.read_text()}"] if "error " in log.read_text() else []
            pattern = ".*".join(re.escape(piece) for piece in report.split("<*>"))
            pattern = pattern.replace(re.escape("<...>\n"), "(?:.*\n)*?")
            until = time.monotonic() + PATIENCE
            while not re.search(pattern, log.read_text()):
                if process.poll() is not None or time.monotonic() > until:
                    return [f"{where}: is told\n{log.read_text()}where the page says\n{report}"]
                time.sleep(0.02)
            return []
        except subprocess.TimeoutExpired:
            return [f"{where}: does not end, and is told\n{log.read_text()}"]
        finally:
            process.kill()
            process.wait()


def main():
    root, installed, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    work = [(f"{page}, program {number + 1}", text, report)
            for page in sys.argv[4:] for number, (text, report) in enumerate(programs((root / page).read_text()))]
    with UserBuild(compiler, flags_of(installed)) as user, ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for result in pool.map(lambda one: check(*one, user), work) for fault in result]
    print("\n".join(faults) or f"{len(work)} programs hang or end as their pages say")
    sys.exit(1 if faults or not any(report for _, _, report, *_ in work) else 0)


if __name__ == "__main__":
    main()
