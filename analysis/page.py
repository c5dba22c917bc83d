"""The page of a report: one file with its style, its script and its figures, so that it can be
passed on alone; only the links to CSV files need the folder."""

import html
import os
import re

from analysis import svg
from analysis.items import counted, long_text

LONG = 60  # rows; REPORT.md only links to tables with more
APPENDIX = "appendix"  # id of the place where the papers' exhibits begin
FEW = 8  # rows; tables with fewer have no field to filter them
FITTING = 3  # columns; a narrow screen shows the rows of tables with more as lists
MISSING, NEEDED = "missing", "What is missing, and how to get it"
HERE = os.path.dirname(os.path.abspath(__file__))


def text(words):
    """Words as HTML; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(words))


def page(sections, header, pictures):
    """`pictures` has the standalone SVGs of each picture by name and by the screens that show them."""
    parts = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8">',
             '<meta name="viewport" content="width=device-width,initial-scale=1">',
             f"<title>{html.escape(header['title'])}</title><style>{part('page.css')}</style></head><body>",
             contents(sections), f'<main><h1>{text(header["title"])}</h1>']
    for number, section in enumerate(sections):
        if section.appendix and not sections[number - 1].appendix:
            parts.append(f'<div id="{APPENDIX}"></div>')
        if number:
            parts.append(f'<h2 id="{section.key}">{text(section.title)}</h2>')
        parts += [f"<p>{text(line)}</p>" for line in section.lines]
        parts += [html_item(item, pictures) for item in section.items]
        if not number:
            parts += [about(header)]
    lacking = missing(sections)
    if lacking:
        parts += [f'<h2 id="{MISSING}">{NEEDED}</h2><ul class="missing">',
                  *(f"<li>{text(line)} <small>({text(', '.join(titles))})</small></li>"
                    for line, titles in lacking.items()), "</ul>"]
    return "\n".join([*parts, f"</main><script>{part('page.js')}</script></body></html>", ""])


def missing(sections):
    """What is missing, and how to get it -> the titles of the items that lack it."""
    found = {}
    for item in (item for section in sections for item in section.items):
        for line in item.missing:
            found.setdefault(line, []).append(item.title or "In short")
    return found


def about(header):
    """What holds of all figures, folded behind the answer."""
    lines = [f"<p>{text(line)}</p>" for line in header["lines"]]
    return folded("About these figures: data, machines, searches",
                  lines + [titled_table(*pair) for pair in header["tables"]])


def folded(title, parts, kind=""):
    return "\n".join([f"<details{kind}><summary>{html.escape(title)}</summary>", *parts,
                      "</details>"])


def part(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as stream:
        return stream.read()


def contents(sections):
    parts = ["<nav><details open><summary>Contents</summary><ul>"]
    for section in sections:
        items = "".join(f'<li><a href="#{item.name}">{html.escape(item.title)}</a></li>'
                        for item in section.items if item.title)
        parts.append(f'<li><a class="paper" href="#{section.key}">{html.escape(section.title)}</a>'
                     f"<ul>{items}</ul></li>")
    if missing(sections):
        parts.append(f'<li><a class="paper" href="#{MISSING}">{NEEDED}</a></li>')
    return "\n".join([*parts, "</ul></details></nav>"])


def html_item(item, pictures):
    """An item with its first figures and open tables. The rest is folded."""
    head = f"<h3>{text(item.title)}</h3><p>{text(item.text)}</p>" if item.title else ""
    parts = [f'<section id="{item.name}">{head}']
    drawn = [html_picture(picture, pictures[picture.name]) for picture in item.figures]
    shown = len(drawn) if item.shown is None else item.shown
    parts += [titled_table(*pair) for pair in item.tables if pair[0] in item.open] + drawn[:shown]
    tables = [pair for pair in item.tables if pair[0] not in item.open]
    rest = drawn[shown:] + [titled_table(*pair) for pair in tables]
    if item.cards:
        rest.insert(0, html_cards(item.name + "-cards", item.cards))
    if item.notes:
        rest.append('<ul class="note">' + "".join(f"<li>{text(line)}</li>" for line in item.notes)
                    + "</ul>")
    if rest:
        parts.append(folded(contained(item, len(drawn) - shown, tables), rest))
    if item.missing:
        parts.append(f'<p class="missing"><a href="#{MISSING}">'
                     f'{counted(len(item.missing), "thing")} missing</a></p>')
    return "\n".join([*parts, "</section>"])


def contained(item, figures, tables):
    """What of an item is folded."""
    parts = [counted(number, noun) for number, noun in (
        (len(item.cards), "card"), (max(0, figures), "figure")) if number > 0]
    parts += [counted(len(tables), "table")] if tables else []
    return ", ".join(parts + (["notes"] if item.notes else [])).capitalize()


def html_picture(picture, drawn):
    lines = "".join(f"<p>{text(line)}</p>" for line in picture.lines)
    inside = "".join(
        f'<div class="picture {screens}">{svg.inline(one, picture.name + screens, picture.name)}</div>'
        for screens, one in drawn.items())
    return f"<figure>{inside}<figcaption>{lines}</figcaption></figure>"


def table_id(name):
    """The id of a table, whose item has its name."""
    return f"table-{name}"


def field(target, what):
    """A field that filters rows or cards; the script makes it visible."""
    return f'<label hidden>filter {what} <input type="search" data-filters="{target}"></label>'


def titled_table(name, table):
    """A table with its title, links and field; a long one scrolls."""
    rows = html_table(name, table)
    filters = field(table_id(name), "rows") if len(table.rows) >= FEW else ""
    line = (f'<div class="bar"><b>{html.escape(table.title)}</b><a href="tables/{name}.csv">CSV</a>'
            f"{filters}</div>")
    return line + rows


def html_table(name, table):
    numeric = table.numeric()
    head = "".join(f"<th{kind(right)}>{html.escape(title)}</th>"
                   for right, (title, _) in zip(numeric, table.columns))
    rows = []
    for r, cells in enumerate(table.texts()):
        line = []
        for c, cell in enumerate(cells):
            shown = text(cell)
            if (r, c) in table.bold:
                shown = f"<b>{shown}</b>"
            line.append(f"<td{kind(numeric[c], long_text(cell))}>{shown}</td>")
        rows.append("<tr>" + "".join(line) + "</tr>")
    below = f'<p class="note">{text(table.reasons())}</p>' if table.empty else ""
    many = ' class="many"' if len(table.columns) > FITTING else ""
    return f'<div class="wide"><table id="{table_id(name)}"{many}><thead><tr>{head}</tr></thead><tbody>' + \
        "\n".join(rows) + f"</tbody></table></div>{below}"


def kind(right, long=False):
    return ' class="n"' if right else ' class="l"' if long else ""


def html_cards(name, cards):
    parts = [f'<div class="bar">{field(name, "cards")}</div><div class="cards" id="{name}">']
    for card in cards:
        parts.append(f'<article class="card"><h4>{html.escape(card.name)} '
                     f"<small>{html.escape(card.study)}</small></h4>")
        parts += [f"<p>{text(line)}</p>" for line in card.lines]
        if card.table.rows:
            parts.append(html_table(f"card-{card.study}-{card.name}", card.table))
        for what, command in card.commands:
            parts.append(f'<p>{html.escape(what)}</p><div class="command">'
                         f"<code>{html.escape(command)}</code>"
                         '<button type="button" hidden>copy</button></div>')
        parts.append("</article>")
    return "\n".join([*parts, "</div>"])
