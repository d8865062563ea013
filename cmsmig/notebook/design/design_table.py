"""The controls of notebook 02: one content type at a time, a row per field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from cmsmig.display.html_templates import fragment
from cmsmig.display.safe_html import bold, escape, heading, note, sheet
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.notebook.design import design_html
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.design.design_rows import HEAD, WIDTHS, FieldRow, RowActions
from cmsmig.notebook.design.item_story import ItemStory
from cmsmig.notebook.kit.widgets import (
    Board,
    Element,
    Html,
    beside,
    column,
    grid,
    row,
)
from cmsmig.review.design_edits import DesignEditor, Shape

_made = partial(fragment, "notebook/design/design_table.html")
_REASON = "Not needed any more."
_UNFILLED = "No item fills it."


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
        longest = max(
            len(each.fields) + len(each.left_out) for each in desk.content_types
        )
        self._rows = [
            FieldRow(self._board, number, self._acts(number))
            for number in range(longest)
        ]
        self._undo = self._board.button("design-undo", "Undo", self._take_back)
        self._names()
        self._leave_out_controls()
        self._name_blocks()
        self._load()
        self._show_standing()
        file.follow(self._show_standing)

    def element(self) -> Element:
        head = [Html(bold(name)) for name in HEAD]
        table = grid([head, *(each.cells for each in self._rows)], widths=WIDTHS)
        left = column(
            self._problems,
            table,
            row(self._reason, self._leave_empty),
            self._left_out,
            row(self._which, self._take_again),
        )
        return column(
            Html(_made("style")),
            row(self._chooser, self._undo, self._standing),
            row(self._component, self._folder, self._folder_name),
            row(*self._shape),
            beside(left, self._story.element),
            Html(sheet(heading("Blocks that bodies may hold: their components"))),
            row(*self._named_blocks()),
            self._again,
            self._board.messages,
        )

    def _names(self) -> None:
        board = self._board
        options = [
            (f"{each.display_name} ({each.collection_slug})", str(place))
            for place, each in enumerate(self._desk.content_types)
        ]
        self._chooser = board.choice(
            "design-content-type", "Content type", options, "0", changed=self._choose
        )
        self._component = board.text(
            "design-component", "Component", whole=True, changed=self._rename
        )
        self._folder = board.text(
            "design-folder", "Folder", whole=True, changed=self._rename
        )
        self._folder_name = board.text(
            "design-folder-name", "Folder's name", whole=True, changed=self._rename
        )

        shape = (
            ("design-folder-by", "Folders by field"),
            ("design-start-page", "Start page (slug)"),
            ("design-tags-by", "Tags by field"),
        )
        self._shape = [
            board.text(name, title, hint="none", whole=True, changed=self._rename)
            for name, title in shape
        ]

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
            self._desk.leave_out(self._place, origins, _UNFILLED)
            self._load()
            self._file.keep()

        def take_again() -> None:
            self._desk.take_again(self._place, self._which.value)
            self._load()
            self._file.keep()

        self._leave_empty = board.button(
            "design-leave-empty", "Leave out what no item fills", leave_empty
        )
        self._which = board.choice(
            "design-take-which", "Left out", [("nothing", "")], ""
        )
        self._take_again = board.button("design-take", "Take along again", take_again)

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
        self._load()
        self._file.keep()

    def _load(self) -> None:
        content_type = self._desk.content_types[self._place]
        self._component.value = content_type.component
        self._folder.value = content_type.folder
        self._folder_name.value = content_type.folder_name
        chosen = (
            content_type.folder_by,
            content_type.start_page,
            content_type.tags_by,
        )
        for control, value in zip(self._shape, chosen, strict=True):
            control.value = value
        for number, each in enumerate(self._rows):
            if number < len(content_type.fields):
                field = content_type.fields[number]
                each.load(field, self._desk.choices(field))
                self._explain(number)
            else:
                each.visible(False)
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

    def _rename(self) -> None:
        self._desk.edit_content_type(
            self._place,
            component=self._component.value,
            folder=self._folder.value,
            folder_name=self._folder_name.value,
            shape=Shape(*(each.value.strip() for each in self._shape)),
        )
        self._follow()

    def _acts(self, number: int) -> RowActions:
        def move(by: int) -> None:
            self._desk.move_field(self._place, number, by)
            self._load()
            self._file.keep()

        def leave() -> None:
            field = self._desk.content_types[self._place].fields[number]
            self._desk.leave_out(self._place, (field.origin,), self._reason.value)
            self._load()
            self._file.keep()

        return RowActions(self._take(number), lambda: move(-1), lambda: move(1), leave)

    def _take(self, number: int) -> Callable[[], None]:
        """Return what follows a change in a row; without a difference, nothing."""

        def take() -> None:
            fields = self._desk.content_types[self._place].fields
            if number >= len(fields):
                return
            controls, before = self._rows[number], fields[number]
            # A label of the origin may begin or end with blanks: that is no edit.
            shown, given = before.display_name, controls.label.value
            after = (
                shown if given.strip() == shown.strip() else given.strip(),
                controls.key.value.strip(),
                Encoding(controls.encoding.value),
                controls.required.value,
            )
            known = (
                before.display_name,
                before.key,
                before.encoding,
                before.required,
            )
            if after == known:
                return
            self._desk.edit_field(
                self._place,
                number,
                label=after[0],
                key=after[1],
                encoding=after[2],
                required=after[3],
            )
            self._explain(number)
            self._follow()

        return take

    def _explain(self, number: int) -> None:
        """Show a field's sample and why it was proposed like this."""
        content_type = self._desk.content_types[self._place]
        field = content_type.fields[number]
        samples = self._desk.samples(content_type, field, 1)
        told, why = field.note or _UNFILLED, "It can be left out."
        if samples:
            told, why = samples[0].telling, field.note
        self._rows[number].explain(_made("why", sample=told, note=why))

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

    def _show_standing(self) -> None:
        told, kind = self._file.standing
        self._standing.show(sheet(note(told, kind)))
        count = self._desk.undoable
        self._undo.label(f"Undo ({count})" if count else "Undo")

    def _check(self) -> None:
        """Say what is wrong above the rows and below, since tables are long, and in
        the row of each field that is in error."""
        fields = self._desk.content_types[self._place].fields
        for number, each in enumerate(self._rows[: len(fields)]):
            each.mark(self._desk.field_problems(self._place, number))
        for place in (self._problems, self._again):
            place.show(design_html.problems_html(self._desk))
        self._story.renew()


def design_board(desk: DesignEditor, file: DesignFile) -> Element:
    """Return the editable table of a design; every edit is checked and written at
    once."""
    if not desk.content_types:
        return Html(design_html.design_html(desk.design))
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
