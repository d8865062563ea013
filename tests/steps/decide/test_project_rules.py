"""A project's own rules, from its settings to the space."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cmsmig.errors import SettingsError
from cmsmig.settings import Project
from cmsmig.steps.batch_conversion import convert_folder
from cmsmig.steps.decide.rules_file import NamedRules, load_rules
from tests.support import example_rules
from tests.support.rehearsal import run_here

LEAD = """\
def rule(tag):
    if tag.name == "p":
        print("asked")
        return {"component": "lead", "text": tag.get_text()}
"""
WIDGETS = (
    '<p>a</p><div class="signup" data-form="f1">Sign up</div>'
    '<iframe src="https://maps.example.com/1"></iframe>'
)


def project(folder: Path, source: str, *, named: str = "rules.py") -> Project:
    """Return a project folder that names a file of rules."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cmsmig.toml").write_text(f'richtext.rules = "{named}"\n')
    (folder / "rules.py").write_text(source)
    return Project(folder)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def broken(:", "line 1: SyntaxError"),
        ("\n\nimport nothing_of_that_name", "line 3: ModuleNotFoundError"),
        ("raise SystemExit(3)", "line 1: SystemExit"),
        ("x = 1", "holds no function `rule`"),
        ("rule = 1", "holds no function `rule`"),
        ("\x00", "cannot be used"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, source: str, says: str) -> None:
    """Named are the file, the line and what is wrong there."""
    with pytest.raises(SettingsError) as caught:
        load_rules(project(tmp_path, source), "rules.py")
    message = str(caught.value)
    assert says in message
    assert str(tmp_path / "rules.py") in message
    assert "\n" not in message
    assert message.endswith(".")


def test_only_a_file_of_the_project_is_run(tmp_path: Path) -> None:
    """A link that leads out of the folder and a missing file are refused unread."""
    outside = tmp_path / "outside.py"
    outside.write_text(f"{LEAD}\nopen({str(tmp_path / 'ran')!r}, 'w')")
    inside = project(tmp_path / "site", LEAD)
    (inside.root / "link.py").symlink_to(outside)
    for name in ("link.py", "../outside.py", str(outside)):
        with pytest.raises(SettingsError, match="outside of the project folder"):
            load_rules(inside, name)
    assert not (tmp_path / "ran").exists()
    with pytest.raises(SettingsError, match="cannot be read"):
        load_rules(inside, "missing.py")
    assert load_rules(inside, "") is None


def test_texts_converted_in_a_project_get_its_rules(tmp_path: Path) -> None:
    """With the project named or found; elsewhere there are none."""
    example = Path(example_rules.__file__).read_text(encoding="utf-8")
    folder = project(tmp_path / "site", example).root
    body = tmp_path / "body.html"
    body.write_text(WIDGETS)
    made = run_here("--project", str(folder), "convert", str(body)).document
    assert [node["attrs"]["body"][0]["component"] for node in made["content"][1:]] == [
        "signup_form",
        "map",
    ]
    plain = run_here("--project", str(tmp_path / "none"), "convert", str(body))
    assert "signup_form" not in plain.out
    assert plain.code == 0


def test_what_a_rule_prints_is_not_in_the_document(tmp_path: Path) -> None:
    """Standard output is the document and nothing else."""
    folder = project(tmp_path / "site", f"print('loaded')\n{LEAD}").root
    body = tmp_path / "body.html"
    body.write_text(WIDGETS)
    ended = run_here("--project", str(folder), "convert", str(body))
    assert json.loads(ended.out)["type"] == "doc"
    assert ended.err.split() == ["loaded", "asked"]


def test_a_batch_with_rules_is_the_same_on_one_core_and_on_many(tmp_path: Path) -> None:
    """Each process loads the rules for itself, and derives the same `_uid`s."""
    example = Path(example_rules.__file__).read_text(encoding="utf-8")
    rules = NamedRules(project(tmp_path / "site", example), "rules.py")
    source = tmp_path / "in"
    source.mkdir()
    for number in range(12):
        (source / f"{number}.html").write_text(WIDGETS * number)
    written = []
    for processes in (1, 3):
        target = tmp_path / f"out{processes}"
        convert_folder(
            source,
            target,
            kind="html",
            processes=processes,
            rules=rules,
        )
        written.append({path.name: path.read_bytes() for path in target.iterdir()})
        shutil.rmtree(target)
    assert written[0] == written[1]
    assert b"signup_form" in written[0]["3.json"]
