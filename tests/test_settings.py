"""Settings: three sources in order, and one sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as drawing
from hypothesis import strategies as st

from cmsmig.configuration.plans import Counted, destination_limits, plan_name
from cmsmig.configuration.regions import (
    REGION_BASES,
    base_of,
    region_mismatch,
    region_of,
)
from cmsmig.configuration.token_hosts import is_loopback
from cmsmig.errors import SettingsError
from cmsmig.masking import masked
from cmsmig.settings import (
    Project,
    Settings,
    choose_target,
    find_project,
    load_settings,
)

TOKENS = {
    "CMSMIG_ORIGIN_TOKEN": "origin-secret",
    "CMSMIG_DESTINATION_TOKEN": "destination-secret",
}
MINIMAL = {**TOKENS, "CMSMIG_SPACE_ID": "123456"}


def load(
    folder: Path,
    environ: dict[str, str] | None = None,
    toml: str = "",
    env: str = "",
) -> Settings:
    """Load settings from sources written on the spot."""
    (folder / "cmsmig.toml").write_text(toml, "utf-8")
    (folder / ".env").write_text(env, "utf-8")
    return load_settings(Project(folder), MINIMAL if environ is None else environ)


def test_settings_have_safe_defaults(tmp_path: Path) -> None:
    """Tokens and a space are enough; rates start low and nothing extra is sent."""
    settings = load_settings(Project(tmp_path), MINIMAL)
    assert settings.origin_api_url == "https://api.webflow.com"
    assert settings.origin_rate is None
    assert settings.destination_base_url == "https://mapi.storyblok.com/v1"
    assert settings.destination_rate == 3
    assert settings.destination_plan == ""
    assert settings.site_id is None
    assert not settings.finish_uploads
    assert settings.asset_max_bytes == 500 * 1024 * 1024
    assert settings.file_hosts == ()
    assert settings.in_flight < 30
    assert settings.state_dir.name == "cmsmig"


ELSEWHERE = "https://elsewhere.test"
HOSTS = (("ORIGIN_API_URL", "origin"), ("DESTINATION_BASE_URL", "destination"))


@pytest.mark.parametrize(("variable", "side"), HOSTS)
@pytest.mark.parametrize(
    ("token_in", "host_in"),
    [("environ", "toml"), ("environ", "env"), ("env", "toml"), ("env", "environ")],
)
def test_a_token_goes_to_no_host_from_elsewhere(
    tmp_path: Path, variable: str, side: str, token_in: str, host_in: str
) -> None:
    """Host and token come from one place, or the setting names the host."""
    token = f"CMSMIG_{side.upper()}_TOKEN"
    environ = {k: v for k, v in MINIMAL.items() if k != token}
    lines = {"environ": "", "env": "", "toml": ""}
    lines[token_in] += f"{token}=hush-hush\n"
    name = variable.lower() if host_in == "toml" else f"CMSMIG_{variable}"
    lines[host_in] += (
        f'{name} = "{ELSEWHERE}"\n' if host_in == "toml" else f"{name}={ELSEWHERE}\n"
    )
    environ |= dict(line.split("=", 1) for line in lines["environ"].splitlines())
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, environ, toml=lines["toml"], env=lines["env"])
    said = str(caught.value)
    assert "elsewhere.test" in said
    assert f"{side}_token_for" in said
    assert "hush" not in said
    confirmed = f'{side}_token_for = "elsewhere.test"\n'
    load(tmp_path, environ, toml=lines["toml"] + confirmed, env=lines["env"])
    wrong = f'{side}_token_for = "other.test"\n'
    with pytest.raises(SettingsError, match="elsewhere"):
        load(tmp_path, environ, toml=lines["toml"] + wrong, env=lines["env"])


@pytest.mark.parametrize(("variable", "side"), HOSTS)
@pytest.mark.parametrize("place", ["environ", "env"])
def test_a_host_from_the_same_place_as_its_token_is_used(
    tmp_path: Path, variable: str, side: str, place: str
) -> None:
    """Who gives the token gives the host, too."""
    token = f"CMSMIG_{side.upper()}_TOKEN"
    environ = {k: v for k, v in MINIMAL.items() if k != token}
    both = {token: "hush-hush", f"CMSMIG_{variable}": ELSEWHERE}
    if place == "environ":
        load(tmp_path, environ | both)
    else:
        load(tmp_path, environ, env="".join(f"{k}={v}\n" for k, v in both.items()))


@pytest.mark.parametrize(
    "toml",
    [
        'origin_api_url = "https://api.webflow.com/v2"',
        'origin_api_url = "http://127.0.0.1:9"',
        *(f'destination_base_url = "{base}"' for base in REGION_BASES.values()),
        'destination_base_url = "http://localhost:9"',
        'destination_base_url = "http://[::1]:9"',
    ],
)
def test_the_services_own_hosts_and_this_machine_need_no_word(
    tmp_path: Path, toml: str
) -> None:
    """A toml that is shared may name them."""
    load(tmp_path, toml=toml)


@pytest.mark.parametrize(
    "host",
    [
        "134744072",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "127.1",
        "127.000.000.001",
        "0.0.0.0",
        "0",
        "[::ffff:127.0.0.1]",
        "[::]",
        "[fe80::1]",
        "10.0.0.1",
        "192.168.1.2",
        "169.254.169.254",
        "nas",
        "nas.local",
        "cms.internal",
        "cms.lan",
        "a.localhost",
        "localhost.",
        "localhost.evil.test",
        "127.0.0.1.evil.test",
        "api.webflow.com",
        "ｌｏｃａｌｈｏｓｔ",
        "127。0。0。1",
        "127.0.0.1%2eevil.test",
        "127.0.0.1\\.evil.test",
    ],
)
@pytest.mark.parametrize(("variable", "side"), HOSTS)
def test_nothing_goes_in_the_clear_but_to_this_machine(
    tmp_path: Path, variable: str, side: str, host: str
) -> None:
    """Only what is written as loopback is: a number may be any address."""
    environ = {**MINIMAL, f"CMSMIG_{variable}": f"http://{host}:8080"}
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, environ)
    assert variable.lower() in str(caught.value)


@drawing(deadline=None)
@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_plain_http_is_for_loopback_alone(number: int) -> None:
    """Of all IPv4 addresses, one eighth of a per cent: 127.0.0.0/8, written out."""
    import ipaddress

    written = str(ipaddress.IPv4Address(number))
    assert is_loopback(written) is (number >> 24 == 127)
    assert not is_loopback(str(number))
    assert not is_loopback(hex(number))


def test_environment_comes_before_env_file_before_toml(tmp_path: Path) -> None:
    """Each source yields to the one before it, value by value."""
    settings = load(
        tmp_path,
        {**MINIMAL, "CMSMIG_DESTINATION_RATE": "5"},
        toml='destination_rate = 1\norigin_rate = 10\nsite_id = "toml"',
        env="CMSMIG_DESTINATION_RATE=4\nCMSMIG_ORIGIN_RATE=20\n",
    )
    assert settings.destination_rate == 5
    assert settings.origin_rate == 20
    assert settings.site_id == "toml"


def test_a_blank_value_counts_as_not_given(tmp_path: Path) -> None:
    """An empty variable does not hide what a later source says."""
    settings = load(
        tmp_path,
        {**MINIMAL, "CMSMIG_SITE_ID": " "},
        toml='site_id = "abc"',
        env="CMSMIG_SITE_ID=\nCMSMIG_ORIGIN_RATE",
    )
    assert settings.site_id == "abc"


@pytest.mark.parametrize(
    ("line", "token"),
    [
        ("CMSMIG_ORIGIN_TOKEN=ab$HOME{cd}", "ab$HOME{cd}"),
        ("CMSMIG_ORIGIN_TOKEN='ab ${PATH} cd'", "ab ${PATH} cd"),
        ('export CMSMIG_ORIGIN_TOKEN="abc"  # why', "abc"),
        ("\ufeffCMSMIG_ORIGIN_TOKEN=abc", "abc"),
        ("CMSMIG_ORIGIN_TOKEN=Bearer abc", "abc"),
        ("OTHER_TOOL=x\nCMSMIG_ORIGIN_TOKEN=abc\r\n", "abc"),
    ],
)
def test_env_file_is_read_as_written(tmp_path: Path, line: str, token: str) -> None:
    """Nothing in `.env` is expanded, and other tools' lines are left alone."""
    environ = {"CMSMIG_DESTINATION_TOKEN": "d", "CMSMIG_SPACE_ID": "1"}
    settings = load(tmp_path, environ, env=line)
    assert settings.origin_token.get_secret_value() == token


def test_a_token_with_its_scheme_stays_as_given(tmp_path: Path) -> None:
    """A destination token may be of either kind, so its scheme is kept."""
    environ = {**MINIMAL, "CMSMIG_DESTINATION_TOKEN": " Bearer abc "}
    assert load(tmp_path, environ).destination_token.get_secret_value() == "Bearer abc"


def test_a_token_shows_in_no_representation(tmp_path: Path) -> None:
    """Neither of the settings nor in what is raised about them."""
    settings = load(tmp_path)
    assert "-secret" not in f"{settings} {settings!r} {settings.model_dump()}"
    assert settings.destination_token.get_secret_value() == "destination-secret"


@pytest.mark.parametrize(
    ("given_url", "origin", "destination"),
    [
        ("https://api.test", "https://api.test", "https://api.test/v1"),
        ("https://api.test/", "https://api.test", "https://api.test/v1"),
        ("http://127.0.0.1:81/x/", "http://127.0.0.1:81/x", "http://127.0.0.1:81/x/v1"),
        ("http://localhost:8080", "http://localhost:8080", "http://localhost:8080/v1"),
    ],
)
def test_a_base_may_lack_its_version(
    tmp_path: Path, given_url: str, origin: str, destination: str
) -> None:
    """With or without version segment and slash, both bases come out the same."""
    for ends in ("", "/v2", "/v2/"):
        url = given_url.rstrip("/") + ends if ends else given_url
        environ = {**MINIMAL, "CMSMIG_ORIGIN_API_URL": url}
        assert load(tmp_path, environ).origin_api_url == origin
    for ends in ("", "/v1", "/v1/"):
        url = given_url.rstrip("/") + ends if ends else given_url
        environ = {**MINIMAL, "CMSMIG_DESTINATION_BASE_URL": url}
        assert load(tmp_path, environ).destination_base_url == destination


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("a = 1\nsite_id = x", "line 2"),
        ("destination_rate = 'fast'", "requests per second"),
        ("destination_rate = 0", "above 0"),
        ("destination_rate = nan", "above 0"),
        ("destination_rate = true", "write a number"),
        ("origin_rate = 1.5", "whole number"),
        ("origin_rate = 0", "1 to 100000"),
        ("in_flight = 30", "1 to 29"),
        ("asset_max_mb = -1", "whole number"),
        ("finish_uploads = 'maybe'", "true or false"),
        ("origin_api_url = 'api.webflow.com'", "https://"),
        ("origin_api_url = 'ftp://api.test'", "https://"),
        ("origin_api_url = 'https://api.test:x'", "https://"),
        ("origin_api_url = 'https://u:p@api.test'", "without user"),
        ("origin_api_url = 'https://api.test/v1'", "version v2"),
        ("origin_api_url = 'http://api.webflow.com'", "in the clear"),
        ("destination_base_url = 'https://api.test/v2'", "version v1"),
        ("destination_base_url = ['x']", "a text"),
        ("destination_plan = 'gold'", "growth_plus"),
        ("origin_plan = 'gold'", "ecommerce"),
        ("space_id = 'mine'", "number"),
        (f"space_id = '{'9' * 30}'", "number"),
        ("site_id = 'a/b'", "site's id"),
        ("file_hosts = ['https://x.test/']", "bare host"),
        ("assumed = 'x'", "table"),
        ("[assumed]\nx = [1]", "text or a number"),
        ("richtext = 'rules.py'", "takes rules, and nothing else"),
        ("richtext.rule = 'rules.py'", "takes rules, and nothing else"),
        ("richtext.rules = '/etc/rules.py'", "in the project folder"),
        ("richtext.rules = '../rules.py'", "in the project folder"),
        ("richtext.rules = 'a/../../rules.py'", "in the project folder"),
        ("richtext.rules = '~/rules.py'", "in the project folder"),
        ("richtext.rules = 'C:\\rules.py'", "in the project folder"),
        ("richtext.rules = '..\\rules.py'", "in the project folder"),
        ("richtext.rules = 'rules.sh'", "a Python file"),
        ("richtext.rules = ['rules.py']", "text or a number"),
        ("state_dir = 3", "path"),
        ("targets = 3", "[targets.staging]"),
        ("[targets.for]\nspace_id = 3", "cannot be a target's name"),
        (
            "[targets.staging]\nspace_id = 3\n[targets.for-staging]\nspace_id = 4",
            "'for-staging' cannot be a target's name",
        ),
        ("[targets.for_a]\nspace_id = 3", "and not for- at its beginning"),
        ("[targets.Staging]\nspace_id = 3", "cannot be a target's name"),
        ("[targets.a-b]\nspace_id = 3\n[targets.a_b]\nspace_id = 4", "rename one"),
        ("[targets.a]\ntoken = 'hush'", "CMSMIG_DESTINATION_TOKEN_A"),
        ("[targets.a]\nspaces = 3", "takes space_id, base_url"),
        ("[targets.a]\nregion = 'mars'", "the regions are eu"),
        ("space_id = 3\n[targets.a]\nspace_id = 4", "[targets.a]"),
        ("[targets.a]\nspace_id = 3\n[targets.b]\nspace_id = '#3'", "are one space"),
        ("destinaton_rate = 3", "destination_rate"),
        ("CMSMIG_SPACE_ID = 3", "space_id"),
        ("zzzzzz = 3", "take it out"),
        ("origin_token = 'hush'", ".env"),
        ("DESTINATION_TOKEN = 'hush'", ".env"),
        ("token = 'hush'", ".env"),
    ],
)
def test_a_wrong_toml_is_one_sentence(tmp_path: Path, toml: str, says: str) -> None:
    """The message names the file and what to write, on one line."""
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, TOKENS, toml=toml)
    message = str(caught.value)
    assert says in message
    assert str(tmp_path / "cmsmig.toml") in message
    assert "\n" not in message
    assert "hush" not in message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("CMSMIG_SITE=abc", "CMSMIG_SITE_ID"),
        ("CMSMIG_ORIGN_TOKEN=abc", "CMSMIG_ORIGIN_TOKEN"),
        ("A=1\n'unfinished\nB=2", "line 2"),
        ("CMSMIG_ORIGIN_TOKEN=gränd", "no token"),
        ("CMSMIG_DESTINATION_RATE=quick", "requests per second"),
        ("CMSMIG_ASSUMED=x", "cmsmig.toml"),
        (f"CMSMIG_SPACE_ID={'a' * 41}", "is wrong: write the number"),
    ],
)
def test_a_wrong_env_file_is_one_sentence(tmp_path: Path, line: str, says: str) -> None:
    """The message names the file and the line or the nearest name, and repeats nothing
    that may be a token in the wrong place."""
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, {}, env=line)
    assert says in str(caught.value)
    assert ".env" in str(caught.value)
    assert "gränd" not in str(caught.value)
    assert "aaaa" not in str(caught.value)


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    """A mistake in the environment is placed there, not in a file."""
    environ = {**MINIMAL, "CMSMIG_DESTINATION_PLAN": "gold"}
    with pytest.raises(SettingsError, match="CMSMIG_DESTINATION_PLAN"):
        load(tmp_path, environ)


@pytest.mark.parametrize("name", ["cmsmig.toml", ".env"])
def test_an_unreadable_file_is_one_sentence(tmp_path: Path, name: str) -> None:
    """Bytes that are no text, and a folder in the file's place."""
    (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="UTF-8"):
        load_settings(Project(tmp_path), MINIMAL)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(Project(tmp_path), MINIMAL)


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ("CMSMIG_ORIGIN_TOKEN", "cms:read"),
        ("CMSMIG_DESTINATION_TOKEN", "personal access token"),
        ("CMSMIG_SPACE_ID", "space_id"),
    ],
)
def test_what_is_missing_says_where_to_get_it(
    tmp_path: Path, missing: str, says: str
) -> None:
    """A missing token names its source and its place."""
    environ = {name: value for name, value in MINIMAL.items() if name != missing}
    with pytest.raises(SettingsError) as caught:
        load_settings(Project(tmp_path), environ)
    assert says in str(caught.value)
    assert missing in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_one_side_may_lack_what_it_does_not_need(tmp_path: Path) -> None:
    """A pull needs no destination, and an import from the cache no origin."""
    project = Project(tmp_path)
    origin = {"CMSMIG_ORIGIN_TOKEN": "o"}
    assert not load_settings(project, origin, need_destination=False).destination_token
    destination = {"CMSMIG_DESTINATION_TOKEN": "d", "CMSMIG_SPACE_ID": "1"}
    assert not load_settings(project, destination, need_origin=False).origin_token
    assert load_settings(
        project, {}, need_origin=False, need_destination=False
    ).space_id == ("")


@pytest.mark.parametrize(
    ("plan", "rate"),
    [("starter", 3), ("Growth", 6), ("growth plus", 6), ("PREMIUM", 6), ("elite", 6)],
)
def test_a_destination_plan_sets_the_rate(tmp_path: Path, plan: str, rate: int) -> None:
    """The plan gives the rate, and a rate of one's own overrides it."""
    environ = {**MINIMAL, "CMSMIG_DESTINATION_PLAN": plan}
    assert load(tmp_path, environ).destination_rate == rate
    assert load(tmp_path, environ).destination_plan == plan_name(plan)
    overridden = load(tmp_path, environ, toml="destination_rate = 60")
    assert overridden.destination_rate == 60


@pytest.mark.parametrize(
    ("plan", "rate"),
    [("starter", 60), ("basic", 60), ("CMS", 120), ("ecommerce", 120)],
)
def test_an_origin_plan_sets_the_rate(tmp_path: Path, plan: str, rate: int) -> None:
    """The plan gives the rate, and a rate of one's own overrides it."""
    environ = {**MINIMAL, "CMSMIG_ORIGIN_PLAN": plan}
    assert load(tmp_path, environ).origin_rate == rate
    assert load(tmp_path, environ, toml="origin_rate = 6000").origin_rate == 6000


def test_lists_tables_and_paths_are_read(tmp_path: Path) -> None:
    """Hosts, overridden assumptions and the state folder come out typed."""
    settings = load(
        tmp_path,
        {**MINIMAL, "CMSMIG_FILE_HOSTS": "A.test, b.test:81"},
        toml="state_dir = 'state'\nfinish_uploads = true\nspace_id = 9\n"
        "richtext.rules = 'rules/own.py'\n"
        "[assumed]\nput_replaces_content = false\nsign_in = 'query'",
    )
    assert settings.file_hosts == ("a.test", "b.test:81")
    assert settings.state_dir == tmp_path / "state"
    assert settings.finish_uploads
    assert settings.richtext_rules == "rules/own.py"
    assert load(tmp_path, MINIMAL, toml="").richtext_rules == ""
    assert settings.space_id == "123456"
    assert settings.assumed == {"put_replaces_content": "false", "sign_in": "query"}


TARGETS = """
destination_plan = "growth"
[targets.staging]
space_id = 290512
region = "us"
[targets.production]
space_id = 7
rate = 2
token_for = "api.test"
"""
STAGING = {
    "CMSMIG_ORIGIN_TOKEN": "origin-secret",
    "CMSMIG_DESTINATION_TOKEN_STAGING": "staging-secret-1",
    "CMSMIG_DESTINATION_TOKEN_PRODUCTION": "production-secret-2",
}


def load_target(
    folder: Path, name: str, environ: dict[str, str] = STAGING, env: str = ""
) -> Settings:
    """Load the settings of one of two targets."""
    (folder / "cmsmig.toml").write_text(TARGETS, "utf-8")
    (folder / ".env").write_text(env, "utf-8")
    return load_settings(choose_target(Project(folder), name), environ)


def test_each_target_has_its_own_settings(tmp_path: Path) -> None:
    """Space, host, rate and token are its own; a common plan holds for both."""
    staging = load_target(tmp_path, "staging")
    assert staging.space_id == "290512"
    assert staging.destination_base_url == "https://api-us.storyblok.com/v1"
    assert staging.destination_rate == 6
    assert staging.destination_token.get_secret_value() == "staging-secret-1"
    production = load_target(tmp_path, "production")
    assert production.destination_rate == 2
    assert production.destination_token.get_secret_value() == "production-secret-2"
    assert masked("production-secret-2, staging-secret-1") == "(hidden), (hidden)"
    given = {**STAGING, "CMSMIG_SPACE_ID_STAGING": "5", "CMSMIG_SPACE_ID": "6"}
    assert load_target(tmp_path, "staging", given).space_id == "5"


def test_a_target_uses_no_token_without_its_name(tmp_path: Path) -> None:
    """Token and space without its name are not used; for those in `.env` it warns."""
    loose = {"CMSMIG_ORIGIN_TOKEN": "o", "CMSMIG_DESTINATION_TOKEN": "loose-secret"}
    with pytest.raises(SettingsError, match="CMSMIG_DESTINATION_TOKEN_STAGING"):
        load_target(tmp_path, "staging", loose)
    loaded = load_target(tmp_path, "staging", env="CMSMIG_SPACE_ID=9\n")
    assert loaded.space_id == "290512"
    assert "CMSMIG_SPACE_ID, which is not used" in loaded.warning
    with pytest.raises(SettingsError, match="did you mean CMSMIG_DESTINATION_TOKEN"):
        load_target(tmp_path, "staging", env="CMSMIG_DESTINATION_TOKEN_STAGIN=x\n")


def test_a_targets_token_goes_to_no_host_from_elsewhere(tmp_path: Path) -> None:
    """The rules of hosts hold for each target by itself."""
    given = {**STAGING, "CMSMIG_DESTINATION_BASE_URL_STAGING": "https://api.test"}
    assert load_target(tmp_path, "staging", given).destination_base_url.endswith("/v1")
    line = "CMSMIG_DESTINATION_BASE_URL_{}=https://api.test\n"
    with pytest.raises(SettingsError, match="would send the token"):
        load_target(tmp_path, "staging", env=line.format("STAGING"))
    meant = load_target(tmp_path, "production", env=line.format("PRODUCTION"))
    assert meant.destination_base_url == "https://api.test/v1"


def test_the_project_folder_is_found_in_order(tmp_path: Path) -> None:
    """The explicit folder, the variable, the nearest parent, then `migration`."""
    inside = tmp_path / "site" / "deep"
    inside.mkdir(parents=True)
    assert find_project(None, {}, inside).root == inside / "migration"
    (tmp_path / "site" / "cmsmig.toml").touch()
    assert find_project(None, {}, inside).root == tmp_path / "site"
    environ = {"CMSMIG_PROJECT": "else"}
    assert find_project(None, environ, inside).root == inside / "else"
    assert find_project(tmp_path, environ, inside).root == tmp_path
    assert find_project(Path("given"), {}, inside).root == inside / "given"


@pytest.mark.parametrize(
    ("space_id", "region"),
    [
        ("0", "eu"),
        ("999999", "eu"),
        ("1000000", "us"),
        ("2000000", "ca"),
        ("3999999", "ap"),
        ("4000000", ""),
        (str(1 << 48), "eu"),
        (str((2 << 48) + 77), "us"),
        (str((3 << 48) + 77), "ca"),
        (str((4 << 48) + 77), "ap"),
        (str((5 << 48) + 77), ""),
        (str((6 << 48) + 77), "cn"),
        ("", ""),
        ("x1", ""),
        ("²", ""),
    ],
)
def test_a_space_id_names_its_region(space_id: str, region: str) -> None:
    """Old ids lie in ranges, new ones carry the region in their bits."""
    assert region_of(space_id) == region
    assert base_of(space_id) == REGION_BASES[region or "eu"]


def test_a_wrong_region_is_one_sentence() -> None:
    """A space id of another region is refused without a request."""
    said = region_mismatch("1000001", REGION_BASES["eu"])
    assert "api-us.storyblok.com" in said
    assert said.endswith(".")
    assert "\n" not in said
    coded = str((2 << 48) + 1)
    assert "region us" in region_mismatch(coded, REGION_BASES["cn"])


@pytest.mark.parametrize(
    ("space_id", "base"),
    [
        ("1000001", REGION_BASES["us"]),
        ("606", REGION_BASES["cn"]),
        ("1000001", "http://127.0.0.1:8080/v1"),
        ("", REGION_BASES["eu"]),
        ("x", REGION_BASES["cn"]),
    ],
)
def test_a_right_or_unknown_region_says_nothing(space_id: str, base: str) -> None:
    """No false alarm: neither for a sandbox nor where ranges overlap."""
    assert region_mismatch(space_id, base) == ""


@given(st.integers(min_value=0, max_value=2**63))
def test_the_inferred_base_is_never_a_mismatch(number: int) -> None:
    """Whatever the id, the base taken from it fits it."""
    assert region_mismatch(str(number), base_of(str(number))) == ""


def test_an_unnamed_plan_is_the_smallest() -> None:
    """Without a plan the limits are those of the smallest one."""
    assert destination_limits("") == destination_limits("Starter")
    assert destination_limits("growth-plus").counts[Counted.COMPONENTS].most == 600
    with pytest.raises(KeyError):
        destination_limits("gold")
