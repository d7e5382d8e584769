"""Shows that test_runner.py reports failures, fails if it must, and runs again if only the leaks are unknown."""
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).with_name("test_runner.py")

FAILS = r'''
for k in range(5000): print("noise", k)
print("=" * 79)
print("a_test.cpp:7:")
print("TEST CASE:  what fails")
print("a_test.cpp:9: ERROR: CHECK( 1 == 2 ) is NOT correct!")
for k in range(5000): print("noise", k)
print("[doctest] Status: FAILURE!")
raise SystemExit(1)
'''
LEAKS_UNKNOWN = r'''
import pathlib
runs = pathlib.Path("runs")
runs.write_text(str(int(runs.read_text()) + 1 if runs.exists() else 1))
print("Status: SUCCESS!")
print("LeakSanitizer has encountered a fatal error")
raise SystemExit(23)
'''


def told(folder: str, program: str, *flags: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-B", str(TOOL), *flags, "it", sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    failed = told(folder, FAILS)
    assert failed.returncode == 1, failed
    assert "TEST CASE:  what fails" in failed.stdout and "1 == 2" in failed.stdout and "FAILURE!" in failed.stdout, failed.stdout
    assert len(failed.stdout.splitlines()) < 70, failed.stdout
    assert (pathlib.Path(folder) / "failed/it.txt").read_text().count("noise") == 10000

    raced = told(folder, FAILS.replace("a_test.cpp:9: ERROR: CHECK", "WARNING: ThreadSanitizer: data race"))
    assert raced.returncode == 1 and "data race" in raced.stdout, raced

    passed = told(folder, "print('all', 'of it')")
    assert (passed.returncode, passed.stdout) == (0, "all of it\n"), passed
    assert told(folder, "print('[doctest] test cases:  0 | 0 passed')").returncode == 1
    assert told(folder, "print('error H01: it hangs')").returncode == 1
    killed = told(folder, "import os; os.kill(os.getpid(), 11)")
    assert killed.returncode == 1 and "signal 11" in killed.stdout, killed

    assert told(folder, LEAKS_UNKNOWN, "--leaks").returncode == 23
    assert (pathlib.Path(folder) / "runs").read_text() == "3"
    assert told(folder, LEAKS_UNKNOWN).returncode == 23
    assert (pathlib.Path(folder) / "runs").read_text() == "4"
print("test_runner.py reports failures")
