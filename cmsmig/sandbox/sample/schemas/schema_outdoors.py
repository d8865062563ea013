"""Schemas of what is out there: places, routes, events, stockists."""

from __future__ import annotations

from cmsmig.sandbox.sample.identity import short_id
from cmsmig.sandbox.sample.records import Column, Table, choices, into

PLACES = Table(
    "places",
    "Places",
    "Place",
    (
        Column("PlainText", "standfirst", "Standfirst", False, {"singleLine": True}),
        Column("RichText", "description", "Description", True),
        Column("Image", "picture", "Picture"),
        Column("MultiImage", "views", "Views"),
        Column("Number", "latitude", "Latitude", False, {"format": "decimal"}),
        Column(
            "Number",
            "longitude",
            "Longitude",
            False,
            {"format": "decimal", "precision": 5, "allowNegative": True},
        ),
        Column("MultiReference", "neighbours", "Neighbours", False, into("places")),
        Column("Reference", "read-first", "Read first", False, into("journal")),
        Column("Link", "website", "Website"),
        Column("Phone", "telephone", "Telephone"),
        Column("Switch", "step-free", "Step-free"),
        Column("PlainText", "directions", "Directions", False, {"singleLine": False}),
    ),
    nulls=True,
    groups=("On the page", "On the map"),
)

ROUTES = Table(
    "routes",
    "Walking routes",
    "Walking route",
    (
        Column("PlainText", "sub-title", "Subtitle", False, {"singleLine": True}),
        Column("PlainText", "sub_title", "Subtitle (old)"),
        Column("PlainText", "component", "Component", False, None, "Part of a series"),
        Column("PlainText", "_uid", "Survey number", False, {}),
        Column("Link", "3d-model", "3D model"),
        Column("RichText", "the-walk", "The walk", True, {}),
        Column("RichText", "warnings", "Warnings"),
        Column(
            "Number",
            "length-km",
            "Length (km)",
            True,
            {"format": "decimal", "precision": 1, "minValue": 0.1, "maxValue": 80},
        ),
        Column("Number", "climb-m", "Climb (m)", False, {"format": "integer"}),
        Column("Color", "waymark", "Waymark"),
        Column(
            "Option",
            "difficulty",
            "Difficulty",
            True,
            choices("routes", "difficulty", easy="Easy", fair="Fair", hard="Hard"),
        ),
        Column("Reference", "starts-at", "Starts at", True, into("places")),
        Column("MultiReference", "passes", "Passes", False, into("places")),
        Column(
            "MultiReference", "stock-up-at", "Stock up at", False, into("stockists")
        ),
        Column("Image", "picture", "Picture"),
        Column("File", "track", "Track", False, {}),
        Column("ExtFileRef", "leaflet", "Leaflet"),
        Column("MultiExternalFile", "downloads", "Downloads"),
        Column("VideoLink", "film", "Film"),
        Column("Email", "warden-email", "Warden's email"),
        Column("Phone", "warden-phone", "Warden's telephone"),
        Column(
            "DateTime", "surveyed-at", "Surveyed at", False, {"format": "date-time"}
        ),
        Column("DateTime", "closed-from", "Closed from"),
        Column("Switch", "dogs-welcome", "Dogs welcome"),
        Column(
            "Reference",
            "sponsor",
            "Sponsor",
            False,
            {"collectionId": short_id("collection:sponsors")},
            "Points into a collection that the site no longer lists.",
        ),
    ),
    nulls=True,
)

EVENTS = Table(
    "events",
    "Events",
    "Event",
    (
        Column("DateTime", "starts", "Starts", True, {"format": "date-time"}),
        Column("DateTime", "ends", "Ends"),
        Column("DateTime", "day", "Day", False, {"format": "date"}),
        Column("RichText", "about", "About", True),
        Column("Reference", "venue", "Venue", True, into("places")),
        Column("MultiReference", "guests", "Guests", False, into("authors")),
        Column("MultiReference", "topics", "Topics", False, into("topics")),
        Column(
            "Number", "entry", "Entry", False, {"format": "decimal", "precision": 2}
        ),
        Column("Switch", "sold-out", "Sold out"),
        Column("Link", "tickets", "Tickets"),
        Column("VideoLink", "trailer", "Trailer"),
        Column("Image", "poster", "Poster"),
        Column("File", "programme", "Programme"),
        Column("Email", "contact", "Contact"),
        Column("Reference", "review", "Review", False, into("journal")),
    ),
    nulls=False,
)

STOCKISTS = Table(
    "stockists",
    "Stockists",
    "Stockist",
    (
        Column("PlainText", "address", "Address", False, {"singleLine": False}),
        Column("Phone", "telephone", "Telephone"),
        Column("Link", "website", "Website"),
        Column("Reference", "near", "Near", False, into("places")),
        Column("Number", "copies", "Copies", False, {"format": "integer"}),
    ),
    nulls=False,
)
