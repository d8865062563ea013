"""An item that no story can be made of: it fails alone, with its reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rehearsal import Rehearsal

from cmsmig.richtext.native import NativeEngine


def test_a_body_that_breaks_the_converter_fails_alone(
    rehearse: Callable[..., Rehearsal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan shows the item, the import does all others, and a mend is taken up."""
    rehearsal = rehearse().decided()
    convert = NativeEngine.from_html
    broken: list[str] = []

    def breaking(engine: NativeEngine, html: str, *rest: object) -> object:
        broken.append(html)
        if html == broken[0]:
            raise RecursionError("too deep")
        return convert(engine, html, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(NativeEngine, "from_html", breaking)
        planned = rehearsal.done("plan", "--json").document["items"]
        ended = rehearsal.run("import", "--json")
        failed = rehearsal.done("status", "--json").document["failed"]
    counts = ended.document["accounting"]
    assert ended.code == 1
    assert planned["failed"] == counts["failed"] == len(failed) > 0
    assert counts["created"] == counts["in"] - counts["skipped"] - counts["failed"]
    assert {item["reason"] for item in failed} == {"not_drafted"}
    assert "RecursionError: too deep" in failed[0]["explanation"]
    assert rehearsal.done("import", "--json").document["accounting"]["failed"] == 0
    rehearsal.done("verify")
