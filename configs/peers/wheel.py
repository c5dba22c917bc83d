"""What the descriptions of compressors from Python's wheels share: a program that compresses or
decompresses a file as `fpsynth compare --external` calls it."""

import argparse
import sys
import time
from importlib import metadata


def missing(package, error):
    """Ends the program, because a package cannot be imported."""
    sys.exit(f"{sys.executable} has no {package} ({error}); `python3 -m pip install {package}`, or, "
             "where the distribution manages Python's packages, `python3 -m venv "
             f"--system-site-packages DIR && DIR/bin/pip install {package}`, with DIR/bin first in PATH")


try:
    import numpy
except ImportError as lack:
    missing("numpy", lack)


TYPES = {f"{kind}{8 * size}": f"<{kind}{size}" for kind in "fiu" for size in (8, 4, 2)}
TYPES |= {"bf16": "<u2", "i8": "i1", "u8": "u1"}


def timed(call):
    """What a call returns, and its seconds. It has run before, so that memory and code are there."""
    call()
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def run(package, compress, decompress, options, floats=True):
    """Runs the program. `compress(words, arguments)` prepares, which is not timed, and returns the
    function that compresses; `decompress(bytes)` returns words. The words are of the type or, if this is
    of floats and without `floats`, the unsigned integers of their bits. `options(parser)` adds options."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--version", action="version",
                        version=f"{package} {metadata.version(package)}")
    options(parser)
    parser.add_argument("way", choices=("compress", "decompress"))
    parser.add_argument("type", choices=TYPES)
    for name in ("file", "out", "seconds"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    with open(arguments.file, "rb") as stream:
        data = stream.read()
    if arguments.way == "compress":
        # Bytes of no whole word are stored behind, and behind them how many they are.
        code = TYPES[arguments.type]
        kind = numpy.dtype(code if floats else code.replace("f", "u"))
        end = len(data) - len(data) % kind.itemsize
        made, seconds = timed(compress(numpy.frombuffer(data[:end], kind), arguments) if end else bytes)
        made += data[end:] + bytes([len(data) - end])
    else:
        end = len(data) - 1 - data[-1]
        made, seconds = timed((lambda: decompress(data[:end]).tobytes()) if end else bytes)
        made += data[end:-1]
    with open(arguments.out, "wb") as stream:
        stream.write(made)
    with open(arguments.seconds, "w", encoding="ascii") as stream:
        stream.write(f"{seconds:.9f}\n")
