"""The verdicts on the papers' claims, which `query claims` gives on the results of each study."""

from analysis.absent import NO_VALUE
from analysis.context import FEW
from analysis.items import Item, Table

NOT_IN_TABLES = "the papers' tables say nothing to it"
WHY = {"paper_verdict": NOT_IN_TABLES, "verdict": NOT_IN_TABLES,
       "holds_if": "no rule: nothing here can test it"}  # by column: why a cell is empty


def items(context):
    return [claims(context)]


def claims(context):
    item = Item("findings-claims", "findings", "Claims of the papers",
                "What the papers observe, and what the results of the studies say to it. A verdict "
                "follows the rule in its row; the paper's numbers are counted in its tables.")
    studies = context.need(item, "claims")
    for study in sorted(studies, key=lambda study: (not study.real(), -len(study.searched()))):
        for suffix, table in zip(("", "-numbers"), study.tables("claims")):
            drawn = Table(f"{study.name}{study.mark()}: {table['title']}",
                          [(column["title"], 0, WHY.get(column["key"], NO_VALUE)) for column in table["columns"]])
            for row in table["rows"]:
                drawn.add(*(row[column["key"]] for column in table["columns"]))
            item.table(study.name + suffix, drawn)
            item.note(table["notes"])
    if not any(study.real() and len(study.searched()) >= FEW for study in studies):
        item.lack(f"Verdicts on real data: no study has {FEW} real data sets that were searched",
                  "`./run corpus` brings some, and `fpsynth search --study "
                  "configs/studies/corpus.json` searches them")
    item.note(context.samples(studies))
    return item
