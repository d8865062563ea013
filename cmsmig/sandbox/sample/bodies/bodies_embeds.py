"""Bodies around custom embeds, code and component instances."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies.markup import ZWJ, embed, heading, paragraphs
from cmsmig.sandbox.sample.bodies.prose_en import (
    BREWING,
    HARBOUR,
    MARSH,
    PRACTICAL,
    TABLE,
    WALKING,
)
from cmsmig.sandbox.sample.identity import long_id

TABLES = (
    paragraphs(WALKING[1], ids=True)
    + embed(
        "<style>.tides td{padding:.25rem}.tides th{text-align:left}</style>\n"
        '<table class="tides"><caption>Low water, Port Ardoise</caption><thead><tr>'
        "<th>Day</th><th>Morning</th><th>Evening</th></tr></thead><tbody><tr>"
        '<td id="">Monday</td><td>05:12</td><td>17:40</td></tr><tr>'
        "<td>Tuesday</td><td>05:58</td><td>18:21</td></tr></tbody></table>"
    )
    + paragraphs("Take <strong>half an hour</strong> off every figure.")
    + embed(
        "<table><tr><td colspan=2>Whole causeway</td></tr><tr><td>Out</td>"
        "<td>55&nbsp;min</td></tr></table>",
        quote='"',
    )
)
"""Tables, the commonest thing that editors put into embeds."""

SCRIPTS = (
    paragraphs(HARBOUR[1])
    + embed(
        '<script type="application/ld+json">{"@context":"https://schema.org",'
        '"@type":"NewsArticle","headline":"Eleven boats","author":{"@type":"Person",'
        '"name":"Maud Ellery"},"note":"</div> is only text here"}</script>'
    )
    + paragraphs("The count is kept by the harbour office.")
    + embed(
        '<div class="tide-widget" data-port="ardoise"></div>\n'
        '<script async src="https://widgets.example.com/tide.js"></script>'
    )
    + embed(
        '<blockquote class="social-post"><p>Eleven boats, one screen, no sound.</p>'
        '<a href="https://social.example.com/p/11">14 May</a></blockquote>'
        '<script async src="https://social.example.com/embed.js"></script>',
        quote='"',
    )
)
"""Structured data and widgets."""

CODE = (
    paragraphs("For those who keep their own tide clock, the sum is short:")
    + embed(
        '<pre><code class="language-python">def passable(minutes_from_low: int) '
        "-&gt; bool:\n    return abs(minutes_from_low) &lt; 120\n</code></pre>"
    )
    + paragraphs("And in the spreadsheet of the harbour office:")
    + "<pre></pre>"
    + paragraphs("The block above is a native one: the service gives it back empty.")
    + "<pre>plain  text,   kept\n  as typed</pre>"
    + "<p>Type <code>=ABS(B2)&lt;120</code> into the third column.</p>"
)
"""Code in an embed, in a native block, as plain preformatted text, inline."""

NESTED = (
    heading(2, "At a glance")
    + embed(
        '<section class="facts"><div class="row"><div class="cell"><h4>Length</h4>'
        '<p>4.2&nbsp;km</p></div><div class="cell"><h4>Shoes</h4><p>Old ones</p>'
        "</div></div></section>"
    )
    + paragraphs(WALKING[3])
    + embed(
        '<div class="tabs"><div class="tab">Before low water</div>'
        + embed("<p>An embed within an embed.</p>", quote='"')
        + '<div class="tab">After</div></div>'
    )
    + "<section><h3>A section of its own</h3><p>Outside any embed.</p></section>"
)
"""Nested divs, a section, an embed in an embed."""

EMPTY = (
    paragraphs(MARSH[3])
    + embed("")
    + embed("   ", quote='"')
    + embed("<!-- booking form goes here -->")
    + paragraphs(MARSH[4])
)
"""Embeds that hold nothing to see."""

PUBLISHED = (
    paragraphs(TABLE[0])
    + '<div class="w-embed"><table><tr><th>Bed</th><th>Taste</th></tr><tr>'
    "<td>North</td><td>Cucumber, coins</td></tr></table></div>"
    + '<div class="w-embed w-script"><script>document.title += " *";</script></div>'
    + '<div class="w-embed w-iframe"><iframe src="https://maps.example.com/embed?q='
    'north+bed" title="North bed"></iframe></div>'
    + '<div class="w-embed w-iframe w-script"><iframe src="https://shop.example.com/'
    'frame/7"></iframe><script src="https://shop.example.com/resize.js"></script>'
    "</div>" + paragraphs(TABLE[3])
)
"""Embeds as a published page wraps them."""

_PLAIN = long_id("component-property:heading")
_RICH = long_id("component-property:text")

COMPONENTS = (
    paragraphs(BREWING[4]) + f'<wf-component data-w-id="{long_id("instance:1")}" '
    f'component-id="{long_id("component:recipe")}" name="Recipe card" '
    f'prop-{_PLAIN}="Gose, the fourth batch">'
    f'<wf-prop name="{_PLAIN}" label="Heading" type="text">Gose, the fourth batch'
    f'</wf-prop><wf-prop name="{_RICH}" label="Method" type="richtext"><p>Mash at '
    "<strong>66&nbsp;°C</strong>, sour <em>overnight</em>.</p><ul><li>Wheat, half"
    '</li><li>Salt, <a href="/product/marsh-salt">a handful</a></li></ul></wf-prop>'
    "</wf-component>"
    + paragraphs(BREWING[5])
    + f'<wf-component data-w-id="{long_id("instance:2")}" '
    f'component-id="{long_id("component:divider")}" name="Divider"></wf-component>'
    + "<p>Before <wf-component name='Price' component-id='"
    + long_id("component:price")
    + "'><wf-prop name='"
    + long_id("component-property:amount")
    + "' label='Amount' type='text'>€ 12</wf-prop></wf-component> and after.</p>"
)
"""Component instances with text and rich text, an empty one, one in a line."""

LONG = (
    heading(2, "Getting there", ids=True)
    + paragraphs(*PRACTICAL, ids=True)
    + embed("<div class='notice'>Closed on Tuesdays.</div>")
    + paragraphs(ZWJ, ids=True)
    + heading(2, "What it costs", ids=True)
    + "<table><thead><tr><th>Who</th><th>Price</th></tr></thead><tbody><tr>"
    "<td>Adults</td><td>€ 6</td></tr><tr><td>Under twelve</td><td>Three wading "
    "birds</td></tr></tbody></table>"
)
"""A practical page with an embed, a spacer and a table straight in the text."""
