// Which kinds and lanes are shown.
import { KINDS } from "./kinds";
import { el } from "./dom";
import { icon } from "./icons";
import { number } from "./text";
import type { State } from "./state";
import type { Colours } from "./theme";

function check(checked: boolean, change: (on: boolean) => void, ...label: (Node | string)[]): HTMLElement {
  const box = el("input", { type: "checkbox", checked }) as HTMLInputElement;
  box.addEventListener("change", () => change(box.checked));
  return el("label", { class: "check" }, box, ...label);
}

export function filterPanel(state: State, colours: Colours): HTMLElement[] {
  const e = state.execution;
  const counted = new Uint32Array(KINDS.length);
  state.counts.count(0, e.events, counted);
  const kinds = el("fieldset", {}, el("legend", {}, "Kinds"));
  KINDS.forEach((kind, i) => {
    if (counted[i] === 0) return;
    const change = (on: boolean) => {
      state.kinds = on ? state.kinds | (1 << i) : state.kinds & ~(1 << i);
      state.changed();
    };
    const shown = (state.kinds & (1 << i)) !== 0;
    const text = el("span", { title: kind.what }, `${kind.name} `);
    const many = el("span", { class: "faint" }, number(counted[i]));
    kinds.append(check(shown, change, icon(i, colours), text, many));
  });
  const lanes = el("fieldset", {}, el("legend", {}, e.about.kind === "ranks" ? "Ranks" : "Threads"));
  const boxes = el("div", { class: "lanes" });
  e.lanes.forEach((lane, i) => {
    const change = (on: boolean) => {
      if (on) state.hidden.delete(i);
      else state.hidden.add(i);
      state.arrange();
      state.changed();
    };
    const many = el("span", { class: "faint" }, ` ${number(lane.events)}`);
    boxes.append(check(!state.hidden.has(i), change, lane.name, many));
  });
  const set = (hidden: boolean) => () => {
    state.hidden = new Set(hidden ? e.lanes.map((_, i) => i) : []);
    state.arrange();
    for (const box of boxes.querySelectorAll("input")) box.checked = !hidden;
    state.changed();
  };
  lanes.append(
    el("p", {}, el("button", { click: set(false) }, "All"), " ", el("button", { click: set(true) }, "None")),
    boxes,
  );
  return [el("h2", {}, "What is shown"), kinds, lanes];
}
