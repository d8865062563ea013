"""Texts converted on their own, as the command line shows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cmsmig.cli.console import complain, emit_content
from cmsmig.errors import UsageError
from cmsmig.richtext.native import convert_text
from cmsmig.richtext.render import render_rich_text
from cmsmig.steps.batch_conversion import convert_folder, document_text, losses_text
from cmsmig.steps.decide.rules_file import NamedRules


def convert_batch(
    paths: Sequence[Path], *, kind: str, rules: NamedRules | None
) -> None:
    """Convert one folder into another and say how many there were.

    Raises `UsageError` unless there are two.
    """
    if len(paths) != 2:
        raise UsageError("A batch takes two folders, IN_DIR and OUT_DIR.")
    source, target = paths
    complain(str(convert_folder(source, target, kind=kind, rules=rules)))


def convert_one(
    text: str, *, kind: str, rules: NamedRules | None, losses: Path | None
) -> None:
    """Write a text's document to standard output, and its losses to a file."""
    loaded = None if rules is None else rules.loaded()
    converted = convert_text(text, source=kind, rules=loaded)
    if losses is not None:
        losses.write_text(losses_text(converted), encoding="utf-8")
    emit_content(document_text(converted.document))


def render_one(text: str) -> None:
    """Write a document's HTML to standard output.

    Raises `UsageError` when the text is no JSON or no rich text document.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise UsageError(f"The document is not JSON ({error}).") from error
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        raise UsageError("The JSON is no rich text document: it has no `type`.")
    emit_content(render_rich_text(document, trusted=True) + "\n")
