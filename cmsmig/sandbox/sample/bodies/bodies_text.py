"""Bodies about running text: blanks, marks, lists, headings, quotations."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies.markup import NBSP, ZWJ, bullets, paragraphs
from cmsmig.sandbox.sample.bodies.prose_en import BREWING, MARSH, PEOPLE, TABLE, WALKING

SPACERS = (
    f"<p>{MARSH[3]}</p><p>{ZWJ}</p>"
    f'<p id="">{MARSH[4]}</p><p id="">{ZWJ}</p>'
    '<p>Then nothing.</p><p id=""> </p><p></p><p>&nbsp;</p><p><br></p>'
    f"<p>A last word.{ZWJ}</p><p>A line,<br>{ZWJ}another line.<br>{ZWJ}</p>"
    f"<p>{NBSP}</p><p>The family 👩{ZWJ}👩{ZWJ}👧 and the flag 🏴{ZWJ}☠️ stay whole.</p>"
)
"""Every form of the empty paragraph, and joiners that must stay."""

MARKS = (
    '<p id="">The <strong id="">first</strong><em> </em>batch<strong> </strong>went to '
    "a <em>wedding<br></em>The <strong><em>second</em> was larger</strong>: 9<sup>th"
    "</sup> of May, H<sub>2</sub>O and malt.</p>"
    "<p><strong>All of it, <br></strong>and then <em><strong>some</strong></em>.</p>"
    "<p><u>Under</u>, <s>struck</s>, <b>old bold</b>, <i>old italic</i>, "
    "<mark>marked</mark>, <small>small</small>, <del>gone</del>, <kbd>Esc</kbd>.</p>"
    f"<p>A{NBSP}hard{NBSP}blank in 12{NBSP}km, and three   soft   ones.</p>"
    + paragraphs(BREWING[4])
)
"""Marks around blanks and breaks, raised and lowered figures, old tags."""

LISTS = (
    paragraphs("What to bring:")
    + bullets("Boots", "A <strong>second</strong> pair of socks", "Bread", ids=True)
    + '<ol start=""><li>Keep the wall on your right.</li><li>Count to four hundred.'
    "<ul><li>Slowly.</li><li>Twice.</li></ul></li><li>Mend the stile.</li></ol>"
    '<ol start="1" id=""><li id="">First bridge</li><li id="">Second bridge</li></ol>'
    + paragraphs("After the rest, the count goes on:")
    + '<ol start="4"><li>Third bridge<ol><li>left foot<ol><li>heel</li><li>toe</li>'
    "</ol></li><li>right foot</li></ol></li><li>Home</li></ol>"
    f"<p>•{NBSP} {NBSP} Typed by hand</p><p>• &nbsp; &nbsp;Typed by hand, too</p>"
    "<p>- and with a hyphen<br>- twice</p>"
    '<ul role="list"><li>From a page</li><li><p>With a paragraph</p><p>or two</p></li>'
    "<li></li></ul>"
)
"""Lists: nested after bare text, numbered from elsewhere, typed by hand."""

HEADINGS = (
    '<h1 id="the-lane">The lane</h1>'
    + paragraphs(WALKING[0])
    + '<h2 id="">The <em>first</em> bridge</h2>'
    + paragraphs(WALKING[2])
    + '<h3 id="second">The second bridge</h3><h4>A plank</h4>'
    + paragraphs(WALKING[4])
    + '<h5>A matter of opinion</h5><h6 id="">And of shoes</h6><h2></h2><h3> </h3>'
    + "<h2><strong>Bold by habit</strong></h2><p><strong>Not a heading</strong></p>"
    + paragraphs(WALKING[5])
)
"""All six levels, with ids and without, empty, and bold by habit."""

QUOTES = (
    paragraphs(PEOPLE[3])
    + "<blockquote><p>We do not sing it. We pass it on.</p><p>Then we ring up and ask "
    "whether it <em>arrived</em>.</p></blockquote>"
    + paragraphs(PEOPLE[1])
    + "<blockquote>Hold the other end.<br>— the aunt</blockquote>"
    + '<blockquote id=""><h4>On baskets</h4><ul><li>Soak</li><li>Weave</li></ul>'
    "</blockquote>" + "<hr>" + paragraphs("After the line.")
)
"""Quotations: several paragraphs, a bare one, a list inside."""

BARE = (
    "Open from Easter to the first storm. Ring the bell; if nobody comes, ring the "
    "other bell."
)
"""A body without a single tag."""

LINES = "First line of a bare body\nSecond line & an ampersand < and a sign\n\nThird"
"""A body without tags, with line ends and signs that HTML reserves."""

PLAIN = paragraphs(TABLE[0], TABLE[1], TABLE[4])
"""Three paragraphs and nothing else."""

EMPTY = ""
"""A body that was emptied."""
