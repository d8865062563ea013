"""Every old address, asked at every host.

usage: redirects.py [FOLDER_OF_SITES]

The redirect files of hostile addresses (`tests/mapping/cases/redirect_files.yaml`), of
the sample site, also in two languages, and of each site below FOLDER_OF_SITES are
loaded by the hosts' own code: nginx and Apache (in its configuration and in
`.htaccess`) as servers, the packages of Netlify, Vercel and Cloudflare in Node. Sites
are mapped as decided by the proposals, and with every folder renamed and rules of the
origin. Every old address is asked, also with a closing slash, in upper case, in
lower-case hex and with a query, and every target: one hop, the right status, page,
anchor and query, and no rule for an address that stays. What the notes of a host say
that it will not do is counted. Exits 1 where one is wrong, 2 where
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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, unquote, urlsplit

from cmsmig.evidence.host_files import host_files
from cmsmig.evidence.host_rules import target
from cmsmig.evidence.old_addresses import address_map, write_redirects
from cmsmig.mapping.redirects.address_map import (
    GONE_STATUS,
    MOVED_STATUS,
    AddressMap,
    AddressOutcome,
    AddressRow,
)
from cmsmig.mapping.select.address import Address
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
AS_IT_IS = "as it is"
WRITTEN: dict[str, tuple[Callable[[str], str], str]] = {
    AS_IT_IS: (str, ""),
    "slash": (lambda path: f"{path.rstrip('/')}/", ""),
    "case": (str.upper, ""),
    "hex": (lambda path: re.sub("%..", lambda each: each[0].lower(), path), ""),
    "query": (str, "utm_source=x&page=2"),
}
"""Ways in which visitors write an address: the path, and a query."""
SAID = {AS_IT_IS: "never", "slash": "slash", "case": "case", "hex": "hex"}
"""A word of the notes about it."""
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
            for row in _asked(addresses):
                bad = cast(list[str], row["wrong"])
                rows.append({"site": name, **row, "wrong": len(bad)})
                wrong += (f"{name}, {row['host']}: {each}" for each in bad)
    except (MissingServerError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    names = ["site", "known from", *AddressOutcome]
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
    moved = next(row.old for row in map_of(folder).of(AddressOutcome.MOVED))
    rules = f"/was/here,/was/there\n/was/there,{moved}\n/years/(.*),{moved}\n"
    (folder / "decisions" / RULES).write_text(rules)


@dataclass(frozen=True, slots=True)
class Asked:
    """An old address as a visitor writes it."""

    row: AddressRow
    written: str
    """One of `WRITTEN`."""
    request: str
    is_below: bool
    """Whether a pattern leads it on, without a rule of its own."""


def _requests(addresses: AddressMap) -> Iterator[Asked]:
    """Yield every address in each way of writing it."""
    rows = [row for row in addresses.rows if not row.is_pattern]
    rows += [
        AddressRow(
            row.old.replace("(.*)", UNKNOWN),
            AddressOutcome.MOVED,
            row.sources,
            row.new.replace("%1", UNKNOWN),
            row.tail,
        )
        for row in addresses.patterns
    ]
    spellings = Counter(row.address.path.casefold() for row in rows)
    spellings.update({row.new.casefold() for row in rows})
    own = {row.old for row in addresses.rules}
    for row in rows:
        old = row.address
        for written, (path, query) in WRITTEN.items():
            sent = path(old.sent)
            is_new = written == AS_IT_IS or query or sent != old.sent
            alone = spellings[old.path.casefold()] == 1
            if is_new and (alone or written != "case"):
                asks = "&".join(filter(None, (old.query, query)))
                request = f"{sent}?{asks}" if asks else sent
                yield Asked(row, written, request, row.old not in own)


def _asked(addresses: AddressMap) -> Iterator[dict[str, object]]:
    """Yield what each host answers: the numbers of addresses, of those that it cannot
    hold, of ways of writing that its notes leave out, of hops; and what is wrong."""
    requests = [*_requests(addresses)]
    ends = {row.new for row in addresses.rows if row.new.startswith("/")}
    asked = [each.request for each in requests]
    after = [Address(new).sent for new in sorted(ends)]
    made = host_files(addresses)
    for host, answers in _answers(addresses, [*asked, *after]):
        files = [each for each in made if each.name.startswith(f"{host.split()[0]}/")]
        left = {o for each in files for olds in each.left.values() for o in olds}
        said = " ".join(each for file in files for each in file.unlike)
        unlike: Counter[str] = Counter()
        wrong: list[str] = []
        for each, answer in zip(requests, answers, strict=False):
            row = each.row
            if row.old in left or _is_right(addresses, each, answer):
                continue
            if _is_said(host, said, each, answer):
                unlike[each.written] += 1
            else:
                wrong.append(f"{each.request} ({row.outcome} {row.new}): {answer}")
        wrong += [
            f"{new} leads on: {answer}"
            for new, answer in zip(after, answers[len(asked) :], strict=True)
            if answer and answer[0] in (MOVED_STATUS, GONE_STATUS)
        ]
        counts = {f"no {written}": unlike[written] for written in [*WRITTEN][1:]}
        hops = (1 + any("leads on" in each for each in wrong)) if ends else 0
        numbers = {"host": host, "asked": len(asked), "left out": len(left)}
        yield numbers | counts | {"hops": hops, "wrong": wrong}


def _is_said(host: str, said: str, asked: Asked, answer: Answer | None) -> bool:
    """Return whether the notes of a host say that it will not do this."""
    if asked.written == "query":
        return asked.row.old in said and "query is dropped" in said
    is_missing = not answer or answer[0] not in (MOVED_STATUS, GONE_STATUS)
    # Below a pattern the rest is copied as it was asked for.
    copied = asked.written == "case" and asked.is_below
    is_server = host not in ("netlify", "vercel", "cloudflare")
    return (copied if is_server else is_missing or copied) and SAID[
        asked.written
    ] in said


def _is_right(addresses: AddressMap, asked: Asked, answer: Answer | None) -> bool:
    row = asked.row
    status, where = answer or (0, "")
    if row.outcome is AddressOutcome.GONE:
        return status == GONE_STATUS
    if row.outcome is not AddressOutcome.MOVED:
        return status not in (MOVED_STATUS, GONE_STATUS)
    wanted, found = urlsplit(target(addresses, row)), urlsplit(where)
    is_own = found.netloc.partition(":")[0] in ("", OLD)
    netloc = "" if is_own else f"{found.scheme}://{found.netloc}"
    # A pattern copies a slash at the end, which the new host answers for.
    ends = [unquote(each.path).rstrip("/") for each in (wanted, found)]
    parameters = {*parse_qsl(wanted.query), *parse_qsl(WRITTEN[asked.written][1])}
    return (
        status == MOVED_STATUS
        and netloc == (f"{wanted.scheme}://{wanted.netloc}" if wanted.netloc else "")
        and ends[0] == ends[1]
        and unquote(wanted.fragment) == unquote(found.fragment)
        and parameters <= {*parse_qsl(found.query)}
        and "?" not in found.query
    )


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
