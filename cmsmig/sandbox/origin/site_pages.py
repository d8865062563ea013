"""The published site as visitors open it: a plain page for each live item and for each
published static page, with sitemap and robots.txt.

A page has what search engines read of a template of a real site: title, description and
canonical address on the first domain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from urllib.parse import quote

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.values import list_of, object_of, text_of

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
</head>
<body><h1>{title}</h1></body>
</html>
"""


@dataclass(frozen=True, slots=True)
class _Page:
    language: str
    title: str
    description: str


@dataclass(slots=True)
class SitePages:
    """Answers what is neither API nor file; needs no token. Pages are found once, and
    again after an edit of an item."""

    content: Content
    version: int = -1
    """Of the content that the pages were found in."""
    pages: dict[str, _Page] = field(default_factory=dict)
    """By path."""
    paths: dict[tuple[str, str], str] = field(default_factory=dict)
    """Of live items, by id and locale."""

    async def answer(self, call: Call) -> Reply:
        """Answer one GET or HEAD."""
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
        return Reply(200, body.encode("utf-8", "replace"), "text/html; charset=utf-8")

    def _html(self, path: str, page: _Page) -> str:
        return _PAGE.format(
            language=escape(page.language),
            title=escape(page.title),
            description=escape(page.description),
            canonical=escape(self._public(path)),
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
        self.pages, self.paths = {}, {}
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
            title = f"{self._site_name} ({tag})"
            description = f"The start page of {self._site_name} ({tag})"
            self.pages[f"/{folder}"] = _Page(tag, title, description)

    def _static_page(self, page: JsonObject) -> None:
        template = page.get("collectionId") or page.get("isBranch")
        if template or page.get("draft") is True or page.get("archived") is True:
            return
        path = text_of(page.get("publishedPath")) or f"/{text_of(page.get('slug'))}"
        seo, title = object_of(page.get("seo")), text_of(page.get("title"))
        description = text_of(seo.get("description"))
        self.pages[path.rstrip("/") or "/"] = _Page(
            "en", text_of(seo.get("title")) or title, description
        )

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
        data = object_of(item.get("fieldData"))
        name, slug = text_of(data.get("name")), text_of(data.get("slug")) or item_id
        path = f"{self._folder(schema, locale, locales)}/{slug}"
        self.paths[item_id, locale] = path
        self.pages[path] = _Page(
            language=locales.get(locale, ("", "en"))[1],
            title=f"{name} | {self._site_name}",
            description=f"{name} in {text_of(schema.get('displayName'))}",
        )
