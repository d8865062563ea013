"""Every kind of embed under every treatment, and the hosts that embeds go by."""

from __future__ import annotations

import json

import pytest

from cmsmig.review.embeds import embeds_of
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Severity
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.conservation import unaccounted

EXAMPLES = {
    "video": (
        '<figure data-rt-type="video" data-page-url="https://v.example/watch?v=1">'
        '<div><iframe src="https://player.example/1" title="T"></iframe></div>'
        "<figcaption>Seen <b>from</b> above</figcaption></figure>",
        '<figure data-page-url="https://v.example/2"><figcaption>c</figcaption></figure>',
        '<figure><iframe data-src="https://late.example/3"></iframe></figure>',
    ),
    "iframe": (
        '<p>a <iframe src="https://f.example/?q=1&amp;z=2" title="Map"></iframe> b</p>',
        '<iframe src="about:blank" data-src="https://late.example/1"></iframe>',
        '<iframe data-lazy-src="//late.example/1"></iframe>',
        '<ul><li><iframe src="https://f.example/"></iframe></li></ul>',
    ),
    "embed": (
        '<div class="w-embed"><script src="//cdn.example/a.js"></script></div>',
        '<div data-rt-embed-type="true"><blockquote>said <a href="https://t.example/1">'
        'when</a></blockquote><script async src="https://t.example/w.js"></script></div>',
        '<div data-rt-embed-type="true"><script>hbspt.forms.create({id: 1})</script>'
        "</div>",
        '<div class="w-embed"><div data-widget="https://w.example/1"></div></div>',
        '<svg><text>drawn</text></svg><object data="https://o.example/f">p</object>',
    ),
    "component": ('<wf-component component-id="c1">shown</wf-component>',),
    "media": (
        '<video src="https://m.example/v.mp4" poster="https://m.example/p.jpg">no</video>',
        '<audio><source src="https://m.example/a.mp3"></audio>',
    ),
    "figure": (
        '<figure data-rt-align="center"><div><img src="/i.png" alt="i"></div>'
        '<figcaption>By <a href="https://a.example/">A</a></figcaption></figure>',
    ),
    "linked-image": ('<a href="https://l.example/"><img src="/i.png" alt="i"></a>',),
}
CASES = [(kind, html) for kind, examples in EXAMPLES.items() for html in examples]


def convert(html: str, policy: EmbedPolicy) -> Converted:
    """Convert a body; whatever comes out is valid and the account holds."""
    converted = NativeEngine().from_html(html, policy)
    assert problems(converted.document) == ()
    assert unaccounted(html, converted) == []
    return converted


@pytest.mark.parametrize(("kind", "html"), CASES)
def test_every_treatment_of_every_kind_loses_nothing_in_silence(
    kind: str, html: str
) -> None:
    """Without a choice nothing that a reader saw is a loss; what is dropped is a loss
    of its kind; a picture is there in any case."""
    for treatment in Treatment:
        policy = EmbedPolicy({kind: treatment})
        made = convert(f"<p>before</p>{html}<p>after</p>", policy)
        written = json.dumps(made.document)
        assert written.index("before") < written.index("after")
    kept = convert(html, EmbedPolicy())
    assert [each for each in kept.losses if each.severity is Severity.CONTENT] == []
    made = convert(html, EmbedPolicy({kind: Treatment.DROP}))
    dropped = [each for each in made.losses if each.kind == kind]
    assert bool(dropped) is (kind != "figure")
    assert ("/i.png" in json.dumps(made.document)) is ("/i.png" in html)


@pytest.mark.parametrize(
    ("html", "host"),
    [
        (
            '<div class="w-embed"><script src="//CDN.example/a.js"></script></div>',
            "cdn.example",
        ),
        (
            '<div class="w-embed"><script>s.src = "https://js.example/x"</script></div>',
            "js.example",
        ),
        (
            '<div class="w-embed"><script>var a = {"u":"https:\\/\\/js.example\\/x"}'
            "</script></div>",
            "js.example",
        ),
        (
            "<div class='w-embed'><script>fbq('init', '1')</script></div>",
            "connect.facebook.net",
        ),
        (
            '<div class="w-embed"><div data-url="https://d.example/1"></div></div>',
            "d.example",
        ),
        (
            "<div class='w-embed'><i data-set='{\"u\": \"https://d.example/1\"}'></i></div>",
            "d.example",
        ),
        (
            '<div class="w-embed"><form action="https://p.example/f">f</form></div>',
            "p.example",
        ),
        ('<object data="https://o.example/f"></object>', "o.example"),
        ('<iframe data-src="https://late.example/1"></iframe>', "late.example"),
        (
            '<iframe src="about:blank" data-src="https://late.example/1"></iframe>',
            "late.example",
        ),
        ('<figure data-page-url="https://v.example/1"></figure>', "v.example"),
        ('<video><source src="https://m.example/1.mp4"></video>', "m.example"),
        ('<div class="w-embed"><script>// see foo.example\nx = 1</script></div>', ""),
        ('<div class="w-embed">text</div>', ""),
        ('<div class="w-embed"><a href="http://[broken">x</a></div>', ""),
    ],
)
def test_an_embed_goes_by_a_host(html: str, host: str) -> None:
    """The table of embeds shows it, and a choice for it beats the kind's."""
    ((kind, signature, _),) = embeds_of(html)
    assert signature == host
    if host:
        policy = EmbedPolicy({kind: Treatment.HTML}, {host: Treatment.DROP})
        made = NativeEngine().from_html(html, policy)
        assert [each.kind for each in made.losses] == [kind]
        other = EmbedPolicy({kind: Treatment.HTML}, {"x.example": Treatment.DROP})
        assert NativeEngine().from_html(html, other).losses == ()
