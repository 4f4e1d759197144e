// What is known of the selected event.
import { ACCESS, CALL, GAVE, KINDS, MESSAGE, SYNC } from "./kinds";
import { el } from "./dom";
import { sharingOf } from "./decode";
import { laneOf, NEIGHBOURS, NONE, SAME, SOMEWHERE, type Execution, type Place } from "./execution";
import { icon } from "./icons";
import { lastPlaced, nameOf, number, shortPlace, valueOf } from "./text";
import type { State } from "./state";
import type { Colours } from "./theme";

const LISTED = 12;

export interface Actions {
  go(event: number): void;
  search(text: string): void;
}

export function eventPanel(state: State, colours: Colours, actions: Actions): HTMLElement[] {
  const e = state.execution;
  if (state.selected === NONE) return overviewOf(e);
  const event = state.selected;
  const kind = e.kind[event];
  return [
    el("h2", {}, icon(kind, colours), nameOf(e, event)),
    el("p", { class: "kind" }, KINDS[kind].name),
    ...placeOf(e, event, actions),
    ...valuePart(e, event),
    ...ends(e, event, actions),
    ...commands(e, event),
    ...frontierPart(state, actions),
  ];
}

function overviewOf(e: Execution): HTMLElement[] {
  const a = e.about;
  const rows: [string, string | undefined][] = [
    ["command", a.command],
    ["recorded", a.started],
    ["on", a.machine],
    ["end", a.end],
    ["messages", a.messages],
    ["lanes", number(e.lanes.length)],
    ["events here", number(e.events)],
    ["arrows", number(e.sinks.length)],
    ["dependences", a.dependences === undefined ? undefined : `${number(a.dependences)}, before reduction`],
    ["trace", a.trace],
  ];
  return [
    el("h2", {}, "The run"),
    facts(rows.filter((row): row is [string, string] => row[1] !== undefined)),
    el("p", { class: "faint" }, "Click an event, or press n, to see what is known of it."),
    el(
      "p",
      { class: "faint" },
      "The trace has no clock. Events stand in an order that respects every thread and every arrow; how far apart " +
        "threads were is estimated from the work that they did.",
    ),
  ];
}

function facts(rows: [string, string | Node][]): HTMLElement {
  const list = el("dl");
  for (const [name, value] of rows) list.append(el("dt", {}, name), el("dd", {}, value));
  return list;
}

function sourceLine(place: Place): HTMLElement | undefined {
  return place.source === "" ? undefined : el("pre", { class: "source" }, place.source);
}

function placeOf(e: Execution, event: number, actions: Actions): HTMLElement[] {
  const place = e.places[e.place[event]];
  if (e.place[event] !== 0) {
    const column = place.column > 0 ? `, column ${place.column}` : "";
    const link = el("button", { class: "link", click: () => actions.search(shortPlace(place)) }, shortPlace(place));
    const rows: [string, string | Node][] = [["place", el("span", {}, link, column)]];
    if (place.file !== "") rows.push(["function", place.function]);
    if (place.file.includes("/")) rows.push(["file", place.file]);
    const source = sourceLine(place);
    return source ? [facts(rows), source] : [facts(rows)];
  }
  const last = lastPlaced(e, event);
  if (last === NONE) return [];
  const near = e.places[e.place[last]];
  const link = el("button", { class: "link", click: () => actions.go(last) }, shortPlace(near));
  const where = el("span", {}, link, ` (${near.function}), at event ${number(e.count[last])}`);
  return [facts([["last place known", where]])];
}

function valuePart(e: Execution, event: number): HTMLElement[] {
  if (e.kind[event] < CALL) return [];
  const rows: [string, string | Node][] = [["value", el("code", {}, valueOf(e, event))]];
  const note = e.texts[e.note[event]];
  if (note !== "") rows.push(["with", el("code", {}, note)]);
  else if (e.notesLeftOut) rows.push(["with", "left out: the trace has too many different values"]);
  return [facts(rows)];
}

function ends(e: Execution, event: number, actions: Actions): HTMLElement[] {
  const go = (to: number) => el("button", { class: "link", click: () => actions.go(to) }, nameOf(e, to));
  const out: HTMLElement[] = [];
  const source = e.source[event];
  if (source >= 0) out.push(facts([["came after", go(source)]]));
  if (source <= SOMEWHERE) {
    out.push(facts([["from", `${e.lanes[SOMEWHERE - source].name}; when it was sent is not recorded`]]));
  }
  const first = e.outOffset[event];
  const all = e.outOffset[event + 1] - first;
  if (all > 0) {
    const list = el("ul");
    for (let i = first; i < first + Math.min(all, LISTED); i++) list.append(el("li", {}, go(e.outgoing[i])));
    if (all > LISTED) list.append(el("li", {}, `and ${number(all - LISTED)} more`));
    out.push(el("h3", {}, e.kind[event] === GAVE ? "Came after this" : "Began after this"), list);
  }
  if (e.kind[event] === ACCESS) out.push(sharing(e, event));
  if (e.kind[event] === SYNC) {
    out.push(el("p", { class: "faint" }, "Which function it was is not in the trace; the place before may tell."));
  }
  return out;
}

export const SHARING_UNKNOWN =
  "Whether both threads used the same variable, or only neighbours in one 64-byte line (false sharing), is not in the " +
  "trace: it has no addresses. Make the page with --references to know.";

function sharing(e: Execution, event: number): HTMLElement {
  if (e.sharing.length === 0) return el("p", { class: "faint" }, SHARING_UNKNOWN);
  const found = sharingOf(e, event);
  const address = el("code", {}, `0x${found.address.toString(16)}`);
  if (found.sharing === NEIGHBOURS) {
    return facts([
      ["false sharing", el("span", {}, address, ": the other thread used neighbours in the same 64 bytes")],
    ]);
  }
  if (found.sharing === SAME) return facts([["shared", el("span", {}, address, ", by both threads")]]);
  return el("p", { class: "faint" }, "The file of references does not tell what was shared here.");
}

function commands(e: Execution, event: number): HTMLElement[] {
  const lane = e.lanes[laneOf(e, event)];
  if (lane.rank >= 0 || e.kind[event] === MESSAGE) return [];
  const at = `${lane.thread}:${e.count[event]}`;
  return [
    el("h3", {}, "In the debugger"),
    copyable(`anaphora replay -g ${at} ${quote(e.about.trace ?? "")}`),
    copyable(`seek ${at}`),
  ];
}

function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function copyable(text: string): HTMLElement {
  const button = el("button", { "aria-label": `Copy: ${text}`, title: "Copy" }, "copy");
  button.addEventListener("click", () => {
    void copy(text).then((done) => (button.textContent = done ? "copied" : "select it"));
  });
  return el("div", { class: "command" }, el("code", {}, text), button);
}

// The clipboard is closed to pages from files in some browsers; the old way works there.
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea") as HTMLTextAreaElement;
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function frontierPart(state: State, actions: Actions): HTMLElement[] {
  const f = state.frontier;
  if (!f) return [];
  const e = state.execution;
  const rows = el("tbody");
  const link = (event: number) =>
    el("button", { class: "link", click: () => actions.go(event) }, number(e.count[event]));
  for (let lane = 0; lane < e.lanes.length && lane < 64; lane++) {
    const before = f.past[lane] >= e.offset[lane] ? link(f.past[lane]) : "–";
    const after = f.future[lane] < e.offset[lane + 1] ? link(f.future[lane]) : "–";
    const between = Math.max(0, f.future[lane] - f.past[lane] - 1);
    rows.append(
      el(
        "tr",
        {},
        el("th", { scope: "row" }, e.lanes[lane].name),
        el("td", {}, before),
        el("td", {}, number(between)),
        el("td", {}, after),
      ),
    );
  }
  const head = el("tr", {});
  for (const title of ["", "before", "concurrent", "after"]) head.append(el("th", { scope: "col" }, title));
  return [
    el("h3", {}, "Frontier"),
    el(
      "p",
      { class: "faint" },
      "The last event of each thread that happened before this one (solid line ◀), the first that happened after it " +
        "(dashed line ▶), and how many are in no order with it. f hides the lines.",
    ),
    el("table", { class: "frontier" }, el("thead", {}, head), rows),
  ];
}
