"""`blocks.yaml`: what was decided about each body, and whether it still holds."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.body_reviews import (
    BodyFacts,
    BodyKey,
    BodyReview,
    BodyState,
    DecidedBlock,
    body_facts,
    review_of,
    review_status,
    rules_of,
    rules_text,
)
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice, BodyMode
from cmsmig.mapping.decisions.decision_files import decided_value, from_text, to_text
from cmsmig.richtext.blocks.block_runs import (
    Heuristic,
    Heuristics,
    How,
    merged,
    propose_blocks,
)
from cmsmig.richtext.blocks.outline import BlockKind, outline_of
from cmsmig.richtext.native import NativeEngine

TEXT = st.text(max_size=12)
RULES = st.builds(
    Heuristics, st.frozensets(st.sampled_from(Heuristic)), st.integers(1, 6)
)
REVIEWS = st.builds(
    BodyReview,
    slug=TEXT,
    collection_id=TEXT,
    item=TEXT,
    locale=TEXT,
    field=TEXT,
    content=TEXT,
    rules=RULES.map(rules_text),
    by=TEXT,
    at=TEXT,
    how=TEXT,
    blocks=st.lists(
        st.builds(
            DecidedBlock,
            st.sampled_from(BlockKind),
            st.integers(1, 999),
            st.sampled_from(How),
            TEXT,
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
)
DECISIONS = st.builds(
    lambda choices, reviews: BlocksDecision(
        tuple(choices), reviews={each.key: each for each in reviews}
    ),
    st.lists(
        st.builds(
            BodyChoice.splitting,
            st.builds(BodyChoice, TEXT, TEXT, TEXT),
            st.sampled_from(BodyMode),
            RULES.filter(lambda rules: bool(rules.on)) | st.just(Heuristics()),
        ),
        max_size=2,
    ),
    st.lists(REVIEWS, max_size=3),
)

chosen = settings(
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
SPLIT = Heuristics(frozenset((Heuristic.HEADINGS, Heuristic.IMAGES)))
HTML = '<p>a</p><h2>B</h2><p>b</p><img src="https://f.example/x.png">'
KEY = BodyKey("c1", "i1", "en", "body")


def facts_of(html: str) -> BodyFacts:
    return body_facts(html, outline_of(NativeEngine().from_html(html).document))


FACTS = facts_of(HTML)
ACCEPTED = review_of(
    KEY,
    FACTS,
    SPLIT,
    propose_blocks(FACTS.outline, SPLIT),
    slug="first",
    by="Ann",
    at="2024-01-01T00:00:00+00:00",
    how="in bulk",
)
FILE = to_text(
    BlocksDecision(
        (BodyChoice("posts", "c1", "body").splitting(BodyMode.BLOCKS, SPLIT),),
        reviews={KEY: ACCEPTED},
    )
)


def read(text: str) -> BlocksDecision:
    return from_text(text, "blocks.yaml", BlocksDecision)


@chosen
@given(DECISIONS)
def test_what_is_written_is_read(decision: BlocksDecision) -> None:
    """Whatever the texts are, the file holds the decision and stays the same."""
    text = to_text(decision)
    assert read(text) == decision
    assert to_text(read(text)) == text


@chosen
@given(DECISIONS)
def test_another_programs_yaml_is_read_the_same(decision: BlocksDecision) -> None:
    """An entry that a person wrote otherwise means what it says."""
    text = to_text(decision)
    other = text.replace("{kind: ", "{ kind: ").replace(
        "\n    blocks:", "\n\n    blocks:"
    )
    assert read(other) == decision


@chosen
@given(st.text(max_size=60))
def test_any_damage_is_read_or_refused_in_one_sentence(damage: str) -> None:
    """Nothing but a `DecisionsError` comes out of a damaged file."""
    for text in (damage, FILE + damage, FILE.replace("kind: text", damage, 1)):
        with contextlib.suppress(DecisionsError):
            assert to_text(read(text))


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind: image", "kind: picture", "`picture` must be 'text'"),
        ("nodes: 2", "nodes: 0", "`0` must be greater than or equal to 1"),
        ('how: accepted, begins: "a"', 'how: liked, begins: "a"', "`liked` must be"),
        ('    rules: "1 ', '    rules: "one ', "names no rules"),
        ("    content:", "    contents:", "unknown key `contents`; there are at, "),
        ('    item: "i1"\n', '    item: "i1"\n    colour: red\n', "unknown key"),
        ("mode: blocks", "mode: block", "must be 'one_richtext' or 'blocks'"),
        ("heading_level: 2", "heading_level: 7", "must be less than or equal to 6"),
        ("- images", "- pictures", "`pictures` must be 'headings'"),
    ],
)
def test_a_mistake_is_named_with_its_line(old: str, new: str, said: str) -> None:
    """One sentence: file, line, what is wrong there, what is allowed."""
    text = FILE.replace(old, new, 1)
    assert text != FILE
    with pytest.raises(DecisionsError) as caught:
        read(text)
    assert said in str(caught.value)
    named = line_of(text, new.strip().split("\n")[-1].strip())
    first = line_of(text, "  - slug:")
    assert f"line {named} " in str(caught.value) or f"line {first} " in str(
        caught.value
    )


def test_a_body_decided_twice_is_refused() -> None:
    """The second entry is named by its line."""
    entry = ACCEPTED.text
    with pytest.raises(DecisionsError, match=r"line .*: the field `body`.*twice"):
        read(FILE + entry)


def test_the_diff_of_one_decision_is_one_entry() -> None:
    """Entries are in the order of their bodies, with a line for each block."""
    others = {
        replace(KEY, item_id=f"i{number}"): replace(ACCEPTED, item=f"i{number}")
        for number in range(9)
    }
    before = to_text(BlocksDecision((), reviews=others)).splitlines()
    changed = replace(
        ACCEPTED,
        blocks=(*ACCEPTED.blocks[:-1], DecidedBlock(BlockKind.TEXT, 1, How.RETYPED)),
    )
    shuffled = dict(sorted(others.items(), reverse=True)) | {KEY: changed}
    after = to_text(BlocksDecision((), reviews=shuffled)).splitlines()
    differing = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert len(differing) == 1
    assert (
        differing[0][1].strip() == '- {kind: text, nodes: 1, how: retyped, begins: ""}'
    )


@chosen
@given(RULES)
def test_rules_are_one_word_each(rules: Heuristics) -> None:
    """What the text names is what was on, and the level where it counts."""
    version, found = rules_of(rules_text(rules))
    assert (version, found.on) == (1, rules.on)
    assert (
        found.heading_level == rules.heading_level or Heuristic.HEADINGS not in rules.on
    )


def value(review: BodyReview) -> object:
    return decided_value(BlocksDecision((), reviews={KEY: review}))


def test_who_decided_does_not_count() -> None:
    """Blocks and content do; names, times and texts for readers do not."""
    other = replace(ACCEPTED, by="Bob", at="2025", how="individually", slug="x")
    unread = replace(
        other,
        blocks=tuple(
            replace(block, begins="", how=How.MERGED) for block in other.blocks
        ),
    )
    assert value(unread) == value(ACCEPTED)
    assert value(replace(ACCEPTED, content="x")) != value(ACCEPTED)
    assert value(replace(ACCEPTED, by="")) != value(ACCEPTED)
    assert value(replace(ACCEPTED, blocks=ACCEPTED.blocks[:1])) != value(ACCEPTED)


def test_a_decision_holds_while_its_body_is_the_same() -> None:
    """Without a decision, with one, and of a text that needs none."""
    assert review_status(None, FACTS, SPLIT).state is BodyState.OPEN
    found = review_status(ACCEPTED, FACTS, SPLIT)
    assert (found.state, found.by) == (BodyState.REVIEWED, "Ann")
    assert [str(block.kind) for block in found.blocks] == ["text", "text", "image"]
    assert found.blocks[1].why == "A heading of level 2 begins here."
    assert (
        review_status(None, facts_of("<p>a</p>"), SPLIT).state is BodyState.NOT_NEEDED
    )
    assert review_status(None, FACTS, Heuristics()).state is BodyState.NOT_NEEDED


@pytest.mark.parametrize(
    "html",
    [
        HTML.replace("<p>b</p>", "<p>c</p>"),
        HTML.replace("x.png", "y.png"),
        HTML + "<p>more</p>",
    ],
)
def test_changed_content_reopens_its_decision(html: str) -> None:
    """The blocks are as proposed again, and the reason is said."""
    found = review_status(ACCEPTED, facts_of(html), SPLIT)
    assert found.state is BodyState.REOPENED
    assert "changed after this was decided" in found.why
    assert found.blocks == review_status(None, facts_of(html), SPLIT).blocks


def test_an_embed_choice_that_changes_the_shape_reopens() -> None:
    """The same HTML with another kind of node is not what was decided on."""
    html = '<p>a</p><iframe src="https://v.example/1"></iframe>'
    outline = outline_of(NativeEngine().from_html(html).document)
    dropped = outline[:1]
    assert body_facts(html, outline).content != body_facts(html, dropped).content


def test_the_host_of_a_file_reopens_nothing() -> None:
    """A rehearsal serves the same files from another host."""
    file = "0123456789abcdef01234567_x.png"
    one = facts_of(f'<p>a</p><img src="https://files.example/site/{file}">')
    two = facts_of(f'<p>a</p><img src="http://127.0.0.1:8099/site/{file}">')
    three = facts_of(f'<p>a</p><img src="http://127.0.0.1:8099/site/0{file}">')
    assert one.content == two.content != three.content


@pytest.mark.processor_time(5)
def test_a_word_of_many_addresses_is_looked_at_once() -> None:
    """It is no address of a file, so it counts as it is."""
    text = "//a/" * 30_000
    assert body_facts(text, ()).content != body_facts(f"{text}/", ()).content


def test_other_rules_reopen_only_what_they_split_otherwise() -> None:
    """Switching a rule on leaves the decisions alone that it says nothing about."""
    more = Heuristics(SPLIT.on | {Heuristic.TABLES}, SPLIT.heading_level)
    assert review_status(ACCEPTED, FACTS, more).state is BodyState.REVIEWED
    fewer = Heuristics(frozenset((Heuristic.HEADINGS,)))
    found = review_status(ACCEPTED, FACTS, fewer)
    assert found.state is BodyState.REOPENED
    assert "Other rules" in found.why
    old = replace(ACCEPTED, rules="0 headings:2 images")
    assert "rules that propose" in review_status(old, FACTS, SPLIT).why


def test_edits_stay_open_until_a_reviewer_accepts_them() -> None:
    """A change by hand is kept, is marked as one, and stays open."""
    edited = merged(propose_blocks(FACTS.outline, SPLIT), 0)
    review = review_of(KEY, FACTS, SPLIT, edited)
    found = review_status(review, FACTS, SPLIT)
    assert (found.state, found.edited) == (BodyState.OPEN, True)
    assert [block.why for block in found.blocks] == [
        "Merged by hand.",
        "A picture is alone here.",
    ]
    taken = review_of(KEY, FACTS, SPLIT, found.blocks, by="Ann", at="", how="")
    assert [block.how for block in taken.blocks] == [How.MERGED, How.ACCEPTED]


def test_blocks_that_do_not_fit_are_not_taken() -> None:
    """A file edited to counts that do not add up reopens the body."""
    wrong = replace(ACCEPTED, blocks=ACCEPTED.blocks[:2])
    found = review_status(wrong, FACTS, SPLIT)
    assert found.state is BodyState.REOPENED
    assert found.why == "The decided blocks don't fit this body."
