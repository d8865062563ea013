"""What single structures become in faithful mode."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.engine import Converted, Unmapped, UploadedAsset
from cmsmig.richtext.native import Mode, NativeEngine, convert_text
from cmsmig.richtext.plain_text import visible_text
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.schema.validate import problems


def converted(html: str, policy: EmbedPolicy | None = None) -> Converted:
    """Convert and insist on a valid document."""
    made = NativeEngine().from_html(html, policy or EmbedPolicy())
    assert problems(made.document) == ()
    return made


def outline(node: Json) -> str:
    """Return a document as nested type names, texts in quotes."""
    assert isinstance(node, dict)
    if node["type"] == "text":
        text = str(node["text"]).replace("\n", "\\n")
        return f"'{text}'"
    content = node.get("content", [])
    assert isinstance(content, list)
    inside = ", ".join(outline(child) for child in content)
    return f"{node['type']}({inside})" if inside else str(node["type"])


def body(html: str) -> str:
    """Return the outline of what a body becomes, without the root."""
    return outline(converted(html).document).removeprefix("doc(").removesuffix(")")


def block(html: str, policy: EmbedPolicy | None = None) -> JsonObject:
    """Return the one component of the first blok."""
    content = converted(html, policy).document["content"]
    assert isinstance(content, list)
    bloks = [node for node in content if isinstance(node, dict)]
    found = next(node for node in bloks if node["type"] == "blok")
    attributes = found["attrs"]
    assert isinstance(attributes, dict)
    listed = attributes["body"]
    assert isinstance(listed, list)
    assert isinstance(listed[0], dict)
    return listed[0]


def kinds(made: Converted) -> list[str]:
    """Return the kinds of losses in order."""
    return [loss.kind for loss in made.losses]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", "paragraph"),
        ("<p>a <img src=x> b</p>", "paragraph('a'), image, paragraph('b')"),
        ("<p><img src=x></p>", "image"),
        ("<h2>a<img src=x>b</h2>", "heading('a'), image, heading('b')"),
        (
            "<p>a<img src=x>b</p>c",
            "paragraph('a'), image, paragraph('b'), paragraph('c')",
        ),
        (
            "<h2>a<img src=x>b</h2>c",
            "heading('a'), image, heading('b'), paragraph('c')",
        ),
        (
            "<pre>a<img src=x>b</pre>c",
            "code_block('a'), image, code_block('b'), paragraph('c')",
        ),
        (
            "<ul><li>a<img src=x></li><li>b</li></ul>",
            "bullet_list(list_item(paragraph('a'), image), list_item(paragraph('b')))",
        ),
        (
            "<ol start=3><li><img src=x></li><li>b</li></ol>",
            "ordered_list(list_item(paragraph, image), list_item(paragraph('b')))",
        ),
        (
            "<ol><li>a</li><li><pre>x</pre></li><li>c</li></ol>",
            "ordered_list(list_item(paragraph('a')), "
            "list_item(paragraph, code_block('x')), list_item(paragraph('c')))",
        ),
        ("<p>a</p>\n text", "paragraph('a'), paragraph('text')"),
        (
            "<ul><li>a</li><ul><li>b</li></ul></ul>",
            "bullet_list(list_item(paragraph('a'), "
            "bullet_list(list_item(paragraph('b')))))",
        ),
        ("<p>a</p><p>\u200d</p><p>&nbsp;</p><p><br></p>", "paragraph('a')"),
        ("<p>👩\u200d🚀</p>", "paragraph('👩\u200d🚀')"),
        ("a<b>b</b><i> c</i>", "paragraph('a', 'b', ' c')"),
        ("<main>a</main><nav>b</nav>", "paragraph('a'), paragraph('b')"),
        ("<pre>\na\n  b</pre>", "code_block('\\na\\n  b')"),
        ("1 < 2 & 3 > 2", "paragraph('1 < 2 & 3 > 2')"),
    ],
)
def test_structure(html: str, expected: str) -> None:
    """Blocks stay where they stood, without paragraphs that were never there."""
    assert body(html) == expected


def test_a_figure_keeps_caption_alignment_and_size() -> None:
    """A captioned picture is one block; marks and links of the caption stay."""
    html = (
        '<figure class="w-richtext-align-center w-richtext-figure-type-image" '
        'style="max-width:600px">\n<div><img src="a.png" alt="2024"></div>\n'
        '<figcaption>A <em>cap</em> <a href="/z">l</a></figcaption>\n</figure>'
    )
    made, held = converted(html), block(html)
    assert made.losses == ()
    assert list(held) == [
        "_uid",
        "component",
        "image",
        "caption",
        "alignment",
        "size",
    ]
    assert (held["alignment"], held["size"]) == ("center", "600px")
    assert outline(held["caption"]) == "doc(paragraph('A ', 'cap', ' ', 'l'))"
    assert '"href": "/z"' in json.dumps(held["caption"])
    image = held["image"]
    assert isinstance(image, dict)
    assert (image["filename"], image["alt"]) == ("a.png", "2024")


def test_a_bare_picture_has_the_officials_attributes() -> None:
    """Null where the source says nothing; texts stay texts."""
    content = converted('<img src="a.png" alt="2024">').document["content"]
    assert content == [
        {
            "type": "image",
            "attrs": {
                "id": None,
                "src": "a.png",
                "alt": "2024",
                "title": None,
                "source": None,
                "copyright": None,
                "meta_data": None,
            },
        }
    ]


def test_linked_image_is_a_figure_with_its_link() -> None:
    """A picture in a link keeps the link; the caption does not get it."""
    held = block(
        '<figure><a href="/z" target="_blank"><div><img src="a.png" alt="x"></div></a>'
        "<figcaption>Cap</figcaption></figure>"
    )
    assert held["component"] == "figure"
    assert outline(held["caption"]) == "doc(paragraph('Cap'))"
    assert "marks" not in json.dumps(held["caption"])
    assert held["link"] == {
        "fieldtype": "multilink",
        "id": "",
        "linktype": "url",
        "url": "/z",
        "cached_url": "/z",
        "target": "_blank",
    }


FIGURE = (
    '<figure class="w-richtext-align-center"><a href="/z"><img src="a"></a>'
    "<figcaption>Cap</figcaption></figure>"
)


def test_figures_as_pictures() -> None:
    """Chosen so, an image node with the caption below; the layout is a loss."""
    kept = {"figure": Treatment.PICTURE, "linked-image": Treatment.PICTURE}
    made = converted(FIGURE, EmbedPolicy(kinds=kept))
    assert outline(made.document) == "doc(image, paragraph('Cap'))"
    assert kinds(made) == ["alignment", "linked-image"]


def test_a_figure_keeps_its_caption_where_the_link_is_not_wanted() -> None:
    """The two choices about pictures do not touch each other."""
    made = EmbedPolicy(kinds={"linked-image": Treatment.PICTURE})
    assert "link" not in block(FIGURE, made)
    assert "caption" in block(FIGURE, made)
    kept = EmbedPolicy(kinds={"figure": Treatment.PICTURE})
    assert "link" in block(FIGURE, kept)
    assert "caption" not in block(FIGURE, kept)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<figure><img src=a><img src=b><figcaption>c</figcaption></figure>",
            "image, blok(b: c)",
        ),
        (
            "<figure><figcaption>c</figcaption><img src=a></figure>",
            "blok(a: c)",
        ),
        ("<figure><figcaption>c</figcaption></figure>", "paragraph('c')"),
        (
            "<figure><img src=a><figcaption>c</figcaption>"
            "<iframe src=/v></iframe><figcaption>d</figcaption></figure>",
            "blok(a: c), blok(video: d)",
        ),
        (
            "<figure><img src=a><p>between</p><figcaption>c</figcaption></figure>",
            "image, paragraph('between'), paragraph('c')",
        ),
        (
            "<figure><img src=a><figcaption>c<figure><img src=b><figcaption>d"
            "</figcaption></figure></figcaption></figure>",
            "blok(a: c d)",
        ),
        ("<figure><img src=a><figcaption> ‍</figcaption></figure>", "image"),
    ],
)
def test_captions_go_with_what_they_are_captions_of(html: str, expected: str) -> None:
    """To the picture or video before them, else after them, else they stand alone."""
    content = converted(html).document["content"]
    assert isinstance(content, list)
    assert ", ".join(map(told, content)) == expected


def told(node: Json) -> str:
    """Return a node's outline, a blok as what it shows and its caption."""
    assert isinstance(node, dict)
    if node["type"] != "blok":
        return outline(node)
    attributes = node["attrs"]
    assert isinstance(attributes, dict)
    assert isinstance(attributes["body"], list)
    held = attributes["body"][0]
    assert isinstance(held, dict)
    image, caption = held.get("image"), held.get("caption")
    shown = image["filename"] if isinstance(image, dict) else held.get("kind")
    if isinstance(caption, dict):
        caption = visible_text(caption).replace("\n", " ")
    return f"blok({shown}: {caption})"


VIDEO = (
    '<figure class="w-richtext-figure-type-video" data-rt-type="video" '
    'data-page-url="https://v.example/watch?v=1"><div>'
    '<iframe src="https://v.example/embed/1" title="T"></iframe></div>'
    "<figcaption>Cap</figcaption></figure>"
)


def test_video_is_an_embed_with_the_page_address() -> None:
    """A video figure becomes a block with address, title, caption and HTML."""
    held = block(VIDEO)
    assert {key: held[key] for key in held if key != "_uid"} == {
        "component": "embed",
        "url": "https://v.example/watch?v=1",
        "kind": "video",
        "title": "T",
        "caption": "Cap",
        "html": '<iframe src="https://v.example/embed/1" title="T"></iframe>',
        "frame": "https://v.example/embed/1",
        "shape": "",
    }


def test_video_as_link() -> None:
    """Chosen so, a video becomes a paragraph with a link, and a loss."""
    made = converted(VIDEO, EmbedPolicy(kinds={"video": Treatment.LINK}))
    assert outline(made.document) == "doc(paragraph('T'), paragraph('Cap'))"
    assert kinds(made) == ["video"]


def test_signature_beats_kind() -> None:
    """A choice for a host goes before the one for the kind."""
    policy = EmbedPolicy(
        kinds={"video": Treatment.COMPONENT}, signatures={"v.example": Treatment.DROP}
    )
    assert kinds(converted(VIDEO, policy)) == ["video"]


def test_custom_embed_is_verbatim() -> None:
    """Raw HTML stays raw, script included, without the origin's wrapper."""
    inner = "<div><script>if (a < b) go('x')</script><div>t</div></div>"
    assert block(f"<div data-rt-embed-type='true'>{inner}</div>")["html"] == inner
    assert block(f'<div class="w-embed w-script">{inner}</div>')["html"] == inner


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<div data-rt-embed-type='true'></div>", "empty-embed"),
        ('<div class="w-embed"> \n</div>', "empty-embed"),
        ("<pre></pre>", "empty-code"),
        ("<p>x<script>y()</script></p>", "script"),
        ("<p>x<input name=n></p>", "form-control"),
        ('<p><a href="javascript:x()">x</a></p>', "link"),
        ('<p>x<a href="/gone"></a></p>', "link"),
        ('<p>x<img alt="no address"></p>', "image"),
        ("<p>x</p><!-- and <p>the rest</p>", "comment"),
    ],
)
def test_what_has_no_place_is_a_loss(html: str, kind: str) -> None:
    """Each thing without a place is named once, with the reason."""
    assert kinds(converted(html)) == [kind]


def test_mail_addresses_become_email_links() -> None:
    """A mailto link is of type email and holds the bare address."""
    marks = json.dumps(converted('<a href="mailto:a@b.c">m</a>').document)
    assert '"href": "a@b.c"' in marks
    assert '"linktype": "email"' in marks


def test_names_of_one_text_share_its_words() -> None:
    """Of several ids before one text each has a word; what is left is a loss."""
    made = converted('<div id="a"><h2 id="b">One two</h2></div><i id="z"></i>')
    written = json.dumps(made.document)
    for name, text in (("a", "One"), ("b", " two")):
        mark = f'{{"type": "anchor", "attrs": {{"id": "{name}"}}}}'
        assert f'"marks": [{mark}], "text": "{text}"' in written
    assert [(loss.kind, loss.what) for loss in made.losses] == [("anchor", "z")]


def test_marks_that_code_tolerates_not_are_losses() -> None:
    """Around code, in code, and in a code block; a link beats the code."""
    made = converted(
        '<b><code>x <i>y</i> <a href="/l">z</a></code></b><pre>a <b>b</b></pre>'
    )
    assert sorted((loss.kind, loss.what, loss.context[:7]) for loss in made.losses) == [
        ("code-in-link", "<code>", "x y z"),
        ("mark-in-code", "bold", "2 times"),
        ("mark-in-code", "italic", "y"),
    ]
    assert '"href": "/l"' in json.dumps(made.document)


def test_ids_become_anchors() -> None:
    """A heading's id is an anchor on its first text; empty ids are nothing."""
    made = converted('<h2 id="part"><b>P</b>art</h2><p id="">x</p>')
    assert json.dumps(made.document).count('"anchor", "attrs": {"id": "part"}') == 1
    assert made.losses == ()


@dataclass(frozen=True, slots=True)
class Shelf(Unmapped):
    """Knows one picture and one file."""

    def uploaded_asset(self, address: str) -> UploadedAsset | None:
        """Return the asset of the one picture and of the one file."""
        known = {
            "https://cdn.example/a b.png?x=1&y=2": "https://new.example/a.png",
            "https://cdn.example/f.pdf": "https://new.example/f.pdf",
        }
        return UploadedAsset(7, known[address]) if address in known else None

    def alt(self, address: str) -> str:
        """Return the one alt text."""
        return "From the asset"

    def missing(self, address: str) -> str:
        """Say why the other picture is not there."""
        return "The file host answered 404." if address == "gone.png" else ""


def test_addresses_are_rewritten_before_conversion() -> None:
    """Pictures, file links and raw HTML lead to the new addresses."""
    source = "https://cdn.example/a b.png?x=1&amp;y=2"
    html = (
        f'<img src="{source}" alt="__wf_reserved_inherit">'
        '<p><a href="https://cdn.example/f.pdf">f</a></p>'
        f'<div class="w-embed"><img src="{source}"></div>'
    )
    made = NativeEngine().from_html(html, EmbedPolicy(), Shelf())
    written = json.dumps(made.document)
    assert "cdn.example" not in written
    assert written.count("https://new.example/a.png") == 2
    assert '"alt": "From the asset"' in written
    assert '"linktype": "asset"' in written


def test_missing_files_keep_their_address_and_are_named() -> None:
    """A file that could not be had is a loss with the reason."""
    made = NativeEngine().from_html("<img src=gone.png>", EmbedPolicy(), Shelf())
    assert '"src": "gone.png"' in json.dumps(made.document)
    assert [(loss.what, loss.why) for loss in made.losses] == [
        ("gone.png", "The file host answered 404.")
    ]


def test_reserved_alt_texts_never_pass() -> None:
    """Neither of the origin's alt placeholders reaches a document."""
    html = (
        "<img src=a alt=__wf_reserved_inherit><img src=b alt=__wf_reserved_decorative>"
    )
    assert "__wf" not in json.dumps(converted(html).document)


def test_layout_losses_are_counted_together() -> None:
    """The same class a hundred times is one loss that says so."""
    made = converted('<p class="c">x</p>' * 100)
    assert [(loss.what, loss.context) for loss in made.losses] == [
        ('class="c"', "100 times in this body")
    ]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("tag", ["div", "b", "blockquote", "ul><li", "pre", "code"])
def test_deep_nesting(mode: Mode, tag: str) -> None:
    """Ten thousand levels convert, and in time that grows with the size."""
    begun = time.process_time()
    made = NativeEngine(mode).from_html(f"<{tag}>" * 10_000 + "x")
    assert time.process_time() - begun < 8
    if mode is Mode.FAITHFUL:
        assert "'x'" in outline(made.document)


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<p>a</p><p>&nbsp;</p><p>b</p>", "paragraph('a'), paragraph('b')"),
        (
            "<ul><p>&nbsp;</p><li>a</li></ul>",
            "bullet_list(list_item(paragraph('a')))",
        ),
        (
            "<ol><p><hr></p></ol>",
            "horizontal_rule",
        ),
    ],
)
def test_a_spacer_leaves_what_it_ended(html: str, wanted: str) -> None:
    """A paragraph that shows nothing goes, and none of them is an item."""
    assert body(html) == wanted
    assert "spacer" in kinds(converted(html))


def test_markdown() -> None:
    """Markdown goes through the same converter, links and quotes recognised."""
    made = convert_text('# T\n\n"a" **b** www.e.com\n\n- x', source="markdown")
    assert outline(made.document) == (
        "doc(heading('T'), paragraph('“a” ', 'b', ' ', 'www.e.com'), "
        "bullet_list(list_item(paragraph('x'))))"
    )


def test_unknown_source_is_refused() -> None:
    """A source that is neither HTML nor Markdown is an error of the caller."""
    with pytest.raises(ValueError, match="neither"):
        convert_text("x", source="rst")
