"""Apply rename maps to a checkout.

usage: apply.py CHECKOUT MAP.json [MAP.json ...]

A map is {"modules": {old dotted: new dotted}, "names": [{"old", "new", "only"?: [globs], "skip"?: [globs], "text"?: bool, "as"?: [contexts],
"not_before"?: regex}], "texts": [{"old", "new", "only"?: [globs]}], "files"?: {old path: new path}, "write"?: {path: content}}.
- modules: files or packages move (git mv), with every mention of the dotted path and of the path with slashes; tests/<pkg>/test_<old>.py moves along.
  Keys are names of the old tree; a rule for a module is stronger than one for its package; two packages may move into one (of two `__init__.py` the
  first stays: give the wanted one under "write").
- files: other files (data, tests) that move, old path -> new path, both as they are after the modules moved; tests that would collide must be given here
  under their old path.
- names: whole NAME tokens of Python code (also in doctests, `code` in docstrings/comments/Markdown, code blocks of Markdown). With "text": true every whole-word
  occurrence in every text file within the globs (strings, prose, toml, js included). All rules of a file are applied at once (swaps work); of two rules for one
  name the one with "only" wins, then the later one.
  With "as" only occurrences in these contexts: "attribute" (after a dot), "keyword" (`old=` in calls and unannotated defaults; keys in TOML), "field" (annotated
  name in a class body), "parameter" (arguments of functions, with every use inside the function, and their line in a docstring), "string" (a string that is
  exactly the name), "def" (the name after def/class, and imports), "variable" (any other bare name).
  "not_before": the line up to the name must not match this regular expression (e.g. "network\\.$" keeps torch's network.parameters()); "after": the rest of the line must match.
- sort_keys: TOML files (of the new tree) whose entries are put in alphabetical order within each table before anything is renamed.
- texts: literal replacements within the globs.
- write: files with this content, after the moves and before anything is renamed.
- calls: [{"functions": [old names], "old", "new", "only"?, "skip"?}]: the keyword argument `old=` of calls of these functions, in all text files (code,
  doctests, Markdown); applied after the moves and before names.
- texts also take "skip" and "word": true (whole words only).
Globs are of the new tree.
"""
import ast, fnmatch, io, json, re, subprocess, sys, tokenize
from pathlib import Path

root = Path(sys.argv[1]).resolve(); maps = [json.loads(Path(p).read_text()) for p in sys.argv[2:]]
def git(*a): return subprocess.run(["git", "-C", root, *a], check=True, capture_output=True, text=True).stdout
def tracked(): return [f for f in git("ls-files").splitlines() if (root / f).exists() and not f.startswith("tools/")]
def files():
    return [root / f for f in tracked() if Path(f).suffix in (".py", ".md", ".toml", ".yml", ".csv", ".js", ".html", ".json", ".css", ".cff") or Path(f).name in ("Makefile", "run")]
def matches(path, globs):
    rel = str(path)[len(str(root)) + 1:]
    return any(fnmatch.fnmatch(rel, g) or rel.startswith(g.rstrip("*")) and g.endswith("/**") for g in globs)
def move(a, b):
    if a == b: return
    if (root / b).exists():
        if Path(a).name != "__init__.py": print("target exists:", a, "->", b)
        git("rm", "-q", "-f", a) if Path(a).name == "__init__.py" else None
        return
    (root / b).parent.mkdir(parents=True, exist_ok=True); git("mv", a, b)

modules = {}; datafiles = {}
for m in maps: modules.update(m.get("modules", {})); datafiles.update(m.get("files", {}))
def best(dotted):
    """Return the dotted path after the moves: the longest rule that fits."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        head = ".".join(parts[:n])
        if head in modules: return ".".join([modules[head], *parts[n:]])
    return dotted
def exported(package):
    f = root / "src" / Path(*package.split(".")) / "__init__.py"
    m = re.search(r"^__all__ = \[(.*?)\]", f.read_text(), re.M | re.S) if f.exists() else None
    return set(re.findall(r"[\"'](\w+)[\"']", m.group(1))) if m else set()
hidden = {o for o in modules if o.rpartition(".")[2] in exported(o.rpartition(".")[0])}
if modules:
    have = set(tracked())
    for old in modules:
        p = "src/" + old.replace(".", "/")
        if p + ".py" not in have and not any(f.startswith(p + "/") for f in have): print("no module", old)
    order = {o: i for i, o in enumerate(modules)}
    for f in sorted(have, key=lambda f: min([order[o] for o in modules if f.startswith("src/" + o.replace(".", "/") + "/")] or [0])):
        if f in datafiles: continue
        path = Path(f)
        if path.parts[0] == "src" and path.suffix == ".py":
            dotted = ".".join(path.with_suffix("").parts[1:])
            if path.stem == "__init__": new = "src/" + best(".".join(path.parts[1:-1])).replace(".", "/") + "/__init__.py"
            else: new = "src/" + best(dotted).replace(".", "/") + ".py"
            move(f, new)
        elif path.parts[0] == "src":
            package = ".".join(path.parts[1:-1])
            move(f, "src/" + best(package).replace(".", "/") + "/" + path.name)
        elif path.parts[0] == "tests" and len(path.parts) > 2:
            package = "offnominal." + ".".join(path.parts[1:-1])
            new = best(package)
            name = path.name
            if path.stem.startswith("test_") and path.suffix == ".py":
                whole = best(f"{package}.{path.stem[5:]}")
                if f"{package}.{path.stem[5:]}" in modules: new, _, stem = whole.rpartition("."); name = f"test_{stem}.py"
            move(f, "tests/" + "/".join(new.split(".")[1:]) + "/" + name)
for folder in sorted((p for p in (root / "src").rglob("*") if p.is_dir()), reverse=True):
    if not [p for p in folder.iterdir() if p.name != "__pycache__"]:
        import shutil; shutil.rmtree(folder)
for a, b in datafiles.items():
    if (root / a).exists(): move(a, b)
    else: print("no file", a)
for m in maps:
    for path, content in m.get("write", {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True); (root / path).write_text(content); git("add", "-N", path)
ordered = sorted(modules, key=len, reverse=True)
if ordered:
    def dotted(text):
        def sub(m):
            parts = m.group().split(".")
            for n in range(len(parts), 1, -1):
                head = ".".join(parts[:n])
                if head in modules:
                    if head in hidden and n == len(parts) and not re.match(r":\w| import ", text[m.end():m.end() + 8]): continue
                    return ".".join([modules[head], *parts[n:]])
            return m.group()
        return re.sub(r"(?<![\w.])offnominal(?:\.[A-Za-z_]\w*)+", sub, text) if "offnominal." in text else text
    slashes = {o.replace(".", "/"): modules[o].replace(".", "/") for o in ordered}
    def slashed(text):
        def sub(m):
            parts = m.group().split("/")
            for n in range(len(parts), 1, -1):
                head = "/".join(parts[:n])
                if head in slashes: return "/".join([slashes[head], *parts[n:]])
            return m.group()
        return re.sub(r"(?<!\w)offnominal(?:/[A-Za-z_]\w*)+", sub, text) if "offnominal/" in text else text
    split_import = re.compile(r"^(\s*(?:>>> )?from )(offnominal[\w.]*)( import )([\w, ]+)$", re.M)
    for f in files():
        s = t = f.read_text()
        def imp(m):
            kept, out = [], []
            for name in m.group(4).split(","):
                name = name.strip(); base, _, alias = name.partition(" as ")
                path = f"{m.group(2)}.{base}"
                if path in modules and path not in hidden:
                    np, _, nn = modules[path].rpartition(".")
                    out.append(f"{m.group(1)}{np}{m.group(3)}{nn}" + (f" as {alias}" if alias else f" as {base}" if nn != base else ""))
                else: kept.append(name)
            if not out: return m.group()
            return "\n".join(([f"{m.group(1)}{m.group(2)}{m.group(3)}{', '.join(kept)}"] if kept else []) + out)
        if f.suffix in (".py", ".md"): t = split_import.sub(imp, t)
        t = dotted(t)
        t = slashed(t)
        if t != s: f.write_text(t)

for path in [p for m in maps for p in m.get("sort_keys", [])]:
    out = []
    for table in re.split(r"(?m)^(?=\[)", (root / path).read_text()):
        entries = re.split(r"(?m)^(?=[\w.-]+ = )", table)
        tail = re.search(r"\n*$", entries[-1]).group(); entries[-1] = entries[-1].rstrip("\n") + "\n"
        grid = [i for i, e in enumerate(entries) if i and (e.startswith("grid.") or "grid." not in table and not re.match(r"(title|detector|family|runner|shared|fixed)\b", e))]
        for i, e in zip(grid, sorted((entries[i] for i in grid), key=lambda e: e.split(" = ")[0])): entries[i] = e
        out.append("".join(entries).rstrip("\n") + tail)
    (root / path).write_text("".join(out))
def in_calls(text, rule):
    n, out, at = 0, [], 0
    for m in re.finditer(r"(?<!\w)(?:" + "|".join(map(re.escape, rule["functions"])) + r")\(", text):
        depth, i, quote = 1, m.end(), ""
        while i < len(text) and depth and i - m.end() < 3000:
            c = text[i]
            if quote:
                if c == "\\": i += 1
                elif c == quote: quote = ""
            elif c in "\"'": quote = c
            elif c in "([{": depth += 1
            elif c in ")]}": depth -= 1
            elif depth == 1 and i >= at and re.match(rf"{re.escape(rule['old'])}\s?=(?!=)", text[i:]) and not re.match(r"\w", text[i-1]):
                out.append(text[at:i]); out.append(rule["new"]); at = i = i + len(rule["old"]); n += 1; continue
            i += 1
    out.append(text[at:])
    return "".join(out), n
for c in [c for m in maps for c in m.get("calls", [])]:
    total = 0
    for f in files():
        if "only" in c and not matches(f, c["only"]) or "skip" in c and matches(f, c["skip"]): continue
        s = f.read_text(); t, k = in_calls(s, c)
        if k: f.write_text(t); total += k
    if not total: print("call never found:", c["functions"], c["old"])
names = [n for m in maps for n in m.get("names", [])]
for i, r in enumerate(names): r["id"] = i; r["n"] = 0
# names behind a dotted path (`offnominal.a.b.Name`, `offnominal.a.b:name`): by the rules of the file that the path names
HOMES = {}
def home_rules(path):
    if path not in HOMES:
        rel = "src/" + path.replace(".", "/")
        f = next((root / x for x in (rel + ".py", rel + "/__init__.py") if (root / x).exists()), None)
        found = {}
        if f is not None:
            for r in sorted(names, key=lambda r: "only" in r):
                if ("as" not in r or "def" in r["as"]) and not r.get("text") and ("only" not in r or matches(f, r["only"])) and not ("skip" in r and matches(f, r["skip"])): found[r["old"]] = r
        HOMES[path] = found
    return HOMES[path]
def behind(m):
    path, *rest = m.group().rsplit(".", 1) if ":" not in m.group() else m.group().split(":")
    r = home_rules(path).get(rest[0])
    if r is None or "not_before" in r and "def" not in r.get("as", ()): return m.group()
    r["n"] += 1; return m.group()[:-len(rest[0])] + r["new"]
for f in files():
    s = f.read_text()
    if "offnominal." not in s: continue
    t = re.sub(r"(?<![\w.])offnominal(?:\.[A-Za-z_]\w*)+(?::\w+)?(?! import)(?![\w.:]*[\w])", behind, s)
    def imported_names(m):
        known = home_rules(m.group(2))
        def one(w):
            r = known.get(w.group())
            if r is None: return w.group()
            r["n"] += 1; return r["new"]
        return m.group(1) + m.group(2) + " import " + re.sub(r"(?<!as )\b\w+", one, m.group(3))
    t = re.sub(r"(?m)^((?: *>>> )?from )(offnominal[\w.]*) import ([\w, ]+)$" if f.suffix == ".md" else r"(?m)^( *>>> from )(offnominal[\w.]*) import ([\w, ]+)$", imported_names, t)
    if s != t: f.write_text(t)
TEXTUAL = {"variable": r"(?<![\w.\"']){0}(?![\w\"'])(?!=[^=])", "attribute": r"(?<=\.){0}(?!\w)", "keyword": r"(?<![\w.]){0}(?==(?![=]))", "string": r"(?<=[\"']){0}(?=[\"'])", "def": r"(?:(?<=def )|(?<=class )){0}(?!\w)"}
def textual(r):
    """Return the pattern of a rule in text: doctests, code blocks."""
    if "as" not in r: return rf"(?<!\w){re.escape(r['old'])}(?!\w)"
    parts = [TEXTUAL[c].format(re.escape(r["old"])) for c in r["as"] if c in TEXTUAL]
    return "|".join(f"(?:{p})" for p in parts) or None
COMPILED = {}
def at_once(text, rules, pattern=textual, whole=False):
    """Apply rules to a text, all at once."""
    words = set(re.findall(r"\w+", text)); rules = [r for r in rules if r["old"] in words]
    if not rules: return text
    key = (pattern, *(r["id"] for r in rules))
    if key not in COMPILED:
        pats, table = [], {}
        for r in rules:
            p = pattern(r)
            if p: pats.append(f"(?P<r{r['id']}>{p})"); table[f"r{r['id']}"] = r
        COMPILED[key] = (re.compile("|".join(pats), re.M) if pats else None), table
    compiled, table = COMPILED[key]
    if compiled is None: return text
    def sub(m):
        r = table[m.lastgroup]; line = text[text.rfind("\n", 0, m.start()) + 1:m.start()]
        if "not_before" in r and re.search(r["not_before"], line): return m.group()
        if "after" in r and not re.match(r["after"], text[m.end():].split("\n", 1)[0]): return m.group()
        r["n"] += 1; return r["new"]
    return compiled.sub(sub, text)
def OUTPUT(r):
    """Return the pattern of a rule in the output of an example."""
    if "as" not in r: return rf"(?<!\w){re.escape(r['old'])}(?!\w)"
    return "|".join(TEXTUAL[c].format(re.escape(r["old"])) for c in r["as"] if c in ("string", "keyword"))
SPAN = re.compile(r"(`+)([^`\n]+)(`+)")
def in_code_spans(text, rules):
    exact = {r["old"]: r for r in rules if "as" in r}
    def sub(m):
        if m.group(2) in exact: exact[m.group(2)]["n"] += 1; return m.group(1) + exact[m.group(2)]["new"] + m.group(3)
        return m.group(1) + at_once(m.group(2), rules) + m.group(3)
    out, example = [], False
    printed = [r for r in rules if {"string", "keyword"} & set(r.get("as", ())) or "as" not in r and not r["old"].islower()]
    for line in text.split("\n"):
        if not line.strip(): example = False
        if line.strip().startswith((">>>", "...")): line, example = at_once(line, rules), True
        elif example: line = at_once(line, printed, OUTPUT)
        else: line = SPAN.sub(sub, line)
        out.append(line)
    return "\n".join(out)
def docstring_lines(text, rules):
    """Rename entries of the Args and Attributes sections."""
    params = {r["old"]: r for r in rules if {"parameter", "field"} & set(r.get("as", ()))} | {r["old"]: r for r in rules if "as" not in r}
    def sub(m):
        r = params.get(m.group(2))
        if r is None: return m.group()
        r["n"] += 1; return m.group(1) + r["new"]
    return re.sub(r"^( {4,})(\w+)(?=: \S)", sub, text, flags=re.M)
def scopes(tree, wanted):
    """Return {name: [(first line, last line)]} of functions that have it as an argument, with their decorators' classes left out."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            a = node.args
            for x in [*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.vararg] if a.vararg else []), *([a.kwarg] if a.kwarg else [])]:
                if x.arg in wanted: found.setdefault(x.arg, []).append(((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)))
    return found
def class_lines(tree):
    """Return the positions of annotated names in class bodies."""
    return {(s.target.lineno, s.target.col_offset) for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for s in n.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)} | {
        (t.lineno, t.col_offset) for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for s in n.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)}
def python(t, code, init=False):
    by = {}
    for r in code: by.setdefault(r["old"], []).append(r)
    lines = t.splitlines(keepends=True); edits = []
    try: toks = list(tokenize.generate_tokens(io.StringIO(t).readline)); tree = ast.parse(t)
    except Exception as e: print("cannot parse", e); return t
    ranges = scopes(tree, {r["old"] for r in code if "parameter" in r.get("as", ())}); fields = class_lines(tree)
    arguments = {(x.lineno, x.col_offset) for x in ast.walk(tree) if isinstance(x, ast.arg)}
    def byte_col(pos):
        line = lines[pos[0]-1]; return (pos[0], len(line[:pos[1]].encode()))
    depth, last, current = 0, None, None
    statement, imported = None, False
    for i, k in enumerate(toks):
        if k.type in (tokenize.NEWLINE,): statement, imported = None, False
        elif statement is None and k.type == tokenize.NAME: statement = k.string
        if statement in ("from", "import") and k.string == "import": imported = True
        if current is not None: last = current
        current = k if k.type not in (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT) else None
        if k.type == tokenize.OP:
            if k.string in "([{": depth += 1
            elif k.string in ")]}": depth -= 1
        if k.type == tokenize.NAME and k.string in by:
            before, after = lines[k.start[0]-1][:k.start[1]], lines[k.end[0]-1][k.end[1]:]
            prev = last
            nxt = toks[i+1] if i + 1 < len(toks) else None
            attribute = prev is not None and prev.string == "."
            if statement in ("from", "import") and (not imported or attribute): continue
            keyword = byte_col(k.start) not in arguments and depth > 0 and nxt is not None and nxt.string == "=" and nxt.start == k.end
            for r in reversed(by[k.string]):
                if "not_before" in r and re.search(r["not_before"], before): continue
                if "after" in r and not re.match(r["after"], after): continue
                if "as" in r:
                    c = r["as"]; pos = byte_col(k.start)
                    isfield = pos in fields
                    isdef = prev is not None and prev.string in ("def", "class")
                    inscope = any(a <= pos < b for a, b in ranges.get(k.string, ()))
                    line = lines[k.start[0]-1].lstrip()
                    ok = (attribute and "attribute" in c) or (keyword and "keyword" in c) or (isfield and "field" in c) or (isdef and "def" in c) or (statement == 'from' and "def" in c) or (
                        not attribute and not keyword and not isfield and not isdef and (("parameter" in c and inscope) or ("variable" in c)))
                    if keyword and not ok and "parameter" in c and inscope:  # an unannotated default in the signature itself
                        ok = False
                    if not ok: continue
                edits.append((k.start, k.end, r["new"])); r["n"] += 1; break
        elif k.type in (tokenize.STRING, tokenize.COMMENT):
            x = k.string
            head = re.match(r"(?i)[rbu]*f[rb]*['\"]", x)
            if head:
                usable = [r for r in code if "as" not in r or {"variable", "attribute", "string"} & set(r["as"]) or
                          "parameter" in r["as"] and any(a <= byte_col(k.start) < b for a, b in ranges.get(r["old"], ()))]
                inside = {r["id"] for r in usable if any(a <= byte_col(k.start) < b for a, b in ranges.get(r["old"], ()))}
                y = in_braces(x, [r if r["id"] in inside or "parameter" not in r.get("as", ()) else NARROW.setdefault(r["id"], r | {"as": [c for c in r["as"] if c != "parameter"], "id": r["id"] + 100000}) for r in usable])
            else:
                y = x
                if k.type == tokenize.STRING:
                    j = i - 1
                    while j > 0 and (toks[j].type in (tokenize.NL, tokenize.STRING) or toks[j].string in ("(", ",")): j -= 1
                    fixture = toks[j].string in ("parametrize", "usefixtures", "getfixturevalue")
                    attribute_name = bool(re.search(r"\b(setattr|delattr|hasattr|getattr|patch\.object)\([\w. ]+,\s*$", lines[k.start[0]-1][:k.start[1]]))
                    m = re.fullmatch(r"([rbuRBU]*)(['\"])(\w[\w.-]*)\2", x)
                    if m:
                        for r in reversed(by.get(m.group(3), ())):
                            if fixture and "parameter" not in r.get("as", ()): continue
                            if attribute_name and ("as" not in r or {"def", "variable", "attribute"} & set(r["as"])): y = m.group(1) + m.group(2) + r["new"] + m.group(2); r["n"] += 1; break
                            if "string" in r.get("as", ()) or init and ("as" not in r or "def" in r["as"]): y = m.group(1) + m.group(2) + r["new"] + m.group(2); r["n"] += 1; break
                    if x.lstrip("rRbBuU").startswith('"""'): y = docstring_lines(y, code)
                if "`" in x or ">>>" in x: y = in_code_spans(y, code)
            if y != x: edits.append((k.start, k.end, y))
    offs = [0]
    for l in lines: offs.append(offs[-1] + len(l))
    for (a, b, new) in sorted(edits, reverse=True):
        i = offs[a[0]-1] + a[1]; j = offs[b[0]-1] + b[1]
        t = t[:i] + new + t[j:]
    return t
STRINGS = lambda r: TEXTUAL["string"].format(re.escape(r["old"]))
NARROW = {}
def in_braces(x, rules):
    """Rename in the expressions of an f-string."""
    out, i = [], 0
    while i < len(x):
        if x.startswith("{{", i) or x.startswith("}}", i): out.append(x[i:i+2]); i += 2; continue
        if x[i] != "{": out.append(x[i]); i += 1; continue
        j, depth = i, 0
        while j < len(x):
            depth += (x[j] == "{") - (x[j] == "}"); j += 1
            if not depth: break
        out.append(at_once(x[i:j], rules, FSTRING)); i = j
    return "".join(out)
def FSTRING(r):
    old = re.escape(r["old"])
    if "as" not in r: return rf"(?<!\w){old}(?!\w)"
    parts = [rf"(?<=\.){old}(?!\w)"] if "attribute" in r["as"] else []
    if {"variable", "parameter"} & set(r["as"]): parts.append(rf"(?<![\w.\"']){old}(?![\w\"'])")
    if "string" in r["as"]: parts.append(rf"(?<=[\"']){old}(?=[\"'])")
    return "|".join(parts) or None
TOMLKEY = lambda r: rf"(?<![\w\"'-]){re.escape(r['old'])}(?= *= )" if "as" not in r or "keyword" in r["as"] else None
for f in files():
    s = f.read_text(); words = set(re.findall(r"\w+", s))
    mine = [r for r in names if r["old"] in words and ("only" not in r or matches(f, r["only"])) and not ("skip" in r and matches(f, r["skip"]))]
    if not mine: continue
    mine.sort(key=lambda r: "only" in r)
    t = s
    full = [r for r in mine if r.get("text")]; code = [r for r in mine if not r.get("text")]
    if full: t = at_once(t, full)
    if f.suffix == ".py" and code: t = python(t, code, f.name == "__init__.py")
    if f.suffix == ".py" and code and "parametrize(" in t:  # names of arguments, given as text
        args = [r for r in code if "as" not in r or {"parameter", "variable"} & set(r["as"])]
        plain = {r["old"]: r for r in args}
        t = re.sub(r'((?:parametrize|usefixtures|getfixturevalue)\(\s*)((?:"[\w, ]+")|(?:\((?:\s*"\w+",?)+\s*\)))', lambda m: m.group(1) + re.sub(r"\w+", lambda w: plain[w.group()]["new"] if w.group() in plain else w.group(), m.group(2)), t)
    if f.suffix in (".py", ".toml") and code:
        plain = {r["old"]: r for r in code if "as" not in r or "def" in r["as"]}
        def target(m):
            r = plain.get(m.group(2))
            if r is None: return m.group()
            r["n"] += 1; return m.group(1) + r["new"]
        t = re.sub(r"((?:offnominal(?:\.\w+)+|\{\w+\}(?:\.\w+)*):)(\w+)", target, t)
    if f.suffix == ".toml" and code:
        t = at_once(t, [r for r in code if "keyword" in r.get("as", ())], TOMLKEY)
        t = at_once(t, [r for r in code if "string" in r.get("as", ())], STRINGS)
    elif f.suffix == ".md" and code:
        parts = re.split(r"(^```.*?^```)", t, flags=re.M | re.S)
        for i, p in enumerate(parts):
            if p.startswith("```toml"): parts[i] = at_once(p, [r for r in code if "keyword" in r.get("as", ())], TOMLKEY)
            elif p.startswith(("```python", "```py")): parts[i] = at_once(p, code)
            elif p.startswith("```"): parts[i] = at_once(p, [r for r in code if "as" not in r])
            else: parts[i] = in_code_spans(p, code)
        t = "".join(parts)
    if f.suffix == ".md" and code and ("::: " in t or "][off" in t):  # mkdocstrings
        plain = {r["old"]: r for r in code if "as" not in r or {"def", "variable"} & set(r["as"])}
        t = re.sub(r"((?:^::: |\]\[)offnominal[\w.]*\.)(\w+)(?=$|\])", lambda m: m.group(1) + (plain[m.group(2)]["new"] if m.group(2) in plain and not re.search(plain[m.group(2)].get("not_before", "(?!)"), m.group(1)) else m.group(2)), t, flags=re.M)
    if t != s: f.write_text(t)
listed = files()
for r in names:
    if not r["n"]: print("never used:", r["old"], "->", r["new"], r.get("only", ""))
for m in maps:
    for r in m.get("texts", []):
        n = 0
        for f in listed:
            if "only" in r and not matches(f, r["only"]) or "skip" in r and matches(f, r["skip"]): continue
            s = f.read_text()
            t = re.sub(rf"(?<!\w){re.escape(r['old'])}(?!\w)", lambda _: r["new"], s) if r.get("word") else s.replace(r["old"], r["new"])
            if t != s: f.write_text(t); n += 1
        if not n: print("text never found:", r["old"])
