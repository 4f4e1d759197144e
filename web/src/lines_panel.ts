// The heat map of lines: which cause the most dependences.
import { el } from "./dom";
import { SHARING_UNKNOWN, type Actions } from "./event_panel";
import { hotLines, type HotLine } from "./heat";
import { number, shortPlace } from "./text";
import type { Execution } from "./execution";

const SHOWN = 200;

export function linesPanel(e: Execution, actions: Actions): HTMLElement[] {
  if (e.about.kind === "ranks") return ranksPanel(e);
  const lines = hotLines(e);
  const most = lines[0]?.edges ?? 1;
  const all = lines.reduce((sum, line) => sum + line.edges, 0);
  const list = el("ol", { class: "heat" });
  for (const line of lines.slice(0, SHOWN)) list.append(row(line, most, all, actions));
  const none = el("p", { class: "faint" }, "No access to memory had to wait for another thread.");
  return [
    el("h2", {}, "Lines that cause dependences"),
    el("p", { class: "faint" }, `${number(all)} accesses came after another thread's. Click a line to find them.`),
    lines.length === 0 ? none : list,
    el("p", { class: "faint" }, e.sharing.length === 0 ? SHARING_UNKNOWN : sharingText(lines)),
  ];
}

function sharingText(lines: HotLine[]): string {
  const sum = lines.reduce((all, line) => all + line.neighbours, 0);
  if (sum === 0) return "None of them is false sharing, as far as the references tell.";
  return `${number(sum)} of them are false sharing: the threads used neighbours in one 64-byte line.`;
}

function row(line: HotLine, most: number, all: number, actions: Actions): HTMLElement {
  const percent = ((line.edges / all) * 100).toFixed(line.edges / all < 0.1 ? 1 : 0);
  const bar = el("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--part", `${(line.edges / most) * 100}%`);
  const name = shortPlace({ ...line, column: 0 });
  return el(
    "li",
    {},
    el(
      "button",
      { click: () => actions.search(name), "aria-label": `${name}, ${line.function}: ${line.edges} dependences` },
      bar,
      el("span", { class: "where" }, name),
      el("span", { class: "much" }, `${number(line.edges)} · ${percent}%`),
      el("span", { class: "function" }, line.file === "" ? "" : line.function),
      line.source === "" ? undefined : el("code", {}, line.source),
      line.neighbours === 0
        ? undefined
        : el("span", { class: "false" }, `⇹ ${number(line.neighbours)} by false sharing`),
      el("span", { class: "faint" }, `${line.lanes} threads, after ${line.from}`),
    ),
  );
}

function ranksPanel(e: Execution): HTMLElement[] {
  const places = [...(e.about.rank_places ?? [])].sort((a, b) => b.raced - a.raced || b.receives - a.receives);
  const most = Math.max(1, ...places.map((p) => p.receives));
  const list = el("ol", { class: "heat" });
  for (const p of places.slice(0, SHOWN)) {
    const bar = el("span", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--part", `${(p.receives / most) * 100}%`);
    list.append(
      el(
        "li",
        {},
        el(
          "div",
          { class: "entry" },
          bar,
          el("span", { class: "where" }, p.place === "" ? "an unknown place" : p.place),
          el("span", { class: "much" }, `${number(p.receives)} received, ${number(p.raced)} raced`),
          el("span", { class: "faint" }, `rank ${p.rank}, ${p.call}`),
        ),
      ),
    );
  }
  return [
    el("h2", {}, "Places that receive from any source"),
    places.length === 0 ? el("p", { class: "faint" }, "No rank received from any source.") : list,
    el("p", { class: "faint" }, "Which message was received at which of them is not in the trace."),
  ];
}
