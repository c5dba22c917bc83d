"""Damaged files of scientific formats (abuse.py), which libraries read that may crash."""

import random
import struct
from concurrent.futures import ThreadPoolExecutor

from damage import damage


def netcdf(values):
    """A netCDF-3 file with the variable x(time, place) of doubles, ten per record."""
    def name(text):
        return struct.pack(">i", len(text)) + text.encode() + bytes(-len(text) % 4)
    records = len(values) // 10
    before = (b"CDF\x01" + struct.pack(">i", records)
              + struct.pack(">ii", 10, 2) + name("time") + struct.pack(">i", 0)
              + name("place") + struct.pack(">i", 10) + bytes(8)
              + struct.pack(">ii", 11, 1) + name("x") + struct.pack(">iii", 2, 0, 1)
              + struct.pack(">ii", 12, 1) + name("units") + struct.pack(">ii", 2, 1) + b"K\0\0\0"
              + struct.pack(">ii", 6, 80))
    return before + struct.pack(">i", len(before) + 4) + struct.pack(f">{len(values)}d", *values)


def fits(values):
    """A FITS file with an empty primary HDU and the table CAT of the column x of doubles."""
    def header(*cards):
        text = "".join(f"{card:80}" for card in (*cards, "END"))
        return text.ljust(-(-len(text) // 2880) * 2880).encode()
    table = header("XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 8",
                   f"NAXIS2  = {len(values)}", "PCOUNT  = 0", "GCOUNT  = 1", "TFIELDS = 1",
                   "TFORM1  = '1D      '", "TTYPE1  = 'x       '", "EXTNAME = 'CAT     '")
    data = struct.pack(f">{len(values)}d", *values)
    return (header("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0", "EXTEND  = T") + table
            + data.ljust(-(-len(data) // 2880) * 2880, b"\0"))


def npy(values):
    header = f"{{'descr': '>f8', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117)
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header.encode() + b"\n"
            + struct.pack(f">{len(values)}d", *values))


def damaged_variables(abuse, count):
    """data decode and data info of damaged files: values, or a message, also if the library crashes."""
    values = [0.25 * i for i in range(200)]
    originals = []
    for ending, place, content in (("nc", ":x", netcdf(values)), ("fits", ":CAT/x", fits(values)),
                                   ("npy", "", npy(values))):
        whole, out = abuse.folder / f"whole.{ending}", abuse.folder / f"whole.{ending}.f64"
        whole.write_bytes(content)
        status, _, messages = abuse.run(["data", "decode", f"{whole}{place}", str(out)])
        if status == 1 and "built without" in messages:
            continue
        if status != 0 or out.read_bytes() != struct.pack(f"<{len(values)}d", *values):
            abuse.find(f"data decode of a whole {ending} file: status {status}, {messages}")
        originals.append((ending, place, content))
    seeds = [abuse.random.randrange(1 << 62) for _ in range(count)]

    def one(seed):
        numbers = random.Random(seed)
        ending, place, content = numbers.choice(originals)
        bad, what = damage(content, numbers)
        path, out = abuse.folder / f"damaged{seed}.{ending}", abuse.folder / f"damaged{seed}.f64"
        path.write_bytes(bad)
        decode = numbers.random() < 0.7
        status, _, messages = abuse.run(["data", "decode", f"{path}{place}", str(out)] if decode
                                        else ["data", "info", str(path)])
        path.unlink()
        name = f"{ending} file, {what}, seed {seed}"
        if status == 0:
            out.unlink(missing_ok=True)
            return "read"
        if out.exists():
            abuse.find(f"{name}: refused, but there is an output")
        if "crashed while reading" in messages:
            return "crashed"
        return "refused" if abuse.refused_well(name, status, messages) else "found"

    with ThreadPoolExecutor(abuse.jobs) as pool:
        results = list(pool.map(one, seeds))
    return (f"{count} damaged files of other formats: {results.count('refused')} refused, "
            f"{results.count('read')} read, {results.count('crashed')} crashed a library alone")
