"""Every construct takes linear time; `fuzz --extremes` measures all of them.

The sizes and limits here are far apart: what was quadratic took minutes.
"""

from __future__ import annotations

import pytest

from cmsmig.richtext.native import NativeEngine
from cmsmig.steps.batch_conversion import document_text, losses_text
from tests.support.richtext.constructs import (
    ATTRIBUTE,
    BODY,
    FIELD,
    KINDS,
    STYLE,
    Construct,
    constructs,
)
from tests.support.richtext.growth import paths_of

LARGE = 65_536
_EMBED = '<div class="w-embed">'
SEEN = (
    Construct(STYLE, "names", "-"),
    Construct(STYLE, "brackets", "(", "width:"),
    Construct(STYLE, "calculations", "calc(", "width:"),
    Construct(STYLE, "pairs of brackets", "a:()", after="("),
    Construct(STYLE, "digits", "1", "width:", "x"),
    Construct(STYLE, "blanks", " ", "width:var(--a,", "x"),
    Construct(STYLE, "addresses", "url(//a", "background-image:"),
    Construct(ATTRIBUTE, "start", "1", '<ol start="', 'x"><li>x'),
    Construct(ATTRIBUTE, "source", "0", '<video data-src="', '!">x'),
    Construct(BODY, "embeds in embeds", _EMBED),
    Construct(BODY, "embeds and comments", f"{_EMBED}<!-->"),
    Construct(BODY, "code in code", "<pre>"),
    Construct(BODY, "links in an embed", "<a href ", _EMBED, "</div>"),
    Construct(BODY, "open quotes", '<a "'),
    Construct(BODY, "equal paragraphs", "<p>x</p>"),
    Construct(FIELD, "mail links", "@", "mailto:", "?", encoding="multilink"),
    Construct(FIELD, "mail addresses", "a.", "a@", "@", encoding="textarea"),
    Construct(FIELD, "marks of letters", "\u0301\u0316", encoding="text"),
)
CASES = [
    pytest.param(each, path, id=f"{each.name}, {path}")
    for each in SEEN
    for path in paths_of(each)
]


@pytest.mark.processor_time(6)
@pytest.mark.parametrize(("construct", "path"), CASES)
def test_what_took_minutes_takes_seconds(construct: Construct, path: str) -> None:
    """Each construct that was quadratic, on every path it takes."""
    paths_of(construct)[path](construct.written(LARGE))


@pytest.mark.processor_time(6)
def test_items_in_depth_do_not_look_for_others_through_it() -> None:
    """What an item ends is found at once, however much is open around it."""
    _converted_below("<li><ul>", "<span>", "<li></li>")


@pytest.mark.processor_time(6)
def test_code_in_depth_does_not_look_for_its_block_through_it() -> None:
    """Whether a code tells the language of a block is known without looking around."""
    _converted_below("", "<div>", "<code class=y></code>")


def _converted_below(before: str, around: str, unit: str) -> None:
    count = 20_000
    html = f"{before}{around * count}{unit * count}x"
    assert "x" in document_text(NativeEngine().from_html(html).document)


def test_losses_of_nested_embeds_do_not_outgrow_the_body() -> None:
    """Each byte of a body is in few losses, however deep it is nested."""
    html = _EMBED * (LARGE // len(_EMBED))
    assert len(losses_text(NativeEngine().from_html(html))) < 8 * len(html)


def test_losses_that_are_alike_are_counted() -> None:
    """Of a thing that is lost without end a hundred are kept, the last with a count."""
    losses = NativeEngine().from_html("<script>x</script>" * 5_000).losses
    assert len(losses) == 100
    assert losses[-1].context.endswith("and 4,900 more times in this body")


@pytest.mark.parametrize("kind", KINDS)
def test_every_construct_is_written_at_its_size(kind: str) -> None:
    """What is measured has the size that it is measured at."""
    sizes = {len(each.written(1000)) // 100 for each in constructs(kind)}
    assert sizes <= set(range(8, 11))
