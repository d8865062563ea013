"""What is done once for all clients and requests, and still is what it was."""

from __future__ import annotations

import importlib.metadata
import ssl
import sys
from pathlib import Path

import certifi
import pytest

from cmsmig.wire.http_library import certificates


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
