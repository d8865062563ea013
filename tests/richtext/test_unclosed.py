"""Embeds in which something is never closed: told, and ended where that is decided."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.decisions.decision_files import embed_policy, from_text, to_text
from cmsmig.mapping.decisions.design import Design
from cmsmig.richtext.deviation import Deviation
from cmsmig.richtext.losses import Severity
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment, Unclosed
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.deviating import deviations_of

EMBED = '<div data-rt-embed-type="true">'
KIND = "unclosed-embed"
END = EmbedPolicy(unclosed=Unclosed.END)
REST = (
    '<h2 id="">Head</h2><p id="">One two <b>three</b></p><figure id="">'
    '<div><img src="i.png"></div></figure><h3 id="">Foot</h3>'
)

_words = st.integers(0, 99).map("w{}".format)
_own = st.sampled_from(
    (
        '<p id="">a <b>b</b></p>',
        '<h2 id="">c</h2>',
        '<ul id=""><li id="">d</li></ul>',
        '<figure id="" data-rt-type="image"><div><img src="e.png"></div></figure>',
        '<blockquote id="">f</blockquote>',
        f'{EMBED}<div class="g"><i>g</i></div></div>',
        f"{EMBED}<script>h(1 < 2)</script></div>",
    )
)
_inside = st.lists(
    st.one_of(
        _words,
        st.sampled_from(
            (
                "<div>x</div>", "<p>y</p>", "<b>z", "<br>", "<style>.a{}</style>",
                "<table><tr><td>t</td></tr></table>", "<script>u('</p>')</script>",
                "<div><div>v</div></div>",
            )
        ),
    ),
    max_size=4,
).map("".join)  # fmt: skip
_open = st.sampled_from(
    (
        ("<div class=o>", "</div>"),
        ("<div><div>", "</div></div>"),
        ("<table><tr><td>", "</td></tr></table>"),
        ("<script>s(", "</script>"),
        ("<iframe src=//v.example>", "</iframe>"),
        ("<textarea>", "</textarea>"),
        ("<!-- c ", "-->"),
    )
)
"""What opens, and what would close it."""
chosen = settings(
    derandomize=True,
    deadline=None,
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],
)


def nodes(html: str, policy: EmbedPolicy = END) -> list[JsonObject]:
    """Return the top-level nodes of a body, without the identity of blocks."""
    document = NativeEngine().from_html(html, policy).document
    assert problems(document) == ()
    return [_nameless(each) for each in document["content"]]  # type: ignore[union-attr]


def _nameless(value: object) -> JsonObject:
    if isinstance(value, dict):
        return {
            key: _nameless(each)
            for key, each in value.items()
            if key not in ("id", "_uid")
        }
    if isinstance(value, list):
        return [_nameless(each) for each in value]  # type: ignore[return-value]
    return value  # type: ignore[return-value]


def told(html: str, policy: EmbedPolicy) -> list[tuple[Severity, str]]:
    """Return the losses that tell of embeds which are never closed."""
    found = NativeEngine().from_html(html, policy).losses
    return [(loss.severity, loss.why) for loss in found if loss.kind == KIND]


@chosen
@given(
    st.lists(_own, max_size=3).map("".join),
    _inside,
    _open,
    _inside,
    st.lists(_own, min_size=1, max_size=4),
)
def test_ended_the_rest_is_converted_as_if_the_embed_were_closed(
    before: str, code: str, open_: tuple[str, str], more: str, rest: list[str]
) -> None:
    """The same nodes as of the body in which somebody had closed the element."""
    begins, ends = open_
    if ends[:2] != "</" or ends[2] in "sti":
        more = more if "<" not in more and "d" in ends else ""  # code is no markup
    after = "".join(rest)
    unclosed = f"{before}{EMBED}{code}{begins}{more}</div>{after}"
    closed = f"{before}{EMBED}{code}{begins}{more}{ends}</div>{after}"
    ours, wanted = nodes(unclosed), nodes(closed)
    assert len(ours) == len(wanted)
    different = [
        (one, two) for one, two in zip(ours, wanted, strict=True) if one != two
    ]
    assert all(one["type"] == two["type"] == "blok" for one, two in different)
    assert len(different) <= 1  # the code itself may be closed in other words
    assert [severity for severity, _ in told(unclosed, END)] == [Severity.LAYOUT]
    kept = told(unclosed, EmbedPolicy())
    assert [severity for severity, _ in kept] == [Severity.MEANING]
    assert told(closed, EmbedPolicy()) == []


def test_what_the_embed_holds_is_told() -> None:
    """Headings, pictures and words of the body, and what can be decided."""
    html = f'<p id="">Zero</p>{EMBED}<div><p>Code</p></div>{REST}'
    ((severity, why),) = told(html, EmbedPolicy())
    assert severity is Severity.MEANING
    assert "2 headings, 1 picture, 5 words of the body" in why
    assert "`unclosed: end` in embeds.yaml" in why
    assert len(nodes(html, EmbedPolicy())) == 2
    kinds = [each["type"] for each in nodes(html)]
    assert kinds == ["paragraph", "blok", "heading", "paragraph", "image", "heading"]


def test_code_is_ended_as_it_was_typed() -> None:
    """Only what is missing is added, before the wrapper's end."""
    embed = nodes(f"{EMBED}<div class=a>x<div>y</div>{REST}")[0]
    assert embed["attrs"]["body"][0]["html"] == "<div class=a>x<div>y</div></div>"  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    "html",
    [
        f"{EMBED}<p>sloppy <b>x</div>{REST}",
        f"{EMBED}<div>a</div></div></div>{REST}",
        f"{EMBED}<div>the end</div>",
        f"<section>{EMBED}<div>a</div></section><div>c</div>{REST}",
        f"{EMBED}<script>w('</div>')</script></div>{REST}",
        f"<div class=w-embed><div>a</div><p>b</p></div>{REST}",
        f"<div><p>a</p>{REST}",
        f"{EMBED}never ended",
    ],
)
def test_what_a_browser_ends_in_time_is_left_alone(html: str) -> None:
    """Sloppy code that holds nothing of the body is no finding, and stays."""
    assert told(html, EmbedPolicy()) == told(html, END) == []
    assert nodes(html) == nodes(html, EmbedPolicy())


def test_left_out_it_takes_only_itself_along() -> None:
    """Dropped by choice, an ended embed leaves the body."""
    policy = EmbedPolicy({"embed": Treatment.DROP}, unclosed=Unclosed.END)
    kinds = [each["type"] for each in nodes(f"{EMBED}<div>a</div>{REST}", policy)]
    assert kinds == ["heading", "paragraph", "image", "heading"]


def test_the_official_way_knows_no_choice() -> None:
    """Exact conversion is what it was, whatever is decided."""
    html = f"{EMBED}<div>a</div>{REST}"
    exact = NativeEngine(Mode.EXACT)
    assert exact.from_html(html, END) == exact.from_html(html)
    assert Deviation.EMBED in deviations_of(html, END)


def test_a_decision_file_says_it() -> None:
    """`unclosed: end` is read, written and reaches conversion; left out it is keep."""
    decision = from_text("unclosed: end\n", "embeds.yaml", EmbedsDecision)
    assert decision.unclosed is Unclosed.END
    again = from_text(to_text(decision), "embeds.yaml", EmbedsDecision)
    assert again.unclosed is Unclosed.END
    assert embed_policy(decision, Design((), ())).unclosed is Unclosed.END
    nothing = from_text("kinds: {}\n", "embeds.yaml", EmbedsDecision)
    assert nothing.unclosed is Unclosed.KEEP
    with pytest.raises(DecisionsError, match=r"keep.*end"):
        from_text("unclosed: cut\n", "embeds.yaml", EmbedsDecision)


@pytest.mark.parametrize(
    "piece",
    [
        f"{EMBED}<div>a</div><p>b</p>",
        f"{EMBED}<script>a</div><p id=>b</p>",
        f"{EMBED}<table><tr><td>",
        f"{EMBED}</div>",
        "<div class=w-embed><!-- ",
    ],
)
def test_many_of_them_take_linear_time(piece: str) -> None:
    """Four times as many take about four times as long."""
    took = []
    for times in (400, 1600):
        html = piece * times
        began = time.process_time()
        for policy in (EmbedPolicy(), END):
            NativeEngine().from_html(html, policy)
        took.append(time.process_time() - began)
    assert took[1] < 10 * took[0] + 0.5
