"""The image's file: what it names, who runs in it, and what goes to its build."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).parents[2]


def test_the_image_runs_the_command_and_holds_the_sources_alone() -> None:
    """Not as root, from no named registry; what it copies is all that is sent."""
    text = (TOP / "Dockerfile").read_text("utf-8")
    lines = text.replace("\\\n", " ").splitlines()
    words = [each.split() for each in lines if re.match(r"[A-Z]+ ", each)]
    assert {each[1] for each in words if each[0] == "FROM"} == {"python:3.13-slim"}
    assert not re.search(r"https?://|--index-url|--find-links", text)
    for line in (
        "USER cmsmig",
        'ENTRYPOINT ["cmsmig"]',
        'VOLUME ["/project", "/state"]',
    ):
        assert line in lines
    copied = {
        name.rstrip("/")
        for each in words
        if each[0] == "COPY" and not any("--from" in word for word in each)
        for name in each[1:-1]
    }
    rules = (TOP / ".dockerignore").read_text("utf-8").splitlines()
    first, *sent = [each for each in rules if not each.startswith("#")]
    assert first == "*"
    assert copied == {each[1:].rstrip("/") for each in sent if each.startswith("!")}
