#!/usr/bin/env python3
"""Treats the program as users, disks and schedulers do, and counts its reactions.

    python3 tests/abuse/abuse.py build/dev/bin/fpsynth                  # small: under a minute
    python3 tests/abuse/abuse.py build/release/bin/fpsynth --scale full --jobs 4
    python3 tests/abuse/abuse.py build/dev/bin/fpsynth --only kills --kills 50 --seed 7

Each kind of abuse prints one line with its counts, and every finding with how to repeat it. A finding
is: a crash, a program that does not end, a wrong result with status 0, an error without a message, a
temporary file that stays, a search with other results than without abuse. The exit status is 1 if
there is one. The same seed makes the same damage.
"""

import argparse
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from damage import damage
from searches import killed_searches, killed_shards, searched
from variables import damaged_variables

SCALES = {"small": {"containers": 600, "variables": 200, "documents": 60, "kills": 6, "shards": 6,
                    "signals": 12, "shrinks": 6},
          "full": {"containers": 50000, "variables": 10000, "documents": 9000, "kills": 200,
                   "shards": 50, "signals": 100, "shrinks": 100}}
PIPELINES = ["LNV6s BIT LNV1s ZE", "LNV2s LNV2s LNV2x | ZE", "DIM5 RLE | DIM8 RLE",
             "| DIM8 LNV1s RLE", "RLE ZE | INV BIT LNV3x RLE", "ZE", "LNV1s BIT | ZE; DICT / | ZE"]
HANGS_AFTER = 600  # seconds: a program that takes longer is assumed not to end


class Abuse:
    """The program, a folder for its files, and what was found."""

    def __init__(self, program, folder, random_numbers, jobs):
        self.program, self.folder = str(Path(program).resolve()), folder
        self.random, self.jobs = random_numbers, jobs
        self.hangs_after = HANGS_AFTER
        self.findings = []
        # One thread each: speed is not tested.
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", TMPDIR=str(folder))

    def find(self, what):
        self.findings.append(what)
        print(f"  FOUND: {what}", flush=True)

    def run(self, arguments, **how):
        """Runs the program; returns its status, output and messages. A status of -N: signal N."""
        try:
            done = subprocess.run([self.program, *arguments], env=self.environment,
                                  stdin=how.pop("stdin", subprocess.DEVNULL), capture_output=True,
                                  timeout=HANGS_AFTER, check=False, **how)
            return done.returncode, done.stdout, done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return None, b"", f"did not end within {HANGS_AFTER} s"

    def refused_well(self, what, status, messages):
        """Whether the program refused with a message, as it should. Anything else is a finding."""
        if status is None or status < 0 or status > 2:
            self.find(f"{what}: ended with {status}: {messages[-300:]}")
        elif status == 0 or "fpsynth: " not in messages:
            self.find(f"{what}: status {status}, message {messages[-300:]!r}")
        else:
            return True
        return False

    def data(self, name, values, kind):
        """A file of doubles: a walk with noise, or few distinct values."""
        path = self.folder / name
        if not path.exists():
            numbers, value = random.Random(name), 1.0
            packed = bytearray()
            for i in range(values):
                value += numbers.gauss(0, 0.01)
                packed += struct.pack("<d", round(value, 2 if kind == "rounded" else 12))
            path.write_bytes(packed)
        return path

    def leftovers(self, folder):
        return [path.name for path in Path(folder).iterdir() if path.name.startswith(".fpsynth")]


def damaged_containers(abuse, count):
    """decompress and inspect --verify of damaged containers: refused, or the original."""
    originals = []
    for number, pipeline in enumerate(PIPELINES):
        for precision, values in (("f64", 1500), ("f32", 3001)):
            raw = abuse.folder / f"values{number}.{precision}"
            raw.write_bytes(abuse.data("walk.f64", 4000, "walk").read_bytes()[:values * 4 + number])
            packed = abuse.folder / f"container{number}.{precision}.fps"
            sections = ["--sections", "700"] if ";" in pipeline else []
            status, _, messages = abuse.run(["compress", pipeline, str(raw), str(packed), *sections])
            if status != 0:
                abuse.find(f"compress {pipeline!r}: status {status}, {messages}")
                continue
            originals.append((pipeline, raw.read_bytes(), packed.read_bytes()))
    seeds = [abuse.random.randrange(1 << 62) for _ in range(count)]

    def one(seed):
        numbers = random.Random(seed)
        pipeline, raw, packed = numbers.choice(originals)
        bad, what = damage(packed, numbers)
        path = abuse.folder / f"damaged{seed}.fps"
        path.write_bytes(bad)
        command = numbers.choice(["decompress", "decompress", "decompress", "inspect"])
        out = abuse.folder / f"damaged{seed}.out"
        status, _, messages = abuse.run(["decompress", str(path), str(out)] if command == "decompress"
                                        else ["inspect", str(path), "--verify"])
        name = f"{command} of {pipeline!r}, {what}, seed {seed}"
        try:
            if status == 0:
                if command == "decompress" and out.read_bytes() != raw and bad != packed:
                    abuse.find(f"{name}: a wrong result with status 0")
                return "decoded"
            if out.exists():
                abuse.find(f"{name}: refused, but there is an output")
            return "refused" if abuse.refused_well(name, status, messages) else "found"
        finally:
            path.unlink()
            out.unlink(missing_ok=True)

    with ThreadPoolExecutor(abuse.jobs) as pool:
        results = list(pool.map(one, seeds))
    return (f"{count} damaged containers: {results.count('refused')} refused, "
            f"{results.count('decoded')} decoded to the original")


def damaged_documents(abuse, count):
    """Queries of damaged result documents: refused with a message, or answered."""
    runs = abuse.folder / "whole_runs"
    status, _, messages = abuse.run(searched(abuse, "documents.f64", [], runs, 4000))
    if status != 0:
        abuse.find(f"search: status {status}, {messages}")
        return "damaged documents: the search failed"
    original = (runs / "walk.double.json").read_bytes()
    seeds = [abuse.random.randrange(1 << 62) for _ in range(count)]

    def one(seed):
        numbers = random.Random(seed)
        bad, what = damage(original, numbers)
        folder = abuse.folder / f"runs{seed}"
        folder.mkdir()
        (folder / "walk.double.json").write_bytes(bad)
        query = numbers.choice(["best", "top", "overall", "runs", "components"])
        status, _, messages = abuse.run(["query", query, "--runs", str(folder)])
        shutil.rmtree(folder)
        if status == 0:
            return "answered"
        name = f"query {query} of a document, {what}, seed {seed}"
        return "refused" if abuse.refused_well(name, status, messages) else "found"

    with ThreadPoolExecutor(abuse.jobs) as pool:
        results = list(pool.map(one, seeds))
    return (f"{count} damaged documents: {results.count('refused')} refused, "
            f"{results.count('answered')} answered")


def signals(abuse, count):
    """compress, decompress and search end by SIGINT, SIGTERM and SIGHUP and leave no temporary file."""
    big = abuse.data("signals.f64", 400 * 1024, "walk")
    ended = finished = 0
    for number in range(count):
        folder = abuse.folder / f"signals{number}"
        folder.mkdir()
        arguments = abuse.random.choice([
            ["compress", "LNV6s BIT LNV1s ZE", str(big), str(folder / "out.fps")],
            ["baseline", "fpc", str(big), str(folder / "out.fpc")],
            searched(abuse, "kills.f64", [], folder, 64 * 1024)])
        number_of_signal = abuse.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
        process = subprocess.Popen([abuse.program, *arguments], env=abuse.environment, cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        time.sleep(abuse.random.uniform(0, 0.3))
        process.send_signal(number_of_signal)
        try:
            messages = process.communicate(timeout=HANGS_AFTER)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            messages = "did not end"
        name = f"{arguments[0]} and {number_of_signal.name}"
        if process.returncode == -number_of_signal:
            ended += 1
        elif process.returncode == 0:
            finished += 1
        else:
            abuse.find(f"{name}: ended with {process.returncode}, {messages[-300:]}")
        if abuse.leftovers(folder):
            abuse.find(f"{name}: {abuse.leftovers(folder)} stay")
        shutil.rmtree(folder)
    return f"{count} signals: {ended} ended the program, {finished} came after its work"


def shrinking_inputs(abuse, count):
    """Inputs that become shorter while they are read: an error and no output, or a valid output."""
    original = abuse.data("signals.f64", 400 * 1024, "walk").read_bytes()
    noticed = finished = 0
    for number in range(count):
        path, out = abuse.folder / f"shrinking{number}.f64", abuse.folder / f"shrinking{number}.out"
        path.write_bytes(original)
        command = abuse.random.choice([["compress", "LNV6s BIT LNV1s ZE"],
                                       ["baseline", "gfc"]])
        process = subprocess.Popen([abuse.program, *command, str(path), str(out)],
                                   env=abuse.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(abuse.random.uniform(0, 0.05))
        os.truncate(path, abuse.random.randrange(len(original)))
        messages = process.communicate(timeout=HANGS_AFTER)[1].decode(errors="replace")
        name = f"{' '.join(command)} of an input that becomes shorter"
        if process.returncode == 0:
            # It read a shorter file, or all of it before the change: its output must decode.
            back = abuse.folder / "back"
            restore = ["decompress"] if command[0] == "compress" else ["baseline", "gfc", "--decompress"]
            status, _, why = abuse.run([*restore, str(out), str(back), "--force"])
            if status != 0 or not original.startswith(back.read_bytes()):
                abuse.find(f"{name}: status 0, but the output does not decode: {why}")
            finished += 1
        elif abuse.refused_well(name, process.returncode, messages):
            noticed += 1
            if out.exists():
                abuse.find(f"{name}: an error, but there is an output")
        path.unlink()
        out.unlink(missing_ok=True)
    return f"{count} inputs that became shorter: {noticed} noticed, {finished} read before that"


def closed_streams(abuse, _):
    """Every set of closed standard streams: no crash, and no message in an output."""
    small = abuse.data("documents.f64", 4000, "rounded")
    commands = [["compress", "ZE", str(small), "{out}"], ["data", "info", str(small)],
                ["compress", "ZE", "missing.f64", "{out}"], ["bench", "--help"], ["--version"]]
    count = 0
    for command in commands:
        for closed in range(1, 8):
            out = abuse.folder / f"closed{count}.fps"
            arguments = [part.format(out=out) for part in command]

            def close(which=closed):
                for stream in range(3):
                    if which >> stream & 1:
                        os.close(stream)

            process = subprocess.run([abuse.program, *arguments], env=abuse.environment, check=False,
                                     preexec_fn=close, timeout=HANGS_AFTER,
                                     stdin=None if closed & 1 else subprocess.DEVNULL,
                                     stdout=None if closed & 2 else subprocess.DEVNULL,
                                     stderr=None if closed & 4 else subprocess.DEVNULL)
            count += 1
            if process.returncode not in (0, 1, 2):
                abuse.find(f"{arguments} with streams {closed:03b} closed: {process.returncode}")
            if out.exists() and process.returncode == 0:
                status, _, messages = abuse.run(["inspect", str(out), "--verify"])
                if status != 0:
                    abuse.find(f"{arguments} with streams {closed:03b} closed: {messages}")
    return f"{count} calls with closed standard streams"


def full_disks(abuse, _):
    """A limit on the size of files, at which every write fails: an error and no output."""
    big = abuse.data("signals.f64", 400 * 1024, "walk")
    count = 0
    for limit in (0, 1, 4096, 100000, 1 << 20):
        folder = abuse.folder / f"full{limit}"
        folder.mkdir()
        for arguments in (["compress", "LNV6s BIT LNV1s ZE", str(big), str(folder / "out")],
                          ["baseline", "fpc", str(big), str(folder / "out")],
                          ["generate", "ZE", "--name", "codec", "--out", str(folder / "out")],
                          searched(abuse, "documents.f64", [], folder / "out", 4000)):
            count += 1
            status, _, messages = abuse.run(
                arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                 (limit, limit)))
            if status == 0 and arguments[0] in ("search", "generate"):
                pass  # its files are small enough
            elif abuse.refused_well(f"{arguments[0]} with files of {limit} bytes", status, messages):
                if (folder / "out").is_file() or abuse.leftovers(folder):
                    abuse.find(f"{arguments[0]} with files of {limit} bytes: something stays")
            shutil.rmtree(folder / "out", ignore_errors=True)
    return f"{count} calls on a disk that is full"


KINDS = {"containers": damaged_containers, "variables": damaged_variables,
         "documents": damaged_documents, "kills": killed_searches, "shards": killed_shards,
         "signals": signals, "shrinks": shrinking_inputs, "streams": closed_streams,
         "disks": full_disks}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the fpsynth to abuse")
    parser.add_argument("--scale", choices=SCALES, default="small")
    parser.add_argument("--only", choices=KINDS, action="append", help="this kind of abuse alone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    for kind in SCALES["small"]:
        parser.add_argument(f"--{kind}", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    counts = dict(SCALES[arguments.scale])
    counts.update({kind: getattr(arguments, kind) for kind in counts
                   if getattr(arguments, kind) is not None})
    found = 0
    for kind in arguments.only or KINDS:
        with tempfile.TemporaryDirectory(prefix="fpsynth_abuse_") as folder:
            abuse = Abuse(arguments.program, Path(folder), random.Random(f"{kind}{arguments.seed}"),
                          arguments.jobs)
            start = time.monotonic()
            summary = KINDS[kind](abuse, counts.get(kind, 0))
            found += len(abuse.findings)
            print(f"{summary}; {len(abuse.findings)} findings; {time.monotonic() - start:.0f} s",
                  flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
