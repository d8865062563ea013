"""Web servers of the system on loopback, each with the redirect files of its kind."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

Answer = tuple[int, str]
"""A status, and where it leads."""
_PATIENCE = 20.0
_NGINX = """\
daemon off; master_process off; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off; absolute_redirect off;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi; large_client_header_buffers 4 16k;
    include {files}/nginx/http.conf;
    server {{
        listen 127.0.0.1:{port};
        include {files}/nginx/server.conf;
        location / {{ return 404; }}
    }}
}}
"""
_APACHE = """\
ServerRoot {work}
ServerName old.example
Listen 127.0.0.1:{port}
PidFile {work}/apache.pid
ErrorLog {work}/error.log
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule rewrite_module {modules}/mod_rewrite.so
User www-data
Group www-data
DocumentRoot {work}/pages
AllowEncodedSlashes On
{inside}
"""
_HTACCESS = (
    "<Directory {work}/pages>\nAllowOverride All\nRequire all granted\n</Directory>"
)


class MissingServerError(Exception):
    """A server is not on this machine."""


@contextmanager
def nginx(files: Path, work: Path) -> Iterator[int]:
    """Serve with nginx; yields the port."""
    program = _found("nginx", "nginx-light")
    port, path = _configured(_NGINX, work, files=files)
    with _running([program, "-p", str(work), "-c", str(path)], port, work):
        yield port


@contextmanager
def apache(files: Path, work: Path, *, htaccess: bool) -> Iterator[int]:
    """Serve with Apache, the rules in its configuration or in `.htaccess`."""
    program = _found("apache2", "apache2")
    rules = files / "apache" / "redirects.conf"
    (work / "pages").mkdir()
    inside = f"Include {rules}"
    if htaccess:
        shutil.copy(rules, work / "pages" / ".htaccess")
        inside = _HTACCESS.format(work=work)
    modules = "/usr/lib/apache2/modules"
    port, path = _configured(_APACHE, work, modules=modules, inside=inside)
    with _running([program, "-X", "-f", str(path)], port, work):
        yield port


def ask(port: int, addresses: Sequence[str]) -> list[Answer]:
    """Return what a server answers to each address, as it is written."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    found: list[Answer] = []
    for address in addresses:
        connection.putrequest("GET", address, skip_host=True)
        connection.putheader("Host", "old.example")
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        found.append((answer.status, answer.headers.get("Location", "")))
    connection.close()
    return found


def _found(name: str, package: str) -> str:
    program = shutil.which(
        name, path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
    )
    if program is None:
        raise MissingServerError(f"{name} is not here: apt-get install {package}")
    return program


def _configured(text: str, work: Path, **words: object) -> tuple[int, Path]:
    """Write a configuration; return a free port and the file."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    work.chmod(0o755)
    path = work / "server.conf"
    path.write_text(text.format(work=work, port=port, **words))
    return port, path


@contextmanager
def _running(command: list[str], port: int, work: Path) -> Iterator[None]:
    with (work / "said").open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
    try:
        end = time.monotonic() + _PATIENCE
        while process.poll() is None and time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise RuntimeError(f"{command[0]}: {(work / 'said').read_text()}")
        yield
    finally:
        process.terminate()
        process.wait()
