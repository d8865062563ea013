"""Print what keeps a notebook from being thin, typed and clean; fail if any.

usage: notebook_lint.py [FOLDER]

Notebooks hold no logic: parameters, imports from the package, calls. Whatever
decides anything lives in the package, where it is tested.
"""

import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

NUMBERS = tuple(range(8))
MOST_CELLS = 13
MOST_LINES = 8
MOST_PARAMETERS = 12
LONGEST_LINE = 88
TYPES = {"str": str, "int": int, "float": (int, float), "bool": bool}
HIDDEN = {"source_hidden": True}
SECRET = re.compile(r"token|secret|password|credential", re.IGNORECASE)
METADATA = {"kernelspec", "language_info"}
LOGIC = {
    ast.FunctionDef: "defines a function",
    ast.AsyncFunctionDef: "defines a function",
    ast.Lambda: "defines a function",
    ast.ClassDef: "defines a class",
    ast.For: "loops",
    ast.AsyncFor: "loops",
    ast.While: "loops",
    ast.comprehension: "loops",
    ast.If: "branches",
    ast.IfExp: "branches",
    ast.Match: "branches",
    ast.Try: "handles exceptions",
    ast.TryStar: "handles exceptions",
    ast.With: "holds something open",
    ast.AsyncWith: "holds something open",
    ast.Delete: "deletes",
    ast.Global: "reaches for globals",
    ast.Assert: "asserts",
    ast.Raise: "raises",
}


def main(folder: str = "notebooks") -> int:
    """Check every notebook of a folder; return 1 when something is found."""
    paths = sorted(Path(folder).glob("*.ipynb"))
    found = [*numbering(paths), *(line for path in paths for line in lint(path))]
    for line in found:
        print(line)
    print(f"{len(paths)} notebooks, {len(found)} findings")
    return int(bool(found))


def numbering(paths: list[Path]) -> Iterator[str]:
    """Yield what is wrong with the files' names: each number once, none missing."""
    numbers = []
    for path in paths:
        match = re.fullmatch(r"(\d\d)_[a-z0-9_]+\.ipynb", path.name)
        if match is None:
            yield f"{path}: is not named NN_words.ipynb"
        else:
            numbers.append(int(match[1]))
    for number in NUMBERS:
        if numbers.count(number) != 1:
            yield f"notebook {number:02} is there {numbers.count(number)} times"


def lint(path: Path) -> Iterator[str]:
    """Yield one line per finding in a notebook."""
    try:
        document = json.loads(path.read_text("utf-8"))
        cells = document["cells"]
    except (ValueError, KeyError, TypeError) as error:
        yield f"{path}: is no notebook ({error})"
        return
    yield from (f"{path}: {finding}" for finding in whole(document))
    for number, cell in enumerate(cells, start=1):
        findings = code(cell) if cell.get("cell_type") == "code" else prose(cell)
        yield from (f"{path}: cell {number} {finding}" for finding in findings)


def whole(document: dict) -> Iterator[str]:
    """Yield what is wrong with a notebook as a whole."""
    cells = document["cells"]
    code_cells = [each for each in cells if each.get("cell_type") == "code"]
    if (document.get("nbformat"), document.get("nbformat_minor")) != (4, 5):
        yield "is not in notebook format 4.5"
    for key in sorted(document.get("metadata", {}).keys() - METADATA):
        yield f"holds the metadata {key}: take it out"
    if document.get("metadata", {}).get("kernelspec", {}).get("name") != "python3":
        yield "does not name the kernel python3"
    if document.get("metadata", {}).get("language_info") != {"name": "python"}:
        yield "names more of its language than its name: save it with cmsmig lab"
    if not cells or not source(cells[0]).startswith("# "):
        yield "does not begin with a title"
    if len(code_cells) > MOST_CELLS:
        yield f"has {len(code_cells)} code cells, at most {MOST_CELLS} are allowed"
    tagged = [each for each in code_cells if is_parameters(each)]
    if len(tagged) != 1 or tagged[0] is not code_cells[0]:
        yield "needs one cell tagged parameters, before all other code"


def prose(cell: dict) -> Iterator[str]:
    """Yield what is wrong with a cell that is not code."""
    if cell.get("cell_type") != "markdown":
        yield "is neither code nor markdown"
    if re.search(r"<(script|img|iframe)\b|!\[", source(cell), re.IGNORECASE):
        yield "loads something: describe it in words"


def code(cell: dict) -> Iterator[str]:
    """Yield what is wrong with a code cell."""
    text = source(cell)
    lines = text.splitlines()
    if cell.get("outputs") or cell.get("execution_count") is not None:
        yield "keeps its output: strip it"
    if cell.get("metadata", {}).keys() - {"tags", "jupyter"}:
        yield "keeps metadata beside its tags: take it out"
    if cell.get("metadata", {}).get("jupyter") != HIDDEN:
        yield "shows its code: hide it, people read what it puts out"
    most = MOST_PARAMETERS if is_parameters(cell) else MOST_LINES
    if len(lines) > most:
        yield f"has {len(lines)} lines, at most {most} are allowed"
    for line in lines:
        if len(line) > LONGEST_LINE or line != line.rstrip():
            yield f"has a line that is too long or ends in blanks: {line[:40]!r}"
    try:
        tree = compile(text, "cell", "exec", PARSE_ONLY)
    except SyntaxError as error:
        yield f"is not plain Python: {error.msg}"
        return
    if not tree.body:
        yield "is empty"
    elif is_parameters(cell):
        yield from parameters(tree, text)
    else:
        yield from calls(tree)


def calls(tree: ast.Module) -> Iterator[str]:
    """Yield what is logic in a cell, or comes from elsewhere, or shows nothing."""
    for node in ast.walk(tree):
        if type(node) in LOGIC:
            yield f"{LOGIC[type(node)]}: move that into the package"
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (
                f"imports {name}: only cmsmig is allowed"
                for name in imported(node)
                if name.partition(".")[0] != "cmsmig"
            )
    if not isinstance(tree.body[-1], ast.Expr):
        yield "does not end in something to look at"


def parameters(tree: ast.Module, text: str) -> Iterator[str]:
    """Yield what is wrong with the parameters: each typed, literal, explained."""
    comments = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    for node in tree.body:
        line = ast.get_source_segment(text, node) or ""
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            yield f"holds something else than `name: type = value`: {line}"
            continue
        name = node.target.id
        hint = ast.unparse(node.annotation)
        value = node.value.value if isinstance(node.value, ast.Constant) else None
        if hint not in TYPES or (type(value) is bool and hint != "bool"):
            yield f"{name} is of a type that does not fit: {hint}"
        elif not isinstance(value, TYPES[hint]):
            yield f"{name} is not a literal of its type {hint}"
        if node.end_lineno not in comments:
            yield f"{name} is not explained in a comment behind it"
        if text.splitlines()[node.lineno - 1].count("=") != 1:
            # The reader of parameters gives up on a line with two of them.
            yield f"{name} stands on a line with more than one equals sign"
        if SECRET.search(name):
            yield f"{name} looks like a secret; those come from the environment"


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules that a statement names."""
    if isinstance(node, ast.ImportFrom):
        return ["." if node.level else str(node.module)]
    return [each.name for each in node.names]


def is_parameters(cell: dict) -> bool:
    """Return whether a cell is tagged as the one that holds the parameters."""
    return "parameters" in cell.get("metadata", {}).get("tags", [])


def source(cell: dict) -> str:
    """Return a cell's text, kept as one string or as lines."""
    text = cell.get("source", "")
    return text if isinstance(text, str) else "".join(text)


PARSE_ONLY = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
