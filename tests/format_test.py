"""format_test.py - proves that format.py finds a file that is not formatted.

    format_test.py ROOT FOLDER
"""
import sys
import tempfile
from pathlib import Path

import format


def main(root, folder):
    clang_format = format.program(folder)
    if not clang_format:
        return format.SKIPPED
    with tempfile.TemporaryDirectory() as there:
        (Path(there) / ".clang-format").write_text((root / ".clang-format").read_text())
        good, bad = Path(there) / "good.cpp", Path(there) / "bad.cpp"
        good.write_text("int one() { return 1; }\n")
        bad.write_text("int  two( )\n{ return 2 ; }\n")
        assert not format.complaints(clang_format, [good])
        assert format.complaints(clang_format, [good, bad])
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
