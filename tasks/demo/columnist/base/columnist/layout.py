"""How wide each column is, and the rows laid out in them."""


def widths(rows):
    """Return the width of each column, in characters."""
    return [max(len(str(cell)) for cell in column) for column in zip(*rows)]


def _align(cell, width):
    """Numbers to the right, everything else to the left."""
    if isinstance(cell, (int, float)):
        return str(cell).rjust(width)
    return str(cell).ljust(width)


def table(rows, gap=2):
    """Lay out `rows`, a list of lists of cells, as text: one line per row, `gap` blanks between columns."""
    rows = [list(row) for row in rows]
    sizes = widths(rows)
    lines = []
    for row in rows:
        cells = [_align(cell, size) for cell, size in zip(row, sizes)]
        lines.append((" " * gap).join(cells).rstrip())
    return "\n".join(lines)
