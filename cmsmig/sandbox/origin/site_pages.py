"""The published site as visitors open it: a plain page for each live item and for each
published static page, with sitemap and robots.txt.

A page has what a template of a real site has: title, description, canonical address on
the first domain, alternates in other languages, a heading, the fields, and a text of
the template that no item has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from urllib.parse import quote

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.values import list_of, object_of, text_of

TEMPLATE_TEXT = "Every page of this collection ends with a text of its template."
_ROBOTS = "User-agent: *\nDisallow: /search\nSitemap: {base}/sitemap.xml\n"
_SITEMAP = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}\n</urlset>\n'
)
_PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="description" content="{description}">
<link rel="canonical" href="{canonical}">
{alternates}
</head>
<body>
<nav><a href="/">{site}</a></nav>
<main>
<h1>{heading}</h1>
{body}
</main>
<footer><p>{site}</p></footer>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class _Page:
    language: str
    title: str
    description: str
    heading: str
    body: Callable[[], str]
    """Makes the HTML below the heading."""
    alternates: tuple[tuple[str, str], ...] = ()
    """Language and path of the same item in each locale."""


@dataclass(slots=True)
class SitePages:
    """Answers what is neither API nor file; needs no token. Pages are found once, and
    again after an edit of an item."""

    content: Content
    version: int = -1
    """Of the content that the pages were found in."""
    pages: dict[str, _Page] = field(default_factory=dict)
    """By path."""
    live: dict[str, dict[str, JsonObject]] = field(default_factory=dict)
    """Live items by id and locale."""
    paths: dict[tuple[str, str], str] = field(default_factory=dict)
    """Of live items, by id and locale."""

    async def answer(self, call: Call) -> Reply:
        """Answer one GET or HEAD; with the tag of what it has, 304."""
        reply = self._reply(call) if call.method in ("GET", "HEAD") else Reply(405)
        return replace(reply, service="site", route="page")

    def _reply(self, call: Call) -> Reply:
        if self.version != self.content.version:
            self._find_pages()
        path, base = call.path.rstrip("/") or "/", self.content.base
        if path == "/robots.txt":
            return Reply(200, _ROBOTS.format(base=base).encode(), "text/plain")
        if path == "/sitemap.xml":
            rows = "\n".join(
                f"<url><loc>{base}{quote(each)}</loc></url>" for each in self.pages
            )
            return Reply(200, _SITEMAP.format(rows=rows).encode(), "application/xml")
        if path not in self.pages:
            body = "<title>Not found</title><h1>Not found</h1>"
            return Reply(404, body.encode(), "text/html")
        body = self._html(path, self.pages[path])
        data = body.encode("utf-8", "replace")
        tag = f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'
        if call.headers.get("if-none-match") == tag:
            return Reply(304, headers=(("ETag", tag),))
        return Reply(200, data, "text/html; charset=utf-8", (("ETag", tag),))

    def _html(self, path: str, page: _Page) -> str:
        alternates = "\n".join(
            f'<link rel="alternate" hreflang="{escape(tag)}" '
            f'href="{escape(self._public(other))}">'
            for tag, other in page.alternates
        )
        return _PAGE.format(
            language=escape(page.language),
            title=escape(page.title),
            description=escape(page.description),
            canonical=escape(self._public(path)),
            alternates=alternates,
            site=escape(self._site_name),
            heading=escape(page.heading),
            body=page.body(),
        )

    @property
    def _site(self) -> JsonObject:
        return self.content.sites[0] if self.content.sites else {}

    @property
    def _site_name(self) -> str:
        return text_of(self._site.get("displayName")) or "The site"

    def _public(self, path: str) -> str:
        """Return an address on the site's first domain, else on this host."""
        domains = list_of(self._site.get("customDomains"))
        host = text_of(object_of(domains[0]).get("url")) if domains else ""
        base = f"https://{host}" if host else self.content.base
        return f"{base}{quote(path)}"

    def _find_pages(self) -> None:
        self.version = self.content.version
        self.pages, self.live, self.paths = {}, {}, {}
        locales = self._locales()
        self._start_pages(locales.values())
        for page in self.content.pages or ():
            self._static_page(page)
        schemas = [
            self.content.collection(text_of(each.get("id"))) or {}
            for each in self.content.collections
        ]
        for schema in schemas:
            for item in self.content.items(text_of(schema.get("id")), live=True):
                self._place(schema, item, locales)
        for schema in schemas:
            for item in self.content.items(text_of(schema.get("id")), live=True):
                self._item_page(schema, item, locales)

    def _locales(self) -> dict[str, tuple[str, str]]:
        """Return subdirectory and tag by the id that items carry, the primary first,
        whose subdirectory counts where a locale is enabled."""
        locales = object_of(self._site.get("locales"))
        listed = [locales.get("primary"), *list_of(locales.get("secondary"))]
        found = [*map(object_of, listed)]
        is_localized = any(each.get("enabled") is not False for each in found)
        return {
            text_of(each.get("cmsLocaleId")): (
                text_of(each.get("subdirectory")).strip("/")
                if is_localized or each is not found[0]
                else "",
                text_of(each.get("tag")) or "en",
            )
            for each in found
        }

    def _template_paths(self, collection_id: str) -> dict[str, str]:
        """Return the published path of a collection's template page by the id that
        items of its locale carry; empty for a page that names no locale."""
        locales = object_of(self._site.get("locales"))
        listed = [locales.get("primary"), *list_of(locales.get("secondary"))]
        own = {
            text_of(each.get("id")): text_of(each.get("cmsLocaleId"))
            for each in map(object_of, listed)
        }
        return {
            own.get(text_of(page.get("localeId")), ""): path
            for page in self.content.pages or ()
            if page.get("collectionId") == collection_id and not page.get("isBranch")
            if (path := text_of(page.get("publishedPath")).rstrip("/"))
        }

    def _start_pages(self, locales: Iterable[tuple[str, str]]) -> None:
        for folder, tag in locales or [("", "en")]:
            body = partial(self._contents, f"/{folder}/" if folder else "/")
            title = f"{self._site_name} ({tag})"
            description = f"The start page of {self._site_name} ({tag})"
            self.pages[f"/{folder}"] = _Page(tag, title, description, title, body)

    def _contents(self, below: str) -> str:
        rows = (
            f'<li><a href="{escape(quote(path))}">{escape(page.heading)}</a></li>'
            for path, page in self.pages.items()
            if path.startswith(below) and path != below
        )
        return f"<ul>{''.join(rows)}</ul>"

    def _static_page(self, page: JsonObject) -> None:
        template = page.get("collectionId") or page.get("isBranch")
        if template or page.get("draft") is True or page.get("archived") is True:
            return
        path = text_of(page.get("publishedPath")) or f"/{text_of(page.get('slug'))}"
        seo, title = object_of(page.get("seo")), text_of(page.get("title"))
        description = text_of(seo.get("description"))
        text = f"<p>{escape(f'{title}. {description}')}</p>"
        self.pages[path.rstrip("/") or "/"] = _Page(
            "en", text_of(seo.get("title")) or title, description, title, lambda: text
        )

    def _place(
        self, schema: JsonObject, item: JsonObject, locales: dict[str, tuple[str, str]]
    ) -> None:
        item_id, locale = text_of(item.get("id")), text_of(item.get("cmsLocaleId"))
        slug = text_of(object_of(item.get("fieldData")).get("slug")) or item_id
        below = self._folder(schema, locale, locales)
        self.paths[item_id, locale] = f"{below}/{slug}"
        self.live.setdefault(item_id, {})[locale] = object_of(item.get("fieldData"))

    def _folder(
        self, schema: JsonObject, locale: str, locales: dict[str, tuple[str, str]]
    ) -> str:
        """Return the public path of a collection in a locale: that of its template page
        there, else of the primary's below the subdirectory, else its slug."""
        paths = self._template_paths(text_of(schema.get("id")))
        if locale in paths:
            return paths[locale]
        primary = next(iter(locales), "")
        public = paths.get(primary) or paths.get("")
        if public and (locale == primary or locale not in locales):
            return public
        above = "".join(
            f"/{each}" for each in (locales.get(primary, ("",))[0],) if each
        )
        subdirectory = locales.get(locale, locales.get(primary, ("",)))[0]
        below = f"/{subdirectory}" if subdirectory else ""
        bare = public.removeprefix(above) if public else ""
        return f"{below}{bare or '/' + text_of(schema.get('slug'))}"

    def _item_page(
        self, schema: JsonObject, item: JsonObject, locales: dict[str, tuple[str, str]]
    ) -> None:
        item_id, locale = text_of(item.get("id")), text_of(item.get("cmsLocaleId"))
        data, tag = self.live[item_id][locale], locales.get(locale, ("", "en"))[1]
        name = text_of(data.get("name"))
        variants = [
            (locales.get(other, ("", "en"))[1], self.paths[item_id, other])
            for other in self.live[item_id]
        ]
        self.pages[self.paths[item_id, locale]] = _Page(
            language=tag,
            title=f"{name} | {self._site_name}",
            description=f"{name} in {text_of(schema.get('displayName'))}",
            heading=name,
            body=partial(self._fields, schema, data, locale),
            alternates=tuple(variants) if len(variants) > 1 else (),
        )

    def _fields(self, schema: JsonObject, data: JsonObject, locale: str) -> str:
        shown = [
            _SHOW[kind](self, each, data[slug], locale)
            for each in map(object_of, list_of(schema.get("fields")))
            if (slug := text_of(each.get("slug"))) not in ("name", "slug")
            if (kind := text_of(each.get("type"))) in _SHOW and data.get(slug)
        ]
        return "\n".join([*shown, f"<p>{TEMPLATE_TEXT}</p>"])

    def _text(self, schema: JsonObject, value: Json, locale: str) -> str:
        return f"<p>{escape(text_of(value))}</p>"

    def _number(self, schema: JsonObject, value: Json, locale: str) -> str:
        return f"<p>{escape(str(value))}</p>"

    def _rich_text(self, schema: JsonObject, value: Json, locale: str) -> str:
        return f'<div class="w-richtext">{text_of(value)}</div>'

    def _pictures(self, schema: JsonObject, value: Json, locale: str) -> str:
        listed = map(object_of, value if isinstance(value, list) else [value])
        return "".join(
            f'<img src="{escape(text_of(each.get("url")))}" '
            f'alt="{escape(text_of(each.get("alt")))}">'
            for each in listed
        )

    def _option(self, schema: JsonObject, value: Json, locale: str) -> str:
        options = list_of(object_of(schema.get("validations")).get("options"))
        names = {each.get("id"): each.get("name") for each in map(object_of, options)}
        return f"<p>{escape(text_of(names.get(value)))}</p>"

    def _references(self, schema: JsonObject, value: Json, locale: str) -> str:
        listed = map(text_of, value if isinstance(value, list) else [value])
        links = [
            f'<a href="{escape(quote(self.paths[each, locale]))}">'
            f"{escape(text_of(self.live[each][locale].get('name')))}</a>"
            for each in listed
            if (each, locale) in self.paths
        ]
        return "".join(f"<p>{each}</p>" for each in links)


_SHOW: dict[str, Callable[[SitePages, JsonObject, Json, str], str]]
_SHOW = {
    "PlainText": SitePages._text,
    "Email": SitePages._text,
    "Phone": SitePages._text,
    "DateTime": SitePages._text,
    "Number": SitePages._number,
    "RichText": SitePages._rich_text,
    "Image": SitePages._pictures,
    "MultiImage": SitePages._pictures,
    "Option": SitePages._option,
    "Reference": SitePages._references,
    "MultiReference": SitePages._references,
}
"""How a template shows a field, by type; the others are not shown."""
