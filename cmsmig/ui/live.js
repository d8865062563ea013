// Puts the HTML of a panel into the page and tells the kernel which control was used.
// It decides nothing: the kernel does the work of each control.
//
// data-do: the control's name, sent when it is clicked or changed; data-value goes along,
// data-row in front of the value of a field, and what the field named by data-from holds.
// data-key: the key that clicks or focuses it while the focus is in the panel.
// data-copy: text for the clipboard. data-focus: gets the focus when its holder is gone.
// data-item: an element that the cursor can be on; the cursor never leaves the browser.
// data-turn: a button that turns the page, 1 or -1, when the cursor leaves the list.
// data-goes: a button that the page answers itself: `item` or `loss` and how far, or
// `part` and the number of one; `panel` and the name of one in this page, whose button
// with data-begins it presses; `notebook` or `folder` and the way to one from this
// notebook.
// What a person folds stays as it is. Nothing changes between the press and the release
// of a control: the click would be lost.

const FIELDS = "input, select, textarea";
const WORKED = "button, a, select";
const TYPED = "input[type=text], input[type=search], textarea";
const PRESSED = "button, summary, a, label, input[type=checkbox]";
const CONTROLS = `button, summary, a, label, ${FIELDS}`;
const ALIASES = { ArrowDown: "j", ArrowUp: "k", PageDown: "]", PageUp: "[" };
const RELEASES = ["pointerup", "pointercancel", "keyup"];
const PAUSE = 250; // milliseconds after the last letter of a search

function render({ model, el }) {
  const root = document.createElement("div");
  // The other classes keep front ends from typesetting what looks like a formula.
  root.className = "cmsmig-live mathjax_ignore tex2jax_ignore";
  root.tabIndex = -1;
  root.dataset.panel = model.get("panel");
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", model.get("label"));
  el.append(root);

  let shown = null;
  let typing = 0;
  let resting = 0;
  let waiting = null;
  let keyed = -PAUSE;
  let held = false;
  let turned = 0;
  let cursor = "";
  let asked = model.get("wanted");

  const byId = (id) => (id ? root.querySelector(`#${CSS.escape(id)}`) : null);
  const focusOn = (target) => (target ?? root).focus({ preventScroll: true });
  const panes = panesOf(root);
  const items = () => [...root.querySelectorAll("[data-item]")];
  const current = () => root.querySelector("[data-item][aria-current]");

  function send(control, value) {
    chosen();
    model.send({ do: control.dataset.do, value: String(value) });
  }

  // What keys choose in a drop-down is sent after a pause: what comes back changes it,
  // and the letters typed so far would be forgotten.
  function chosen() {
    clearTimeout(resting);
    const tell = waiting;
    waiting = null;
    tell?.();
  }

  function keeps(before, after) {
    if (before.nodeType !== Node.ELEMENT_NODE) return true;
    if (before.isEqualNode(after)) return false;
    // What is being typed is newer than what the kernel knows of it.
    const active = before === document.activeElement;
    return !(active && before.matches(model.get("calm") ? FIELDS : TYPED));
  }

  // What a person folds, and what panes.js makes.
  function isOurs(name, node) {
    return {
      open: node.matches("details"),
      style: node.matches("[data-pane]"),
      "data-shown": true,
    }[name];
  }

  function update() {
    if (held) return;
    const html = model.get("html");
    if (html !== shown) {
      shown = html;
      const within = root.contains(document.activeElement);
      Idiomorph.morph(root, html, {
        morphStyle: "innerHTML",
        callbacks: {
          beforeNodeMorphed: keeps,
          beforeAttributeUpdated: (name, node) => !isOurs(name, node),
        },
      });
      settle(within);
    }
    const wanted = model.get("wanted");
    if (wanted === asked) return;
    asked = wanted;
    const target = byId(wanted.split(" ")[0]);
    if (!target) return;
    const item = target.closest("[data-item]");
    if (item) put(item);
    focusOn(target);
    target.scrollIntoView({ block: "nearest" });
  }

  function settle(within) {
    panes.renewed();
    const all = items();
    if (all.length) {
      const same = byId(cursor);
      const edge = turned < 0 ? all.at(-1) : all[0];
      const moved = turned !== 0 && !same;
      if (moved) turned = 0;
      put(same ?? all.find((each) => each.hasAttribute("aria-current")) ?? edge, all);
      if (moved) enter(current());
    }
    if (!within || focused()) return;
    const row = current();
    const button = row?.querySelector("button, a") ?? row;
    for (const each of [root.querySelector("[data-focus]"), button, root]) {
      if (each) focusOn(each);
      if (focused()) return;
    }
  }

  // What is disabled or out of sight loses the focus a moment later: to the page.
  function focused() {
    const active = document.activeElement;
    const lost = active.matches(":disabled") || !active.checkVisibility();
    return root.contains(active) && !lost;
  }

  // Moves the cursor from `before`: from all items once the kernel has changed them.
  function put(item, before = root.querySelectorAll("[data-item][aria-current]")) {
    for (const each of before) {
      each.removeAttribute("aria-current");
      for (const one of each.querySelectorAll(WORKED)) one.tabIndex = -1;
    }
    item.setAttribute("aria-current", "true");
    for (const one of item.querySelectorAll(WORKED)) one.tabIndex = 0;
    cursor = item.id;
  }

  function enter(item) {
    focusOn(item.querySelector("button, a") ?? item);
    if (!panes.show(item)) item.scrollIntoView({ block: "nearest" });
  }

  function step(by, always = false) {
    const all = items();
    const on = current();
    if (!all.length) return false;
    const at = all.indexOf(on);
    // From elsewhere in the panel the first press enters the list.
    const within = always || on?.contains(document.activeElement);
    const next = within ? all[at + by] : on;
    if (next) {
      put(next);
      enter(next);
      return true;
    }
    const turn = root.querySelector(`[data-turn="${by}"]:not([aria-disabled])`);
    if (!turn) return true;
    turned = by;
    cursor = "";
    turn.click();
    return true;
  }

  function clicked(event) {
    const item = event.target.closest("[data-item]");
    if (item) put(item);
    const near = event.target.closest(CONTROLS);
    if (near?.dataset.goes) {
      const [what, by] = near.dataset.goes.split(" ");
      if (what === "panel") leadTo(by);
      else if (what === "notebook") openInLab("docmanager:open", by, near);
      else if (what === "folder") openInLab("filebrowser:go-to-path", by, near);
      else if (what === "item") step(Number(by), true);
      else if (what === "loss") panes.next(Number(by));
      else panes.lead(Number(by));
      return;
    }
    if (!near) panes.clicked(event.target);
    const control = (near ?? event.target).closest("[data-do], [data-copy]");
    if (!control || !root.contains(control) || control.matches(FIELDS)) return;
    if (near && near !== control) return;
    // One that is not enabled says in the kernel why: what came before it may still
    // be on its way, and enable it.
    const { value = "", from, copy } = control.dataset;
    if (copy) copied(copy, control);
    if (control.dataset.do) send(control, from ? `${value}=${byId(from).value}` : value);
  }

  function leadTo(name) {
    const panel = document.querySelector(`.cmsmig-live[data-panel="${name}"]`);
    if (!panel) return;
    panel.scrollIntoView({ block: "start", behavior: "smooth" });
    panel.focus({ preventScroll: true });
    panel.querySelector("[data-begins]:not([aria-disabled])")?.click();
  }

  // JupyterLab runs the command that an element names. Its tab says where it is.
  function openInLab(command, name, control) {
    const tabs = [...document.querySelectorAll(".jp-mod-current[title]")];
    const at = tabs.map((each) => /Path: (.*)/.exec(each.title)?.[1]).find(Boolean);
    if (!at) {
      control.textContent = `Open ${name}`;
      return;
    }
    const linker = document.createElement("button");
    const path = decodeURI(new URL(name, `http://x/${at}`).pathname.slice(1));
    linker.dataset.commandlinkerCommand = command;
    linker.dataset.commandlinkerArgs = JSON.stringify({ path });
    linker.hidden = true;
    root.parentElement.append(linker);
    linker.click();
    linker.remove();
  }

  function copied(text, control) {
    const said = root.querySelector("[role=status]");
    if (said) said.textContent = `Copied: ${text.slice(0, 80)}`;
    // Not there on a page that came over plain HTTP from another machine.
    if (navigator.clipboard) {
      navigator.clipboard.writeText(text).catch(() => selected(text, control));
    } else selected(text, control);
  }

  function selected(text, control) {
    const field = document.createElement("textarea");
    field.value = text;
    root.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    focusOn(control);
  }

  function changed(event) {
    const field = event.target;
    if (!field.dataset.do) return;
    clearTimeout(typing);
    const ticks = field.type === "checkbox";
    const value = ticks ? `${field.dataset.value}=${field.checked ? 1 : 0}` : field.value;
    const tell = () =>
      send(field, field.dataset.row ? `${field.dataset.row}=${value}` : value);
    if (!field.matches("select") || performance.now() - keyed > PAUSE) {
      tell();
      return;
    }
    clearTimeout(resting);
    waiting = tell;
    resting = setTimeout(chosen, PAUSE);
  }

  function typed(event) {
    if (event.target.type !== "search") return;
    clearTimeout(typing);
    typing = setTimeout(() => changed(event), PAUSE);
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("select")) keyed = performance.now();
    if (event.key === "Tab" || (event.shiftKey && event.key === "Enter")) return;
    // JupyterLab has meanings of its own for letters: `a` adds a cell, `dd` deletes.
    event.stopPropagation();
    const field = event.target.matches(FIELDS) && event.target.type !== "checkbox";
    if (field) {
      if (event.key !== "Escape") return;
      event.preventDefault(); // browsers empty a search field
      focusOn(root);
      return;
    }
    const key = ALIASES[event.key] ?? event.key;
    const by = { j: 1, k: -1 }[key];
    if (by && step(by)) {
      event.preventDefault();
      return;
    }
    const control = keyHolder(key);
    if (!control || event.repeat) return;
    event.preventDefault();
    if (control.matches(FIELDS)) {
      control.focus();
      return;
    }
    // Enter then continues with the next step.
    if (control.matches(".main")) control.focus({ preventScroll: true });
    control.click();
  }

  // The controls of the item under the cursor come first.
  function keyHolder(key) {
    const selector = `[data-key="${CSS.escape(key)}"]`;
    const all = [...root.querySelectorAll(selector)];
    return (
      current()?.querySelector(selector) ??
      all.find((each) => !each.closest("[data-item]"))
    );
  }

  function holds(event) {
    const key = event.type === "keydown";
    if (key && event.key !== " ") return;
    held = event.target.closest?.(PRESSED) != null;
  }

  function released() {
    if (!held) return;
    held = false;
    waited(); // after the click that follows
  }

  const waited = () => setTimeout(update, 0);
  root.addEventListener("pointerdown", holds);
  root.addEventListener("keydown", holds);
  root.addEventListener("click", clicked);
  root.addEventListener("change", changed);
  root.addEventListener("input", typed);
  root.addEventListener("keydown", pressed);
  for (const each of RELEASES) window.addEventListener(each, released, true);
  window.addEventListener("blur", released); // not of the elements in it
  model.on("change", update);
  update();
  // JupyterLab goes to the last cell when all are run: where the migration is, is above.
  if (root.dataset.panel === "overview") {
    requestAnimationFrame(() => root.closest(".jp-WindowedPanel-outer")?.scrollTo(0, 0));
  }
  return () => {
    clearTimeout(typing);
    clearTimeout(resting);
    for (const each of RELEASES) window.removeEventListener(each, released, true);
    window.removeEventListener("blur", released);
    model.off("change", update);
  };
}

export default { render };
