// Mouse, touch and keys.
import type { App } from "./app";
import { byId, el } from "./dom";
import { NONE } from "./execution";
import { NAMES } from "./geometry";
import { icon } from "./icons";
import { KINDS } from "./kinds";
import { summaryOf } from "./text";

const STEP = 0.15; // of the width, for a key
const KEYS: [string, string][] = [
  ["← →", "move"],
  ["+ − or wheel", "zoom"],
  ["0", "the whole run"],
  ["Home End", "beginning, end"],
  ["n p", "next, previous event of the thread"],
  ["↑ ↓", "nearest event of the thread above, below"],
  ["e or Enter", "along the arrow, to its other end"],
  ["z", "close to the selected event"],
  ["f", "frontier on or off"],
  ["/", "search; Enter, Shift+Enter: next, previous"],
  ["t", "light or dark"],
  ["Esc", "nothing selected"],
  ["?", "this"],
];

export function listen(app: App): void {
  mouse(app);
  strip(app);
  document.addEventListener("keydown", (event) => key(app, event));
  buttons(app);
}

function mouse(app: App): void {
  const lanes = byId<HTMLCanvasElement>("lanes");
  const v = app.state.viewport;
  let drag: { x: number; y: number; moved: boolean } | undefined;
  lanes.addEventListener("pointerdown", (event) => {
    drag = { x: event.offsetX, y: event.offsetY, moved: false };
    lanes.setPointerCapture(event.pointerId);
  });
  lanes.addEventListener("pointermove", (event) => {
    if (!drag) return hover(app, event);
    const far = Math.abs(event.offsetX - drag.x) + Math.abs(event.offsetY - drag.y) > 3;
    if (!drag.moved && !far) return;
    v.pan(drag.x - event.offsetX);
    v.scroll += drag.y - event.offsetY;
    drag = { x: event.offsetX, y: event.offsetY, moved: true };
    app.changed();
  });
  lanes.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) app.select(app.eventAt(event.offsetX, event.offsetY));
    drag = undefined;
  });
  lanes.addEventListener("pointercancel", () => (drag = undefined));
  lanes.addEventListener("pointerleave", () => hover(app, undefined));
  lanes.addEventListener("dblclick", (event) => {
    v.zoom(0.25, event.offsetX - NAMES);
    app.changed();
  });
  lanes.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      if (event.shiftKey) v.scroll += event.deltaY || event.deltaX;
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) v.pan(event.deltaX);
      else v.zoom(Math.exp(Math.min(Math.max(event.deltaY, -240), 240) * 0.002), Math.max(0, event.offsetX - NAMES));
      app.changed();
    },
    { passive: false },
  );
}

function hover(app: App, event: PointerEvent | undefined): void {
  const found = event ? app.eventAt(event.offsetX, event.offsetY) : NONE;
  const tip = byId("tip");
  tip.hidden = found === NONE;
  if (found !== NONE && event) {
    tip.textContent = summaryOf(app.execution, found);
    const right = event.offsetX > byId("lanes").clientWidth * 0.6;
    tip.style.left = right ? "" : `${event.offsetX + 14}px`;
    tip.style.right = right ? `${byId("lanes").clientWidth - event.offsetX + 14}px` : "";
    tip.style.top = `${event.offsetY + 16}px`;
  }
  if (found === app.state.hovered) return;
  app.state.hovered = found;
  app.changed();
}

function strip(app: App): void {
  const overview = byId<HTMLCanvasElement>("overview");
  const move = (event: PointerEvent) => {
    const half = app.state.viewport.span / 2;
    const place = app.overviewPlace(event.offsetX);
    app.state.viewport.set(place - half, place + half);
    app.changed();
  };
  overview.addEventListener("pointerdown", (event) => {
    overview.setPointerCapture(event.pointerId);
    move(event);
  });
  overview.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) move(event);
  });
}

function key(app: App, event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.id === "query") {
    if (event.key === "Escape") byId("lanes").focus();
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      app.nextMatch(false);
    }
    return;
  }
  if (target.getAttribute("role") === "tab" && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
    app.nextPanel(event.key === "ArrowRight" ? 1 : -1);
    return;
  }
  if (byId<HTMLDialogElement>("keys").open) return;
  // Buttons and boxes have the keys that press them.
  if ((event.key === "Enter" || event.key === " ") && target.id !== "lanes" && target !== document.body) return;
  if (!act(app, event.key)) return;
  event.preventDefault();
  app.changed();
}

function act(app: App, key: string): boolean {
  const v = app.state.viewport;
  const actions: Record<string, () => void> = {
    ArrowLeft: () => v.pan(-v.width * STEP),
    ArrowRight: () => v.pan(v.width * STEP),
    ArrowUp: () => app.stepLane(-1),
    ArrowDown: () => app.stepLane(1),
    "+": () => v.zoom(1 / 1.5, centre(app)),
    "=": () => v.zoom(1 / 1.5, centre(app)),
    "-": () => v.zoom(1.5, centre(app)),
    "0": () => app.whole(),
    Home: () => v.set(-v.span * 0.05, v.span * 0.95),
    End: () => v.set(app.execution.events - v.span * 0.95, app.execution.events + v.span * 0.05),
    n: () => app.step(1),
    p: () => app.step(-1),
    e: () => app.follow(),
    Enter: () => app.follow(),
    z: () => {
      if (app.state.selected !== NONE) app.go(app.state.selected, 40);
    },
    f: () => (app.state.showFrontier = !app.state.showFrontier),
    "/": () => byId<HTMLInputElement>("query").select(),
    t: () => app.theme.toggle(),
    Escape: () => app.select(NONE),
    "?": () => showKeys(app),
  };
  if (!Object.hasOwn(actions, key)) return false;
  actions[key]();
  return true;
}

// Keys zoom around the selected event, if it is in view.
function centre(app: App): number {
  const v = app.state.viewport;
  if (app.state.selected === NONE) return v.width / 2;
  const x = v.x(app.execution.order[app.state.selected]);
  return x >= 0 && x <= v.width ? x : v.width / 2;
}

function showKeys(app: App): void {
  const dialog = byId<HTMLDialogElement>("keys");
  const keys = el("dl", { class: "keys" });
  for (const [name, what] of KEYS) keys.append(el("dt", {}, el("kbd", {}, name)), el("dd", {}, what));
  const legend = el("ul", { class: "legend" });
  KINDS.forEach((kind, i) =>
    legend.append(el("li", {}, icon(i, app.theme.colours), el("b", {}, kind.name), `: ${kind.what}`)),
  );
  const columns =
    "From afar, events are columns: the higher, the more. Accesses are on top, operations or messages below them, then " +
    "calls and other inputs, then what others came after. Arrows of accesses are solid, of operations dashed, to new " +
    "threads dash-dotted, of messages dotted.";
  const close = el("button", { click: () => dialog.close(), autofocus: true }, "Close");
  dialog.replaceChildren(close, el("h2", {}, "Keys"), keys, el("h2", {}, "Legend"), legend, el("p", {}, columns));
  dialog.showModal();
}

function buttons(app: App): void {
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    app.nextMatch(true);
  });
  byId("query").addEventListener("input", () => app.search());
  byId("previous").addEventListener("click", () => app.nextMatch(false));
  byId("whole").addEventListener("click", () => app.whole());
  byId("theme").addEventListener("click", () => app.theme.toggle());
  byId("help").addEventListener("click", () => showKeys(app));
  for (const panel of ["event", "lines", "filter"] as const) {
    byId(`tab-${panel}`).addEventListener("click", () => app.show(panel));
  }
}
