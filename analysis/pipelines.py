"""Parses the text of a pipeline."""

import re

from analysis.checks import keys_of
from analysis.problems import WrongCall

COMPONENT = re.compile(r"[A-Z]+[0-9]*[a-z]?")


def parse(text):
    """The names of a pipeline's stages, and how many of them work on words. Those of a prelude, which
    ends with a slash, are not among them."""
    text = text.rpartition("/")[2]
    parts = text.split("|")
    stages = text.replace("|", " ").split()
    if len(parts) > 2 or not 1 <= len(stages) <= 8:
        raise WrongCall(f"'{text}' is not a pipeline: give 1 to 8 component names, at most one |")
    for name in stages:
        if not COMPONENT.fullmatch(name):
            raise WrongCall(f"'{text}': '{name}' is not a component; components are BIT, LNV6s, ZE "
                            "and others")
    return stages, len(parts[0].split()) if len(parts) == 2 else len(stages)


def family(name):
    """The name of a component's family in `query components`: LNVns for LNV6s, ZE for ZE."""
    return re.sub(r"[0-9]+", "n", name)


def check(texts, studies):
    """Raises WrongCall if a text has a component whose family is not in the documents of `query
    components`, which list all families. Without these documents, nothing is checked."""
    known = {row["family"] for study in studies for stem in ("components-1", "components-100")
             for table in study.tables(stem) if "family" in keys_of(table)
             for row in table["rows"]}
    for text in texts:
        for name in parse(text)[0]:
            if known and family(name) not in known:
                raise WrongCall(f"'{text}': unknown component '{name}'; known components are "
                                f"{', '.join(sorted(known))}, where n is a number")
