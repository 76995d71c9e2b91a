"""Rewrap docstring and comment lines that a rename made too long (E501).

usage: reflow.py CHECKOUT   (after ruff check --fix and ruff format; prints what is left)
Joins the paragraph around each long line inside a docstring (same indentation, no list, no example) and wraps it at 120 columns.
"""
import json, re, subprocess, sys, textwrap
from pathlib import Path
root = Path(sys.argv[1])
def found(): return json.loads(subprocess.run([root / ".venv/bin/ruff", "check", "--select", "E501", "--output-format", "json", "--exit-zero", str(root)], capture_output=True, text=True).stdout)
for _ in range(3):
    byfile = {}
    for e in found(): byfile.setdefault(e["filename"], set()).add(e["location"]["row"] - 1)
    for name, rows in byfile.items():
        lines = Path(name).read_text().split("\n")
        for row in sorted(rows, reverse=True):
            line = lines[row]; indent = len(line) - len(line.lstrip())
            if re.search(r">>>|^\s*\.\.\.|[\"']{3}.*[\"']{3}$", line) or not re.search(r"[a-z] [a-z]", line) : continue
            inside = sum(x.count('"""') for x in lines[:row]) % 2 == 1 or line.lstrip().startswith('"""')
            if not inside and not line.lstrip().startswith("# "): continue
            entry = re.match(r"\s+\w+: ", line)
            hang = indent + (4 if entry else 0)
            start = end = row
            same = lambda x: x.strip() and len(x) - len(x.lstrip()) == hang and not re.match(r"\s*([-*|]|\w+: |>>>|\.\.\.|Args:|Returns:|Example:|Raises:|Attributes:)", x) and '"""' not in x
            if not entry:
                while start and same(lines[start - 1]) and '"""' not in lines[start]: start -= 1
                if start and re.match(r"\s+\w+: \S", lines[start - 1]) and len(lines[start - 1]) - len(lines[start - 1].lstrip()) == indent - 4:
                    start -= 1
            while end + 1 < len(lines) and same(lines[end + 1]): end += 1
            lead = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
            mark = "# " if lines[start].lstrip().startswith("# ") else ""
            text = " ".join(x.strip().removeprefix(mark) for x in lines[start : end + 1])
            rest = (" " * hang if not mark else lead) + mark
            lines[start : end + 1] = textwrap.wrap(text, 120, initial_indent=lead + mark, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
        Path(name).write_text("\n".join(lines))
for e in found(): print(f"{e['filename']}:{e['location']['row']}: {e['message']}")
