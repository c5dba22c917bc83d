"""A card for each data set: what it is, the best pipelines and compressors, commands to copy."""

from analysis.absent import NOT_TIMED
from analysis.items import Item, Table
from analysis.ratios import OWN
from analysis.sweeps import SPEEDS

COLUMNS = [("precision", 0), ("compressor", 0), ("CR", 3), ("compress GB/s", 2, NOT_TIMED),
           ("decompress GB/s", 2, NOT_TIMED)]


class Card:
    def __init__(self, name, study):
        self.name, self.study = name, study.name
        self.lines = [line for row in study.rows("cards", 1, data_set=name)
                      for line in lines_of(row)]
        self.table = Table(name, COLUMNS)
        self.commands = [(row["what"], row["command"])
                         for row in study.rows("cards", 2, data_set=name)]


def item(context):
    item = Item("sets", "sets", "A card per data set",
                "The best searched pipeline of each data set, MPC, and the best of the other "
                "compressors that were compared, with commands to search, compress and generate a "
                "codec. Throughputs are from memory to memory, where they were measured.")
    whole = Table("All cards as a table", [("data set", 0), ("study", 0), *COLUMNS])
    for study in context.need(item, "cards"):
        for name in dict.fromkeys(row["data_set"] for row in study.rows("cards", 2)):
            card = Card(name, study)
            item.cards.append(card)
            for row in study.rows("cards", data_set=name):
                mark = study.mark(name, row["precision"]) if row["kind"] == OWN else ""
                cells = [row["precision"], row["compressor"] + mark, row["ratio"],
                         *(row[speed] for speed in SPEEDS)]
                card.table.add(*cells)
                if row["highest"] == "yes":
                    card.table.highlight(2)
                whole.add(name, study.name, *cells)
    item.table("", whole)
    item.note(context.samples() + context.machines())
    return item


def lines_of(row):
    """What the data are, as far as it is known."""
    if row["description"]:
        yield row["description"] + "."
    if row["bytes"] is not None:
        yield (f"{row['bytes']:,} bytes as {row['type']}s; {row['unique_percent']:.1f} % of the values "
               f"unique, entropy {row['entropy_bits']:.1f} bits, randomness "
               f"{row['randomness_percent']:.1f} %.")
