"""Runs a program that AddressSanitizer watches: leak_checked.py PROGRAM [ARGUMENT...]

LeakSanitizer looks for leaks at the end of the process from a thread of its own, which now and then dies itself ("Tracer caught
signal 11", GCC 12): then nothing is known of leaks, and the program is run again, at most twice. Whatever else the program says,
its failures and its leaks among them, stands as it is.
"""
import subprocess
import sys

FATAL = b"LeakSanitizer has encountered a fatal error"

for attempt in range(3):
    run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sys.stdout.buffer.write(run.stdout)
    sys.stdout.flush()
    if run.returncode == 0 or FATAL not in run.stdout or b"Status: SUCCESS!" not in run.stdout:
        break
sys.exit(run.returncode if run.returncode >= 0 else 1)
