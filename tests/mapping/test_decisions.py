"""Decision files: stable text, tolerant of hand edits, exact about mistakes."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.choices import (
    ArchivedLiveRule,
    ArchiveRule,
    BlocksDecision,
    BodyChoice,
    CollectionChoice,
    CollectionsDecision,
    DraftRule,
    EmbedsDecision,
    FormerPath,
    ItemChoice,
    ItemSet,
    Languages,
    LocaleChoice,
    MissingLanguage,
    PublishRule,
    QueuedRule,
    Take,
)
from cmsmig.mapping.decisions.cleaning import (
    AltText,
    CleaningDecision,
    CleaningKind,
    Operation,
    Within,
)
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
    ConflictChoice,
    ConflictKind,
    ConflictsDecision,
    EditChoice,
    GoneAction,
    GoneChoice,
    GoneFrom,
    Side,
)
from cmsmig.mapping.decisions.decision_files import (
    FILE_NAMES,
    embed_policy,
    from_text,
    to_text,
)
from cmsmig.mapping.decisions.design import (
    UNLISTED,
    BlockDesign,
    BlockRole,
    ContentTypeDesign,
    Decision,
    Design,
    Encoding,
    FieldDesign,
    LeftOutField,
    Option,
    Reviewed,
    SectionDesign,
)
from cmsmig.mapping.propose.decision_checks import (
    check_against,
    decision_problems,
    undecided_collections,
    undecided_design,
)
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.proposals import propose_block_designs, propose_embeds
from cmsmig.richtext.policy import Treatment
from tests.support.mapping.design_builders import (
    designed,
    make_collection,
    make_field,
    make_locale,
    make_type,
)

TEXT = st.text(max_size=20) | st.sampled_from(
    [
        "no",
        "null",
        "~",
        "2024-01-01",
        "62e10",
        "0x1",
        "a: b",
        "- a",
        "# x",
        "'",
        "\u2028",
    ]
)
REVIEWED = st.none() | st.builds(Reviewed, TEXT, TEXT, TEXT)


def tuples_of(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Return short tuples of what `strategy` gives."""
    return st.lists(strategy, max_size=3).map(tuple)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2)
    ),
    max_leaves=4,
)
FIELDS = st.builds(
    FieldDesign,
    TEXT,
    TEXT,
    TEXT,
    st.sampled_from(Encoding),
    TEXT,
    st.booleans(),
    TEXT,
    TEXT,
    tuples_of(st.builds(Option, TEXT, TEXT)),
    TEXT,
    note=TEXT,
    rules=st.dictionaries(TEXT, st.integers() | TEXT, max_size=2),
)
CONTENT_TYPES = st.builds(
    ContentTypeDesign,
    collection_slug=TEXT,
    collection_id=TEXT,
    component=TEXT,
    display_name=TEXT,
    folder=TEXT,
    folder_name=TEXT,
    note=TEXT,
    universal=st.booleans(),
    date_field=TEXT,
    order_field=TEXT,
    folder_by=TEXT,
    start_page=TEXT,
    tags_by=TEXT,
    fields=tuples_of(FIELDS),
    sections=tuples_of(
        st.builds(SectionDesign, TEXT, TEXT, tuples_of(TEXT), component=TEXT)
    ),
    left_out=tuples_of(st.builds(LeftOutField, TEXT, TEXT, TEXT)),
)
BLOCKS = st.builds(
    BlockDesign,
    TEXT,
    TEXT,
    st.dictionaries(TEXT, JSON, max_size=3),
    role=st.sampled_from(BlockRole),
    universal=st.booleans(),
)
DECISIONS = st.one_of(
    st.builds(
        Design,
        tuples_of(CONTENT_TYPES),
        tuples_of(BLOCKS),
        asset_folder=TEXT,
        reviewed=REVIEWED,
    ),
    st.builds(
        CollectionsDecision,
        tuples_of(
            st.builds(
                LocaleChoice,
                tag=TEXT,
                locale_id=TEXT,
                name=TEXT,
                primary=st.booleans(),
                migrate=st.booleans(),
                folder=TEXT,
                language=TEXT,
            )
        ),
        tuples_of(
            st.builds(
                CollectionChoice,
                TEXT,
                TEXT,
                st.booleans(),
                st.sampled_from(ItemSet),
                st.sampled_from(DraftRule),
                st.sampled_from(ArchiveRule),
                st.sampled_from(ArchivedLiveRule),
                st.sampled_from(QueuedRule),
                st.sampled_from(PublishRule),
                TEXT,
                tuples_of(
                    st.builds(
                        ItemChoice,
                        TEXT,
                        st.sampled_from(Take),
                        TEXT,
                        locale_id=TEXT,
                    )
                ),
            )
        ),
        tuples_of(st.builds(FormerPath, TEXT, TEXT, TEXT, st.booleans())),
        reviewed=REVIEWED,
        missing_language=st.sampled_from(MissingLanguage),
        languages=st.sampled_from(Languages),
    ),
    st.builds(
        BlocksDecision,
        tuples_of(st.builds(BodyChoice, TEXT, TEXT, TEXT)),
        reviewed=REVIEWED,
    ),
    st.builds(
        EmbedsDecision,
        st.dictionaries(TEXT, st.sampled_from(Treatment), max_size=3),
        st.dictionaries(TEXT, st.sampled_from(Treatment), max_size=3),
        reviewed=REVIEWED,
    ),
    st.builds(
        ConflictsDecision,
        tuples_of(
            st.builds(
                ConflictChoice,
                st.sampled_from(ConflictKind),
                TEXT,
                st.sampled_from(ConflictAction),
                TEXT,
                TEXT,
            )
        ),
        tuples_of(
            st.builds(
                EditChoice,
                kind=st.sampled_from(ConflictKind),
                what=TEXT,
                field=TEXT,
                take=st.sampled_from(Side),
                seen=TEXT,
                note=TEXT,
            )
        ),
        tuples_of(
            st.builds(
                GoneChoice,
                st.sampled_from(GoneFrom),
                TEXT,
                st.sampled_from(GoneAction),
                TEXT,
            )
        ),
        reviewed=REVIEWED,
    ),
    st.builds(
        CleaningDecision,
        tuples_of(
            st.builds(
                Operation,
                kind=st.sampled_from(CleaningKind),
                values=tuples_of(TEXT),
                find=TEXT,
                to=TEXT,
                regex=st.booleans(),
                within=st.sampled_from(Within),
                top=st.integers(0, 6),
                alts=tuples_of(st.builds(AltText, TEXT, TEXT, TEXT)),
                search=TEXT,
                note=TEXT,
                refused=st.booleans(),
                reviewed=REVIEWED,
            )
        ),
        reviewed=REVIEWED,
    ),
)


@settings(deadline=None, max_examples=40)
@given(DECISIONS)
def test_every_decision_comes_back_from_its_text(decision: Decision) -> None:
    """Whatever the names, labels and notes are; and the text is stable."""
    text = to_text(decision)
    found = from_text(text, "file", type(decision))
    assert found == decision
    assert to_text(found) == text


def test_each_kind_has_a_file_of_its_own() -> None:
    """Those that the project folder holds."""
    assert list(FILE_NAMES.values()) == [
        "collections.yaml",
        "design.yaml",
        "blocks.yaml",
        "embeds.yaml",
        "conflicts.yaml",
        "redirects.yaml",
        "cleaning.yaml",
    ]


COLLECTIONS = """\
# a comment by hand
reviewed: {by: Ann, at: 2024-01-01T00:00:00Z, how: individually}
collections:
- {collection: 2024, collection_id: 62e10, items: live, migrate: yes}
- collection: no
  collection_id: c2
  drafts: "skip"
"""


def test_hand_written_yaml_means_what_it_says() -> None:
    """Text stays text though YAML has numbers, dates and booleans of its own."""
    found = from_text(COLLECTIONS, "collections.yaml", CollectionsDecision)
    assert found == CollectionsDecision(
        (),
        (
            CollectionChoice("2024", "62e10", items=ItemSet.LIVE),
            CollectionChoice("no", "c2", drafts=DraftRule.SKIP),
        ),
        reviewed=Reviewed("Ann", "2024-01-01T00:00:00Z", "individually"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "collections.yaml is empty"),
        ("# nothing\n", "collections.yaml is empty"),
        ("a: [", "collections.yaml, line 1 is not valid YAML"),
        ("a: b\n\tc: d", "collections.yaml, line 2 is not valid YAML"),
        ("\x00", "collections.yaml is not valid YAML"),
        ("- a", "line 1: must be a list of `key: value` lines"),
        ("collection: []", "line 1: has the unknown key `collection`; there are"),
        ("locales: []\nlocales: []", "line 2: has the key `locales` twice"),
        ("collections: no", "line 1 (collections): must be a list"),
        (
            "collections:\n- {collection: a, collection_id: b, items: draft}",
            "line 2 (collections[0].items): `draft` must be 'live', "
            "'staged', 'staged_published_only' or 'mirror'",
        ),
        (
            "collections:\n- {collection: a, collection_id: b, migrate: maybe}",
            "line 2 (collections[0].migrate): `maybe` must be a valid boolean",
        ),
        (
            "collections:\n- collection: a",
            "line 2 (collections[0]): lacks the key `collection_id`",
        ),
        (
            "collections:\n- collection: [a]\n  collection_id: b",
            "line 2 (collections[0].collection): must be one text",
        ),
        ("reviewed: {by: a}", "line 1 (reviewed): lacks the key `at`"),
        ("[" * 20000, "collections.yaml"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, message: str) -> None:
    """One sentence: file, line, what is wrong, what is allowed."""
    with pytest.raises(DecisionsError) as caught:
        from_text(text, "collections.yaml", CollectionsDecision)
    assert message in str(caught.value)
    assert str(caught.value).endswith(".")


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]\n"
    for a, b in pairwise("abcdefghij")
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"component_names: {{}}\n{BOMB}", 2),
        ("reviewed:\n  by: &who Ada\n  at: *who\n", 2),
        ("reviewed:\n  by: Ada\n  at: *who\n", 3),
        ("reviewed:\n  <<: {by: Ada}\n", 2),
        ("reviewed:\n  !!merge x: {by: Ada}\n", 2),
        ("&top\nreviewed: null\n", 1),
    ],
)
@pytest.mark.parametrize("kind", FILE_NAMES, ids=lambda kind: kind.__name__)
def test_values_are_never_shared(kind: type[Decision], text: str, line: int) -> None:
    """Ten lines of aliases would expand to gigabytes: one sentence, with the line."""
    name = FILE_NAMES[kind]
    with pytest.raises(DecisionsError) as caught:
        from_text(text, name, kind)
    assert str(caught.value).startswith(f"{name}, line {line} has an anchor, an alias")


def test_an_entry_of_a_body_shares_no_value_either() -> None:
    """Entries that another program wrote are read one by one."""
    text = 'bodies: []\n\nreviews:\n  - slug: "a"\n    item: &x b\n    locale: *x\n'
    with pytest.raises(DecisionsError, match=r"blocks.yaml, line 5 has an anchor"):
        from_text(text, "blocks.yaml", BlocksDecision)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_sentence(text: str) -> None:
    """Nothing but a `DecisionsError` comes out of a damaged file."""
    for kind in (CollectionsDecision, Design, EmbedsDecision):
        with contextlib.suppress(DecisionsError):
            assert to_text(from_text(text, "file", kind))


def test_a_reviewed_decision_says_who_when_and_how() -> None:
    """It is the only thing that acceptance changes."""
    reviewed = Reviewed("Ann", "2024-01-01T00:00:00Z", "in bulk")
    found = BlocksDecision((), reviewed=reviewed)
    text = to_text(found)
    assert "by: Ann" in text
    assert "how: in bulk" in text
    assert replace(found, reviewed=None) == BlocksDecision(())


def test_an_embed_decision_becomes_the_conversions_policy() -> None:
    """Component names are those of the design."""
    blocks = tuple(
        replace(block, component=f"{block.component}_2")
        for block in propose_block_designs()
    )
    decision = replace(propose_embeds(), signatures={"x.example.org": Treatment.DROP})
    policy = embed_policy(decision, Design((), blocks))
    assert policy.html_component == "html_embed_2"
    assert policy.embed_component == "embed_2"
    assert policy.figure_component == "figure_2"
    assert policy.kinds["embed"] is Treatment.HTML
    assert policy.signatures == {"x.example.org": Treatment.DROP}
    assert policy.embed_fields == {"frame", "shape", "thumbnail", "author"}


def test_a_design_from_before_a_field_is_held_to_what_it_has() -> None:
    """The conversion fills no field that the reviewed component lacks."""
    older = tuple(
        replace(
            block,
            schema={key: block.schema[key] for key in block.schema if key != "shape"},
        )
        for block in propose_block_designs()
    )
    policy = embed_policy(propose_embeds(), Design((), older))
    assert policy.embed_fields == {"frame", "thumbnail", "author"}


POSTS = make_collection(
    "c1",
    make_field("title", "PlainText"),
    make_field("date", "DateTime"),
    make_field("tint", "Color"),
    make_field("by", "Reference", validations={"collectionId": "c1"}),
    make_field("kind", "Option", validations={"options": [{"id": "1", "name": "A"}]}),
)
TITLE = designed("title", Encoding.TEXT)


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (
            CollectionsDecision((), (CollectionChoice("pots", "c9"),)),
            "the site has no collection `pots` with the id c9; it has posts",
        ),
        (
            CollectionsDecision((), (CollectionChoice("posts", "c1"),) * 2),
            "decided twice",
        ),
        (
            CollectionsDecision(
                (
                    LocaleChoice(locale_id="a", tag="en", migrate=True, folder=""),
                    LocaleChoice(locale_id="b", tag="fr", migrate=True, folder=""),
                ),
                (),
            ),
            "two locales have the folder",
        ),
        (
            BlocksDecision((BodyChoice("posts", "c1", "boddy"),)),
            "the collection posts has no field `boddy`",
        ),
        (
            EmbedsDecision({"vidoe": Treatment.HTML}),
            "there is no kind of embed `vidoe`",
        ),
        (
            EmbedsDecision(signatures={"https://www.youtube.com/": Treatment.HTML}),
            "the signature `https://www.youtube.com/` is no host",
        ),
        (
            EmbedsDecision(signatures={"YouTube.com": Treatment.HTML}),
            "the signature `YouTube.com` is no host",
        ),
        (
            EmbedsDecision({"video": Treatment.PICTURE}),
            "`video` can't become a picture",
        ),
        (
            EmbedsDecision(signatures={"e.example": Treatment.PICTURE}),
            "`e.example` can't become a picture",
        ),
        (Design((make_type("c9"),), ()), "the site has no collection"),
        (Design((make_type(component="Post!"),), ()), "component name `Post!`"),
        (Design((make_type(folder="a b"),), ()), "the folder `a b`"),
        (
            Design((make_type("c1", designed("titel", Encoding.TEXT)),), ()),
            "field titel: the origin has no such field; it has title, date",
        ),
        (
            Design((make_type("c1", designed("title", Encoding.RICHTEXT)),), ()),
            "`richtext` does not fit the type PlainText; use one of text, textarea",
        ),
        (
            Design(
                (make_type("c1", designed("title", Encoding.NUMBER, "Number")),), ()
            ),
            "its type is PlainText at the origin, not Number",
        ),
        (
            Design((make_type("c1", replace(TITLE, key="_uid")),), ()),
            "the key `_uid` is reserved",
        ),
        (Design((make_type("c1", TITLE, TITLE),), ()), "have the key `title`"),
        (
            Design((make_type(order_field="title"),), ()),
            "order_field names `title`, which is no Number field",
        ),
        (
            Design(
                (
                    make_type(
                        "c1",
                        replace(
                            designed("by", Encoding.RELATION, "Reference"),
                            required=True,
                        ),
                    ),
                ),
                (),
            ),
            "a relation can't be required",
        ),
        (
            Design(
                (make_type("c1", designed("tint", Encoding.COLOR_PLUGIN, "Color")),),
                (),
            ),
            "the space has no field plugin storyblok-colorpicker",
        ),
        (
            Design(
                (
                    replace(
                        make_type("c1", TITLE),
                        sections=(SectionDesign("s", "S", ("nope",)),),
                    ),
                ),
                (),
            ),
            "a section names the field key `nope`",
        ),
    ],
)
def test_a_decision_about_what_does_not_exist_is_refused(
    decision: Decision, message: str
) -> None:
    """Named against the real collections, with what there is instead."""
    assert message in next(decision_problems(decision, [POSTS], SpaceFacts()))


def test_a_refusal_names_the_file() -> None:
    """And the first of its problems."""
    decision = BlocksDecision((BodyChoice("posts", "c1", "boddy"),))
    with pytest.raises(DecisionsError, match=r"^blocks\.yaml: .* no field `boddy`\.$"):
        check_against(decision, [POSTS])


def test_a_good_design_passes_and_unlisted_values_may_take_anything() -> None:
    """Fields that the schema does not list are not looked up in it."""
    extra = FieldDesign("extra", UNLISTED, "extra", Encoding.JSON_TEXT, "Extra")
    check_against(
        Design((make_type("c1", TITLE, extra),), propose_block_designs()), [POSTS]
    )


def test_missing_decisions_are_listed() -> None:
    """Collections, locales, content types and single fields."""
    people = make_collection("c2", slug="people")
    decision = CollectionsDecision((), (CollectionChoice("posts", "c1"),))
    french = make_locale("l2", "fr", "fr", False)
    assert undecided_collections(decision, [POSTS, people], [french]) == (
        "Nothing is decided about the collection People (people).",
        "Nothing is decided about the locale FR (fr).",
    )
    content_type = replace(
        make_type("c1", TITLE),
        left_out=(
            LeftOutField("date", "DateTime", "not needed"),
            LeftOutField("tint", "Color", "not needed"),
            LeftOutField("by", "Reference", "not needed"),
        ),
    )
    found = undecided_design(Design((content_type,), ()), decision, [POSTS, people])
    assert found == ("Nothing is designed for the field kind (kind) of Posts.",)
    listed = replace(
        content_type,
        fields=(TITLE, designed("kind", Encoding.OPTION, "Option")),
    )
    found = undecided_design(Design((listed,), ()), decision, [POSTS])
    assert found == (
        "Nothing is decided about the option A (1) of the field kind of Posts.",
    )
    assert undecided_design(Design((), ()), decision, [POSTS]) == (
        "Nothing is designed for the collection Posts (posts).",
    )
