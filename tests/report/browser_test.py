"""browser_test.py - the page of `stretto report` works in a browser, and hostile names do nothing there.

    browser_test.py COMMAND

Needs Chromium; without it the test says so and is skipped (exit code 77).
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


def timeline():
    meta = {"ph": "M", "pid": 0, "tid": 1, "name": "thread_name", "args": {"name": HOSTILE}}
    first = {"ph": "X", "pid": 0, "tid": 1, "ts": 1.5, "dur": 2, "cat": "task", "name": HOSTILE, "args": {"id": "0x1", "at": HOSTILE, "place": HOSTILE}}
    second = {"ph": "X", "pid": 0, "tid": 1, "ts": 4, "dur": 3, "cat": "task", "name": "blur", "args": {"id": "0x2", "cause": "0x1"}}
    arrow = [{"ph": ph, "id": 1, "pid": 0, "tid": 1, "ts": ts, "bp": "e"} for ph, ts in (("s", 3.4), ("f", 4))]
    return json.dumps({"otherData": {"format": "stretto trace 1", "nodes": []}, "traceEvents": [meta, first, second, *arrow]})


def page_after(browser, page, address, folder):
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                           "--virtual-time-budget=5000", "--dump-dom", page.as_uri() + address],
                          capture_output=True, text=True, timeout=240)
    return done.stdout


def main():
    browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not browser:
        print("skipped: Chromium is not installed (apt-get install chromium), so the page was not opened")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "run.json").write_text(timeline())
        subprocess.run([str(Path(sys.argv[1]).resolve()), "report", "run.json"], cwd=folder, check=True, capture_output=True, timeout=60)
        seen = page_after(browser, folder / "run.html", "#task=0x2", folder)
        chosen = re.search(r'id="chosen">([^<]*)', seen)
        faults = []
        if 'data-ready="2"' not in seen:
            faults.append("the page did not get to its end with two records")
        if not chosen or not chosen[1].startswith("task blur  0x2") or "after 1: " not in chosen[1]:
            faults.append(f"#task=0x2 selected {chosen and chosen[1]!r}")
        if "<title>run.json - Stretto report</title>" not in seen:
            faults.append("a name ran as script: the title has changed")
        if "<img" in seen:
            faults.append("a name became markup")
        if "&lt;/script&gt;&lt;script&gt;" not in seen:
            faults.append("the hostile name is not shown in the tables")
        found = page_after(browser, folder / "run.html", "#find=blur", folder)
        if "1 found; Enter shows the next" not in found:
            faults.append("#find=blur did not find one record")
        print("\n".join(faults) or "the page selects, searches and shows hostile names as text")
        sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
