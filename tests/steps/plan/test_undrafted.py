"""An item that no story can be made of: it fails alone, with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import NativeEngine
from tests.support.rehearsal import Rehearsal


@contextmanager
def first_body_as(
    patch: pytest.MonkeyPatch, become: Callable[[], Converted]
) -> Iterator[None]:
    """Convert the body that is asked for first to something else, others as ever."""
    convert = NativeEngine.from_html
    first: list[str] = []

    def converted(engine: NativeEngine, html: str, *rest: object) -> Converted:
        first.append(html)
        return become() if html == first[0] else convert(engine, html, *rest)

    with patch.context() as patched:
        patched.setattr(NativeEngine, "from_html", converted)
        yield


def too_deep() -> Converted:
    raise RecursionError("too deep")


def empty_paragraph() -> Converted:
    return Converted({"type": "doc", "content": [{"type": "paragraph"}]})


def test_a_body_that_breaks_the_converter_fails_alone(
    rehearse: Callable[..., Rehearsal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan shows the item, the import does all others, and a mend is taken up."""
    rehearsal = rehearse().decided()
    with first_body_as(monkeypatch, too_deep):
        planned = rehearsal.done("plan", "--json").document["items"]
        ended = rehearsal.run("import", "--json")
        failed = rehearsal.done("status", "--json").document["failed"]
        # The next step has the reason, too: no item is just left over.
        rehearsal.run("link")
        assert rehearsal.done("status", "--json").document["failed"] == failed
    counts = ended.document["accounting"]
    assert ended.code == 1
    assert planned["failed"] == counts["failed"] == len(failed) > 0
    assert counts["created"] == counts["in"] - counts["skipped"] - counts["failed"]
    assert {item["reason"] for item in failed} == {"not_drafted"}
    assert "RecursionError: too deep" in failed[0]["explanation"]
    assert rehearsal.done("import", "--json").document["accounting"]["failed"] == 0
    rehearsal.done("verify")


def test_an_invalid_document_is_never_written(
    rehearse: Callable[..., Rehearsal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A body whose document breaks a rule fails alone, and says where and why."""
    rehearsal = rehearse().decided()
    with first_body_as(monkeypatch, empty_paragraph):
        counts = rehearsal.run("import", "--json").document["accounting"]
        failed = rehearsal.done("status", "--json").document["failed"]
    assert counts["failed"] == len(failed) > 0
    assert counts["created"] == counts["in"] - counts["skipped"] - counts["failed"]
    assert {item["reason"] for item in failed} == {"not_drafted"}
    told = "is not a valid document at content[0]: a paragraph lacks the attribute"
    assert told in failed[0]["explanation"]


def test_a_story_that_can_no_longer_be_made_is_told(
    rehearse: Callable[..., Rehearsal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is imported, then its body breaks the converter: no step passes over it."""
    rehearsal = rehearse().decided()
    rehearsal.done("import")
    for path in rehearsal.folder.glob("derived*"):
        path.unlink()
    with first_body_as(monkeypatch, too_deep):
        early = rehearsal.run("verify", "--json")
        assert rehearsal.run("link").code == 1
        failed = rehearsal.done("status", "--json").document["failed"]
        found = rehearsal.run("verify", "--json")
    assert {item["reason"] for item in failed} == {"not_drafted"}
    for ended in (early, found):
        assert ended.code == 4
        told = [each["subject"] for each in ended.document["differences"]]
        assert told == [item["item"] for item in failed]
        assert "RecursionError: too deep" in ended.document["differences"][0]["text"]
    assert rehearsal.done("link", "--json").document["accounting"]["failed"] == 0
    rehearsal.done("verify")
