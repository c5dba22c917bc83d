"""The items of a report, with their figures and tables."""

import csv
import io

from analysis.absent import NO_VALUE, Absent, mark


def counted(number, noun):
    """'1 chunk', '2 chunks'."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Table:
    """Rows of cells; None is an empty cell. A column is a name, the decimals of its figures, and, where
    a cell may be empty, why."""

    def __init__(self, title, columns):
        self.title, self.columns, self.rows = title, [one[:2] for one in columns], []
        self.why = [one[2] if len(one) > 2 else NO_VALUE for one in columns]
        self.bold = set()  # (row, column) of the cells that stand out
        self.empty = {}  # (row, column) of an empty cell -> why it is empty

    def add(self, *cells, why=None):
        """Adds a row. A cell is empty for its own reason (an Absent), the row's or the column's."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{self.title}: {len(cells)} cells for {len(self.columns)} columns")
        for column, cell in enumerate(cells):
            if cell in (None, "") or isinstance(cell, Absent):
                self.empty[len(self.rows), column] = str(cell or why or self.why[column])
        self.rows.append(tuple(None if cell == "" or isinstance(cell, Absent) else cell
                               for cell in cells))

    def highlight(self, column):
        """Makes the last row's cell of a column stand out."""
        self.bold.add((len(self.rows) - 1, column))

    def texts(self):
        """The rows as formatted text, in which empty cells have the marks of their reasons."""
        marks = dict(zip(dict.fromkeys(self.empty.values()), self.marks()))
        return [[marks[self.empty[r, c]] if (r, c) in self.empty else
                 text_of(cell, self.columns[c][1]) for c, cell in enumerate(row)]
                for r, row in enumerate(self.rows)]

    def marks(self):
        return [mark(number) for number in range(1, 1 + len(set(self.empty.values())))]

    def reasons(self):
        """The line below the table: what the marks of empty cells mean."""
        return "; ".join(f"{one} {reason}" for one, reason in
                         zip(self.marks(), dict.fromkeys(self.empty.values())))

    def numeric(self):
        """Whether each column contains numbers."""
        return [any(isinstance(row[c], (int, float)) for row in self.rows)
                for c in range(len(self.columns))]

    def markdown(self):
        names = [name.replace("|", "\\|") for name, _ in self.columns]
        lines = ["| " + " | ".join(names) + " |",
                 "|" + "|".join("---:" if right else "---" for right in self.numeric()) + "|"]
        for r, row in enumerate(self.texts()):
            cells = [cell.replace("|", "\\|") for cell in row]
            lines.append("| " + " | ".join(f"**{cell}**" if (r, c) in self.bold else cell
                                           for c, cell in enumerate(cells)) + " |")
        return "\n".join(lines + ([f"\n{self.reasons()}"] if self.empty else [])) + "\n"

    def csv(self):
        """The table as CSV, with all digits; empty cells are empty."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([name for name, _ in self.columns])
        for row in self.rows:
            writer.writerow(["" if cell is None else cell for cell in row])
        return stream.getvalue()


def text_of(cell, decimals):
    if isinstance(cell, float):
        return f"{cell:.{decimals}f}"
    return f"{cell:,}" if isinstance(cell, int) and abs(cell) >= 10000 else str(cell)


def long_text(cell):
    """Whether a cell's text is so long that it should take several lines."""
    return len(cell) > 30 and " " in cell


class Picture:
    """A drawn figure with its caption, which is text of the page and not part of the picture.
    `small` is the figure that narrow screens show; None: this one, narrowed."""

    def __init__(self, name, figure, lines, small):
        self.name, self.figure, self.lines, self.small = name, figure, lines, small


class Item:
    """A table or figure of a paper, with our values."""

    def __init__(self, name, paper, title, text):
        self.name, self.paper, self.title, self.text = name, paper, title, text
        self.figures, self.tables, self.cards = [], [], []
        self.shown = None  # how many figures a page shows unfolded; None: all
        self.open = set()  # names of the tables that it shows unfolded
        self.notes, self.missing = [], []

    def figure(self, suffix, figure, lines=(), small=None):
        """Adds a picture with the lines of its caption; `suffix` distinguishes it from the item's
        other pictures."""
        name = self.name + (f"-{suffix}" if suffix else "")
        self.figures.append(Picture(name, figure, [line for line in lines if line], small))

    def table(self, suffix, table):
        if table.rows:
            self.tables.append((self.name + (f"-{suffix}" if suffix else ""), table))

    def note(self, lines):
        for line in [lines] if isinstance(lines, str) else lines:
            if line and line not in self.notes:
                self.notes.append(line)

    def lack(self, what, remedy):
        """Reports what is missing and how to get it."""
        line = f"{what}. {remedy}"
        if line not in self.missing:
            self.missing.append(line)
