"""Losses are true: nothing unlisted, and nothing listed that the document holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cmsmig.display.loss_findings import loss_finding
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from tests.richtext.test_conversion import block, converted, kinds
from tests.support.richtext.bodies import bodies
from tests.support.richtext.conservation import address
from tests.support.richtext.untrue import untrue

chosen = settings(
    derandomize=True,
    deadline=None,
    phases=(Phase.generate,),
    max_examples=300,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
WINDOWS = ("_blank", "_self", "_parent", "_top")
VIDEO = (
    '<figure class="w-richtext-figure-type-video w-richtext-align-center" {} '
    'data-rt-type="video" data-page-url="https://v.example/watch?v=1{}">'
    '<div><iframe src="https://v.example/embed/1{}" title="T"></iframe></div></figure>'
)


def told(html: str, policy: EmbedPolicy | None = None) -> list[tuple[str, str]]:
    """Return kind and thing of each loss."""
    return [(loss.kind, loss.what) for loss in converted(html, policy).losses]


@chosen
@given(bodies)
def test_no_loss_names_what_the_document_holds(html: str) -> None:
    """Of each thing that losses name, the body has more than the document."""
    assert untrue(html, NativeEngine().from_html(html)) == []


@pytest.mark.parametrize("treatment", list(Treatment))
def test_no_choice_for_a_video_makes_a_loss_false(treatment: Treatment) -> None:
    """What raw HTML holds of a figure is not told as lost."""
    policy = EmbedPolicy(kinds={"video": treatment})
    for shape in ('style="padding-bottom:56.2%" data-rt-dimensions="854:480"', ""):
        html = VIDEO.format(shape, "", "")
        for each in (html, html.replace("<iframe", "<i").replace("</iframe", "</i")):
            assert untrue(each, NativeEngine().from_html(each, policy)) == []


@pytest.mark.parametrize(
    ("html", "kind", "what"),
    [
        (
            "<figure data-rt-max-width=60%><img src=i></figure>",
            "size",
            "max-width: 60%",
        ),
        (
            "<figure style=max-width:60% data-rt-max-width=60%><img src=i></figure>",
            "attribute",
            "max-width: 60%",
        ),
        ("<pre><code>x</code></pre>", "mark-in-code", "code"),
        ("<h2 id=n>a</h2>", "anchor", "n"),
        ("<p><a href=/x>a</a></p>", "link", "/x"),
        ("<figure data-rt-align=center><img src=i></figure>", "alignment", "center"),
    ],
)
def test_the_account_finds_false_losses(html: str, kind: str, what: str) -> None:
    """A loss of what stands is found out, and without it there is nothing to find."""
    made = converted(html)
    assert made.losses == ()
    loss = Loss(kind, what, "figure", "", "Because.", Severity.LAYOUT)
    assert untrue(html, Converted(made.document, (loss,))) != []


@pytest.mark.parametrize("href", ['href=""', "href", 'href="  "'])
def test_a_link_without_an_address_is_listed(href: str) -> None:
    """Its text stands, and the loss says that it led nowhere."""
    (loss,) = converted(f"<p><a class=b {href}>text</a></p>").losses[:1]
    assert (loss.kind, loss.severity) == ("link", Severity.CONTENT)
    assert loss.what == f"<a class=b {href}>"
    assert "no address" in loss.why
    assert kinds(converted(f"<p>x<a {href}></a></p>")) == []


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<p hidden>a</p>", ("hidden", "hidden", "meaning")),
        ('<p>x<b hidden="">a</b></p>', ("hidden", "hidden", "meaning")),
        (
            '<p hidden="until-found">a</p>',
            ("hidden", 'hidden="until-found"', "meaning"),
        ),
        ("<p style='display: none'>a</p>", ("hidden", "display: none", "meaning")),
        ("<template>a</template>", ("hidden", "<template>", "meaning")),
        ("<dialog>a</dialog>", ("hidden", "<dialog>", "meaning")),
        ("<figure hidden><img src=i></figure>", ("hidden", "hidden", "meaning")),
        ("<img src=i hidden>", ("hidden", "hidden", "meaning")),
        ("<ol reversed><li>a</li></ol>", ("reversed", "reversed", "meaning")),
        ("<p inert>a</p>", ("attribute", "inert", "layout")),
        (
            "<table><tr><td nowrap>a</td></tr></table>",
            ("attribute", "nowrap", "layout"),
        ),
        ("<div itemscope>a</div>", ("attribute", "itemscope", "layout")),
        ("<p contenteditable>a</p>", ("attribute", "contenteditable", "layout")),
    ],
)
def test_an_attribute_without_a_value_is_listed(
    html: str, wanted: tuple[str, str, str]
) -> None:
    """Hidden text that shows now is a loss of meaning."""
    found = [(loss.kind, loss.what, loss.severity) for loss in converted(html).losses]
    assert wanted in found


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (
            "<a href=/x rel=nofollow title=T id=n><img src=i></a>",
            ["anchor n", 'attribute rel="nofollow"', "description T"],
        ),
        ("<a href=/x rel=nofollow><img src=i>a</a>", []),
        (
            "<div class='w-embed own' style='height:3px'><b>x</b></div>",
            ["attribute own", "style height: 3px"],
        ),
        ("<p><code class=k>a</code></p>", ['attribute class="k"']),
        ("<pre class=k>a</pre>", []),
        ("<pre class=k><code class=l>a</code></pre>", ['attribute class="k"']),
    ],
)
def test_what_finds_no_place_beside_what_stands_is_listed(
    html: str, wanted: list[str]
) -> None:
    """Of a picture's link, the wrapper of an embed, and code."""
    assert sorted(f"{kind} {what}" for kind, what in told(html)) == wanted


def test_what_a_spacer_hid_stays_unseen() -> None:
    """A paragraph that is left out shows nothing, hidden or not."""
    assert ("hidden", "hidden") not in told("<p hidden>&nbsp;</p><p>a</p>")


@chosen
@given(
    st.one_of(
        st.sampled_from(("_new", "mailto:x", "_BLANK", "_Top", "", " ", "blank")),
        st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=6),
    )
)
def test_a_link_opens_where_a_browser_knows(target: str) -> None:
    """One of four windows, `_blank` for any other name; the name is listed."""
    written = target.replace("&", "&amp;").replace('"', "&quot;")
    made = converted(f'<p><a href="/x" target="{written}">a</a></p>')
    (mark,) = made.document["content"][0]["content"][0]["marks"]  # type: ignore[index, call-overload]
    if target.lower() in WINDOWS:
        assert mark["attrs"]["target"] == target.lower()
    else:
        assert mark["attrs"]["target"] == ("_blank" if target.strip() else None)
    named = target.strip() and target.lower() not in WINDOWS
    found = [(loss.kind, loss.what) for loss in made.losses]
    assert found == ([("target", target)] if named else [])


@pytest.mark.parametrize(
    ("target", "held", "lost"),
    [("_new", "_blank", 1), ("_self", "_self", 0), ("_top", None, 1), ("", None, 0)],
)
def test_a_pictures_link_opens_in_a_window_too(
    target: str, held: str | None, lost: int
) -> None:
    """A link field knows two windows; what it does not know is listed."""
    html = f'<a href="/x" target="{target}"><img src="i"></a>'
    link = block(html)["link"]
    assert isinstance(link, dict)
    assert link.get("target") == held
    assert kinds(converted(html)) == ["target"] * lost


@pytest.mark.parametrize(
    ("shape", "held"),
    [
        (
            'style="padding-bottom:56.206088992974244%" data-rt-dimensions="854:480"',
            "854:480",
        ),
        ('style="padding-bottom:56.25%"', "56.25%"),
        ('data-rt-max-height="56.2%"', "56.2%"),
        ('data-rt-dimensions="4:3"', "4:3"),
        ('style="padding-bottom:56.25%" data-rt-dimensions="0:0"', "56.25%"),
        ('data-rt-dimensions="0:0" data-rt-max-height="75%"', "75%"),
        ('data-rt-dimensions="0:0"', ""),
        ("", ""),
    ],
)
def test_a_video_keeps_its_shape(shape: str, held: str) -> None:
    """In the embed component; alignment alone finds no place."""
    html = VIDEO.format(shape, "", "")
    assert block(html)["shape"] == held
    assert told(html) == [("alignment", "center")]


def test_a_shape_that_says_two_things_is_listed() -> None:
    """The dimensions stand, and what differs from them is a loss."""
    html = VIDEO.format(
        'style="padding-bottom:75%" data-rt-dimensions="854:480"', "", ""
    )
    assert block(html)["shape"] == "854:480"
    assert ("attribute", "padding-bottom: 75%") in told(html)


def test_a_design_without_the_newer_fields_gets_none() -> None:
    """A design that people have reviewed stays valid, and the shape is listed."""
    html = VIDEO.format('data-rt-dimensions="854:480"', "", "")
    policy = EmbedPolicy(embed_fields=frozenset())
    held = block(html, policy)
    assert "frame" not in held
    assert "shape" not in held
    assert ("size", 'data-rt-dimensions="854:480"') in told(html, policy)


@pytest.mark.parametrize(
    "sign", ["\u200b", "\u200d", "\ufeff", "\u00ad", "\n", "\u2060"]
)
def test_embeds_have_both_addresses_without_invisible_characters(sign: str) -> None:
    """The page's and the frame's own, as a server knows them; `html` as it stood."""
    held = block(VIDEO.format("", sign, sign))
    assert held["url"] == "https://v.example/watch?v=1"
    assert held["frame"] == "https://v.example/embed/1"
    assert sign in str(held["html"])
    plain = block(f'<iframe src="https://v.example/{sign}1"></iframe>')
    assert plain["url"] == plain["frame"] == "https://v.example/1"
    assert address(str(plain["url"])) == plain["url"]


@pytest.mark.parametrize("size", ["1600pxpx", "wide", "60 %", "12px 3px"])
def test_a_size_that_is_none_is_listed(size: str) -> None:
    """No field holds it, and the loss says why; a true size beside it stands."""
    said = f'style="max-width:{size}" data-rt-max-width="{size}"'
    html = f"<figure {said}><img src=i></figure>"
    made = converted(html)
    (loss,) = made.losses
    assert (loss.kind, loss.what) == ("size", f"max-width: {size}")
    assert "no size" in loss.why
    assert size not in json.dumps(made.document)
    both = html.replace(f"max-width:{size}", "max-width:60%")
    assert block(both)["size"] == "60%"
    assert told(both) == [("size", f"max-width: {size}")]
    assert told(f'<img src=i width="{size}">') == [("size", f"width: {size}")]


BLANK_CAPTION = ("spacer", "<figcaption>", "A caption that shows nothing was left out.")


@pytest.mark.parametrize(
    ("caption", "wanted"),
    [
        ("<br>", [BLANK_CAPTION]),
        (" \n ", [BLANK_CAPTION]),
        ("<b> </b>", [BLANK_CAPTION]),
        ("&nbsp;", [BLANK_CAPTION]),
        ("", []),
        ("<b></b>", []),
        ("a<br>", []),
    ],
)
@pytest.mark.parametrize("around", ["<figure><img src=i>{}</figure>", VIDEO, "{}"])
def test_a_caption_of_a_blank_or_a_blank_line_is_listed(
    caption: str, wanted: list[tuple[str, str, str]], around: str
) -> None:
    """A caption without any content loses nothing."""
    html = f"<figcaption>{caption}</figcaption>"
    whole = VIDEO.replace("</figure>", "{}</figure>").format("", "", "", html)
    made = converted(whole if around == VIDEO else around.format(html))
    found = [(loss.kind, loss.what, loss.why) for loss in made.losses]
    assert [each for each in found if each[1] != "center"] == wanted


@pytest.mark.parametrize(
    ("html", "noun"),
    [
        ("<h2>&nbsp;</h2><p>a</p>", "heading"),
        ("<p>&nbsp;</p><p>a</p>", "paragraph"),
        ("<p>a</p>&nbsp;<p>b</p>", "blank"),
        ("<p>a</p>\u200b<br><p>b</p>", "line break"),
    ],
)
def test_what_shows_nothing_is_called_what_it_is(html: str, noun: str) -> None:
    """A heading is no paragraph."""
    whys = [loss.why for loss in converted(html).losses if loss.kind == "spacer"]
    assert f"A {noun} that shows nothing was left out." in whys


@pytest.mark.parametrize("blank", ["", " ", "<b> </b>", "\u200b", "<p> </p>"])
def test_a_link_around_a_blank_is_not_called_a_wrong_address(blank: str) -> None:
    """No reader could click on it: the look alone differs, nothing is to be done."""
    (loss,) = (
        each
        for each in converted(f"<p>a</p><a href=/x>{blank}</a><p>b</p>").losses
        if each.kind == "link"
    )
    assert (loss.what, loss.severity) == ("/x", Severity.LAYOUT)
    assert loss.why == "This link is around a blank, so there was nothing to click on."
    finding = loss_finding(loss, item="", page="", field="")
    assert finding.todo.startswith("Nothing")
    other = '<a href="mailto:a@b.c"><img src=i></a><p>b<a href=/x></a></p>'
    assert [each.what for each in converted(other).losses] == ["/x"]
    (wrong,) = converted('<a href="javascript:x()">b</a>').losses
    assert wrong.severity is Severity.CONTENT
    assert "address" in loss_finding(wrong, item="", page="", field="").todo


@pytest.mark.parametrize(
    "html",
    [
        "<p>a <a href=/x>b</a><a href=/x> </a></p>",
        "<p>a <a href=/x> </a><a href=/x>b</a></p>",
        "<p>a<a href=/x> </a>b</p>",
        "<p>a<a href=mailto:a@b.c> </a>b</p>",
        "<p><a href=/x></a><b><a href=/x>b</a></b></p>",
        "<a href=/x><img src=i></a><p>b<a href=/x></a></p>",
    ],
)
def test_a_blank_of_a_link_that_is_kept_is_no_loss(html: str) -> None:
    """The same link continues next to the blank, or around it."""
    assert converted(html).losses == ()
