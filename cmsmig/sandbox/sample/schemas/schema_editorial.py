"""Schemas of what the editors write: journal, authors, topics, questions."""

from __future__ import annotations

from cmsmig.sandbox.sample.records import Column, Table, choices, into

JOURNAL = Table(
    "journal",
    "Journal posts",
    "Journal post",
    (
        Column("PlainText", "deck", "Deck", False, {"singleLine": True}),
        Column(
            "PlainText",
            "summary",
            "Summary",
            True,
            {"singleLine": False, "maxLength": 600},
            "Two or three sentences for the overview.",
        ),
        Column("RichText", "post-body", "Post body", True),
        Column(
            "Image",
            "main-image",
            "Main image",
            True,
            {"acceptedExtensions": ["jpg", "jpeg", "png", "svg"]},
        ),
        Column("Image", "thumbnail-image", "Thumbnail image", False, {}),
        Column("MultiImage", "gallery", "Gallery"),
        Column(
            "DateTime",
            "publication-date",
            "Publication date",
            False,
            {"format": "date"},
            "Orders the overview; not the day the button was pressed.",
        ),
        Column("Reference", "author", "Author", True, into("authors")),
        Column("MultiReference", "co-authors", "With", False, into("authors")),
        Column("MultiReference", "topics", "Topics", False, into("topics")),
        Column("Reference", "place", "Place", False, into("places")),
        Column("MultiReference", "related-posts", "Read on", False, into("journal")),
        Column("Reference", "next-post", "Next in series", False, into("journal")),
        Column(
            "Number",
            "sort-order",
            "Sort order",
            False,
            {"format": "integer", "allowNegative": False, "minValue": 0},
        ),
        Column("Switch", "featured", "Featured?", False, {}),
        Column("Color", "accent", "Accent colour"),
        Column(
            "Option",
            "tone",
            "Tone",
            False,
            choices(
                "journal",
                "tone",
                report="Report",
                portrait="Portrait",
                essay="Essay",
                essay_short="Essay",
            ),
            "The second Essay was meant to be the short one.",
        ),
        Column("Link", "source", "Source"),
        Column("MembershipPlan", "access", "Access", False, {}),
        Column("PlainText", "seo-title", "SEO title", False, {"maxLength": 70}),
        Column("User", "checked-by", "Checked by", False, {}),
    ),
    nulls=True,
    name_label="Headline",
)

AUTHORS = Table(
    "authors",
    "Contributors",
    "Contributor",
    (
        Column("PlainText", "role", "Role", True, {"singleLine": True}),
        Column("RichText", "biography", "Biography"),
        Column("Image", "portrait", "Portrait"),
        Column("Email", "email", "Email", False, {}, ""),
        Column("Phone", "telephone", "Telephone"),
        Column("Link", "website", "Website"),
        Column("MultiReference", "favourites", "Favourites", False, into("journal")),
        Column("Reference", "mentor", "Mentor", False, into("authors")),
        Column("DateTime", "with-us-since", "With us since", False, {"format": "date"}),
        Column("Switch", "on-staff", "On staff"),
        Column("VideoLink", "showreel", "Showreel"),
    ),
    nulls=False,
)

TOPICS = Table(
    "topics",
    "Topics",
    "Topic",
    (
        Column("PlainText", "description", "Description", False, {}, "Markdown."),
        Column("Color", "colour", "Colour"),
        Column("Reference", "parent", "Parent topic", False, into("topics")),
        Column("Reference", "lead-post", "Lead post", False, into("journal")),
        Column("Number", "sort-order", "Order", False, {"format": "integer"}),
        Column("Image", "icon", "Icon", False, {"acceptedExtensions": ["svg"]}),
    ),
    nulls=True,
)

FAQ = Table(
    "faq",
    "Questions & answers",
    "Question",
    (
        Column("RichText", "answer", "Answer", True),
        Column(
            "Option",
            "about",
            "About",
            True,
            choices("faq", "about", visit="Your visit", post="Post", shop="Shop"),
        ),
        Column("Number", "position", "Position", False, {"format": "integer"}),
        Column("MultiReference", "see-also", "See also", False, into("faq")),
        Column("Link", "more", "More"),
        Column("PlainText", "short-answer", "Short answer"),
    ),
    nulls=False,
    name_label="Question",
)

PRESS = Table(
    "press",
    "Press cuttings",
    "Press cutting",
    (
        Column("Date", "day", "Day"),
        Column("Bool", "on-front-page", "On the front page"),
        Column("ImageRef", "scan", "Scan"),
        Column("ImageRefSet", "more-scans", "More scans"),
        Column("Set", "thumbnails", "Thumbnails"),
        Column("FileRef", "document", "Document"),
        Column("ItemRef", "about-post", "About", False, into("journal")),
        Column("ItemRefSet", "mentions", "Mentions", False, into("places")),
        Column("Video", "clip", "Clip"),
        Column("RichText", "text", "Text"),
    ),
    nulls=False,
)
"""Made in the service's first years: its fields still carry the old names."""
