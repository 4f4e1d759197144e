// The page at work: what the user does changes the state, and the state is drawn in the next frame.
import { byId } from "./dom";
import { Drawing, type Drawn } from "./draw";
import { eventPanel } from "./event_panel";
import { laneOf, nearest, NONE, type Execution } from "./execution";
import { filterPanel } from "./filter_panel";
import { frontierOf } from "./frontier";
import { geometryOf, laneAt, laneY, NAMES, type Geometry } from "./geometry";
import { linesPanel } from "./lines_panel";
import { Overview } from "./overview";
import { nextMatch, search } from "./search";
import { State } from "./state";
import { number, summaryOf } from "./text";
import { Theme } from "./theme";

const CLOSE = 60; // events that are shown at least when going to one
const PANELS = ["event", "lines", "filter"] as const;
type Panel = (typeof PANELS)[number];

export class App {
  readonly state: State;
  readonly theme: Theme;
  geometry: Geometry;
  drawn: Drawn = { every: 1, arrows: 0, glyphs: false };
  frames = 0;
  private readonly lanes = byId<HTMLCanvasElement>("lanes");
  private readonly strip = byId<HTMLCanvasElement>("overview");
  private readonly overview: Overview;
  private readonly query = byId<HTMLInputElement>("query");
  private panel: Panel = "event";
  private waiting = false;

  constructor(readonly execution: Execution) {
    this.state = new State(execution, () => this.changed());
    this.overview = new Overview(this.state);
    this.geometry = geometryOf(this.state, 1, 1);
    this.theme = new Theme(() => {
      if (this.theme as Theme | undefined) this.themed();
    });
    new ResizeObserver(() => this.changed()).observe(byId("stage"));
    this.titles();
    this.show("event");
    this.changed();
  }

  // Draws in the next frame, once.
  changed(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw(): void {
    const c = fit(this.lanes);
    this.geometry = geometryOf(this.state, this.lanes.clientWidth, this.lanes.clientHeight);
    this.drawn = new Drawing(c, this.state, this.geometry, this.theme.colours).draw();
    this.overview.draw(fit(this.strip), this.strip.clientWidth, this.strip.clientHeight, this.theme.colours);
    this.frames++;
    this.status();
  }

  private titles(): void {
    const a = this.execution.about;
    const name = (a.program ?? "").replace(/.*\//, "");
    document.title = `${name} – Anaphora`;
    byId("title").textContent = name === "" ? "Anaphora" : name;
    const what = a.kind === "ranks" ? "ranks" : "threads";
    byId("subtitle").textContent =
      `${number(this.execution.lanes.length)} ${what}, ${number(this.execution.events)} events, ` +
      `${number(this.execution.sinks.length)} arrows · ${a.end ?? ""}`;
  }

  private status(): void {
    const v = this.state.viewport;
    const from = Math.max(0, Math.round(v.from));
    const to = Math.min(this.execution.events, Math.round(v.to) + 1);
    let text = `events ${number(from)} to ${number(to)} of ${number(this.execution.events)}`;
    if (this.drawn.every > 1) text += ` · one of every ${number(this.drawn.every)} arrows is drawn: zoom in for all`;
    if (this.state.hidden.size > 0) text += ` · ${number(this.state.hidden.size)} lanes hidden`;
    const status = byId("status");
    if (status.textContent !== text) status.textContent = text;
  }

  show(panel: Panel): void {
    this.panel = panel;
    for (const name of PANELS) {
      byId(`tab-${name}`).setAttribute("aria-selected", String(name === panel));
      byId(`tab-${name}`).tabIndex = name === panel ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== panel;
    }
    const to = byId(`panel-${panel}`);
    const actions = { go: (event: number) => this.go(event), search: (text: string) => this.find(text) };
    if (panel === "event") to.replaceChildren(...eventPanel(this.state, this.theme.colours, actions));
    else if (panel === "filter") to.replaceChildren(...filterPanel(this.state, this.theme.colours));
    else to.replaceChildren(...linesPanel(this.execution, actions));
  }
  // By the keyboard, from tab to tab.
  nextPanel(by: number): void {
    const next = PANELS[(PANELS.indexOf(this.panel) + by + PANELS.length) % PANELS.length];
    this.show(next);
    byId(`tab-${next}`).focus();
  }

  private themed(): void {
    this.show(this.panel);
    this.changed();
  }

  select(event: number): void {
    this.state.selected = event;
    this.state.frontier = event === NONE ? undefined : frontierOf(this.execution, event);
    byId("said").textContent = event === NONE ? "" : summaryOf(this.execution, event);
    this.show("event");
    this.changed();
  }

  // Selects the event and brings it into view.
  go(event: number, atMost = Math.max(CLOSE, this.state.viewport.span)): void {
    const lane = laneOf(this.execution, event);
    if (this.state.hidden.delete(lane)) this.state.arrange();
    this.state.viewport.reveal(this.execution.order[event], atMost);
    const y = laneY(this.geometry, this.state, lane);
    if (y === undefined || y < 60 || y > this.geometry.height - 30) {
      this.state.viewport.scroll = this.state.rows.indexOf(lane) * this.geometry.lane - this.geometry.height / 2;
    }
    this.select(event);
  }

  // The neighbour of the selected event in its lane that is shown.
  step(by: 1 | -1): void {
    const { execution: e, state } = this;
    if (state.selected === NONE) {
      const middle = (state.viewport.from + state.viewport.to) / 2;
      const lane = state.rows.find((l) => e.offset[l] < e.offset[l + 1]);
      if (lane !== undefined) this.go(nearest(e, lane, middle));
      return;
    }
    const lane = laneOf(e, state.selected);
    let event = state.selected + by;
    while (event >= e.offset[lane] && event < e.offset[lane + 1] && !state.shows(event)) event += by;
    if (event >= e.offset[lane] && event < e.offset[lane + 1]) this.go(event);
  }

  // The event nearest in the lane above or below.
  stepLane(by: 1 | -1): void {
    const { execution: e, state } = this;
    if (state.selected === NONE) return this.step(1);
    let row = state.rows.indexOf(laneOf(e, state.selected)) + by;
    for (; row >= 0 && row < state.rows.length; row += by) {
      const event = nearest(e, state.rows[row], e.order[state.selected]);
      if (event !== NONE) return this.go(event);
    }
  }

  // Along the arrow: to its other end, or from there to the first that came after.
  follow(): void {
    const { execution: e, state } = this;
    if (state.selected === NONE) return;
    const source = e.source[state.selected];
    if (source >= 0) this.go(source);
    else if (e.outOffset[state.selected] < e.outOffset[state.selected + 1]) {
      this.go(e.outgoing[e.outOffset[state.selected]]);
    }
  }

  find(text: string): void {
    this.query.value = text;
    this.search();
    this.nextMatch(true);
  }
  search(): void {
    const query = this.query.value;
    this.state.matches = search(this.execution, query);
    const n = this.state.matches.length;
    byId("matches").textContent = query.trim() === "" ? "" : n === 0 ? "nothing" : number(n);
    this.changed();
  }
  nextMatch(forward: boolean): void {
    const { execution: e, state } = this;
    const n = state.matches.length;
    if (n === 0) return;
    const here = state.selected === NONE ? (forward ? -1 : e.events) : e.order[state.selected];
    const at = nextMatch(state.matches, e.order, here, forward);
    byId("matches").textContent = `${number(at + 1)} of ${number(n)}`;
    this.go(state.matches[at], Math.min(Math.max(CLOSE, state.viewport.span), CLOSE * 4));
  }

  whole(): void {
    this.state.viewport.whole();
    this.changed();
  }

  // The event under a point of the canvas; NONE if there is none close by.
  eventAt(x: number, y: number): number {
    const lane = laneAt(this.geometry, this.state, y);
    if (lane === undefined || x < NAMES) return NONE;
    const v = this.state.viewport;
    let event = nearest(this.execution, lane, v.place(x - NAMES));
    // Of those nearby, the nearest that is shown.
    for (let by = 1; event !== NONE && !this.state.shows(event) && by < 32; by++) {
      const [from, to] = [this.execution.offset[lane], this.execution.offset[lane + 1]];
      if (event + by < to && this.state.shows(event + by)) event += by;
      else if (event - by >= from && this.state.shows(event - by)) event -= by;
    }
    if (event === NONE || !this.state.shows(event)) return NONE;
    return Math.abs(v.x(this.execution.order[event]) - (x - NAMES)) <= 14 ? event : NONE;
  }
  // Where an event is on the canvas.
  pointOf(event: number): { x: number; y: number } | undefined {
    const y = laneY(this.geometry, this.state, laneOf(this.execution, event));
    return y === undefined ? undefined : { x: NAMES + this.state.viewport.x(this.execution.order[event]), y };
  }
  overviewPlace(x: number): number {
    return this.overview.place(x, this.strip.clientWidth);
  }
}

// The canvas in the screen's own pixels.
function fit(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const scale = devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * scale);
  const height = Math.round(canvas.clientHeight * scale);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const c = canvas.getContext("2d", { alpha: false })!;
  c.setTransform(scale, 0, 0, scale, 0, 0);
  return c;
}
