"""The papers' figures, from results/reference/paper_tables.json, in our units: ratios are original
by compressed bytes, throughputs are in GB/s."""

import os

from analysis.documents import read_json
from analysis.problems import Problem

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                    "results", "reference", "paper_tables.json")
BITS_PER_BYTE = 8
MEAN = "har_mean"
BEST = "Best"


class Published:
    """Lookups; what a paper does not print is None."""

    def __init__(self, path=FILE):
        self.data = read_json(path)
        for key in ("source_papers", "datasets", "file_bytes", "mpc_table_2"):
            if key not in self.data:
                raise Problem(f"{path}: {key} is missing; restore the file")
        self.sets = self.data["datasets"]

    def citation(self, paper):
        return self.data["source_papers"][paper]

    def is_papers(self, name, size, precision):
        """Whether data of a name and a size is the papers' and no namesake."""
        full = self.data["file_bytes"].get(name)
        return name in self.sets and size == (full if precision == "double" else full // 2)

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

    def best_rows(self, precision):
        """Table II without its last row."""
        return [row for name, row in self.data["mpc_table_2"][precision].items() if name != BEST]

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

    def throughput_hardware(self):
        return self.data["mpc_table_5_gb_per_s"]["hardware"]

    def gfc_ratios(self):
        """Table 2 of the GFC paper: its numbers of chunks, and data set -> ratios."""
        table = self.data["gfc_table_2"]
        return table["columns"], {key: row for key, row in table.items()
                                  if key not in ("columns", "note")}

    def gfc_throughput(self):
        """The GFC paper's throughputs in GB/s by what they are, and their hardware."""
        table = self.data["gfc_throughput_gbit_per_s"]
        return {key: value / BITS_PER_BYTE for key, value in table.items()
                if key != "hardware"}, table["hardware"]

    def pfpc_modes(self):
        """The pFPC paper's harmonic means: ('8 kB', row), ('2 MB', row); and the hardware."""
        table = self.data["pfpc_throughput"]
        return [("8 kB", table["small_predictor_8kB"]), ("2 MB", table["large_predictor_2MB"])], \
            table["hardware"]

    def holt_rows(self):
        """Table II of the Holt paper: name, bytes, compressed / original."""
        return self.data["holt_table_2"]["rows"]
