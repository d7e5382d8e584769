"""zarr_reader.py - reads Zarr (version 3) arrays by the specification, independent of our code and of installed
packages.

    zarr_reader.py DIRECTORY ARRAY...

Prints for each array its shape, its type, its origin and its elements in C order. Supports regular grids, the default
chunk names and the codecs bytes (little endian) and crc32c, as checkpoints use them. Refuses wrong checksums.
"""
import base64
import itertools
import json
import struct
import sys
from pathlib import Path

FORMATS = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
           "int64": "q", "uint64": "Q",
           "float32": "f", "float64": "d"}


def crc32c(data):
    c = 0xffffffff
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)
    return c ^ 0xffffffff


def elements_of(data, kind):
    if kind in FORMATS:
        return [x[0] for x in struct.iter_unpack("<" + FORMATS[kind], data)]
    size = int(kind[1:]) // 8
    return [data[i:i + size].hex() for i in range(0, len(data), size)]


def read(folder):
    about = json.loads((folder / "zarr.json").read_text())
    assert about["zarr_format"] == 3 and about["node_type"] == "array", about
    assert [c["name"] for c in about["codecs"]] == ["bytes", "crc32c"], about["codecs"]
    assert about["codecs"][0]["configuration"]["endian"] == "little"
    assert about["chunk_grid"]["name"] == "regular" and about["chunk_key_encoding"]["name"] == "default"
    assert about["chunk_key_encoding"]["configuration"]["separator"] == "/"
    if isinstance(about["data_type"], dict):  # bytes of which nothing is known
        assert about["data_type"]["name"] == "raw_bytes"
        about["data_type"] = f"r{8 * about['data_type']['configuration']['length_bytes']}"
        about["fill_value"] = base64.b64decode(about["fill_value"], validate=True).hex()
        assert 4 * len(about["fill_value"]) == int(about["data_type"][1:])
    shape, chunk = about["shape"], about["chunk_grid"]["configuration"]["chunk_shape"]
    assert len(shape) == len(chunk) and all(n > 0 for n in chunk)
    strides = [1] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    total = 1
    for n in shape:
        total *= n
    out = [about["fill_value"]] * total
    for number in itertools.product(*[range(-(-n // c)) for n, c in zip(shape, chunk)]):
        path = folder.joinpath("c", *map(str, number))
        if not path.exists():
            continue
        data = path.read_bytes()
        data, checksum = data[:-4], struct.unpack("<I", data[-4:])[0]
        assert crc32c(data) == checksum, f"{path}: checksum"
        values = elements_of(data, about["data_type"])
        for value, inside in zip(values, itertools.product(*map(range, chunk)), strict=True):
            at = [n * c + i for n, c, i in zip(number, chunk, inside)]
            if all(a < n for a, n in zip(at, shape)):
                out[sum(a * s for a, s in zip(at, strides))] = value
    return about, out


def main():
    root = Path(sys.argv[1])
    for group in ["", "kept", "mobile"]:
        assert json.loads((root / group / "zarr.json").read_text())["node_type"] == "group"
    for name in sys.argv[2:]:
        about, values = read(root / name)
        print(name, about["shape"], about["data_type"], about["attributes"].get("origin", []), values)


if __name__ == "__main__":
    main()
