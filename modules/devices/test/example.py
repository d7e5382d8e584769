"""example.py - an example prints what the guide shows below it, and the guide shows the example as it is.

    example.py PROGRAM SOURCE PAGE
"""
import re
import subprocess
import sys
from pathlib import Path

program, source, page = sys.argv[1:]
done = subprocess.run([program], capture_output=True, text=True, timeout=120)
faults = [f"exit code {done.returncode}\n{done.stderr}"] if done.returncode else []
# A module that was copied out of the tree has no guide beside it.
if Path(page).exists():
    text = Path(source).read_text()
    shown = re.search(r"^```cpp\n" + re.escape(text[text.index("#include"):]) + r"```\n```output\n(.*?)^```$",
                      Path(page).read_text(), re.M | re.S)
    if not shown:
        faults.append(f"{page} does not show {source}")
    elif done.stdout != shown[1]:
        faults.append(f"{source} prints\n{done.stdout}where the page shows\n{shown[1]}")
print("\n".join(faults) or "the example is as it is shown")
sys.exit(1 if faults else 0)
