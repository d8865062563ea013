"""The workspace: which folder, which mode, and how errors look."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.errors import SettingsError, UndecidedError
from cmsmig.notebook.kit.opened_project import open_workspace


def shown(value: object) -> dict:
    """Return what a front end would get of a value."""
    return value._repr_mimebundle_()


def test_outside_of_a_kernel_no_person_is_there() -> None:
    """Plain Python has no person to ask, so a workspace is not interactive."""
    assert open_workspace("x").interactive is False


def test_the_folder_is_found_as_the_commands_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parameter first, then the variable, then the nearest folder above."""
    inner = tmp_path / "site" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "site" / "cmsmig.toml").write_text("")
    monkeypatch.chdir(inner)
    assert open_workspace().project.root == tmp_path / "site"
    monkeypatch.setenv("CMSMIG_PROJECT", str(tmp_path / "named"))
    assert open_workspace().project.root == tmp_path / "named"
    assert open_workspace("here").project.root == inner / "here"


def test_an_empty_folder_says_how_to_begin(tmp_path: Path) -> None:
    """Without settings the panel names the command that makes them."""
    bundle = shown(open_workspace(str(tmp_path)))
    assert "init" in bundle["text/html"]
    assert "unattended" in bundle["text/plain"]


def test_tokens_are_not_shown(tmp_path: Path) -> None:
    """Neither form of the workspace holds a token's text."""
    (tmp_path / ".env").write_text(
        "CMSMIG_ORIGIN_TOKEN=secret-one\nCMSMIG_DESTINATION_TOKEN=secret-two\n"
        "CMSMIG_SPACE_ID=290512\n"
    )
    workspace = open_workspace(str(tmp_path))
    texts = (*shown(workspace).values(), repr(workspace), repr(workspace.settings))
    assert "290512" in "".join(texts)
    assert not any("secret-" in text for text in texts)


def test_missing_settings_are_an_error_only_when_they_are_needed(
    tmp_path: Path,
) -> None:
    """Looking at what is here needs no token; asking a service does."""
    workspace = open_workspace(str(tmp_path))
    assert workspace.local_settings.space_id == ""
    with pytest.raises(SettingsError, match="CMSMIG_ORIGIN_TOKEN"):
        workspace.settings  # noqa: B018


def test_errors_show_as_one_sentence() -> None:
    """What a kernel draws for an error of ours is its class and its sentence."""
    open_workspace("x")
    error = UndecidedError("Nothing is decided yet.")
    assert error._render_traceback_() == ["UndecidedError: Nothing is decided yet."]
