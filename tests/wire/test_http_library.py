"""What the HTTP library does for all requests: certificates, proxies, look-ups."""

from __future__ import annotations

import asyncio
import importlib.metadata
import ssl
import sys
from pathlib import Path
from typing import Any

import certifi
import pytest

from cmsmig.errors import SettingsError, UnreachableError
from cmsmig.wire.answers import Request
from cmsmig.wire.http_library import certificates
from tests.support.wire.raw_host import RawHost, answer
from tests.support.wire.sessions import TOKEN, impatient


def test_services_are_still_checked() -> None:
    """The host's name and its certificate, by the authorities that browsers trust."""
    found = certificates()
    assert (found.verify_mode, found.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert len(found.get_ca_certs()) > 50


def test_certificates_are_read_once() -> None:
    """Reading them takes longer than a request."""
    assert certificates() is certificates()


def test_a_file_that_the_environment_names_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A company's proxy has an authority of its own; it is not forgotten."""
    usual = certificates()
    text = Path(certifi.where()).read_text("utf-8")
    first = text[: text.index("-----END CERTIFICATE-----")] + (
        "-----END CERTIFICATE-----\n"
    )
    alone = tmp_path / "authority.pem"
    alone.write_text(first, "utf-8")
    with monkeypatch.context() as named:
        named.setenv("SSL_CERT_FILE", str(alone))
        assert len(certificates().get_ca_certs()) == 1
    assert certificates() is usual


def test_a_library_that_is_not_installed_is_looked_for_once() -> None:
    """The HTTP library asks for it at each request: no folder is searched for it."""
    searched: list[str] = []

    class Finder:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            searched.append(name)

    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
    try:
        try:
            import sniffio
        except ImportError:
            sniffio = None
        assert "sniffio" not in searched
    finally:
        sys.meta_path.remove(Finder)  # type: ignore[arg-type]
    # Where it is installed it is not hidden.
    assert (sniffio is None) == ("sniffio" not in _installed())


def _installed() -> set[str]:
    return {each.name for each in importlib.metadata.distributions()}


def listener() -> RawHost:
    """Return a host, or a proxy that answers as one."""
    return RawHost(answer("{}"))


@pytest.fixture(params=["http_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def by_proxy(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Name a proxy in the environment, in one of the ways there are."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

    def name(port: int, scheme: str = "http") -> None:
        monkeypatch.setenv(request.param, f"{scheme}://127.0.0.1:{port}")

    return name


@pytest.mark.parametrize("scheme", ["http", "socks5", "socks"])
@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
async def test_loopback_needs_no_proxy(by_proxy: Any, name: str, scheme: str) -> None:
    """A token for this machine stays on it, at whatever address of loopback."""
    async with listener().listening() as proxy, listener().listening() as host:
        by_proxy(proxy.port, scheme)
        async with impatient() as session:
            received = await session.send(
                Request("GET", f"http://{name}:{host.port}/v2")
            )
            with pytest.raises(UnreachableError):
                await session.send(Request("GET", "http://127.9.9.9:9/v2"))
    assert received.status == 200
    assert len(host.asked) == 1
    assert proxy.connections == 0


@pytest.mark.parametrize("name", ["api.test", "nas", "10.0.0.9", "134744072"])
@pytest.mark.parametrize("by_proxy", ["http_proxy", "ALL_PROXY"], indirect=True)
async def test_no_token_goes_to_a_proxy_in_the_clear(by_proxy: Any, name: str) -> None:
    """Plain http to another host is refused before anything is sent."""
    async with listener().listening() as proxy:
        by_proxy(proxy.port)
        async with impatient() as session:
            with pytest.raises(SettingsError, match="in the clear"):
                await session.send(Request("GET", f"http://{name}/v2"))
    assert proxy.connections == 0


@pytest.mark.parametrize("by_proxy", ["https_proxy", "ALL_PROXY"], indirect=True)
async def test_a_proxy_learns_where_to_connect_and_no_more(by_proxy: Any) -> None:
    """Behind it the connection is encrypted: the token is inside."""
    async with listener().listening() as proxy:
        by_proxy(proxy.port)
        async with impatient() as session:
            with pytest.raises(UnreachableError) as raised:
                await session.send(Request("GET", "https://127.0.0.1.nip.test/v2"))
    assert f"by the proxy http://127.0.0.1:{proxy.port})" in str(raised.value)
    assert proxy.asked
    assert all(head.startswith("CONNECT ") for head in proxy.asked)
    assert not any(TOKEN in head for head in proxy.asked)


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("by_proxy", ["https_proxy", "ALL_PROXY"], indirect=True)
async def test_a_proxy_that_speaks_socks_gets_the_name_of_the_host(
    by_proxy: Any, scheme: str
) -> None:
    """It looks the name up; what follows is encrypted (RFC 1928, sections 3 and 4)."""
    connected = b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50"
    heard: list[bytes] = []

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for each in (b"\x05\x00", connected):
            heard.append(await reader.read(300))
            writer.write(each)
        heard.append(await reader.read(300))
        writer.close()

    async with await asyncio.start_server(speak, "127.0.0.1", 0) as proxy:
        by_proxy(proxy.sockets[0].getsockname()[1], scheme)
        async with impatient() as session:
            with pytest.raises(UnreachableError):
                await session.send(Request("GET", "https://api.test/v2"))
    assert heard[1] == b"\x05\x01\x00\x03\x08api.test\x01\xbb"
    assert not any(TOKEN.encode() in each for each in heard)


@pytest.mark.parametrize("by_proxy", ["HTTPS_PROXY", "all_proxy"], indirect=True)
async def test_an_unusable_address_of_a_proxy_is_a_sentence(by_proxy: Any) -> None:
    """Desktops write `socks://` into the environment, which no library knows."""
    by_proxy(9, "socks")
    async with impatient() as session:
        with pytest.raises(SettingsError, match="socks5://HOST:PORT"):
            await session.send(Request("GET", "https://api.test/v2"))
