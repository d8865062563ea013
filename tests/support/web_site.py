"""A public site on loopback: each path has its answer, and what was asked is kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Served:
    """One answer."""

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def without(self, part: str, instead: str = "") -> Served:
        """Return it with a part of its body replaced, which is there."""
        assert part in self.body
        return replace(self, body=self.body.replace(part, instead))


def led_to(target: str, status: int = 301) -> Served:
    """Return a redirect."""
    return Served("", status, {"Location": target})


@dataclass
class WebSite:
    """`{base}` in a body or header is the site's own address."""

    url: str = ""
    pages: dict[str, Served] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@contextmanager
def web_site(pages: Mapping[str, Served]) -> Iterator[WebSite]:
    """Serve pages while the block runs; others are 404."""
    site = WebSite(pages=dict(pages))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: else each answer takes 40 ms

        def do_GET(self) -> None:
            site.asked.append(self.path)
            served = site.pages.get(self.path, Served("Not found", 404))
            body = served.body.replace("{base}", site.url).encode()
            self.send_response(served.status)
            for name, value in {"Content-Type": "text/html", **served.headers}.items():
                self.send_header(name, value.replace("{base}", site.url))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
