"""The notebooks worked by hand, in order; each of their controls at least once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from playwright.async_api import expect

from tests.support.browser.barriers import barriers
from tests.support.browser.book import Book
from tests.support.browser.browse_walk import browse_items
from tests.support.browser.gate import Gate
from tests.support.browser.hearing import Hearing
from tests.support.browser.hostile import HOSTILE_NAME
from tests.support.browser.project import Rehearsed
from tests.support.standin import StandIn
from tests.support.timelimit import patience

REVIEWER = "A. Reviewer"
SUBSHELLS = "perCommTarget"
"""How JupyterLab serves comms of its own choice."""
RULES = {
    "headings": "headings 1 to 2",
    "lone pictures": "images",
    "embeds": "embeds",
    "quotes": "quotes",
}
"""What the table of fields says of rules, by the label of their box."""


@dataclass
class Desk:
    """What a person who works the notebooks has before them."""

    book: Book
    rehearsed: Rehearsed
    """The project folder, the notebooks in it, and the sandbox."""
    hearing: Hearing
    """What the browser says and asks for meanwhile."""
    node: StandIn
    """The Node that the kernel finds."""
    pictures: Path | None = None
    """Where pictures of the notebooks go, if anywhere."""
    plan: str = ""
    """The first half of the plan's hash, as notebook 04 showed it."""
    begun: str = ""
    """The notebook that is being worked; it stays when it did not work."""
    finished: list[str] = field(default_factory=list)
    """The notebooks that were worked, in order."""
    content: Mapping[str, object] = field(default_factory=dict)
    """What the space held at the end."""

    @property
    def folder(self) -> Path:
        """Return the project folder."""
        return self.rehearsed.folder

    @property
    def gate(self) -> Gate:
        """Return what holds requests, so that there is time to press Stop."""
        return self.rehearsed.gate

    async def through(self, notebook: str) -> None:
        """Work the notebooks up to this one, those that are not worked yet; nothing in
        them keeps people out."""
        for name, work in NOTEBOOKS.items():
            if name > notebook:
                return
            if name in self.finished:
                continue
            assert not self.begun, f"notebook {self.begun} did not work, see there"
            self.begun = name
            (path,) = self.folder.glob(f"{name}_*.ipynb")
            await self.book.open(f"{self.folder.name}/{path.name}")
            await self.book.run_all()
            await work(self)
            assert await barriers(self.book.page) == [], name
            await self.book.picture(self.pictures, path.stem)
            await self.book.close()
            self.finished.append(name)
            self.begun = ""

    def decided(self, name: str) -> dict:
        """Return a decision file; it says who took it, and by hand."""
        text = (self.folder / "decisions" / f"{name}.yaml").read_text("utf-8")
        document = yaml.safe_load(text)
        assert document["reviewed"]["by"] == REVIEWER
        assert document["reviewed"]["how"] == "individually"
        return document

    @contextmanager
    def without_settings(self) -> Iterator[None]:
        """Take the project's `.env` away while the block runs."""
        env = self.folder / ".env"
        kept = env.rename(self.folder / "env.kept")
        try:
            yield
        finally:
            kept.rename(env)

    async def stop_and_go_on(
        self, step: str, method: str, path: str, *, start: str = "", after: int = 3
    ) -> None:
        """Start a step, stop it when some of its requests are through, go on."""
        book, gate = self.book, self.gate
        gate.hold(method, path, after=after)
        await book.click(f"{step}-start")
        await gate.reached()
        await book.click(f"{step}-stop")
        await book.sees("Stopping after the calls in flight")
        gate.open()
        await book.sees("Stopped")
        await expect(book.control(f"{step}-start")).to_have_text(start or "Go on")
        await book.click(f"{step}-start")
        await expect(book.control(f"{step}-stop")).to_be_disabled()


async def start_here(desk: Desk) -> None:
    """Both services let us in; a fault in the settings is said and goes away."""
    book = desk.book
    await book.sees("This is a rehearsal", "What comes next")
    with desk.without_settings():
        await book.click("check-again")
        await expect(book.output("This is a rehearsal")).to_be_hidden()
    await book.click("check-again")
    await book.sees("This is a rehearsal")
    design = desk.folder / "decisions" / "design.yaml"
    design.parent.mkdir(exist_ok=True)
    design.write_text("content_types: nonsense\n", "utf-8")
    await book.click("forecast-again")
    await book.sees("design.yaml")
    design.unlink()
    await book.click("forecast-again")
    await book.sees("Run notebook 01")


async def inspect_origin(desk: Desk) -> None:
    """The origin is read, stopped and read on, looked at, and its sets chosen."""
    book, gate = desk.book, desk.gate
    await book.sees("Nothing is read yet")
    gate.hold("GET", r"/collections/\w+/items", after=1)
    await book.click("pull")
    await gate.reached()
    await book.click("pull-stop")
    await book.sees("Stopped. What was read is kept")
    gate.open()
    await book.click("pull")
    await book.sees("Everything is read")
    await book.run_all()
    await _look_around(book)
    await browse_items(book)
    await _list_in_the_browser(book)
    await _choose_item_sets(desk)


async def _look_around(book: Book) -> None:
    await book.fill("collections-filter", "spot")
    await book.sees("1 of 2 collections")
    await book.choose("collections-detail", "Notes")
    await book.sees("Fields of Notes")
    for control in ("references-cause", "census-structure", "obstacles-kind"):
        chosen = (await book.options(control))[1]
        await book.choose(control, chosen)
        about = re.sub(r" \([\d,]+\)$", "", chosen)
        await expect(book.outputs().locator("caption", has_text=about)).to_be_visible()


async def _list_in_the_browser(book: Book) -> None:
    """What the panels below list is listed in the browser, from their buttons."""
    listed = book.region("list")
    for panel, choice, words in (
        ("references", "references-cause", "dangling because"),
        ("census", "census-structure", "in a body"),
        ("obstacles", "obstacles-kind", "(a loss)"),
    ):
        await book.choose(choice, (await book.options(choice))[1])
        await book.click(f"{panel}-browse")
        await expect(listed).to_contain_text(words)
    await book.click("explore-clear")
    await book.click("static-pages-read")
    await book.sees("static-pages.csv", "Static pages (1)")


async def _choose_item_sets(desk: Desk) -> None:
    book = desk.book
    await book.choose("item-set-archived", "take as drafts")
    await book.sees("36 imported")
    for control, chosen, before in (
        ("item-set-online", "take as live", "as archived"),
        ("item-set-queued", "skip", "take as drafts"),
        (
            "item-set-languages",
            "one story, fields translated",
            "a story each, in folders",
        ),
        ("item-set-missing", "are left out", "lead to the primary language"),
    ):
        await book.choose(control, chosen)
        await book.choose(control, before)
    await book.sees("36 imported", "/memos/note-5")
    await book.choose("former-path", "lead to notes")
    await book.choose("item-set-publish", "what is live")
    await book.choose("item-set", "live: what visitors see", which=1)
    await book.click("item-set-save")
    await book.sees("A decision names who took it")
    await book.fill("item-set-reviewer", REVIEWER)
    await book.click("item-set-save")
    await book.sees("collections.yaml is written")
    document = desk.decided("collections")
    assert [each["items"] for each in document["collections"]] == ["staged", "live"]
    assert [each["path"] for each in document["former_paths"]] == ["/memos"]


async def design_components(desk: Desk) -> None:
    """The design is changed in each way it can be, looked at again, accepted."""
    book = desk.book
    component = book.control("design-component").locator("input")
    await book.choose("design-content-type", "Spot (spots)")
    await expect(component).to_have_value(re.compile("spot"))
    await book.choose("design-content-type", "Note (notes)")
    await expect(component).to_have_value(re.compile("note"))
    await book.fill("design-component", "field_note")
    await book.fill("design-folder", "Not a folder")
    await book.sees("Not a folder")
    await book.fill("design-folder", "field-notes")
    title = book.control("design-folder-name").locator("input")
    before = await title.input_value()
    await book.fill("design-folder-name", "Field notes")
    await book.sees("Each edit is in design.yaml")
    await book.click("design-undo")
    await expect(title).to_have_value(before)
    await book.fill("design-folder-name", "Field notes")
    await _place_stories(book)
    await _change_fields(book)
    await _look_at_items(book)
    await _make_a_section(book)
    await _change_options(book)
    await book.fill("design-block", "kept_html")
    await book.sees("This design can be accepted as it is")
    await book.choose("samples-content-type", "Spot (spots)")
    await book.sees("A place to stand still")
    await book.choose("samples-content-type", "Note (notes)")
    await book.click("samples-again")
    await book.sees("Note (field_note)")
    reviewer = book.control("design-reviewer").locator("input")
    await expect(reviewer).to_have_value(REVIEWER)
    await book.fill("design-reviewer", f"{REVIEWER} ")
    await book.click("design-accept")
    await book.sees("design.yaml written")
    _design_is_as_edited(desk.decided("design"))


async def _place_stories(book: Book) -> None:
    """Choose what gives stories their folders, tags and dates, and take it back."""
    await book.choose("design-folder-by", "About (about)")
    await book.sees("/field-notes/‹about›/‹slug›")
    await book.choose("design-folder-by", "none")
    await book.choose("design-tags-by", "About (about)")
    await book.choose("design-tags-by", "none")
    for control, only in (
        ("design-date-field", "creation"),
        ("design-order-field", "as at the origin"),
    ):
        assert await book.options(control) == [only]
        await book.choose(control, only)
    for control in ("start-page", "asset-folder"):
        await book.fill(f"design-{control}", "note-1")
        await book.fill(f"design-{control}", "")
    await book.tick("design-nestable")
    await book.sees("is_root and is_nestable")
    await book.tick("design-nestable")
    await book.sees("is_root alone")
    await book.fill("design-component-label", "Field note")


async def _make_a_section(book: Book) -> None:
    """Make a section, nest it and take it apart again; put a field into it by hand."""
    sections = book.region("sections")
    await expect(sections).to_contain_text("No section yet")
    await book.tick("design-field-pick", which=1)
    await book.tick("design-field-pick", which=2)
    await book.fill("design-section-name", "Look")
    await book.click("design-section-make")
    await expect(sections).to_contain_text("a group in the form")
    await expect(book.region("item").locator("h4")).to_have_text("Look")
    await book.click("section-nest")
    await expect(book.region("item")).to_contain_text("Look")
    component = book.control("section-component").locator("input")
    await expect(component).to_have_value("field_note_look")
    await book.fill("section-component", "look")
    await book.fill("section-label", "Looks")
    await book.fill("section-key", "looks")
    await book.click("section-flatten")
    await expect(component).to_have_count(0)
    await book.choose("design-field-section", "Looks", which=0)
    await expect(sections.locator("code")).to_have_count(2)
    await book.click("section-dissolve")
    await expect(sections).to_contain_text("No section yet")


async def _change_options(book: Book) -> None:
    """Name options for editors, whatever the origin calls them; use a datasource."""
    options = book.region("options")
    await expect(options).to_contain_text(HOSTILE_NAME)
    await book.choose("options-field", "Mood")
    await book.fill("options-label", "Light")
    await expect(book.region("item")).to_contain_text("Light")
    await book.choose("options-source", "a datasource")
    await book.fill("options-datasource", "moods")
    datasource = book.control("options-datasource").locator("input")
    await expect(datasource).to_have_value("moods")


async def _look_at_items(book: Book) -> None:
    """Find items, go from one to the next, look at what they become in each way."""
    item, steps = book.region("item"), book.region("steps")
    await expect(item).to_contain_text("portrait, asset")
    await book.click("story-next")
    await expect(steps).to_contain_text("2 of 36")
    await book.click("story-previous")
    await expect(steps).to_contain_text("1 of 36")
    await book.fill("story-search", "note 6")
    await expect(steps).not_to_contain_text("of 36")
    await expect(item).to_contain_text("Note 6")
    await book.choose("story-item", (await book.options("story-item"))[-1])
    for number, shown in ((1, '"content"'), (2, '"schema"'), (3, "is new")):
        await book.click("story-view", which=number)
        await expect(item).to_contain_text(shown)
    await book.click("story-view", which=0)
    await expect(item).to_contain_text("portrait, asset")


async def _change_fields(book: Book) -> None:
    """Change the third field's key, its encoding, and whether it is required."""
    keys = book.control("design-field-key").locator("input")
    shown = [await each.input_value() for each in await keys.all()]
    await book.fill("design-field-key", "portrait", which=shown.index("picture"))
    about = shown.index("about")
    assert "json_text" in await book.options("design-field-encoding", which=about)
    await book.choose("design-field-encoding", "json_text", which=about)
    await book.tick("design-field-required", which=shown.index("text"))
    await _change_order(book)


async def _change_order(book: Book) -> None:
    """Name a field for editors, move it and back, leave one out and take it again."""
    labels = book.control("design-field-label").locator("input")
    await book.fill("design-field-label", "Long text")
    await expect(book.region("item")).to_contain_text("Long text")
    await book.click("design-field-down")
    await expect(labels.nth(1)).to_have_value("Long text")
    await book.click("design-field-up", which=1)
    await expect(labels.nth(0)).to_have_value("Long text")
    await book.fill("design-leave-reason", "Nobody reads it.")
    await book.click("design-field-leave", which=3)
    await book.sees("Nobody reads it.")
    await book.choose("design-take-which", "related")
    await book.click("design-take")
    await expect(book.output("Nobody reads it.")).to_be_hidden()
    await book.click("design-leave-empty")
    await book.sees("No item fills it.")
    await book.click("design-undo")
    await expect(book.control("design-leave-empty")).to_contain_text("(1)")


def _design_is_as_edited(document: dict) -> None:
    notes = document["content_types"][0]
    assert notes["component"] == "field_note"
    assert (notes["folder"], notes["folder_name"]) == ("field-notes", "Field notes")
    fields = {each["origin"]: each for each in notes["fields"]}
    assert fields["picture"]["key"] == "portrait"
    assert fields["about"]["encoding"] == "json_text"
    assert fields["mood"]["datasource"] == "moods"
    assert fields["mood"]["options"][0]["label"] == "Light"
    assert document["blocks"][0]["component"] == "kept_html"


async def preview_rich_text(desk: Desk) -> None:
    """Embeds are decided, bodies found and leafed through, split and reviewed."""
    await _decide_embeds(desk)
    await _list_losses(desk)
    await _choose_bodies(desk.book)
    await _look_at_the_hostile_body(desk.book)
    await _split_bodies(desk)
    await _change_blocks(desk)
    await _review_all(desk)
    await _cross_check(desk)
    await _accept_both(desk)


async def _decide_embeds(desk: Desk) -> None:
    book = desk.book
    await book.sees("By host")
    await book.fill("embed-search", "frames2")
    await expect(book.control("embed-signature")).to_have_count(2)
    await book.fill("embed-search", "")
    hosts = book.region("hosts")
    await expect(hosts).to_contain_text("1 to 20 of")
    await book.click("embed-next")
    await expect(hosts).to_contain_text("21 to")
    await book.click("embed-previous")
    await expect(hosts).to_contain_text("1 to 20 of")
    await book.choose("embed-kind", "embed block", which=1)
    await _decide_a_component(desk)
    await book.choose("embed-signature", "link")
    await expect(book.region("unclosed")).to_contain_text("Note 2 (en)")
    await book.choose("embed-unclosed", "end where the body goes on")
    path = desk.folder / "decisions" / "embeds.yaml"
    async with asyncio.timeout(patience()):
        while "unclosed: end" not in (path.read_text("utf-8") if path.exists() else ""):
            await book.page.evaluate("() => new Promise(requestAnimationFrame)")


async def _decide_a_component(desk: Desk) -> None:
    """Its instances become blocks, of a name of ours, with each of its properties."""
    book = desk.book
    shown = book.region("components")
    await book.choose("component-chosen", "Strip")
    await expect(shown).to_contain_text("Strip, as every component: 1 instance")
    await book.choose("component-becomes", "a block of its own")
    await book.fill("component-block", "strip_block")
    await expect(shown).to_contain_text("Strip, block strip_block")
    await book.choose("component-prop", "text")
    path = desk.folder / "decisions" / "embeds.yaml"
    async with asyncio.timeout(patience()):
        while "type: text" not in path.read_text("utf-8"):
            await book.page.evaluate("() => new Promise(requestAnimationFrame)")


async def _list_losses(desk: Desk) -> None:
    """Searched, of one kind, sorted, turned, and written as CSV."""
    book = desk.book
    steps, listed = book.region("losses_steps"), book.region("losses_list")
    await expect(steps).to_contain_text("1 to 9 of 9")
    for name in ("losses-on", "losses-back"):
        await book.click(name)
        await expect(steps).to_contain_text("1 to 9 of 9")
    await book.fill("losses-search", "note 2 (en)")
    await expect(steps).not_to_contain_text("of 9")
    await expect(listed).to_contain_text("Note 2 (en)")
    await book.fill("losses-search", "")
    await book.choose("losses-kind", "Script")
    await expect(book.region("losses_explained")).to_contain_text("Script: ")
    await book.click("losses-sort")
    await expect(listed.locator("[aria-sort=ascending]")).to_contain_text("Item")
    await book.click("losses-save")
    await expect(book.region("losses_said")).to_contain_text("written to")
    assert "Script" in (desk.folder / "lists" / "losses.csv").read_text("utf-8")


async def _choose_bodies(book: Book) -> None:
    """Each way of choosing bodies, and of going from one to another."""
    steps = book.region("steps")
    await book.choose("body-loss", "some content")
    await expect(steps).not_to_contain_text("of 36")
    await book.choose("body-loss", "any")
    await book.choose("body-structure", "quote")
    await expect(steps).to_contain_text("1 of 4")
    await book.choose("body-structure", "anything")
    await book.choose("body-field", "Notes: text")
    await book.choose("body-locale", "fr-FR")
    await expect(steps).to_contain_text("of 12")
    await book.choose("body-locale", "all")
    await book.fill("body-search", "NOTE 1")
    await expect(steps).not_to_contain_text("of 36")
    await book.fill("body-search", "")
    await expect(steps).to_contain_text("of 36")
    await book.choose("body-item", (await book.options("body-item"))[0])
    for name, place in (("next", 2), ("on", 32), ("back", 2), ("previous", 1)):
        await book.click(f"body-{name}")
        await expect(steps).to_contain_text(f"{place} of 36")
    await book.click("body-seen")
    await expect(book.region("tally")).to_contain_text("1 of 36 seen")
    await expect(steps).to_contain_text("2 of 36")
    assert any(HOSTILE_NAME in each for each in await book.options("body-item"))


async def _look_at_the_hostile_body(book: Book) -> None:
    """Show it in its frames, and click what would be a link."""
    options = await book.options("body-item")
    (hostile,) = (each for each in options if each.endswith(" Note 1 (en) · text"))
    await book.choose("body-item", hostile)
    await expect(book.region("title")).to_contain_text("Note 1 (en)")
    frame = book.page.frame_locator("iframe[sandbox='']").first
    await expect(frame.get_by_text("script, not run").first).to_be_visible()
    await expect(frame.get_by_text("Destination", exact=True)).to_be_visible()
    narrow = await book.region("origin").bounding_box()
    await book.click("body-wide")
    await expect(book.control("body-wide")).to_contain_text("Document beside")
    wide = await book.region("origin").bounding_box()
    assert wide["width"] > 1.25 * narrow["width"]
    await book.click("body-wide")
    await book.click("body-copy")
    await book.sees("Copied the document")
    await frame.get_by_text("Follow the hostile link").first.click()
    for each in book.page.frames:
        await expect(each.locator("a[href^='javascript:']")).to_have_count(0)


async def _split_bodies(desk: Desk) -> None:
    """The field's bodies become blocks, split by rules that are ticked."""
    book = desk.book
    await book.choose("blocks-field", "notes: text")
    await book.choose("blocks-mode", "blocks")
    for rule in ("headings", "lone pictures", "embeds", "quotes"):
        await book.control("blocks-rule").get_by_text(rule).click()
        await book.sees(f"{RULES[rule]}")
    book.driven.add("blocks-rule")
    await book.choose("blocks-level", "level 1 to 3")
    await book.sees("headings 1 to 3")
    await expect(book.region("tally")).to_contain_text("0 reviewed")
    await book.choose("body-state", "to review")
    await expect(book.region("steps")).not_to_contain_text("of 36")


async def _change_blocks(desk: Desk) -> None:
    """Each change of a body's blocks, taken back and done again."""
    book = desk.book
    cards = book.page.locator(".cmsmig-card")
    await book.fill("body-search", "Note 6 (en)")
    await expect(book.region("title")).to_contain_text("Note 6 (en) — Notes, text")
    await expect(cards).to_have_count(4)
    current = book.page.locator(".cmsmig-card[aria-current=true] .kind")
    await book.click("block-next")
    await expect(current).to_have_text("2 text")
    await book.click("block-previous")
    await expect(current).to_have_text("1 text")
    await cards.nth(2).locator(".kind").click()
    await expect(current).to_have_text("3 quote")
    book.driven.add("block-select")
    await book.choose("block-type-at", "text", which=0)
    await book.click("block-type")
    await expect(current).to_have_text("3 text")
    await book.click("block-merge", which=2)
    await expect(cards).to_have_count(3)
    await book.click("block-reject", which=1)
    await expect(cards).to_have_count(2)
    await book.choose("block-split-at", "before heading: Sources", which=0)
    await book.click("block-split")
    await expect(cards).to_have_count(3)
    await book.click("review-undo")
    await expect(cards).to_have_count(2)
    await expect(book.region("title")).to_contain_text("changed by hand")
    await book.click("review-reset")
    await expect(cards).to_have_count(4)
    await book.click("block-merge", which=2)
    await expect(cards).to_have_count(3)


async def _review_all(desk: Desk) -> None:
    """A body is accepted, one after the other, then the others in bulk."""
    book = desk.book
    tally = book.region("tally")
    name = book.control("review-name").locator("input")
    await expect(name).to_have_value(REVIEWER)
    await book.fill("review-name", "")
    await book.click("review-accept")
    await book.sees("enter your name first")
    await book.fill("review-name", REVIEWER)
    await book.click("review-accept")
    await expect(tally).to_contain_text("1 reviewed")
    await book.fill("body-search", "")
    await book.click("body-open")
    await book.click("review-accept")
    await expect(tally).to_contain_text("2 reviewed")
    await book.page.get_by_text("Accept many at once").click()
    options = await book.options("review-kind")
    await book.choose("review-kind", options[-1])
    await book.click("review-bulk")
    await book.sees("accepted in bulk")
    await book.click("review-all")
    await expect(tally).to_contain_text(", 0 left")


async def _cross_check(desk: Desk) -> None:
    """All bodies against the official converter: stopped, then to the end."""
    book, node = desk.book, desk.node
    await book.sees("were not compared with the official converter")
    node.hold()
    await book.click("cross-check")
    await book.sees("0 of 36 bodies")
    await book.click("cross-check-stop")
    await book.sees("Stopped: 0 of 36 bodies")
    node.go_on()
    await book.click("cross-check")
    await book.sees("36 bodies:", "0 official failed, 0 defects")
    await book.sees("What is done otherwise on purpose")


async def _accept_both(desk: Desk) -> None:
    book = desk.book
    await book.fill("bodies-reviewer", REVIEWER)
    await book.click("bodies-accept")
    await book.sees("blocks.yaml and embeds.yaml written")
    blocks = desk.decided("blocks")
    assert {each["mode"] for each in blocks["bodies"]} == {"blocks"}
    hows = [each["how"] for each in blocks["reviews"]]
    assert set(hows) == {"individually", "in bulk"}
    document = desk.decided("embeds")
    assert "component" in document["kinds"].values()
    assert "link" in document["signatures"].values()


async def prepare_destination(desk: Desk) -> None:
    """The plan is read, the destination prepared, stopped and gone on with."""
    book = desk.book
    shown = await book.output("stories are to be created").first.inner_text()
    desk.plan = re.search(r"Plan ([0-9a-f]{16}):", shown)[1]
    with desk.without_settings():
        await book.click("plan-again")
        await book.sees(".env")
    await book.click("plan-again")
    await book.sees("This is the plan as of now")
    # Nothing is gone: the plan with the tick is that of a parameter, and comes back.
    for _ in range(2):
        await book.tick("plan-recreate")
        await book.sees("This is the plan as of now")
    await book.click("client-plan-save")
    await book.sees("the page can be sent as it is")
    assert "stays behind" in (desk.folder / "reports" / "plan.html").read_text()
    await _list_foreseen(desk)
    await desk.stop_and_go_on("prepare", "POST", r"/components$", after=1)
    await _done(book, "prepare")


async def _list_foreseen(desk: Desk) -> None:
    """Searched, of one kind, sorted, turned, and written as CSV."""
    book = desk.book
    steps, listed = book.region("foreseen_steps"), book.region("foreseen_list")
    await expect(steps).to_contain_text("1 to ")
    for name in ("foreseen-on", "foreseen-back"):
        await book.click(name)
    await book.fill("foreseen-search", "NOTE 2")
    await expect(listed).to_contain_text("Note 2")
    await expect(listed.locator("a[href^='https://']").first).to_be_visible()
    await book.fill("foreseen-search", "")
    await book.choose("foreseen-kind", "Script")
    await expect(book.region("foreseen_explained")).to_contain_text("Script: ")
    await book.click("foreseen-sort")
    await expect(listed.locator("[aria-sort=ascending]")).to_contain_text("Item")
    await book.click("foreseen-save")
    await expect(book.region("foreseen_said")).to_contain_text("written to")
    assert "Script" in (desk.folder / "lists" / "plan-findings.csv").read_text("utf-8")
    await book.choose("foreseen-list", "Losses")
    await expect(steps).to_contain_text("1 to ")


async def create_stories(desk: Desk) -> None:
    """Phase one is stopped in the middle and gone on with."""
    await desk.stop_and_go_on("create", "POST", r"/stories$", after=8)
    await _done(desk.book, "create")
    await desk.book.sees("failed 0")


async def link_stories(desk: Desk) -> None:
    """Phase two and the publication, each stopped and gone on with."""
    await desk.stop_and_go_on("link", "PUT", r"/stories/\d+$")
    await _done(desk.book, "link")
    await desk.stop_and_go_on("publish", "GET", r"/stories/\d+/publish$")
    await _done(desk.book, "publish")


async def _done(book: Book, step: str) -> None:
    """Insist that the step is done, and that stopping it had left it something."""
    await expect(book.control(f"{step}-start")).to_have_text("Run again")
    said = await book.outputs().get_by_text(re.compile(r"writes: \d")).all_inner_texts()
    assert said
    assert not any(each.endswith("writes: 0") for each in said)


async def verify_and_redirect(desk: Desk) -> None:
    """Everything is read back, stopped and once more; the reports are written."""
    book = desk.book
    await book.sees("Nothing was read back yet")
    await desk.stop_and_go_on(
        "verify", "GET", r"/stories/\d+$", start="Read everything back"
    )
    await book.sees("0 differences between decisions, ledger and destination")
    with desk.without_settings():
        await book.click("checklist-again")
        await book.sees(".env")
    await book.click("checklist-again")
    await book.choose("checklist-line", "The DNS record's time to live is short")
    await book.fill("checklist-name", "Ana")
    await book.fill("checklist-note", "300 seconds since Monday")
    await book.click("checklist-tick")
    await book.sees("✓ ticked", "300 seconds since Monday")
    await book.choose("checklist-line", "The DNS record's time to live is short")
    await book.click("checklist-untick")
    await book.click("redirects-write")
    await book.sees("redirects.csv")
    await _see_findings(desk)
    await book.click("report-write")
    await book.sees("report.html", "report.json")


async def _see_findings(desk: Desk) -> None:
    """One list of all: searched, of one sort and kind, sorted, turned, saved."""
    book = desk.book
    steps, listed = book.region("findings_steps"), book.region("findings_list")
    await expect(book.region("findings_progress")).to_be_empty()
    for name in ("findings-on", "findings-back"):
        await book.click(name)
        await expect(steps).to_contain_text("1 to 9 of 9")
    kind = await listed.locator("tbody td").nth(3).inner_text()
    await book.fill("findings-search", f" {kind.upper()} ")
    await expect(steps).not_to_contain_text("of 9")
    await expect(listed).to_contain_text(kind)
    await book.fill("findings-search", "")
    await book.choose("findings-list", "Losses")
    await book.choose("findings-kind", "Script")
    await expect(book.region("findings_explained")).to_contain_text("Script: ")
    await book.click("findings-sort")
    await expect(listed.locator("[aria-sort=ascending]")).to_contain_text("Item")
    await book.click("findings-save")
    await expect(book.region("findings_said")).to_contain_text("written to")
    assert "Script" in (desk.folder / "lists" / "losses.csv").read_text("utf-8")


Work = Callable[[Desk], Awaitable[None]]
NOTEBOOKS: dict[str, Work] = {
    "00": start_here,
    "01": inspect_origin,
    "02": design_components,
    "03": preview_rich_text,
    "04": prepare_destination,
    "05": create_stories,
    "06": link_stories,
    "07": verify_and_redirect,
}
