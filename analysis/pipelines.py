"""The text of a pipeline."""

import re

from analysis.documents import keys_of
from analysis.problems import WrongCall

COMPONENT = re.compile(r"[A-Z]+[0-9]*[a-z]?")


def parse(text):
    """The stages of a pipeline's text and how many of them work on words."""
    parts = text.split("|")
    stages = text.replace("|", " ").split()
    if len(parts) > 2 or not 1 <= len(stages) <= 8:
        raise WrongCall(f"'{text}' is no pipeline: 1 to 8 component names, at most one |")
    for name in stages:
        if not COMPONENT.fullmatch(name):
            raise WrongCall(f"'{text}': '{name}' is no component, such as BIT, LNV6s or ZE")
    return stages, len(parts[0].split()) if len(parts) == 2 else len(stages)


def family(name):
    """As `fpsynth query components` names families: LNVns of LNV6s, DIMn of DIM8, ZE of ZE."""
    return re.sub(r"[0-9]+", "n", name)


def check(texts, studies):
    """Throws WrongCall where a text has a component of a family that the program does not know; its
    families stand in the documents of `query components`. Without these, nothing is known."""
    known = {row["family"] for study in studies for stem in ("components-1", "components-100")
             for table in study.tables(stem) if "family" in keys_of(table)
             for row in table["rows"]}
    for text in texts:
        for name in parse(text)[0]:
            if known and family(name) not in known:
                raise WrongCall(f"'{text}': there is no component '{name}'; there are "
                                f"{', '.join(sorted(known))}, n being a number")
