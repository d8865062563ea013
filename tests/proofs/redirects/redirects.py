"""Every old address, asked at every host.

usage: redirects.py [FOLDER_OF_SITES]

The redirect files of hostile addresses (`tests/mapping/cases/redirect_files.yaml`), of
the sample site, also in two languages, and of each site below FOLDER_OF_SITES are
loaded by the hosts' own code: nginx and Apache (in its configuration and in
`.htaccess`) as servers, the packages of Netlify, Vercel and Cloudflare in Node. Sites
are mapped as decided by the proposals, and with every folder renamed and rules of the
origin. Every old address is asked, and every target: one hop, the right status, the
right target, and no rule for an address that stays. Exits 1 where one is wrong, 2 where
a host is not here.
"""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cmsmig.evidence.addresses import address_map, write_redirects
from cmsmig.evidence.host_files import as_sent, host_files
from cmsmig.mapping.redirects.address_map import (
    GONE_STATUS,
    MOVED_STATUS,
    AddressMap,
    AddressRow,
    Outcome,
)
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.known_addresses import RULES
from cmsmig.steps.decide.migration import open_migration
from tests.mapping.test_address_map import moved_addresses
from tests.proofs.measuring.processes import project
from tests.proofs.measuring.results import print_table, tell, wait_for
from tests.proofs.sites.official_reader import installed
from tests.proofs.sites.ways import sites_in
from tests.support.cases import entries

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


def _listens(process: subprocess.Popen[bytes], port: int, work: Path) -> bool:
    """Return whether a server listens; raise with what it said if it ended."""
    if process.poll() is not None:
        raise RuntimeError(f"{process.args}: {(work / 'said').read_text()}")
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@contextmanager
def _running(command: list[str], port: int, work: Path) -> Iterator[None]:
    with (work / "said").open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
    try:
        wait_for(lambda: _listens(process, port, work), command[0], _PATIENCE, 0.05)
        yield
    finally:
        process.terminate()
        process.wait()


HOSTS = Path(__file__).with_name("hosts")
CASES = Path(__file__).parents[2] / "mapping" / "cases" / "redirect_files.yaml"
OLD = "old.example"
UNKNOWN = "no list/has é;this(1)%\r\nX: y"
Answer = tuple[int, str]


def main(arguments: Sequence[str]) -> int:
    """Ask, print the tables; return the exit code."""
    rows: list[dict[str, object]] = []
    counts: list[dict[str, object]] = []
    wrong: list[str] = []
    try:
        for name, addresses in _maps([Path(each) for each in arguments]):
            tell(name)
            for source, outcomes in addresses.counts().items():
                counts.append({"site": name, "known from": source, **outcomes})
            for host, asked, left, hops, bad in _asked(addresses):
                row = {"site": name, "host": host, "asked": asked, "left out": left}
                rows.append({**row, "hops": hops, "wrong": len(bad)})
                wrong += (f"{name}, {host}: {each}" for each in bad)
    except (MissingServerError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    names = ["site", "known from", *Outcome]
    print_table({name: row.get(name, 0) for name in names} for row in counts)
    print_table(rows)
    print(*wrong[:20], sep="\n")
    return int(bool(wrong))


def _maps(sites: Sequence[Path]) -> Iterator[tuple[str, AddressMap]]:
    for title, entry, row in entries(CASES):
        # Cloudflare's code compiles every rule for every request.
        if "many" not in entry:
            yield title, moved_addresses(entry | row)
    for name, site in sites_in(sites):
        with (
            tempfile.TemporaryDirectory() as folder,
            project(Path(folder), site, rate=1_000) as here,
        ):
            here.decided()
            yield name, map_of(here.folder)
            _rename(here.folder)
            here.run("decide", "--accept-proposals", "--reviewer", "a person")
            yield f"{name}, renamed", map_of(here.folder)


def map_of(folder: Path) -> AddressMap:
    """Return where every old address of a project's site leads."""
    found = Project(folder)
    settings = load_settings(found, {}, need_origin=False)
    return address_map(found, open_migration(found, settings))


def _rename(folder: Path) -> None:
    """Give every folder another name, and the origin rules that form a chain."""
    path = folder / "decisions" / "design.yaml"
    path.write_text(re.sub(r"(?m)^( +folder: .*)", r"\1-new", path.read_text()))
    moved = next(row.old for row in map_of(folder).of(Outcome.MOVED))
    rules = f"/was/here,/was/there\n/was/there,{moved}\n/years/(.*),{moved}\n"
    (folder / "decisions" / RULES).write_text(rules)


def _asked(addresses: AddressMap) -> Iterator[tuple[str, int, int, int, list[str]]]:
    """Yield each host, the numbers of addresses, of those that it cannot hold and of
    hops, and what is wrong."""
    rows = [row for row in addresses.rows if not row.is_pattern]
    rows += [
        AddressRow(
            row.old.replace("(.*)", UNKNOWN),
            Outcome.MOVED,
            row.sources,
            row.new.replace("%1", UNKNOWN),
            row.tail,
        )
        for row in addresses.patterns
    ]
    ends = {row.new for row in rows if row.new.startswith("/")}
    asked = [as_sent(row.old) for row in rows]
    after = [as_sent(new) for new in sorted(ends)]
    files = {each.name.partition("/")[0]: each.left for each in host_files(addresses)}
    for host, answers in _answers(addresses, [*asked, *after]):
        left = {
            old
            for olds in files.get(host.partition(" ")[0], {}).values()
            for old in olds
        }
        wrong = [
            f"{row.old} ({row.outcome} {row.new}): {answer}"
            for row, answer in zip(rows, answers, strict=False)
            if row.old not in left and not _is_right(addresses, row, answer)
        ]
        further = [
            f"{new} leads on: {answer}"
            for new, answer in zip(after, answers[len(asked) :], strict=True)
            if answer and answer[0] in (MOVED_STATUS, GONE_STATUS)
        ]
        hops = (1 + bool(further)) if ends else 0
        yield host, len(rows), len(left), hops, wrong + further


def _is_right(addresses: AddressMap, row: AddressRow, answer: Answer | None) -> bool:
    status, where = answer or (0, "")
    if row.outcome is Outcome.GONE:
        return status == GONE_STATUS
    if row.outcome is not Outcome.MOVED:
        return status not in (MOVED_STATUS, GONE_STATUS)
    parts = urlsplit(where)
    is_own = not parts.netloc or parts.netloc.partition(":")[0] == OLD
    if row.new.startswith("/"):
        wanted = addresses.host
        found = f"{parts.scheme}://{parts.netloc}" if not is_own else ""
        same = (found, unquote(parts.path)) == (wanted, row.new)
    else:
        same = unquote(where.partition("?")[0]) == row.new.partition("?")[0]
    return status == MOVED_STATUS and same


def _answers(
    addresses: AddressMap, asked: Sequence[str]
) -> Iterator[tuple[str, list[Answer | None]]]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        work.chmod(0o755)
        write_redirects(work, addresses)
        files = work / "redirects"
        given = json.dumps({"folder": str(files), "asked": list(asked)})
        ended = subprocess.run(
            ["node", str(installed(HOSTS) / "ask.mjs")],
            input=given,
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(ended.stdout)
        for host, answers in found["answers"].items():
            if errors := found["errors"][host]:
                raise AssertionError(f"{host}: {errors}")
            yield host, [each and (each[0], each[1]) for each in answers]
        for host in ("nginx", "apache", "apache .htaccess"):
            inside = work / host.replace(" ", "")
            inside.mkdir()
            made = (
                nginx(files, inside)
                if host == "nginx"
                else apache(files, inside, htaccess="." in host)
            )
            with made as port:
                yield host, [*ask(port, asked)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
