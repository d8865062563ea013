"""The bytes of the content folder: atomic replacement, one record per line."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cmsmig.canonical import Json
from cmsmig.errors import CacheError, StorageError, UnreadError
from cmsmig.nesting import parse_json

AGAIN = "read it again with `cmsmig pull --refresh`"
_CLOSING = b"]}"


@contextmanager
def disk(path: Path) -> Iterator[None]:
    """Translate what the disk refuses into one sentence; raises `StorageError`."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"The disk refused {path} ({error.strerror or error}); free space or"
            " correct the permissions, then run again."
        ) from error


def replace_file(
    path: Path, chunks: Iterable[bytes], *, is_shared: bool = False
) -> None:
    """Write a file so that it is there whole or not at all, even after a crash.

    `is_shared`: several processes may write it at once, each by a file of its own;
    the files of killed processes are removed.
    """
    with disk(path):
        # A link in the place of the file itself is replaced, not followed.
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = f".{os.getpid()}-{secrets.token_hex(4)}" if is_shared else ""
        fresh = path.with_name(f".{path.name}{writer}.new")
        try:
            with fresh.open("wb") as file:
                file.writelines(chunks)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, path)
        except BaseException:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise
        if is_shared:
            clear_left(path.parent, f".{path.name}.")
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            # The names in a folder survive a power cut only then.
            os.fsync(folder)
        finally:
            os.close(folder)


def clear_left(folder: Path, start: str) -> None:
    """Remove what killed processes left: files named by `start` and a process."""
    for path in folder.glob(f"{start}*"):
        process = path.name.removeprefix(start).partition("-")[0]
        if not (process.isdigit() and _is_alive(int(process))):
            with disk(path):
                path.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    """Return whether there is a process with this number; True where unknown."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def line_of(value: object) -> bytes:
    """Return a value as one line of JSON, without the line's end."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, only an escaped one.
        return json.dumps(value, separators=(",", ":")).encode()


def document(value: Json) -> bytes:
    """Return a value as JSON for people: indented by one."""
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        return (json.dumps(value, indent=1) + "\n").encode()


def listed(key: str, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of `{key: [...]}` with one record per line."""
    yield b'{"%s": [' % key.encode()
    separator = b"\n"
    for line in lines:
        yield separator + line
        separator = b",\n"
    yield b"\n]}\n"


def read_document(path: Path) -> Json:
    """Return a JSON file's value; raises `CacheError` naming the file."""
    try:
        return parse_json(path.read_bytes())
    except FileNotFoundError:
        raise missing(path) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    except ValueError as error:
        raise CacheError(f"{path} is damaged; {AGAIN}.") from error


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file that `listed` wrote."""

    value: Json
    line: int
    """Its line; its number, from 1, in a file of another layout."""
    offset: int = 0
    length: int = 0
    """Its bytes in the file; 0 in a file of another layout."""


def read_listed(key: str, path: Path) -> Iterator[Record]:
    """Yield the records of a file that `listed` wrote.

    One record is in memory at a time, except of a file that another program laid out
    differently. Raises `CacheError` naming the file and the line.
    """
    try:
        with path.open("rb") as file:
            first = file.readline()
            if first.rstrip() == b'{"%s": [' % key.encode():
                yield from _lines(path, file, len(first))
                return
    except FileNotFoundError:
        raise missing(path) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    yield from _whole(key, path)


def missing(path: Path) -> UnreadError:
    """Return the error for a file that a complete pull would have left."""
    return UnreadError(f"{path} is missing; read the origin with `cmsmig pull`.")


def _lines(path: Path, file: Iterable[bytes], offset: int) -> Iterator[Record]:
    lines = iter(enumerate(file, start=2))
    for number, line in lines:
        text = line.strip()
        if text == _CLOSING:
            if any(rest.strip() for _, rest in lines):
                raise _damaged(path, number + 1)
            return
        bare = text.removesuffix(b",")
        try:
            value = parse_json(bare)
        except ValueError as error:
            raise _damaged(path, number) from error
        yield Record(value, number, offset + line.index(bare), len(bare))
        offset += len(line)
    raise CacheError(f"{path} ends in the middle; {AGAIN}.")


def _whole(key: str, path: Path) -> Iterator[Record]:
    body = read_document(path)
    records = body.get(key) if isinstance(body, dict) else None
    if not isinstance(records, list):
        raise CacheError(f"{path} holds no list of {key}; {AGAIN}.")
    for number, value in enumerate(records, start=1):
        yield Record(value, number)


def _damaged(path: Path, line: int) -> CacheError:
    return CacheError(f"{path} is damaged at line {line}; {AGAIN}.")


def _unreadable(path: Path, error: OSError) -> CacheError:
    return CacheError(
        f"{path} cannot be read ({error.strerror or error}); check its permissions, or"
        f" {AGAIN}."
    )
