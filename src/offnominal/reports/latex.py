"""Tables in LaTeX with booktabs."""

from __future__ import annotations

from offnominal.core.printable import one_line
from offnominal.reports.tables import Rows, text

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "→": r"$\to$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "σ": r"$\sigma$",
    "µ": r"$\mu$",
    "–": "--",
}


def latex(rows: Rows, caption: str = "") -> str:
    r"""Return rows as a LaTeX table that needs the package booktabs.

    Example:
        >>> print(latex([{"detector": "KNN", "missed (%)": 3.5}], "Misses"))
        \begin{table}
          \centering
          \caption{Misses}
          \begin{tabular}{lr}
            \toprule
            detector & missed (\%) \\
            \midrule
            KNN & 3.5 \\
            \bottomrule
          \end{tabular}
        \end{table}
    """
    header = list(rows[0])
    sides = "".join(
        "l" if all(isinstance(row[name], str) for row in rows) and i == 0 else "r" for i, name in enumerate(header)
    )
    lines = [_line(header), r"    \midrule", *(_line([text(value) for value in row.values()]) for row in rows)]
    parts = [
        r"\begin{table}",
        r"  \centering",
        *([rf"  \caption{{{escaped(caption)}}}"] if caption else []),
        rf"  \begin{{tabular}}{{{sides}}}",
        r"    \toprule",
        *lines,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(parts)


def escaped(plain: str) -> str:
    r"""Return text in which nothing is a command, in one line.

    A leading bracket or star would be an option of the line break before it, so it goes into a group.

    Example:
        >>> escaped("95 % of a_b")
        '95 \\% of a\\_b'
    """
    line = one_line(plain)
    first = f"{{{line[0]}}}" if line[:1] in ("[", "*") else ""
    return first + "".join(SPECIAL.get(letter, letter) for letter in (line[1:] if first else line))


def _line(cells: list[str]) -> str:
    return f"    {' & '.join(escaped(cell) for cell in cells)} \\\\"
