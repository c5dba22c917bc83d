"""Writes all items as a page and as a text, with the files of their figures and tables. The page
(index.html) contains the figures, so that it can be passed on alone; the text (REPORT.md) links to
the files."""

import base64
import html
import os

from analysis import style
from analysis.files import clean, make, put
from analysis.items import Table

LONG = 60  # rows; tables with more are collapsed
CSS = """body{font:15px/1.5 sans-serif;max-width:1080px;margin:2em auto;padding:0 1em;color:#111}
h1{font-size:1.6em}h2{font-size:1.25em;border-bottom:1px solid #ccc;margin-top:2.2em}
h3{font-size:1.05em;margin:1.8em 0 .3em}img{max-width:100%;display:block;margin:.6em 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:12px;margin:.6em 0}
td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:left;white-space:nowrap}
td.n,th.n{text-align:right}.missing{border-left:4px solid #D55E00;padding:.2em .8em;background:#fdf3ec}
.note,nav{font-size:13px;color:#444}a{color:#0072B2}"""


def write(folder, items, sections, header):
    """Writes everything into a folder: first the files, then the pages that show them. Then removes
    figures and tables of earlier calls that this call did not write."""
    images, written = {}, set()

    def keep(sub, name, content):
        path = os.path.join(folder, sub, name)
        put(path, content)
        written.add(path)

    for sub in ("figures", "tables"):
        make(os.path.join(folder, sub))
    for item in items:
        for name, figure in item.figures:
            images[name] = style.png(figure)
            keep("figures", name + ".png", images[name])
            keep("figures", name + ".pdf", style.pdf(figure))
        for name, table in item.tables:
            keep("tables", name + ".csv", table.csv())
            keep("tables", name + ".md", f"# {table.title}\n\n{table.markdown()}")
    put(os.path.join(folder, "REPORT.md"), markdown(items, sections, header))
    put(os.path.join(folder, "index.html"), page(items, sections, header, images))
    stems = [item.name for item in items]
    clean(os.path.join(folder, "figures"), stems, (".png", ".pdf"), written)
    clean(os.path.join(folder, "tables"), stems, (".csv", ".md"), written)


def markdown(items, sections, header):
    lines = [f"# {header['title']}", ""] + [line + "\n" for line in header["lines"]]
    if header["table"].rows:
        lines += [header["table"].markdown()]
    for key, title in sections:
        lines += [f"## {title}", ""]
        for item in items:
            if item.paper == key:
                lines += markdown_item(item)
    return "\n".join(lines).rstrip("\n") + "\n"


def markdown_item(item):
    lines = [f"### {item.title}", "", item.text, ""]
    lines += [f"![{name}](figures/{name}.png)\n" for name, _ in item.figures]
    for name, table in item.tables:
        lines += [f"**{table.title}** ([CSV](tables/{name}.csv))", ""]
        lines += [table.markdown()] if len(table.rows) <= LONG else \
            [f"{len(table.rows)} rows: [table](tables/{name}.md)\n"]
    lines += [f"- Missing: {line}" for line in item.missing]
    lines += [f"- {line}" for line in item.notes]
    return lines + ([""] if item.missing or item.notes else [])


def page(items, sections, header, images):
    text = html.escape
    parts = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8">',
             '<meta name="viewport" content="width=device-width">',
             f"<title>{text(header['title'])}</title><style>{CSS}</style></head><body>",
             f"<h1>{text(header['title'])}</h1>"]
    parts += [f"<p>{text(line)}</p>" for line in header["lines"]]
    if header["table"].rows:
        parts.append(html_table(header["table"]))
    parts.append("<nav>" + " · ".join(f'<a href="#{item.name}">{text(item.title)}</a>'
                                      for item in items) + "</nav>")
    for key, title in sections:
        parts.append(f"<h2>{text(title)}</h2>")
        parts += [html_item(item, images) for item in items if item.paper == key]
    return "\n".join(parts + ["</body></html>", ""])


def html_item(item, images):
    text = html.escape
    parts = [f'<section id="{item.name}"><h3>{text(item.title)}</h3><p>{text(item.text)}</p>']
    for name, _ in item.figures:
        data = base64.b64encode(images[name]).decode("ascii")
        parts.append(f'<img alt="{text(name)}" src="data:image/png;base64,{data}">')
    for _, table in item.tables:
        rows = html_table(table)
        parts.append(f"<p><b>{text(table.title)}</b></p>{rows}" if len(table.rows) <= LONG else
                     f"<details><summary><b>{text(table.title)}</b>, {len(table.rows)} rows"
                     f"</summary>{rows}</details>")
    parts += [f'<p class="missing">Missing: {text(line)}</p>' for line in item.missing]
    if item.notes:
        parts.append('<ul class="note">' + "".join(f"<li>{text(line)}</li>" for line in item.notes)
                     + "</ul>")
    return "\n".join(parts + ["</section>"])


def html_table(table: Table):
    kinds = [' class="n"' if right else "" for right in table.numeric()]

    def row(tag, cells):
        return "<tr>" + "".join(f"<{tag}{kind}>{html.escape(cell)}</{tag}>"
                                for cell, kind in zip(cells, kinds)) + "</tr>"

    body = [row("td", cells) for cells in table.texts()]
    return '<div class="wide"><table>' + row("th", [name for name, _ in table.columns]) + \
        "\n".join(body) + "</table></div>"
