"""The controls of notebook 02: one content type at a time, a row per field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cmsmig.notebook.design import design_html
from cmsmig.notebook.design.content_type_controls import ContentTypeControls
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.design.field_table import UNFILLED, FieldTable
from cmsmig.notebook.design.item_story import ItemStory
from cmsmig.notebook.design.option_lists import OptionLists
from cmsmig.notebook.design.sections_panel import SectionsPanel
from cmsmig.notebook.kit.widgets import Board, Element, Html, beside, column, row
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.section_changes import with_section
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import escape, heading, note, sheet

_made = partial(fragment, "notebook/design/design_table.html")
_REASON = "Not needed any more."


class _Table:
    """The table of the content type that is looked at."""

    def __init__(self, desk: DesignEditor, file: DesignFile) -> None:
        self._desk = desk
        self._file = file
        self._board = Board()
        self._place = 0
        self._standing = Html()
        self._problems = Html()
        self._again = Html()
        self._story = ItemStory(desk)
        self._left_out = Html()
        self._undo = self._board.button("design-undo", "Undo", self._take_back)
        options = [
            (f"{each.display_name} ({each.collection_slug})", str(place))
            for place, each in enumerate(desk.content_types)
        ]
        self._chooser = self._board.choice(
            "design-content-type", "Content type", options, "0", changed=self._choose
        )
        self._whole = ContentTypeControls(self._board, desk, self._take_whole)
        self._leave_out_controls()
        self._section_controls()
        self._fields = FieldTable(
            self._board, desk, self._reason, self._follow, self._reshaped
        )
        self._sections = SectionsPanel(desk, self._reshaped)
        self._options = OptionLists(desk, self._reshaped)
        self._name_blocks()
        self._load()
        self._show_standing()
        file.follow(self._show_standing)

    def element(self) -> Element:
        left = column(
            self._problems,
            self._fields.element(),
            row(self._section_name, self._make_section),
            row(self._reason, self._leave_empty),
            self._left_out,
            row(self._which, self._take_again),
        )
        return column(
            Html(_made("style")),
            row(self._chooser, self._undo, self._standing),
            self._whole.element(),
            beside(left, self._story.element()),
            beside(self._sections.element(), self._options.element()),
            Html(sheet(heading("Blocks that bodies may hold: their components"))),
            row(*self._named_blocks()),
            self._again,
            self._board.messages,
        )

    def _leave_out_controls(self) -> None:
        board = self._board
        self._reason = board.text(
            "design-leave-reason", "Reason to leave out", _REASON, whole=True
        )

        def leave_empty() -> None:
            origins = self._desk.unfilled(self._place)
            if not origins:
                board.say("Every field is filled by some item.")
                return
            self._desk.leave_out(self._place, origins, UNFILLED)
            self._reshaped()

        def take_again() -> None:
            self._desk.take_again(self._place, self._which.value)
            self._reshaped()

        self._leave_empty = board.button(
            "design-leave-empty", "Leave out what no item fills", leave_empty
        )
        self._which = board.choice(
            "design-take-which", "Left out", [("nothing", "")], ""
        )
        self._take_again = board.button("design-take", "Take along again", take_again)

    def _section_controls(self) -> None:
        def make() -> None:
            content_type = self._desk.content_types[self._place]
            name = self._section_name.value
            made = with_section(content_type, self._fields.picked(), name)
            self._desk.change(self._place, made)
            self._section_name.value = ""
            self._reshaped()

        self._section_name = self._board.text(
            "design-section-name", "New section", hint="its name for editors"
        )
        self._make_section = self._board.button(
            "design-section-make", "Make a section of the chosen fields", make
        )

    def _choose(self) -> None:
        place = int(self._chooser.value)
        if place != self._place:
            self._place = place
            self._load()
            self._story.choose(place)

    def _take_back(self) -> None:
        if not self._desk.undoable:
            self._board.say("There is no edit to take back.")
            return
        place = self._desk.undo()
        if place is not None and place != self._place:
            self._place = place
            self._chooser.value = str(place)
            self._story.choose(place)
        for field, block in zip(self._blocks, self._desk.design.blocks, strict=True):
            field.value = block.component
        self._reshaped()

    def _load(self) -> None:
        content_type = self._desk.content_types[self._place]
        self._whole.load(self._place)
        self._fields.load(self._place)
        again = self._desk.fields_to_take(self._place)
        self._which.offer(
            [(each, each) for each in again] or [("nothing", "")], next(iter(again), "")
        )
        self._which.visible(bool(again))
        self._take_again.visible(bool(again))
        empty = len(self._desk.unfilled(self._place))
        self._leave_empty.label(f"Leave out what no item fills ({empty})")
        self._left_out.show(sheet(design_html.left_out_html(content_type)))
        self._check()

    def _take_whole(self) -> None:
        before = self._desk.design
        self._whole.take()
        if self._desk.design != before:
            self._whole.tell()
            self._follow()

    def _name_blocks(self) -> None:
        def take() -> None:
            for number, each in enumerate(self._blocks):
                self._desk.name_block(number, each.value)
            self._follow()

        self._blocks = [
            self._board.text(
                "design-block",
                f"Component of block {number}",
                block.component,
                whole=True,
                changed=take,
            )
            for number, block in enumerate(self._desk.design.blocks, start=1)
        ]

    def _named_blocks(self) -> Iterator[Element]:
        for block, field in zip(self._desk.design.blocks, self._blocks, strict=True):
            yield row(Html(sheet(escape(block.display_name))), field)

    def _follow(self) -> None:
        """Say what an edit brought, and write it before the next one."""
        self._check()
        self._file.keep()

    def _reshaped(self) -> None:
        """Show what an edit made of the content type, and write it."""
        self._load()
        self._file.keep()

    def _show_standing(self) -> None:
        told, kind = self._file.standing
        self._standing.show(sheet(note(told, kind)))
        count = self._desk.undoable
        self._undo.label(f"Undo ({count})" if count else "Undo")

    def _check(self) -> None:
        """Say what is wrong above the rows and below, since tables are long, and in
        the row of each field that is in error."""
        self._fields.mark()
        self._sections.load(self._place)
        self._options.load(self._place)
        for place in (self._problems, self._again):
            place.show(design_html.problems_html(self._desk))
        self._story.renew()


def design_board(desk: DesignEditor, file: DesignFile) -> Element:
    """Return the editable table of a design; every edit is checked and written at
    once."""
    if not desk.content_types:
        return Html(design_html.design_html(desk))
    return _Table(desk, file).element()


def samples_board(desk: DesignEditor) -> Element:
    """Return the sample values of the content type that is chosen."""
    board = Board()
    shown = Html()
    options = [
        (f"{each.display_name} ({each.collection_slug})", str(place))
        for place, each in enumerate(desk.content_types)
    ]

    def show() -> None:
        content_type = desk.content_types[int(chooser.value)]
        shown.show(design_html.samples_html(desk, content_type))

    if not options:
        return shown
    chooser = board.choice(
        "samples-content-type", "Content type", options, "0", changed=show
    )
    again = board.button("samples-again", "Show with the edits so far", show)
    show()
    return column(row(chooser, again), shown, board.messages)


def accept_board(file: DesignFile, reviewer: str) -> Element:
    """Return the button that accepts, and who does."""
    board = Board()
    stands = Html()
    name = board.text("design-reviewer", "Reviewed by", reviewer, hint="your name")

    def show() -> None:
        told, kind = file.standing
        stands.show(sheet(note(told, kind)))

    def accept() -> None:
        board.say(file.accept(name.value), "good")

    show()
    file.follow(show)
    button = board.button("design-accept", "Accept this design", accept, look="success")
    return column(stands, row(name, button), board.messages)
