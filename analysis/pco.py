"""Measures pcodec (pco) as `fpsynth compare` measures its peers, and writes the same document. pcodec
has a wheel for Python, and no library in the distributions that the program could be linked with.

python3 -m analysis.pco --fpsynth PROGRAM --study configs/studies/mini.json --runs results/runs/mini
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from importlib import metadata
from statistics import median

import numpy

from analysis import comparisons, documents
from analysis.files import make, put
from analysis.problems import Problem, WrongCall, exit_with
from analysis.running import present, run, say

LEVELS = (8, 12)  # pcodec's default and its highest
STEM = comparisons.FURTHER + "pco"  # of the document
WORDS = {"double": numpy.dtype("<f8"), "single": numpy.dtype("<f4")}
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
INSTALL = "`{0} -m pip install pcodec`, or, where the distribution manages Python's packages, " \
    "`{0} -m venv --system-site-packages DIR && DIR/bin/pip install pcodec`, then with " \
    "DIR/bin/python3 in place of {0}"


class NotHere(Problem):
    """This Python does not have the wheel."""


class RoundTrip(Exception):
    """A codec does not restore its input."""


class Pco:
    """pcodec at one of its levels, on one thread. Arrays have one dimension, of floats."""

    def __init__(self, level):
        from pcodec import ChunkConfig, standalone
        self.name, self.library = f"pco -{level}", f"pcodec {metadata.version('pcodec')}"
        self._library, self._config = standalone, ChunkConfig(compression_level=level)

    def compress(self, words):
        return self._library.simple_compress(words, self._config)

    def decompress(self, file, words):
        """Fills `words`, which has the size of the original."""
        self._library.simple_decompress_into(file, words)


def codecs():
    """pcodec at the levels that are measured. Raises NotHere."""
    try:
        return [Pco(level) for level in LEVELS]
    except ImportError as error:
        raise NotHere(f"{sys.executable} has no pcodec ({error}); install it with "
                      f"{INSTALL.format(sys.executable)}") from error


def timing(call, size, repetitions):
    """Seconds of calls, in the form of the documents: GB/s are at the median, as in `compare`."""
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    middle = median(seconds)
    return {"gb_per_s": size / middle / 1e9, "median_seconds": middle,
            "spread": (max(seconds) - min(seconds)) / middle, "seconds": seconds}


def measure(codec, words, repetitions, timed_bytes):
    """Compresses all words, restores them and compares bit by bit; then times the first of them, from
    memory to memory. Returns the size of the file and the times of both directions. Raises
    RoundTrip."""
    file = codec.compress(words)
    copy = numpy.empty_like(words)
    copy.view(numpy.uint8)[:] = ~words.view(numpy.uint8)  # so that what is not written is detected
    codec.decompress(file, copy)
    differ = numpy.flatnonzero(copy.view(numpy.uint8) != words.view(numpy.uint8))
    if differ.size:
        raise RoundTrip(f"{codec.name}: the round trip does not restore the input; the first "
                        f"difference is at byte {differ[0]}")
    part = words[:timed_bytes // 8 * 8 // words.itemsize]
    there = codec.compress(part)  # warms up with this size
    return len(file), timing(lambda: codec.compress(part), part.nbytes, repetitions), \
        timing(lambda: codec.decompress(there, copy[:part.size]), part.nbytes, repetitions)


def row_of(codec, words, tail, repetitions, timed_bytes):
    """The row of a codec on a data set. Bytes of no whole word count as they are, as with other
    peers that know only words."""
    row = {"compressor": codec.name, "verified": False}
    if not words.size:
        return {**row, "refused": "it has no whole word"}
    try:
        size, compress, decompress = measure(codec, words, repetitions, timed_bytes)
    except RoundTrip as error:
        return {**row, "failure": str(error)}
    except (MemoryError, RuntimeError, TypeError, ValueError) as error:
        return {**row, "refused": f"{codec.name}: {error}"}
    size += tail
    return {**row, "verified": True, "library": codec.library, "threads": 1,
            "compressed_bytes": size, "ratio": (words.nbytes + tail) / size,
            "compress": compress, "decompress": decompress}


def set_of(exported, its_codecs, repetitions, timed_bytes):
    """The comparison of a data set, from its row of `data export`."""
    kind, path = WORDS[exported["precision"]], exported["file"]
    try:
        words = numpy.fromfile(path, kind, exported["bytes"] // kind.itemsize)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}; free some space for temporary files") from error
    return {"name": exported["data_set"], "precision": exported["precision"],
            "bytes": exported["bytes"], "xxh3": exported["xxh3"],
            "rows": [row_of(codec, words, exported["bytes"] % kind.itemsize, repetitions,
                            timed_bytes) for codec in its_codecs]}


def bytes_of(text):
    """The number of a size such as 8M."""
    match = re.fullmatch(r"([0-9]+)([KMG]?)", text)
    if not match or int(match[1]) * UNITS[match[2]] < 8:
        raise WrongCall(f"--timed-bytes {text}: is not a size of at least 8 bytes, such as 8M")
    return int(match[1]) * UNITS[match[2]]


def comparison(program, description, its_codecs, repetitions, timed, command):
    """The document of all data sets of a study, which are exported one after the other."""
    sets, document, limit = [], None, bytes_of(timed) if timed else sys.maxsize
    for item in description["data"]:
        with tempfile.TemporaryDirectory(prefix="fpsynth-words-") as folder:
            study, listed = (os.path.join(folder, name) for name in ("study.json", "words.json"))
            put(study, json.dumps({**description, "data": [item]}))
            run(program, ["data", "export", "--study", study, "--to", folder, "--out", listed])
            document = documents.read_document(listed)
            sets += [set_of(row, its_codecs, repetitions, limit)
                     for row in document["tables"][0]["rows"]]
    if not sets:
        raise Problem(f"{description['name']}: none of its data sets is available; `fpsynth data "
                      "fetch` gets those that have a description")
    notes = ["pcodec's times include the memory of its output, which it claims in each call"]
    if timed:
        notes.append(f"pco: GB/s are of the first {limit} bytes of each data set, where it has more")
    return {"schema": "fpsynth-comparison", "version": 1, "program": document["program"],
            "machine": document["machine"], "command": command, "study": description["name"],
            "repetitions": repetitions, "missing": [], "data_sets": sets,
            "means": comparisons.means_of(sets), "notes": notes}


def command_of(study, runs, timed, repetitions):
    """The arguments for Python that measure a study."""
    return ["-m", "analysis.pco", "--study", study, "--runs", runs,
            *(["--timed-bytes", timed] if timed else []), "--repetitions", str(repetitions)]


def write(program, study, runs, timed, repetitions):
    """Measures a study's available data sets and writes DIR/documents/compare-pco.json."""
    its_codecs = codecs()
    description, missing = present(program, study)
    if missing:
        say(f"{description['name']}: left out because their data are not available: "
            f"{', '.join(missing)}")
    command = documents.shown(["python3", *command_of(study, runs, timed, repetitions)])
    document = comparison(program, description, its_codecs, repetitions, timed, command)
    folder = os.path.join(runs, documents.FOLDER)
    make(folder)
    path = os.path.join(folder, STEM + ".json")
    put(path, json.dumps(document, indent=1) + "\n")
    failures = [row["failure"] for one in document["data_sets"] for row in one["rows"]
                if "failure" in row]
    if failures:
        raise Problem(f"{path}: not every round trip gave the data back: {'; '.join(failures)}")
    return path


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m analysis.pco", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fpsynth", metavar="PROGRAM", required=True, help="exports the words")
    parser.add_argument("--study", metavar="CONFIG", required=True, help="a study file")
    parser.add_argument("--runs", metavar="DIR", required=True,
                        help="the directory of its results; writes DIR/documents/compare-pco.json")
    parser.add_argument("--timed-bytes", metavar="SIZE", default="",
                        help="time only the first SIZE bytes of a data set, such as 8M")
    parser.add_argument("--repetitions", metavar="N", type=int, default=3, help="of each timing")
    arguments = parser.parse_args(argv)
    if arguments.repetitions < 1:
        raise WrongCall(f"--repetitions {arguments.repetitions}: give a number from 1")
    if arguments.timed_bytes:
        bytes_of(arguments.timed_bytes)
    print(write(arguments.fpsynth, arguments.study, arguments.runs, arguments.timed_bytes,
                arguments.repetitions))
    return 0


if __name__ == "__main__":
    exit_with(main, "analysis.pco")
