// Shows HTML that the kernel made, region by region, and tells the kernel what
// people do in it. It decides nothing: what a control does stands in the kernel.
//
// data-do: the control's name, sent when it is clicked or changed; data-value goes
// along, and what the field named by data-from holds. data-key: the one key that clicks or focuses it while the focus is in here.
// data-copy: what a click puts into the clipboard. data-focus: takes the focus when what held it is gone. data-scroll: its place is
// kept. Nothing is replaced between the press and the release of a control: the click
// would be lost. What comes by itself, not after a click, is "calm": it waits for a region
// while somebody is in one of its fields.

const FIELDS = "input, select, textarea";
const TYPED = "input[type=text], input[type=search]";
const PRESSED = "button, summary, a, label, input[type=checkbox], li[data-do]";
const CONTROLS = `button, summary, a, label, ${FIELDS}`;
const RELEASES = ["pointerup", "pointercancel", "keyup"];
const PAUSE = 250; // milliseconds after the last letter of a search

function render({ model, el }) {
  const root = document.createElement("div");
  // The other classes keep front ends from typesetting what looks like a formula.
  root.className = "cmsmig-live mathjax_ignore tex2jax_ignore";
  root.tabIndex = -1;
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", model.get("label"));
  root.innerHTML = model.get("frame");
  el.append(root);

  const shown = new Map();
  let typing = 0;
  let resting = 0;
  let waiting = null;
  let keyed = -PAUSE;
  let held = false;
  let asked = model.get("wanted");

  const named = (name) => root.querySelector(`[data-region="${name}"]`);
  const byId = (id) => (id ? root.querySelector(`#${CSS.escape(id)}`) : null);
  const focusOn = (target) => (target ?? root).focus({ preventScroll: true });

  function send(control, value) {
    chosen();
    model.send({ do: control.dataset.do, value: String(value) });
  }

  // What keys choose in a drop-down is told when they rest: what comes back replaces
  // it, and the letters typed so far would be forgotten.
  function chosen() {
    clearTimeout(resting);
    const tell = waiting;
    waiting = null;
    tell?.();
  }

  function busy(place) {
    const active = document.activeElement;
    if (!place.contains(active)) return false;
    // What is being typed is newer than what the kernel knows of it.
    return active.matches(TYPED) || (model.get("calm") && active.matches(FIELDS));
  }

  function replace(place, html) {
    const active = document.activeElement;
    const held = place.contains(active) ? active.id : null;
    const kept = [...place.querySelectorAll("[data-scroll]")].map((each) => [
      each.dataset.scroll,
      each.scrollTop,
    ]);
    place.innerHTML = html;
    for (const [name, top] of kept) {
      const same = place.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
      if (same) same.scrollTop = top;
    }
    if (held === null) return;
    // What came back disabled or out of sight takes no focus: the page would get it.
    for (const each of [byId(held), place.querySelector("[data-focus]"), root]) {
      if (each) focusOn(each);
      if (root.contains(document.activeElement)) return;
    }
  }

  function update() {
    if (held) return;
    for (const name of model.get("regions")) {
      const place = named(name);
      const html = model.get(`region_${name}`);
      if (shown.get(name) === html || busy(place)) continue;
      shown.set(name, html);
      replace(place, html);
    }
    const wanted = model.get("wanted");
    if (wanted === asked) return;
    asked = wanted;
    const target = byId(wanted.split(" ")[0]);
    if (!target) return;
    focusOn(target);
    target.scrollIntoView({ block: "nearest" });
  }

  function clicked(event) {
    const near = event.target.closest(CONTROLS);
    const control = (near ?? event.target).closest("[data-do]");
    if (!control || !root.contains(control) || control.matches(FIELDS)) return;
    if (near && !near.dataset.do) return;
    // One that is not enabled says in the kernel why: what came before it may still
    // be on its way, and enable it.
    const { value = "", from, copy } = control.dataset;
    if (copy) copied(copy, control);
    send(control, from ? `${value}=${byId(from).value}` : value);
  }

  function copied(text, control) {
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
    const control = root.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!control || event.repeat) return;
    event.preventDefault();
    if (control.matches(FIELDS)) {
      control.focus();
      return;
    }
    // Enter goes on with the same control afterwards.
    if (!control.hasAttribute("data-still")) control.focus({ preventScroll: true });
    control.click();
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
  root.addEventListener("focusout", waited);
  for (const each of RELEASES) window.addEventListener(each, released, true);
  window.addEventListener("blur", released); // not of the elements in it
  model.on("change", update);
  update();
  return () => {
    clearTimeout(typing);
    clearTimeout(resting);
    for (const each of RELEASES) window.removeEventListener(each, released, true);
    window.removeEventListener("blur", released);
    model.off("change", update);
  };
}

export default { render };
