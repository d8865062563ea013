"""Schemas of the shop, with the types and keys that only shops have."""

from __future__ import annotations

from cmsmig.sandbox.sample.records import Column, Table, choices, into

PRODUCT = Table(
    "product",
    "Products",
    "Product",
    (
        Column("RichText", "description", "Description"),
        Column("PlainText", "small-print", "Small print", False, None, None),
        Column("Switch", "shippable", "Requires shipping"),
        Column("SkuSettings", "sku-properties", "Product options"),
        Column("MultiReference", "category", "Categories", False, into("category")),
        Column(
            "TextOption",
            "tax-category",
            "Product tax class",
            False,
            {"enumName": "TAX_CATEGORIES"},
        ),
        Column("Reference", "default-sku", "Default SKU", False, into("sku")),
        Column(
            "Option",
            "ec-product-type",
            "Product type",
            True,
            choices("product", "ec-product-type", goods="Physical", file="Digital"),
        ),
        Column("Reference", "made-by", "Made by", False, into("authors")),
        Column("MultiReference", "goes-with", "Goes with", False, into("product")),
    ),
    nulls=True,
)

SKU = Table(
    "sku",
    "SKUs",
    "SKU",
    (
        Column("SkuValues", "sku-values", "Option values"),
        Column("Image", "main-image", "Main image"),
        Column("MultiImage", "more-images", "More images"),
        Column("MultiExternalFile", "download-files", "Downloads"),
        Column("Price", "price", "Price", True, {}),
        Column("CommercePrice", "compare-at-price", "Compare-at price"),
        Column("PlainText", "sku", "SKU", False, {"singleLine": True}),
        Column("Reference", "product", "Product", True, into("product")),
        Column("Number", "weight", "Weight", False, {"format": "decimal"}),
        Column("Number", "quantity", "Quantity", False, {"format": "integer"}),
    ),
    nulls=True,
)

CATEGORY = Table(
    "category",
    "Categories",
    "Category",
    (
        Column("MultiReference", "products", "Products", False, into("product")),
        Column("PlainText", "blurb", "Blurb"),
        Column("Number", "sort-order", "Sort order", False, {"format": "integer"}),
    ),
    nulls=True,
)
