"""Synthetic documents of sweeps and of timings on GPUs."""

import json
import os
from statistics import median

import support

BYTES = 16384
TIMES = ["compress_gb_per_s", "compress_spread", "decompress_gb_per_s", "decompress_spread",
         "timed_bytes", "machine_threads"]
PFPC = ["data_set", "table_bits", "table_bytes", "threads", "chunk_values", "bytes",
        "compressed_bytes", "ratio", *TIMES]
GFC = ["data_set", "dimensionality", "chunks", "bytes", "compressed_bytes", "ratio", *TIMES]
HOLT = ["data_set", "bytes", "compressed_bytes", "ratio", "compressed_per_original", *TIMES]
KERNELS = ["compress_kernels_gb_per_s", "decompress_kernels_gb_per_s", "compress_kernels_ms",
           "compress_transfers_ms", "decompress_kernels_ms", "decompress_transfers_ms", "device"]


def pfpc(*settings, sets=("num_control",)):
    """A sweep of (table bits, threads, chunk, ratio, GB/s)."""
    return support.tables("sweep pfpc", ("pFPC", PFPC, [
        [name, bits, 16 << bits, threads, chunk, BYTES, BYTES, ratio, speed, 0.1, 2 * speed, 0.2,
         BYTES, 2] for name in sets for bits, threads, chunk, ratio, speed in settings]))


def gfc(*rows):
    """A sweep of (data set, chunks, ratio, compress GB/s, decompress GB/s)."""
    sets = dict.fromkeys(row[0] for row in rows if row[0] != "harmonic mean")
    return support.tables("sweep gfc", ("GFC", GFC, [
        [name, 1, chunks, BYTES, BYTES, ratio, compress, 0.1, decompress, 0.2, BYTES, 2]
        for name, chunks, ratio, compress, decompress in rows]), (
        "zeros", ["data_set", "dimensionality", "leading_zero_bytes", "values", "share_percent"],
        [[name, 1, zeros, 1, 100 / 9] for name in sets for zeros in range(9)]))


def holt(*rows, gpu=None):
    """A sweep of (data set, bytes, GB/s); on a GPU, the kernels are ten times as fast."""
    more = [[10 * speed, 20 * speed, 1.0, 3.0, 2.0, 4.0, gpu] if gpu else []
            for _, _, speed in rows]
    return support.tables("sweep holt", ("Holt", HOLT + (KERNELS if gpu else []), [
        [name, size, size // 2, 2.0, 0.5, speed, 0.1, 2 * speed, 0.2, size, 2, *its]
        for (name, size, speed), its in zip(rows, more)]))


def times(kernels, transfers, size):
    seconds = [a + b for a, b in zip(kernels, transfers)]
    return {"gb_per_s": size / median(seconds) / 1e9, "median_seconds": median(seconds),
            "spread": 0.0, "seconds": seconds,
            "kernel_gb_per_s": size / median(kernels) / 1e9, "kernel_spread": 0.0,
            "kernel_seconds": kernels, "transfer_seconds": transfers}


def timed_row(name, ratio, kernels, transfers, size=1 << 26):
    return {"name": name, "kind": "baseline", "how": "library", "version": "0", "threads": 1,
            "input_bytes": size, "compressed_bytes": BYTES // ratio, "ratio": float(ratio),
            "compress": times(kernels, transfers, size),
            "decompress": times([2 * one for one in kernels], transfers, size)}


def put_throughput(runs, name, precision, *rows):
    """A throughput document of a GPU as results/throughput.schema.json describes it."""
    word = 8 if precision == "double" else 4
    document = {
        "schema": "fpsynth-throughput", "version": 1,
        "dataset": {"name": name, "bytes": BYTES, "values": BYTES // word, "tail_bytes": 0,
                    "xxh3": "0123456789abcdef", "precision": precision, "source": "synthetic"},
        "run": {"program_version": "0.1.0", "commit": "abc", "compiler": "nvcc", "backend": "cuda",
                "device": "a GPU", "instruction_set": "sm_90", "threads": 1, "repetitions": 3,
                "input_bytes": 1 << 26, "copies": 4096, "cache_bytes": 0},
        "rows": list(rows), "model": None, "predictions": None, "notes": []}
    path = os.path.join(runs, f"{name}.{precision}.cuda.throughput.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(document, stream)
