"""pcodec (pco) on a file, as `fpsynth compare --external` calls it: its wheel for Python is what there
is of it; no distribution has a library that the program could be linked with."""

import argparse
import sys
import time
from importlib import metadata

try:
    import numpy
    from pcodec import ChunkConfig, standalone
except ImportError as error:
    sys.exit(f"{sys.executable} has no pcodec ({error}); `python3 -m pip install pcodec`, or, where "
             "the distribution manages Python's packages, `python3 -m venv --system-site-packages "
             "DIR && DIR/bin/pip install pcodec`, with DIR/bin first in PATH")


def timed(call):
    """What a call returns, and its seconds. It has run before, so that memory and code are there."""
    call()
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def compress(data, kind, level):
    """Bytes of no whole word are stored behind pcodec's, and behind them how many they are."""
    tail = len(data) % kind.itemsize
    words = numpy.frombuffer(data, kind, len(data) // kind.itemsize)
    config = ChunkConfig(compression_level=level)
    file, seconds = timed(lambda: standalone.simple_compress(words, config))
    return file + data[len(data) - tail:] + bytes([tail]), seconds


def decompress(data, kind):
    end = len(data) - 1 - data[-1]
    words, seconds = timed(lambda: standalone.simple_decompress(data[:end]))
    whole = b"" if words is None else words.astype(kind, copy=False).tobytes()
    return whole + data[end:-1], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", action="version",
                        version=f"pcodec {metadata.version('pcodec')}")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("way", choices=("compress", "decompress"))
    parser.add_argument("type", choices=("f64", "f32"))
    for name in ("file", "out", "seconds"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    kind = numpy.dtype({"f64": "<f8", "f32": "<f4"}[arguments.type])
    with open(arguments.file, "rb") as stream:
        data = stream.read()
    made, seconds = compress(data, kind, arguments.level) if arguments.way == "compress" else \
        decompress(data, kind)
    with open(arguments.out, "wb") as stream:
        stream.write(made)
    with open(arguments.seconds, "w", encoding="ascii") as stream:
        stream.write(f"{seconds:.9f}\n")


if __name__ == "__main__":
    main()
