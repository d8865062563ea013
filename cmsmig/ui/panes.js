// Panes that show the same place of a text, one next to the other in one element that
// scrolls, `data-stage`; its value identifies the text.
//
// data-pane: a pane. data-at: the part that begins here, in each pane; data-end: the
// number of parts. data-loss: a loss, in a pane and in a list of losses.
// The panes begin lower where their place comes sooner, so that places are level.

const PLACES = "[data-loss], .cmsmig-word, [data-item], [data-at]";

function panesOf(root) {
  let text;
  let loss = 0;

  const stage = () => root.querySelector("[data-stage]");
  const panes = () =>
    [...stage().querySelectorAll("[data-pane]")].filter((each) => each.offsetParent);
  const rows = () => [...root.querySelectorAll("tr[data-loss]")];
  const marked = (number) =>
    stage()?.querySelector(`[data-pane] [data-loss="${number}"]`);

  function height(element) {
    const within = stage();
    const top = within.getBoundingClientRect().top - within.scrollTop;
    return element.getBoundingClientRect().top - top;
  }

  // Where each part begins in a pane: [part, height].
  function stops(pane) {
    const found = [...pane.querySelectorAll("[data-at]")].map((each) => [
      Number(each.dataset.at),
      height(each),
    ]);
    const end = [Number(stage().dataset.end), height(pane) + pane.offsetHeight];
    return [...found, end].sort((one, other) => one[0] - other[0]);
  }

  function between(listed, from, to, value) {
    const after = listed.findIndex((each) => each[from] > value);
    if (after < 1) return listed.at(after && -1)[to];
    const [before, next] = [listed[after - 1], listed[after]];
    const part = (value - before[from]) / (next[from] - before[from]);
    return before[to] + part * (next[to] - before[to]);
  }

  // Show the place of an element in all panes: where it is now, or near the top.
  function show(target, stays = false) {
    const within = stage();
    const own = target?.closest("[data-pane]");
    if (!within || !own) return false;
    const kept = target.getBoundingClientRect().top;
    // A card begins with its head.
    const spot = target.querySelector("[data-at]") ?? target;
    const all = panes();
    for (const each of all) each.style.paddingTop = "";
    const place = between(stops(own), 1, 0, height(spot));
    const heights = all.map((each) =>
      each === own ? height(spot) : between(stops(each), 0, 1, place),
    );
    const lowest = Math.max(...heights);
    all.forEach((each, n) => {
      each.style.paddingTop = `${lowest - heights[n]}px`;
    });
    const { top } = within.getBoundingClientRect();
    const wanted = stays ? kept : top + within.clientHeight / 3;
    within.scrollTop += target.getBoundingClientRect().top - wanted;
    if (!stays) within.scrollIntoView({ block: "nearest" });
    mark(target, target.dataset.loss);
    return true;
  }

  function mark(target, number) {
    for (const each of root.querySelectorAll("[data-shown]")) {
      delete each.dataset.shown;
    }
    if (number) loss = Number(number);
    const row = number && rows().find((each) => each.dataset.loss === number);
    for (const each of [target, row]) if (each) each.dataset.shown = "";
  }

  // A loss without a place in the body is shown in the list alone.
  function showLoss(number) {
    if (!show(marked(number))) mark(null, number);
  }

  function next(by) {
    const all = rows().map((each) => Number(each.dataset.loss));
    if (by < 0) all.reverse();
    const found = all.find((each) => (each - loss) * by > 0) ?? all[0];
    if (found) showLoss(String(found));
  }

  // Show a part, or the nearest one before it that is in a pane.
  function lead(part) {
    const found = panes()
      .reverse()
      .flatMap((each) => [...each.querySelectorAll("[data-at]")])
      .filter((each) => each.dataset.at <= part && each.offsetHeight)
      .sort((one, other) => one.dataset.at - other.dataset.at);
    show(found.at(-1));
  }

  function clicked(target) {
    const row = target.closest("tr[data-loss]");
    if (row) showLoss(row.dataset.loss);
    else if (getSelection().isCollapsed) show(target.closest(PLACES), true);
  }

  // What is shown of one text is no matter of the next.
  function renewed() {
    const now = stage()?.dataset.stage;
    if (now === text) return;
    text = now;
    loss = 0;
    mark(null);
    if (!stage()) return;
    for (const each of panes()) each.style.paddingTop = "";
    stage().scrollTop = 0;
  }

  return { show, next, lead, clicked, renewed };
}
