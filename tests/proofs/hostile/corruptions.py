"""How an input is corrupted: bytes, texts, JSON, databases and what is no file."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

Chance = random.Random

NUMBERS = (
    *("0", "-1", "1.5", "1e999", "-1e999", "NaN", "1e-320", "9" * 5000, "9" * 400),
    *("9223372036854775808", "2147483648", "00", "0x10", "1_000", "٣"),
)
TEXTS = (
    *("", " ", "\0", "\ud800", "x" * 70_000, "../../../../etc/passwd", "null", "~"),
    *(
        "9999-12-31T23:59:60Z",
        "0000-00-00T00:00:00Z",
        "2024-02-30",
        "\u202e",
        "\x1b]52;",
    ),
    *("http://[", "https://[::1", "//", "file:///dev/zero", "http://a:99999/", "%zz"),
    *("<" * 3000, "&" * 3000, "<p>" * 500, "- " * 300, "{{", "${HOME}", "`", "a\nb: c"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**63, 10**400, 1.5, -1e308, [], {}, [[]], [None]),
    *(
        "",
        "text",
        "\ud83d",
        ["a"] * 300,
        {"": ""},
        {"a": {"b": {"c": []}}},
        [0, "", None],
    ),
)
DEEP = ("[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900, "[" * 100_000)


def damaged(content: bytes, chance: Chance) -> bytes:
    """Return bytes with one kind of damage that files and networks do."""
    size = len(content)
    start = chance.randrange(size + 1)
    end = min(size, start + chance.choice((1, 2, 7, 100, 5000)))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: b"",
        lambda: content[:start],
        lambda: content[start:],
        lambda: content[:start] + content[end:],
        lambda: content[:end] + content[start:],
        lambda: content[:start] + chance.randbytes(end - start) + content[end:],
        lambda: content[:start] + b"\0" * (end - start) + content[end:],
        lambda: content[:start] + chance.choice(TEXTS).encode("utf-8", "surrogatepass")
        + content[start:],
        lambda: content + chance.randbytes(50),
        lambda: content + content,
        lambda: b"\xef\xbb\xbf" + content,
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.decode("utf-8", "replace").encode("utf-16"),
        lambda: content.replace(b"e", b"\xe9"),
        lambda: content[:start] + chance.choice(DEEP).encode() + content[start:],
        lambda: chance.randbytes(chance.choice((1, 16, 5000))),
    )  # fmt: skip
    return chance.choice(ways)()


def retold(content: bytes, chance: Chance) -> bytes:
    """Return a text file with one line or value changed, still much like itself."""
    lines = content.decode("utf-8", "replace").split("\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    line = lines[at]
    before, after = lines[:at], lines[at + 1 :]
    ways: tuple[Callable[[], list[str]], ...] = (
        lambda: [],
        lambda: [line, line],
        lambda: [lines[other]],
        lambda: [chance.choice((" ", "   ", "\t", "- ", "? ")) + line],
        lambda: [line.lstrip()],
        lambda: [re.sub(r"(?<=[:=])\s*.*", lambda _: f" {_scalar(chance)}", line)],
        lambda: [re.sub(r"\d+", lambda _: chance.choice(NUMBERS), line)],
        lambda: [re.sub(r"\w+", lambda _: _scalar(chance), line, count=1)],
        lambda: [line + chance.choice(YAML)],
        lambda: [chance.choice(YAML), line],
        lambda: [f"{line.partition(':')[0]}: {chance.choice(DEEP)}"],
        lambda: [line, chance.choice((BOMB, CIRCLE, *YAML))],
    )
    changed = [*before, *chance.choice(ways)(), *after]
    return "\n".join(changed).encode("utf-8", "surrogatepass")


def _scalar(chance: Chance) -> str:
    return chance.choice((*NUMBERS, *TEXTS, "[]", "{}", "yes", "*a", "&a", "|", ">-"))


YAML = (
    *(" &a [*a]", " *unknown", " !!python/object/apply:os.system [id]", " !!binary x"),
    *("<<: *a", "%YAML 9.9", "---", "...", "\t", "? ", "a: b: c", "'", '"', "[", "{"),
    *("!!int x", "!!float .inf", "!!set {a, b}", "=:", "? [a]: b", "# " + "x" * 9000),
)
BOMB = (
    "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    + "\n".join(
        f"a{each}: &a{each} [{', '.join([f'*a{each - 1}'] * 9)}]"
        for each in range(1, 12)
    )
    + "\nfields: *a11\ncollections: *a11\ncontent_types: *a11\nreviewed: *a11"
)
"""Nine to the twelfth power of x, in twelve lines."""
CIRCLE = "content_types: &c\n- *c\nfields: *c\ncollections: *c"


def reshaped(content: bytes, chance: Chance) -> bytes:
    """Return JSON in which one or a few values are others; text as `retold`."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return damaged(content, chance)
    marks: dict[str, str] = {}
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        value = _reshaped_once(value, chance, marks)
    text = json.dumps(value)
    for mark, raw in marks.items():
        text = text.replace(f'"{mark}"', raw)
    if chance.random() < 0.2:
        text = _listed(text)
    return text.encode("utf-8", "surrogatepass")


def _reshaped_once(value: Any, chance: Chance, marks: dict[str, str]) -> Any:
    places = list(_places(value))
    if not places:
        return chance.choice(VALUES)
    holder, key = chance.choice(places)
    way = chance.randrange(9)
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[key] = [holder[key]]
    elif way == 2:
        holder[key] = {"value": holder[key]}
    elif way == 3:
        other, there = chance.choice(places)
        with suppress(KeyError, IndexError):
            holder[key] = json.loads(json.dumps(other[there]))
    elif way == 4 and isinstance(holder, dict):
        holder[chance.choice((*TEXTS[:6], "id", "type", key + "x"))] = holder.pop(key)
    elif way == 5:
        mark = f"@@{len(marks)}@@"
        marks[mark] = chance.choice((*NUMBERS[:9], *DEEP[:2]))
        holder[key] = mark
    elif way == 6:
        holder[key] = chance.choice(TEXTS)
    elif way == 7 and isinstance(holder, list):
        holder.append(holder[key])
    else:
        holder[key] = chance.choice(VALUES)
    return value


def _places(value: Any) -> Any:
    if isinstance(value, dict):
        for name, held in value.items():
            yield value, name
            yield from _places(held)
    elif isinstance(value, list):
        for number, held in enumerate(value):
            yield value, number
            yield from _places(held)


def _listed(text: str) -> str:
    """Lay a list out one record a line, as the raw cache does."""
    for key in ("items", "files"):
        start = f'{{"{key}": ['
        if text.startswith(start):
            value = json.loads(text) if "NaN" not in text else {}
            records = value.get(key) if isinstance(value, dict) else None
            if isinstance(records, list):
                lines = ",\n".join(json.dumps(each) for each in records)
                return f"{start}\n{lines}\n]}}\n"
    return text


def no_file(path: Path, chance: Chance) -> None:
    """Put a folder in a file's place."""
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)


def mistaken(path: Path, chance: Chance) -> None:
    """Change rows, columns or the structure of a database."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA ignore_check_constraints = ON")
    try:
        for _ in range(chance.choice((1, 1, 2, 4))):
            with suppress(sqlite3.Error, OverflowError):
                _one_mistake(db, chance)
    finally:
        db.close()


def _one_mistake(db: sqlite3.Connection, chance: Chance) -> None:
    found = db.execute("SELECT type, name FROM sqlite_master ORDER BY name")
    names = [(str(kind), str(name)) for kind, name in found]
    tables = [name for kind, name in names if kind == "table"]
    if not tables:
        return
    table = chance.choice(tables)
    columns = [str(row[1]) for row in db.execute(f"PRAGMA table_info({table})")]
    column = chance.choice(columns)
    pragmas = ("user_version", "application_id", "schema_version")
    ways: tuple[Callable[[], tuple[Any, ...]], ...] = (
        *(lambda: (f"UPDATE {table} SET {column} = ?", (_cell(chance),)),) * 6,
        lambda: (f"DELETE FROM {table}",),
        lambda: ("DROP {} {}".format(*chance.choice(names)),),
        lambda: (f"ALTER TABLE {table} RENAME COLUMN {column} TO other",),
        lambda: (
            f"PRAGMA {chance.choice(pragmas)} = {chance.choice((0, 1, -1, 2**31 - 1))}",
        ),
    )
    db.execute(*chance.choice(ways)())


def _cell(chance: Chance) -> Any:
    return chance.choice((*CELLS, chance.choice(TEXTS[:3])))


CELLS: tuple[Any, ...] = (
    *(None, 0, -1, 2**63 - 1, -(2**63), 1.5, float("inf"), 1e300, b"", b"\xff\x00"),
    *("", "x", "9" * 5000, "[" * 5000, '{"a": 1}', "{}", "[]", "null", "x" * 100_000),
    *('{"a":' * 900 + "1" + "}" * 900, "2024-99-99", "created", "failed", "proven"),
)
HEADS: tuple[tuple[str, str], ...] = (
    *((name, digits) for name in ("total", "x-ratelimit-limit", "x-ratelimit-remaining")
      for digits in ("9" * 5000, "-1", "1e400", "x", "", "0", "1" * 15)),
    *(("retry-after", each) for each in ("9" * 5000, "-5", "inf", "nan", "1e300", "x")),
    *(("retry-after", f"{day}, 99 {month} 99999 99:99:99 GMT")
      for day in ("Mon", "") for month in ("Jan", "Xyz")),
    *(("content-encoding", each) for each in ("gzip", "gzip, gzip", "br", "deflate")),
    *(("location", each) for each in ("http://[", "//", "\xff", "/" * 5000)),
    *(("content-type", each) for each in ("", "text/html", "x" * 9000, ";;;")),
    *(("deprecation", each) for each in ("\xff" * 50, "x" * 9000, "\x7f")),
    ("set-cookie", "x" * 20_000),
)  # fmt: skip
STATUSES = (200, 201, 204, 206, 299, 301, 304, 307, 400, 401, 403, 404, 409, 418,
            422, 429, 451, 500, 502, 503, 599, 600, 999)  # fmt: skip
WIRE = (
    b"",
    b"\0" * 2000,
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/9.9 200 OK\r\n\r\n{}",
    b"HTTP/1.1 -1 OK\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}{}{}",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;" + b"x" * 70_000,
    b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n{}",
    b"HTTP/1.1 100 Continue\r\n\r\n" * 2000 + b"HTTP/1.1 200 OK\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8bxx",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n{}",
    b"\x15\x03\x01\x00\x02\x02\x16",
    b"SSH-2.0-OpenSSH_9.9\r\n",
)
"""What a port answers that is no such service, or a broken one."""
