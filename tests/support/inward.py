"""Addresses that lead inward, in every way of writing one that is known.

Each is somewhere that an item of a site must not make this machine ask. Listeners
count the connections to them; a resolver leads names to them.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

PUBLIC = "cdn.prod.website-files.com"
LOOPBACK = (
    "127.0.0.1", "127.1", "127.0.1", "127.0.0.2", "127.255.255.254", "127.0.0.1.",
    "2130706433", "0x7f000001", "0x7f.0.0.1", "0X7F.1", "0x7f.0x0.0x0.0x1",
    "017700000001", "0177.0.0.1", "0177.1", "0177.0x0.0.1", "127.000.000.001",
    "0", "0x0", "0.0.0.0", "0.0.0.1", "00000000000",
    "１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "%31%32%37.0.0.1",
    "localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.",
    "ｌｏｃａｌｈｏｓｔ", "loc%61lhost",
    "[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::]", "[::1%lo]", "[::1%25lo]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::FFFF:7F00:0001]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::127.0.0.1]",
    "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2001:0:0:0:0:0:80ff:fffe]",
)  # fmt: skip
"""Hosts that are this machine, or are read as it somewhere."""
NETWORK = (
    "10.0.0.1", "167772161", "172.16.0.1", "192.168.1.1", "0300.0250.1.1",
    "100.64.0.1", "192.0.0.8", "198.18.0.1", "192.0.2.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "[fc00::1]", "[fd12:3456::1]", "[fe80::1]", "[fe80::1%eth0]",
    "[ff02::1]", "[2001:db8::1]", "[::ffff:10.0.0.1]", "[64:ff9b::10.0.0.1]",
)  # fmt: skip
"""Hosts of networks that are not reached from outside."""
METADATA = (
    "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
    "169.254.43518", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]", "[fd00:ec2::254]", "[fe80::a9fe:a9fe]",
    "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16",
)  # fmt: skip
"""Where clouds tell a machine its secrets."""
NAMES = {
    "inside.test": ("127.0.0.1",),
    "six.test": ("::1",),
    "mapped.test": ("::ffff:127.0.0.1",),
    "both.test": ("93.184.216.34", "127.0.0.1"),
    "lan.test": ("192.168.1.1",),
    "cloud.test": ("169.254.169.254",),
    "translated.test": ("64:ff9b::7f00:1",),
    "nowhere.test": ("0.0.0.0",),
}
"""Names that lead inward, and what they are resolved to."""


def addresses(port: int) -> Iterator[str]:
    """Yield the addresses, with the port of a listener."""
    for host in (*LOOPBACK, *METADATA, *NETWORK, *NAMES):
        yield f"http://{host}:{port}/inward.png"
    yield from _encoded(port)


def onward(port: int) -> Iterator[str]:
    """Yield what a host may answer as the next address, in `Location`."""
    for host in ("127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "127.1"):
        yield f"http://{host}:{port}/inward.png"
    for name in ("inside.test", "both.test", "169.254.169.254", "[::ffff:7f00:1]"):
        yield f"http://{name}:{port}/inward.png"
    yield f"//127.0.0.1:{port}/inward.png"
    yield f"http://{PUBLIC}@127.0.0.1:{port}/inward.png"
    yield "file:///etc/passwd"
    yield f"gopher://127.0.0.1:{port}/inward.png"


def _encoded(port: int) -> Iterator[str]:
    inward = f"127.0.0.1:{port}"
    yield f"https://127.0.0.1:{port}/inward.png"
    yield f"//{inward}/inward.png"
    yield f"  http://{inward}/inward.png  "
    yield f"HTTP://{inward}/inward.png"
    yield f"http:\\\\{inward}\\inward.png"
    yield f"http:/{inward}/inward.png"
    yield f"http:{inward}/inward.png"
    yield f"http:///{inward}/inward.png"
    yield f"ht\ntp://{inward}/inward.png"
    yield f"http://127.0.\t0.1:{port}/inward.png"
    yield f"http://{PUBLIC}@{inward}/inward.png"
    yield f"http://{PUBLIC}:443@{inward}/inward.png"
    yield f"http://{inward}@{inward}/inward.png"
    yield f"http://a:b@c@{inward}/inward.png"
    yield f"http://{PUBLIC}%40{inward}/inward.png"
    yield f"http://{PUBLIC}\\@{inward}/inward.png"
    yield f"http://{PUBLIC}#@{inward}/inward.png"
    yield f"http://user:pw@[::1]:{port}/inward.png"
    yield f"http://[::1]@{inward}/inward.png"
    yield f"http://[::ffff:127.0.0.1]%00.{PUBLIC}:{port}/inward.png"
    for scheme in ("ftp", "gopher", "dict", "file", "ws", "ldap", "netdoc", "jar:http"):
        yield f"{scheme}://{inward}/inward.png"


Answering = Callable[[str], bytes]
"""From the path that is asked for to the whole answer."""


@dataclass
class Listener:
    """One port on this machine, with what was asked of it."""

    port: int = 0
    asked: list[str] = field(default_factory=list)
    connections: int = 0


@asynccontextmanager
async def listening(answer: Answering) -> AsyncIterator[Listener]:
    """Listen on one port, on every loopback address that this machine has."""
    seen = Listener()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            seen.asked.append(head.split(" ")[1])
            writer.write(answer(seen.asked[-1]))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    first = await asyncio.start_server(meet, "127.0.0.1", 0)
    seen.port = first.sockets[0].getsockname()[1]
    others = [await _also_on(meet, host, seen.port) for host in ("127.0.0.2", "::1")]
    try:
        yield seen
    finally:
        for server in (first, *others):
            if server is not None:
                server.close()
                await server.wait_closed()


async def _also_on(meet: object, host: str, port: int) -> asyncio.Server | None:
    try:
        return await asyncio.start_server(meet, host, port)  # type: ignore[arg-type]
    except OSError:  # A machine without this address cannot be asked there.
        return None


def refused(path: str) -> bytes:
    """Answer as a service that should never be met: with a picture, which is kept."""
    picture = b"<svg xmlns='http://www.w3.org/2000/svg'></svg>"
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(picture)}\r\n\r\n"
    return head.encode() + picture


async def resolve_inward(host: str, port: int) -> tuple[str, ...]:
    """Resolve the names of `inward`, and numbers as the system reads them.

    No name is looked up: a test asks no name server.
    """
    if host in NAMES:
        return NAMES[host]
    if "localhost" in host.lower():
        return ("127.0.0.1",)
    found = socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)
    return tuple(str(entry[4][0]) for entry in found)
