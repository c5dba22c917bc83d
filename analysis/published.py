"""The papers' figures, from results/reference/paper_tables.json, in our units: ratios are original
/ compressed bytes, throughputs are in GB/s."""

import os

from analysis.checks import recorded
from analysis.documents import read_json
from analysis.problems import Problem

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                    "results", "reference", "paper_tables.json")
MEAN = "har_mean"
BEST = "Best"
INFERRED = " \u2021"  # marks the cut of a published pipeline


class Published:
    """Looks figures up; returns None for figures that a paper does not print."""

    def __init__(self, path=FILE):
        self.data = recorded(path, read_json(path))
        for key in ("source_papers", "datasets", "file_bytes", "mpc_table_2"):
            if key not in self.data:
                raise Problem(f"{path}: {key} is missing; restore the file")
        self.sets = self.data["datasets"]

    def citation(self, paper):
        return self.data["source_papers"][paper]

    def is_papers(self, name, size, precision, xxh3=None):
        """Whether data of a name are the papers' data set of that name: by the checksum, if it and
        that of the papers' data are known, otherwise by the size."""
        if name not in self.sets:
            return False
        known = self.data["xxh3"].get(name)
        if known and xxh3:
            return xxh3 == known[precision]
        return size == self.data["file_bytes"][name] // (1 if precision == "double" else 2)

    def statistics(self, name):
        return self.data["mpc_table_1"].get(name)

    def pfpc_sets(self):
        return self.data["pfpc_table_1"]["datasets"]

    def best(self, precision, name):
        """Table II of the MPC paper: the ratio and the pipeline's text."""
        row = self.data["mpc_table_2"][precision].get(name)
        if row is None:
            return None, None
        stages, cut = list(row["stages"]), row["cut"]
        if cut is None:
            return row["ratio"], " ".join(stages) + " (cut not known)"
        if cut < len(stages):
            stages.insert(cut, "|")
        return row["ratio"], " ".join(stages)

    def inferred(self, precision, name):
        """INFERRED if the cut of a published pipeline is not printed legibly, but was inferred;
        otherwise empty."""
        row = self.data["mpc_table_2"][precision].get(name, {})
        return INFERRED if row.get("cut_source") else ""

    def inferences(self):
        """The meaning of INFERRED."""
        measured = sorted({name for precision in ("double", "single")
                           for name, row in self.data["mpc_table_2"][precision].items()
                           if row["cut_source"] == "measured"})
        return (f"{INFERRED.strip()} The cut is not legible in our text of the paper. It was "
                "inferred from its section V.A" + (f", for {', '.join(measured)} by measuring which "
                "cut gives the printed ratio" if measured else "") + ".")

    def cross_validation(self):
        """The text of section V.A of the MPC paper: observation, pattern, section."""
        return self.data["mpc_cross_validation"]

    def ratios(self, precision):
        """Tables III and IV: compressor -> data set -> ratio."""
        key = "mpc_table_3_double" if precision == "double" else "mpc_table_4_single"
        return self.data[key]

    def ratio(self, precision, compressor, name):
        if compressor == "best searched":
            return self.best(precision, name)[0]
        return self.ratios(precision).get(compressor, {}).get(name)

    def throughputs(self):
        """Table V: compressor -> [double compress, decompress, single compress, decompress]."""
        table = self.data["mpc_table_5_gb_per_s"]
        return {key: row for key, row in table.items() if key not in ("hardware", "columns")}

    def throughput(self, compressor, precision, direction):
        row = self.throughputs().get(compressor)
        column = f"{precision} {direction}"
        return row[self.data["mpc_table_5_gb_per_s"]["columns"].index(column)] if row else None

    def throughput_hardware(self, compressor):
        """The hardware of a compressor of Table V."""
        return self.data["mpc_table_5_hardware"][compressor]

    def gfc_statistics(self):
        """Table 1 of the GFC paper: data set -> its five figures."""
        table = self.data["gfc_table_1"]
        return {key: row for key, row in table.items() if key in self.sets}

    def gfc_ratios(self):
        """Table 2 of the GFC paper: its numbers of chunks, and data set -> ratios."""
        table = self.data["gfc_table_2"]
        return table["columns"], {key: row for key, row in table.items()
                                  if key not in ("columns", "note")}

    def gfc_throughput(self):
        """The GFC paper's throughputs, {direction: {what: GB/s}}, where `what` is MEAN, "min" or
        the data set with the highest; and the hardware and transfers."""
        table = self.data["gfc_throughput_gb_per_s"]
        rates = {way: {key.removeprefix(way + "_"): value for key, value in table.items()
                       if key.startswith(way + "_")} for way in ("compress", "decompress")}
        return rates, f"{table['hardware']}, {table['transfers']}"

    def settings(self, compressor):
        """How the MPC paper ran a compressor of its Tables III to V, and why we think so."""
        return self.data["mpc_settings"][compressor]

    def pfpc_modes(self):
        """The pFPC paper's harmonic means by bytes of tables per thread, and the hardware."""
        table = self.data["pfpc_throughput"]
        rows = [table["small_predictor_8kB"], table["large_predictor_2MB"]]
        return {row["table_bytes"]: row for row in rows}, table["hardware"]

    def pfpc_machines(self):
        """The throughputs by machine in the pFPC paper's text: names of columns, and rows."""
        table = self.data["pfpc_machines_gb_per_s"]
        return table["columns"], table["rows"]

    def pfpc_speedups(self):
        """The speed-ups by threads in the pFPC paper's text: names of columns, and rows."""
        table = self.data["pfpc_speedups"]
        return table["columns"], table["rows"]

    def holt_sets(self):
        """Table I of the Holt paper: number, name and application, which may be empty."""
        return self.data["holt_table_1"]["rows"]

    def holt_rows(self):
        """Table II of the Holt paper: name, bytes, compressed / original, and the inverse."""
        table = self.data["holt_table_2"]
        return [(*row, ratio) for row, ratio in zip(table["rows"], table["ratios"])]

    def holt_throughput(self):
        """The highest GB/s in the Holt paper's text; and the hardware and transfers."""
        table = self.data["holt_throughput_gb_per_s"]
        return table["most"], f"{table['hardware']}, {table['transfers']}"
