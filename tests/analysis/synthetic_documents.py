"""Synthetic documents of sweeps and of timings on GPUs."""

import json
import os
from statistics import median

import support

BYTES = 16384
SWEPT = 1 << 25  # bytes of a data set that all settings of the papers fit
TIMES = ["compress_gb_per_s", "compress_spread", "decompress_gb_per_s", "decompress_spread",
         "timed_bytes", "machine_threads"]
PFPC = ["data_set", "table_bits", "table_bytes", "threads", "chunk_values", "bytes",
        "compressed_bytes", "ratio", *TIMES, "data_sets", "fits"]
GFC = ["data_set", "dimensionality", "chunks", "bytes", "compressed_bytes", "ratio", *TIMES,
       "data_sets", "fits"]
HOLT = ["data_set", "bytes", "compressed_bytes", "ratio", "compressed_per_original", *TIMES]
KERNELS = ["compress_kernels_gb_per_s", "decompress_kernels_gb_per_s", "compress_kernels_ms",
           "compress_transfers_ms", "decompress_kernels_ms", "decompress_transfers_ms", "device"]


def pfpc(*settings, sets=("num_control",), size=SWEPT):
    """A sweep of (table bits, threads, chunk, ratio, GB/s), of data sets of one size."""
    largest = max(16 << bits for bits, *_ in settings)
    names = [*sets, *(["harmonic mean"] if len(sets) > 1 else [])]
    return support.tables("sweep pfpc", ("pFPC", PFPC, [
        [name, bits, 16 << bits, threads, chunk, size, BYTES, ratio, speed, 0.1, 2 * speed, 0.2,
         BYTES, 2, 1 if name in sets else len(sets), "yes" if size >= largest else "no"]
        for name in names for bits, threads, chunk, ratio, speed in settings]))


def gfc(*rows, size=SWEPT):
    """A sweep of (data set, chunks, ratio, compress GB/s, decompress GB/s), of one size."""
    sets = dict.fromkeys(row[0] for row in rows if row[0] != "harmonic mean")
    return support.tables("sweep gfc", ("GFC", GFC, [
        [name, 1, chunks, size, BYTES, ratio, compress, 0.1, decompress, 0.2, BYTES, 2,
         1 if name in sets else len(sets), "yes" if size // 8 >= 1024 * chunks else "no"]
        for name, chunks, ratio, compress, decompress in rows]), (
        "zeros", ["data_set", "dimensionality", "leading_zero_bytes", "values", "share_percent"],
        [[name, 1, zeros, 1, 100 / 9] for name in sets for zeros in range(9)]))


def holt(*rows, gpu=None):
    """A sweep of (data set, bytes, GB/s); on a GPU, the kernels are ten times as fast."""
    more = [[10 * speed, 20 * speed, 1.0, 3.0, 2.0, 4.0, gpu] if gpu else []
            for _, _, speed in rows]
    return support.tables("sweep holt", ("Holt", HOLT + (KERNELS if gpu else []), [
        [name, size, size // 2, 2.0, 0.5, speed, 0.1, 2 * speed, 0.2, size, 2, *its]
        for (name, size, speed), its in zip(rows, more)]), *([] if gpu else [
            ("Holt by run", ["data_set", "run", "ratio"], [[name, 115, 2.0] for name, *_ in rows])]))


def statistics():
    """`data info` of one data set."""
    return support.tables("data info", ("Statistics", [
        "data_set", "precision", "bytes", "size_mib", "values", "values_millions", "unique",
        "unique_percent", "entropy_bits", "randomness_percent"],
        [["num_control", "double", BYTES, 0.015625, 2048, 0.002048, 2000, 97.65, 10.9, 99.5]]))


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
        "rows": list(rows), "notes": []}
    path = os.path.join(runs, f"{name}.{precision}.cuda.throughput.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(document, stream)


LEFT_OUT = ["excluded", "precision", "best_of_the_others", "harmonic_mean_ratio", "excluded_ratio",
            "own_best_ratio", "shortfall_percent"]
SPREAD = ["data_set", "precision", "pipelines", "compressing_percent", "lowest_ratio",
          "first_quartile_ratio", "median_ratio", "third_quartile_ratio", "percentile_99_ratio",
          "highest_ratio"]


def put_sampled(test):
    """The documents of a study of which num_control's search was sampled, msg_hydro's was not."""
    names = {"num_control": 1.5, "msg_hydro": 2.5}
    test.document("runs", support.runs(("msg_hydro", "double", 16384, 1, "yes"),
                               ("num_control", "double", 16384, 32, "yes")))
    test.document("best", support.tables("query best", ("Best", [
        "data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"],
        [[name, ratio, "LNV1s ZE", None, None] for name, ratio in names.items()]
        + [["Best", 1.875, "BIT ZE", None, None]])))
    test.document("best-published", support.means(
                                 ("double", "one pipeline for all", 2, 1.7, 1.214),
                                 ("double", "each data set's own best", 2, 1.875, 1.279),
                                 ("single", "one pipeline for all", None, None, 1.265),
                                 ("single", "each data set's own best", None, None, 1.402)))
    test.document("overall", support.tables(
        "query overall",
        ("Top", ["precision", "rank", "id", "pipeline", "harmonic_mean_ratio", "lowest_ratio",
                 "lowest_on"], [["double", 1, 7, "BIT ZE", 1.7, 1.2, "num_control"]]),
        ("Left out", LEFT_OUT, [[name, "double", "BIT ZE", 1.6, 1.4, 1.5, 6.7]
                                for name in names])))
    test.document("stages", support.tables("query stages", ("Stages", [
        "data_set", "precision", "ratio_1", "ratio_2", "share_1_percent"],
        [[name, "double", 1.2, 1.5, 80.0] for name in (*names, "Best")])))
    stages = ["component", "stage_1", "stage_2", "total"]
    tally = [("Components", stages, [["BIT", 2, 0, 2], ["ZE", 0, 2, 2]]),
             ("Families", ["family", *stages[1:], "share_percent"],
              [["BIT", 2, 0, 2, 50.0], ["ZE", 0, 2, 2, 50.0]]),
             ("Cuts", ["stages_before_cut", "pipelines", "share_percent"], [[2, 2, 100.0]]),
             ("Shares", ["component", "stage_1_percent", "stage_2_percent"],
              [["BIT", 100.0, 0.0], ["ZE", 0.0, 100.0]])]
    test.document("components-1", support.tables("query components", *tally, *tally))
    test.document("components-100", support.tables("query components", *tally))
    test.document("distribution", support.tables(
        "query distribution",
        ("Spread", SPREAD, [[name, "double", 18, 90.0, 0.9, 1.0, 1.1, 1.2, 1.4, ratio]
                            for name, ratio in names.items()]),
        ("Counts", ["data_set", "precision", "from_ratio", "to_ratio", "pipelines"],
         [[name, "double", 1.0, 1.1, 18] for name in names])))
    # As `compare` writes it: the sampled winner, measured on the whole data.
    document = support.compared(*((name, "double", 16384, {"best searched": ratio, "GFC": 9.0})
                          for name, ratio in names.items()))
    for one in document["data_sets"]:
        one["rows"][0]["searched_one_chunk_in"] = 32 if one["name"] == "num_control" else 1
    test.document("compare", document)
    test.document("cards", cards_document([
        (name, "double", {"best searched": ("LNV1s ZE", ratio), "best of the others": ("GFC", 9.0)})
        for name, ratio in names.items()]))


def put_many(test, names):
    """The documents of a study of many data sets, searched whole in both precisions."""
    ratios = {(name, precision): 1.01 + place / 16 + (precision == "single") / 50
              for place, name in enumerate(names) for precision in ("double", "single")}
    text = "LNV2s LNV2s LNV2x | ZE"
    test.document("runs", support.runs(*((*one, BYTES, 1, "yes") for one in ratios)))
    test.document("best", support.tables("query best", ("Best", [
        "data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"],
        [[name, ratios[name, "double"], text, ratios[name, "single"], text] for name in names]
        + [["Best", 1.5, text, 1.6, "LNV6s BIT LNV1s ZE"]])))
    test.document("stages", support.tables("query stages", ("Stages", [
        "data_set", "precision", "ratio_1", "ratio_2", "ratio_3", "ratio_4", "share_1_percent",
        "share_2_percent", "share_3_percent"],
        [[*one, 1.0, 1.0, 1.0, ratio, 70.0, 80.0, 90.0] for one, ratio in ratios.items()])))
    test.document("distribution", support.tables(
        "query distribution",
        ("Spread", SPREAD, [[*one, 18, 90.0, 0.9, 0.95, 1.0, 1.0, 1.01, ratio]
                            for one, ratio in ratios.items()]),
        ("Counts", ["data_set", "precision", "from_ratio", "to_ratio", "pipelines"],
         [[*one, 0.9, 1.0, 10] for one in ratios] + [[*one, 1.0, ratio, 8]
                                                     for one, ratio in ratios.items()])))
    test.document("compare", support.compared(*(
        (*one, BYTES, {"best searched": ratio, "MPC": ratio - 0.01, "gzip --best": ratio / 2 + 0.5,
                       "zstd -19": 400.0}) for one, ratio in ratios.items())))
    document = support.compared(*((*one, BYTES, {"best searched": ratio})
                                  for one, ratio in ratios.items()))
    for one in document["data_sets"]:
        one["rows"][0].update(threads=1, pipeline=text)
    test.document("one-core", document)
    test.document("cards", cards_document([
        (*one, {"best searched": (text, ratio), "MPC": ("MPC", ratio - 0.01)})
        for one, ratio in ratios.items()]))
    test.document("peers", peers_document([
        (*one, {"pipelines": (ratio, text)}, {"MPC": ratio - 0.01, "zstd -19": 400.0})
        for one, ratio in ratios.items()]))


def cards_document(lines):
    """`query cards` of (data set, precision, {kind: (compressor, ratio)}), at 1 GB/s."""
    names = dict.fromkeys(name for name, *_ in lines)
    return support.tables(
        "query cards",
        ("Best", ["data_set", "precision", "kind", "compressor", "ratio", "compress_gb_per_s",
                  "decompress_gb_per_s", "highest"],
         [[name, precision, kind, compressor, ratio, 1.0, 1.0,
           "yes" if ratio == max(one for _, one in its.values()) else "no"]
          for name, precision, its in lines for kind, (compressor, ratio) in its.items()]),
        ("Sets", ["data_set", "description", "type", "bytes", "unique_percent", "entropy_bits",
                  "randomness_percent"],
         [[name, "made", "double", BYTES, 97.66, 10.9, 99.0] for name in names]),
        ("Commands", ["data_set", "what", "command"],
         [[name, what, f"fpsynth {what} {name}"] for name in names for what in ("make", "search")]))


def peers_document(lines):
    """`query peers` of (data set, precision, {searched in: (ratio, method)}, {compressor: ratio}), at
    1 GB/s; the means are the values of the first line, which suffices for the tests."""
    spaces = ("pipelines", "preludes", "wide")
    others = list(dict.fromkeys(name for *_, its in lines for name in its))
    speeds = ["compress_gb_per_s", "decompress_gb_per_s"]
    _, _, ours, its = lines[0]
    return support.tables(
        "query peers",
        ("Ratios", ["data_set", "precision", *(f"{space}_{figure}" for space in spaces for figure in (
            "ratio", "method")), "best_of_ours", *speeds, *others],
         [[name, precision, *(cell for space in spaces for cell in ours.get(space, (None, None))),
           max(ours.values(), key=lambda pair: pair[0])[1], 1.0, 1.0,
           *(its.get(name) for name in others)] for name, precision, ours, its in lines]),
        ("Means", ["method", "searched_in", "data_sets", "inputs", "geometric_mean_ratio",
                   "median_compress_gb_per_s", "median_decompress_gb_per_s"],
         [[name, name if name in ours else None, len({line[0] for line in lines}), len(lines), ratio,
           1.0, 1.0] for name, ratio in (
               *((space, pair[0]) for space, pair in ours.items()), *its.items())]),
        ("Verdicts", ["what", "verdict", "in_pipelines", "in_preludes", "in_wide", "best_of_ours",
                      "true_on", "known_on", "holds_if"],
         [["ahead of pco", "holds", "0 of 4", "3 of 4", None, "3 of 4", 3, 4, "on half"],
          ["median ratio, times that of pipelines alone", None, None, None, None, "1.17", None, None,
           None]]))
