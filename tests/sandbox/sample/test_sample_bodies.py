"""Every rich text structure known of the origin is in the sample's bodies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cmsmig.sandbox.sample.build import write_sample
from tests.support.sandbox.sample_reading import Sample

_TAGS = re.split(
    r"\s+",
    "p li strong a em ul ol h1 h2 h3 h4 h5 h6 br div blockquote figure img figcaption "
    "iframe td tr th table code pre sup sub section style",
)
_IMAGE = r'<figure[^>]*class="w-richtext-figure-type-image w-richtext-align-'
_VIDEO = r'<figure[^>]*class="w-richtext-figure-type-video'
_EMBED = r"<div data-rt-embed-type='true'>"
_EITHER_EMBED = r"<div data-rt-embed-type=['\"]true['\"]>"
_HOST = r"saltmarsh\.example\.com"

_AS_THE_API_GIVES_IT = [
    *((f"tag {tag}", rf"<{tag}[\s>]") for tag in _TAGS),
    *(
        (f"empty id on {tag}", rf'<{tag} (?:[^>]* )?id=""')
        for tag in ("p", "a", "strong", "li", "div", "img", "td", "h2", "figure")
    ),
    *(
        (f"image aligned {align}", rf'{_IMAGE}{align}"')
        for align in ("fullwidth", "center", "normal", "floatleft", "floatright")
    ),
    (
        "image, all attributes",
        _IMAGE + r'fullwidth" style="max-width:1150px" data-rt-'
        r'type="image" data-rt-align="fullwidth" data-rt-max-width="1150px"><div><img ',
    ),
    (
        "image without maximum width",
        _IMAGE + r'[a-z]+" data-rt-type="image" data-rt-'
        r'align="[a-z]+"><div>',
    ),
    ("sizes are the word auto", r'<img [^>]*width="auto" height="auto"'),
    ("sizes in another order", r'<img [^>]*height="auto" width="auto"'),
    ("size as numbers", r'<img [^>]*width="240" height="180"'),
    (
        "image, attributes reordered",
        r'<figure id="" data-rt-align=[^>]*class="w-rich'
        r'text-align-[a-z]+ w-richtext-figure-type-image"',
    ),
    (
        "image with a link",
        r'<figure[^>]*type-image[^>]*><a href="[^"]+"[^>]*><div><img',
    ),
    (
        "linked image with a caption",
        r"<figure[^>]*><a [^>]*><div><img [^>]*></div></a>"
        r"<figcaption>",
    ),
    ("image linked to a file", r'<figure[^>]*><a href="\{origin_files\}'),
    ("alt with a real text", r'<img [^>]*alt="[A-Z][a-z]+ [a-z]'),
    ("alt missing", r'<img src="[^"]*" loading="lazy" width'),
    ("alt inherited", r'alt="__wf_reserved_inherit"'),
    ("alt decorative", r'alt="__wf_reserved_decorative"'),
    ("alt empty", r'<figure[^>]*><div><img [^>]*alt=""'),
    ("alt a number", r'alt="\d+"'),
    ("alt with entities", r'alt="[^"]*&quot;[^"]*&lt;'),
    ("caption with marks", r"<figcaption>[^/]*<strong>"),
    ("caption with a link", r'<figcaption>[^<]*<a href="https'),
    ("caption with a break", r"<figcaption>[^<]*<br>"),
    ("image in a paragraph with text", r"<p>[^<]+<img [^>]*>[^<]+</p>"),
    ("image alone in a paragraph", r"<p><img [^>]*></p>"),
    ("image in a list entry", r"<li>[^<]*<img"),
    ("image in a heading", r"<h3>[^<]*<img"),
    ("image in a mark and a link", r"<strong><a [^>]*><img"),
    ("image with srcset alone", r"<img srcset=(?:(?! src=)[^>])*>"),
    ("derived size of an image", r"_planks-p-1080\.jpg"),
    ("name encoded twice", r"carte%2520du%2520littoral"),
    ("name with blanks, quotes, accents", r"%20%26%20%E2%80%9CMole%E2%80%9D%20%28"),
    ("image from a foreign host", r'<img src="https://images\.example\.com'),
    ("image that the host lost", r"_missing\.png"),
    ("SVG image", r"shared-logo\.svg"),
    (
        "video with page address",
        _VIDEO + r' [^>]*data-page-url="https://www\.youtube\.'
        r'com/watch[^"]*"><div><iframe src="https://www\.youtube\.com/embed/',
    ),
    (
        "video, all attributes",
        _VIDEO + r' w-richtext-align-fullwidth" style="padding-'
        r'bottom:56\.\d+%" data-rt-type="video" data-rt-align="fullwidth" data-rt-max-'
        r'width="" data-rt-max-height="56\.\d+%" data-rt-dimensions="854:480"',
    ),
    ("page address with raw ampersands", r'data-page-url="[^"]*v=\w+&list=\w+&t='),
    ("video without page address", r'data-rt-dimensions="0:0" data-page-url=""'),
    ("video with caption", _VIDEO + r"[^>]*><div><iframe [^>]*></iframe></div><fig"),
    *(
        (f"video of {host}", rf'<iframe src="(?:https:)?//[^"]*{host}')
        for host in ("youtube", r"player\.vimeo", "loom", "giphy", "embedly")
    ),
    ("own audio", r"<audio [^>]*src=\"\{origin_files\}"),
    ("own video with poster", r"<video [^>]*poster=\"\{origin_files\}[^>]*><source"),
    ("embed, single quotes", _EMBED),
    ("embed, double quotes", r'<div data-rt-embed-type="true">'),
    ("embed with style", _EMBED + r"<style>"),
    ("embed with structured data", _EITHER_EMBED + r'<script type="application/ld'),
    ("embed with a widget's script", _EITHER_EMBED + r"<div class=[^<]*</div>\s*<scri"),
    ("embed with a table", _EITHER_EMBED + r"(?:<style>[^<]*</style>\s*)?<table"),
    ("embed with a section", _EITHER_EMBED + r"<section"),
    ("embed with code", _EITHER_EMBED + r'<pre><code class="language-'),
    ("embed with nested divs", _EITHER_EMBED + r"<div[^>]*><div"),
    ("embed in an embed", _EMBED + r"(?:(?!</div><p>).)*<div data-rt-embed-type"),
    ("embed with a frame", _EITHER_EMBED + r"<iframe"),
    ("embed with an image of the site", _EITHER_EMBED + r"<style>.*?<img [^>]*origin"),
    ("embed, empty", _EMBED + r"</div>"),
    ("embed, a comment only", _EMBED + r"<!--[^>]*--></div>"),
    ("native code block, empty", r"<pre></pre>"),
    (
        "component instance",
        r"<wf-component data-w-id=\"\w+\" component-id=\"\w+\" name="
        r"\"[^\"]+\" prop-\w+=",
    ),
    ("component's plain property", r"<wf-prop [^>]*type=\"text\">[^<]+</wf-prop>"),
    ("component's rich property", r"<wf-prop [^>]*type=\"richtext\"><p>"),
    ("component instance, empty", r"<wf-component [^>]*></wf-component>"),
    ("component instance in a line", r"<p>[^<]+<wf-component"),
    ("spacer, joiner", "<p>\u200d</p>"),
    ("spacer, joiner with id", '<p id="">\u200d</p>'),
    ("spacer, blank", r'<p id=""> </p>'),
    ("spacer, empty", r"<p></p>"),
    ("spacer, entity", r"<p>&nbsp;</p>"),
    ("spacer, hard blank", "<p>\u00a0</p>"),
    ("spacer, break", r"<p><br></p>"),
    ("joiner at the end of text", "\\w\\.\u200d</p>"),
    ("joiner after a break", "<br>\u200d"),
    ("joiner between emoji", "👩\u200d👩"),
    ("hard blank in text", "\\w\u00a0\\w"),
    ("bullet typed by hand", r"• &nbsp; &nbsp;"),
    ("link, root-relative", r'href="/journal/the-long-causeway"'),
    ("link, other locale", r'href="/fr/journal/l-arpent-incertain"'),
    ("link, static page", r'href="/about/how-we-print"'),
    ("link, list page", r'href="/journal"'),
    ("link, to a draft", r'href="/journal/the-fifth-pier"'),
    ("link, to an archived item", r'href="/events/regatta-2019"'),
    ("link, to nothing known", r'href="/journal/no-such-story"'),
    ("link, with a query", r'href="/[^"]*\?from='),
    ("link, with an anchor", r'href="/[^"]*#tides"'),
    ("link, paged list", r'href="/journal\?\w+_page=2"'),
    ("link, first domain", rf'href="https://{_HOST}/journal'),
    ("link, with www", rf'href="https://www\.{_HOST}/'),
    ("link, second domain", rf'href="https://shop\.{_HOST}/'),
    ("link, platform domain", r'href="https://saltmarsh-quarterly\.webflow\.io/'),
    ("link, unencrypted", rf'href="http://{_HOST}/'),
    ("link, lookalike host", rf'href="https://{_HOST}\.example\.org'),
    ("link, anchor alone", r'href="#note-1"'),
    ("link, mail", r'href="mailto:'),
    ("link, telephone", r'href="tel:'),
    ("link, empty", r'href=""'),
    ("link, script", r'href="javascript:'),
    ("link, garbled target", r'target="mailto:'),
    ("link, blank target", r'target="_blank"'),
    ("link, own target", r'target="_self"'),
    ("link, block class", r'<a [^>]*class="w-inline-block"'),
    ("link, old kind", r'data-rt-link-type="external"'),
    ("link, text with leading blank", r"<a [^>]*> \w"),
    ("link, PDF", r'href="\{origin_files\}[^"]*\.pdf"'),
    ("list, start empty", r'<ol start="">'),
    ("list, start and id", r'<ol start="1" id="">'),
    ("list, start elsewhere", r'<ol start="4">'),
    ("list after bare text", r"<li>[^<]+<ol>"),
    ("list, three levels", r"<ol[^>]*><li>[^<]*<ol><li>[^<]*<ol>"),
    ("mark around a blank", r"<(?:strong|em)> </(?:strong|em)>"),
    ("break at the end of a mark", r"<br></(?:strong|em)>"),
    ("quotation of several paragraphs", r"<blockquote><p>.*?</p><p>"),
    *((f"heading {n} with an id", rf"<h{n} id=\"") for n in (1, 2, 3, 6)),
    ("hostile picture", r"onerror="),
    ("hostile frame", r'<iframe src="data:text/html'),
    ("hostile script", r"<script>fetch"),
]

_AS_A_PAGE_HOLDS_IT = [
    (
        "image, classes reversed",
        r'<figure class="w-richtext-align-fullwidth w-richtext-'
        r'figure-type-image"><div><img src="[^"]*" loading="lazy" alt="',
    ),
    (
        "video, no data attributes",
        r'<figure style="padding-bottom:56\.25%" class="w-rich'
        r'text-align-fullwidth w-richtext-figure-type-video"><div><iframe',
    ),
    ("list with a role", r'<ul role="list">'),
    ("plain embed", r'<div class="w-embed">'),
    ("embed with script", r'<div class="w-embed w-script">'),
    ("embed with frame", r'<div class="w-embed w-iframe">'),
    ("embed with both", r'<div class="w-embed w-iframe w-script">'),
    ("entities", r"Smoke &amp; barley.*&#8230;"),
    ("several sources", r'<img src="[^"]*" srcset="[^"]* 500w, [^"]*" sizes="100vw"'),
]

_AS_IMPORTERS_MADE_IT = [
    ("bare table", r'</div><table border="1">'),
    ("bare div", r"^<div><p>"),
    ("span with style", r'<span style="color:'),
    ("left-over Markdown", r"<p>## .*\*\*Bold\*\*"),
    ("aligned text", r'<p style="text-align:center">.*<h2 style="text-align: right;">'),
    ("no HTML at all", r"\A[^<]+\Z"),
    ("several bare lines", r"\A[^<]+\n[^>]*\Z"),
    ("malformed", r"<strong>never closed<p>"),
    ("from a word processor", r'class="MsoNormal"'),
    ("newer elements", r"<details><summary>"),
]


@pytest.mark.parametrize(
    ("structure", "pattern"),
    _AS_THE_API_GIVES_IT + _AS_A_PAGE_HOLDS_IT + _AS_IMPORTERS_MADE_IT,
)
def test_structure_is_in_some_body(
    sample: Sample, structure: str, pattern: str
) -> None:
    """The structure occurs in the sample as the origin writes it."""
    assert sample.has(pattern), structure


def test_page_dialect_comes_unmixed(sample: Sample) -> None:
    """One long body at least holds the page's forms and none of the API's."""
    assert any(
        'role="list"' in body and "w-embed" in body and "data-rt-" not in body
        for body in sample.bodies()
    )


def test_one_body_is_empty(sample: Sample) -> None:
    """An emptied body is an empty string, not an absent one."""
    assert "" in sample.bodies()


def test_links_of_stories_lead_to_items(sample: Sample) -> None:
    """Most root-relative links to items name a slug that the sample has."""
    known = {
        f"/{slug}/{item['fieldData']['slug']}" for slug, item in sample.all_items()
    }
    linked = {
        found
        for body in sample.bodies()
        for found in re.findall(r'href="(/(?!fr/)\w+/[^"?#]+)', body)
    }
    unknown = {link for link in linked if link.rstrip("/") not in known}
    assert unknown == {"/about/how-we-print", "/journal/no-such-story"}
    assert len(linked) >= 20


def test_french_links_lead_to_french_items(sample: Sample) -> None:
    """Links below the French folder name French slugs."""
    french = sample.site["locales"]["secondary"][0]["cmsLocaleId"]
    known = {
        f"/fr/{slug}/{item['fieldData']['slug']}"
        for slug, item in sample.all_items()
        if item["cmsLocaleId"] == french
    }
    linked = {
        found
        for body in sample.bodies()
        for found in re.findall(r"""href=["'](/fr/[^"'?#]+)""", body)
    }
    assert len(linked) >= 4
    assert linked <= known


def test_placeholder_addresses_hold_id_and_name(sample: Sample) -> None:
    """Each file address has the id before the underscore, safely encoded."""
    found = {
        address
        for body in sample.bodies()
        for address in re.findall(r"\{origin_files\}[^\s\"'<>]*", body)
    }
    shape = re.compile(r"\{origin_files\}/[0-9a-f]{24}_[\w.%~-]+\Z", re.ASCII)
    assert len(found) > 60
    assert {address for address in found if not shape.match(address)} == set()


def test_built_folder_is_small_enough_to_ship(tmp_path: Path) -> None:
    """The sample stays below two megabytes."""
    write_sample(tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_000_000
