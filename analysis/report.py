"""Writes all sections as a page (index.html) and as a text (REPORT.md), with the files of their
figures and tables. The page contains the figures; the text links to the files."""

import os

from analysis import style, svg
from analysis.files import clean, make, put
from analysis.page import LONG, NEEDED, missing, page


class Section:
    """A part of the report: the answer, what is ours, or a paper, which is an appendix."""

    def __init__(self, key, title, lines, items, appendix=False):
        self.key, self.title, self.lines, self.items = key, title, lines, items
        self.appendix = appendix


def write(folder, sections, header):
    """Writes everything into a folder: first the files, then the pages that show them. Then removes
    figures and tables of earlier calls that this call did not write."""
    pictures, written = {}, set()
    items = [item for section in sections for item in section.items]

    def keep(sub, name, content):
        path = os.path.join(folder, sub, name)
        put(path, content)
        written.add(path)

    for sub in ("figures", "tables"):
        make(os.path.join(folder, sub))
    for item in items:
        for picture in item.figures:
            style.lay_out(picture.figure)
            large = svg.standalone(picture.figure)
            keep("figures", picture.name + ".svg", large)
            keep("figures", picture.name + ".png", style.png(picture.figure))
            keep("figures", picture.name + ".pdf", style.pdf(picture.figure))
            pictures[picture.name] = {"all": large}
            if picture.figure.get_figwidth() > style.FITTING:
                small = picture.small or style.narrowed(picture.figure)
                style.lay_out(small)
                pictures[picture.name] = {"large": large, "small": svg.standalone(small, False)}
    for name, table in header["tables"] + [pair for item in items for pair in item.tables]:
        keep("tables", name + ".csv", table.csv())
        keep("tables", name + ".md", f"# {table.title}\n\n{table.markdown()}")
    put(os.path.join(folder, "REPORT.md"), markdown(sections, header))
    put(os.path.join(folder, "index.html"), page(sections, header, pictures))
    stems = [item.name for item in items] + [name for name, _ in header["tables"]]
    clean(os.path.join(folder, "figures"), stems, (".png", ".pdf", ".svg"), written)
    clean(os.path.join(folder, "tables"), stems, (".csv", ".md"), written)


def markdown(sections, header):
    lines = [f"# {header['title']}", ""]
    for number, section in enumerate(sections):
        if number == 1:  # behind the answer
            lines += ["## About", ""] + [line + "\n" for line in header["lines"]]
            for name, table in header["tables"]:
                lines += markdown_table(name, table)
        lines += [f"## {section.title}", ""] + [line + "\n" for line in section.lines]
        for item in section.items:
            lines += markdown_item(item)
    lacking = missing(sections)
    lines += [f"## {NEEDED}", ""] if lacking else []
    lines += [f"- {line} ({', '.join(titles)})" for line, titles in lacking.items()]
    return "\n".join(lines).rstrip("\n") + "\n"


def markdown_item(item):
    lines = [f"### {item.title}", "", item.text, ""] if item.title else []
    for picture in item.figures:
        lines.append(f"![{picture.name}](figures/{picture.name}.png)\n")
        lines += [line + "\n" for line in picture.lines]
    for name, table in item.tables:
        lines += markdown_table(name, table)
    for card in item.cards:
        lines += [f"**{card.name}** ({card.study})", "", "```sh"]
        lines += [f"{command}  # {what}" for what, command in card.commands] + ["```", ""]
    lines += [f"- {line}" for line in item.notes]
    return lines + ([""] if item.notes else [])


def markdown_table(name, table):
    return [f"**{table.title}** ([CSV](tables/{name}.csv))", ""] + \
        ([table.markdown()] if len(table.rows) <= LONG else
         [f"{len(table.rows)} rows: [table](tables/{name}.md)\n"])
