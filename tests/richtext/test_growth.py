"""Every construct takes linear time; `make fuzz` measures all of them.

The sizes and limits here are far apart: what was quadratic took minutes.
"""

from __future__ import annotations

import pytest

from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Unclosed
from cmsmig.steps.batch_conversion import document_text, losses_text
from tests.support.richtext.constructs import (
    ATTRIBUTE,
    BODY,
    FIELD,
    STYLE,
    Construct,
)
from tests.support.richtext.growth import paths_of

LARGE = 65_536
_EMBED = '<div class="w-embed">'
END = EmbedPolicy(unclosed=Unclosed.END)
PIECES = (
    f"{_EMBED}<div>a</div><p>b</p>", f"{_EMBED}<script>a</div><p id=>b</p>",
    f"{_EMBED}<table><tr><td>", f"{_EMBED}</div>", f"{_EMBED}<!-- ",
)  # fmt: skip
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
@pytest.mark.parametrize("piece", PIECES)
def test_unclosed_embeds_are_ended_in_seconds(piece: str) -> None:
    """However many there are: each is looked at once."""
    NativeEngine().from_html(piece * (LARGE // len(piece)), END)


@pytest.mark.processor_time(6)
@pytest.mark.parametrize(("construct", "path"), CASES)
def test_what_took_minutes_takes_seconds(construct: Construct, path: str) -> None:
    """Each construct that was quadratic, on every path it takes."""
    paths_of(construct)[path](construct.written(LARGE))


@pytest.mark.processor_time(6)
@pytest.mark.parametrize(
    ("before", "around", "unit"),
    [("<li><ul>", "<span>", "<li></li>"), ("", "<div>", "<code class=y></code>")],
)
def test_nothing_is_looked_for_through_all_that_is_open(
    before: str, around: str, unit: str
) -> None:
    """What an item ends, and the block whose language a code tells."""
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
