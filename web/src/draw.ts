// Draws the lanes: a canvas, from the back to the front. Nothing here looks at more events than there are pixels, or
// than are in view.
import { ACCESS, ANSWER, GAVE, KINDS, MESSAGE, SYNC, THREAD } from "./kinds";
import { laneOf, lowerBound, NONE, sourceLane } from "./execution";
import { NAMES, RULER, rowY, laneY, type Geometry } from "./geometry";
import { addShape, isHollow } from "./glyphs";
import { stride } from "./lod";
import { firstMatch } from "./search";
import { labelOf } from "./text";
import type { State } from "./state";
import type { Colours } from "./theme";

const ARROWS = 600; // at once
const GLYPHS_FROM = 5; // pixels for each event of the order
const COLUMN = 2; // pixels, of densities
const FONT = '12px ui-sans-serif, system-ui, "DejaVu Sans", sans-serif';
const SMALL = '11px ui-sans-serif, system-ui, "DejaVu Sans", sans-serif';

export interface Drawn {
  every: number; // one of so many arrows is drawn
  arrows: number;
  glyphs: boolean;
}

export class Drawing {
  private readonly counted = new Uint32Array(KINDS.length);
  private drawn: Drawn = { every: 1, arrows: 0, glyphs: false };

  constructor(
    private readonly c: CanvasRenderingContext2D,
    private readonly state: State,
    private readonly g: Geometry,
    private readonly colours: Colours,
  ) {}

  draw(): Drawn {
    const { c, g } = this;
    c.fillStyle = this.colour("--page");
    c.fillRect(0, 0, g.width, g.height);
    c.save();
    c.beginPath();
    c.rect(NAMES, 0, g.width - NAMES, g.height);
    c.clip();
    c.translate(NAMES, 0);
    this.bands();
    this.frontierArea();
    this.ruler();
    const glyphs = this.state.viewport.pixelsPerEvent >= GLYPHS_FROM;
    this.drawn.glyphs = glyphs;
    if (!glyphs) this.densities();
    this.arrows(glyphs);
    if (glyphs) this.glyphs();
    this.matches();
    this.frontierLines();
    this.selection();
    c.restore();
    this.names();
    return this.drawn;
  }

  private colour(name: string): string {
    return this.colours[name] ?? "#888";
  }
  private kindColour(kind: number): string {
    return this.colour(KINDS[kind].colour);
  }
  private visibleRows(): { row: number; lane: number; y: number }[] {
    const rows = [];
    for (let row = 0; row < this.state.rows.length; row++) {
      const y = rowY(this.g, this.state, row);
      if (y < RULER - this.g.lane || y > this.g.height + this.g.lane) continue;
      rows.push({ row, lane: this.state.rows[row], y });
    }
    return rows;
  }
  // The events of a lane in view: [first, last).
  private inView(lane: number): [number, number] {
    const { execution: e, viewport: v } = this.state;
    const from = lowerBound(e.order, Math.floor(v.from), e.offset[lane], e.offset[lane + 1]);
    return [from, lowerBound(e.order, Math.ceil(v.to) + 1, from, e.offset[lane + 1])];
  }

  private bands(): void {
    const { c, g, state } = this;
    const { execution: e, viewport: v } = state;
    for (const { row, lane, y } of this.visibleRows()) {
      c.fillStyle = this.colour(row % 2 === 0 ? "--lane" : "--lane-other");
      c.fillRect(0, y - g.lane / 2, g.width, g.lane);
      if (e.offset[lane] === e.offset[lane + 1]) continue;
      // From the lane's first event to its last.
      c.fillStyle = this.colour("--line");
      const from = Math.max(-5, v.x(e.order[e.offset[lane]]));
      const to = Math.min(g.width, v.x(e.order[e.offset[lane + 1] - 1]));
      if (to >= from) c.fillRect(from, y - 0.75, Math.max(1, to - from), 1.5);
    }
  }

  private ruler(): void {
    const { c, g } = this;
    const v = this.state.viewport;
    c.fillStyle = this.colour("--page");
    c.fillRect(0, 0, g.width, RULER);
    c.fillStyle = this.colour("--faint");
    c.font = SMALL;
    c.textAlign = "center";
    c.textBaseline = "middle";
    const least = (v.span * 110) / v.width;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least) ?? 1);
    for (let at = Math.max(0, Math.ceil(v.from / step) * step); at <= v.to; at += step) {
      if (at >= this.state.execution.events) break;
      const x = Math.round(v.x(at)) + 0.5;
      const text = at.toLocaleString("en");
      const half = c.measureText(text).width / 2;
      if (x >= half && x <= v.width - half) c.fillText(text, x, RULER / 2 - 2);
      c.fillRect(x - 0.5, RULER - 6, 1, 6);
    }
    c.fillRect(0, RULER - 1, g.width, 1);
  }

  // From afar: columns whose height tells how many events, in thirds that are always in the same order: accesses above,
  // operations in the middle, the rest below.
  private densities(): void {
    const { c, g, state } = this;
    const { execution: e, viewport: v } = state;
    const columns = Math.ceil(v.width / COLUMN);
    const full = Math.log2(2 + (v.span / columns) * 1.2);
    const groups = [
      [ACCESS],
      [SYNC, MESSAGE],
      KINDS.map((_, k) => k).filter((k) => k > SYNC && k !== MESSAGE && k !== GAVE),
      [GAVE],
    ];
    const colours = ["--access", "--sync", "--call", "--gave"];
    if (e.about.kind === "ranks") colours[1] = "--message";
    // Pixels of their own, a column wide each: thousands of rectangles take several times as long.
    const height = Math.ceil(g.height);
    const pixels = new Uint32Array(columns * height);
    const values = colours.map((name) => pixelOf(this.colour(name)));
    for (const { lane, y } of this.visibleRows()) {
      const end = e.offset[lane + 1];
      let from = lowerBound(e.order, Math.floor(v.from), e.offset[lane], end);
      for (let column = 0; column < columns && from < end; column++) {
        const to = lowerBound(e.order, v.place((column + 1) * COLUMN), from, end);
        if (to === from) continue;
        state.counts.count(from, to, this.counted);
        from = to;
        let all = 0;
        for (let k = 0; k < KINDS.length; k++) {
          if (!(state.kinds & (1 << k))) this.counted[k] = 0;
          all += this.counted[k];
        }
        if (all === 0) continue;
        const tall = Math.round((g.lane - 8) * Math.min(1, Math.log2(1 + all) / full) * 0.92 + 2);
        let top = Math.round(y - tall / 2);
        const bottom = top + tall;
        for (let i = 0; i < groups.length; i++) {
          let part = 0;
          for (const k of groups[i]) part += this.counted[k];
          if (part === 0) continue;
          const h = Math.min(bottom - top, Math.max(1, Math.round((tall * part) / all)));
          for (let row = Math.max(0, top); row < Math.min(height, top + h); row++) {
            pixels[row * columns + column] = values[i];
          }
          top += h;
        }
      }
    }
    const layer = new OffscreenCanvas(columns, height);
    layer.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), columns, height), 0, 0);
    c.imageSmoothingEnabled = false;
    c.drawImage(layer, 0, 0, columns * COLUMN, height);
  }

  // Arrows to the events in view; of too many, every n-th.
  private arrows(glyphs: boolean): void {
    const { state } = this;
    const e = state.execution;
    const ranges = this.visibleRows().map(({ lane }) => {
      const [from, to] = this.inView(lane);
      const first = lowerBound(e.sinks, from, e.sinkOffset[lane], e.sinkOffset[lane + 1]);
      return { lane, first, last: lowerBound(e.sinks, to, first, e.sinkOffset[lane + 1]), from, to };
    });
    const all = ranges.reduce((sum, r) => sum + r.last - r.first, 0);
    const every = stride(all, ARROWS);
    const wanted: number[] = [];
    for (const r of ranges) {
      for (let i = Math.ceil(r.first / every) * every; i < r.last; i += every) wanted.push(e.sinks[i]);
      // Close up, also those that leave the picture.
      if (!glyphs) continue;
      for (let i = e.outOffset[r.from]; i < e.outOffset[r.to] && wanted.length < 2 * ARROWS; i++) {
        const sink = e.outgoing[i];
        if (e.order[sink] > state.viewport.to) wanted.push(sink);
      }
    }
    this.drawn.every = every;
    this.drawn.arrows = wanted.length;
    for (const kind of [ACCESS, SYNC, THREAD, MESSAGE]) {
      if (!(state.kinds & (1 << kind))) continue;
      const some = wanted.filter((event) => e.kind[event] === kind);
      this.strokeArrows(some, kind, glyphs ? 0.75 : every > 1 ? 0.28 : 0.4, 1.2, glyphs);
    }
  }

  private strokeArrows(events: number[], kind: number, alpha: number, width: number, heads: boolean): void {
    if (events.length === 0) return;
    const { c } = this;
    c.save();
    c.globalAlpha = alpha;
    c.strokeStyle = c.fillStyle = this.kindColour(kind);
    c.lineWidth = width;
    c.setLineDash([...KINDS[kind].dash]);
    // One by one: a path of many is drawn much more slowly.
    for (const event of events) this.arrow(event, heads);
    c.restore();
  }

  private arrow(event: number, head: boolean): void {
    const { c, state, g } = this;
    const { execution: e, viewport: v } = state;
    const from = sourceLane(e, event);
    const y0 = from === NONE ? undefined : laneY(g, state, from);
    const y1 = laneY(g, state, laneOf(e, event));
    if (y0 === undefined || y1 === undefined || y0 === y1) return;
    const x1 = v.x(e.order[event]);
    const source = e.source[event];
    // When a message was sent is unknown: straight.
    const x0 = source >= 0 ? v.x(e.order[source]) : x1;
    const down = Math.sign(y1 - y0);
    const tip = y1 - down * (head ? 8 : 3);
    c.beginPath();
    c.moveTo(x0, y0 + down * 4);
    if (x1 - x0 > 12) {
      const bend = Math.min(60, (x1 - x0) * 0.5);
      c.bezierCurveTo(x0 + bend, y0 + down * 8, x1 - bend, tip - down * 8, x1, tip);
    } else c.lineTo(x1, tip);
    c.stroke();
    if (!head) return;
    c.beginPath();
    c.moveTo(x1, tip + down * 2);
    c.lineTo(x1 - 4, tip - down * 6);
    c.lineTo(x1 + 4, tip - down * 6);
    c.fill();
  }

  private glyphs(): void {
    const { c, g, state } = this;
    const { execution: e, viewport: v } = state;
    const r = Math.min(6.5, Math.max(2.5, v.pixelsPerEvent * 0.32), g.lane * 0.28);
    const rows = this.visibleRows();
    for (let kind = 0; kind < KINDS.length; kind++) {
      if (!(state.kinds & (1 << kind))) continue;
      c.beginPath();
      for (const { lane, y } of rows) {
        const [from, to] = this.inView(lane);
        for (let i = from; i < to; i++) if (e.kind[i] === kind) addShape(c, KINDS[kind].shape, v.x(e.order[i]), y, r);
      }
      c.strokeStyle = c.fillStyle = this.kindColour(kind);
      c.lineWidth = kind === GAVE || kind === ANSWER ? 1.6 : 2.4;
      if (isHollow(KINDS[kind].shape)) {
        c.save();
        c.fillStyle = this.colour("--lane");
        if (KINDS[kind].shape !== "cross") c.fill();
        c.restore();
        c.stroke();
      } else c.fill();
    }
    if (v.pixelsPerEvent > 16 && g.lane >= 34) this.labels(rows, r);
  }

  private labels(rows: { lane: number; y: number }[], r: number): void {
    const { c, state } = this;
    const { execution: e, viewport: v } = state;
    c.font = SMALL;
    c.textAlign = "center";
    c.textBaseline = "top";
    c.fillStyle = this.colour("--text");
    for (const { lane, y } of rows) {
      const [from, to] = this.inView(lane);
      let free = -Infinity;
      for (let i = from; i < to; i++) {
        if (!state.shows(i) || e.kind[i] === GAVE) continue;
        const text = labelOf(e, i);
        const half = c.measureText(text).width / 2;
        const x = v.x(e.order[i]);
        if (x - half < free) continue;
        c.fillText(text, x, y + r * 1.4 + 3);
        free = x + half + 8;
      }
    }
  }

  private matches(): void {
    const { c, g, state } = this;
    const { execution: e, viewport: v, matches } = state;
    if (matches.length === 0) return;
    c.fillStyle = this.colour("--mark");
    const path = new Path2D();
    let last = -1;
    const first = firstMatch(matches, e.order, v.from);
    for (let i = first; i < matches.length && e.order[matches[i]] <= v.to; i++) {
      const x = v.x(e.order[matches[i]]);
      const lane = laneOf(e, matches[i]);
      const key = Math.round(x) * 4096 + lane;
      if (key === last) continue;
      last = key;
      const y = laneY(g, state, lane);
      if (y === undefined || !state.shows(matches[i])) continue;
      const top = y - g.lane / 2 + 2;
      path.moveTo(x - 4, top);
      path.lineTo(x + 4, top);
      path.lineTo(x, top + 7);
      path.closePath();
    }
    c.fill(path);
  }

  // The causal past is shaded with one colour, the future with another; what is between is concurrent.
  private frontierArea(): void {
    const { c, g, state } = this;
    const f = state.showFrontier ? state.frontier : undefined;
    if (!f) return;
    const { execution: e, viewport: v } = state;
    c.save();
    c.globalAlpha = 0.16;
    for (const { lane, y } of this.visibleRows()) {
      if (f.past[lane] >= e.offset[lane]) {
        c.fillStyle = this.colour("--past");
        const to = v.x(e.order[f.past[lane]] + 0.5);
        if (to > 0) c.fillRect(-1, y - g.lane / 2, to + 1, g.lane);
      }
      if (f.future[lane] < e.offset[lane + 1]) {
        c.fillStyle = this.colour("--future");
        const from = v.x(e.order[f.future[lane]] - 0.5);
        if (from < g.width) c.fillRect(Math.max(-1, from), y - g.lane / 2, g.width, g.lane);
      }
    }
    c.restore();
  }

  private frontierLines(): void {
    const { state } = this;
    const f = state.showFrontier ? state.frontier : undefined;
    if (!f) return;
    const e = state.execution;
    this.border(this.colour("--past"), [], 1, (lane) => {
      return f.past[lane] >= e.offset[lane] ? e.order[f.past[lane]] + 0.5 : undefined;
    });
    this.border(this.colour("--future"), [6, 4], -1, (lane) => {
      return f.future[lane] < e.offset[lane + 1] ? e.order[f.future[lane]] - 0.5 : undefined;
    });
  }

  // A line across the lanes, with small triangles that point away from what it borders.
  private border(colour: string, dash: number[], side: 1 | -1, at: (lane: number) => number | undefined): void {
    const { c, g, state } = this;
    const v = state.viewport;
    const line = new Path2D();
    const marks = new Path2D();
    let last: [number, number] | undefined;
    for (const { lane, y } of this.visibleRows()) {
      const place = at(lane);
      if (place === undefined) {
        last = undefined;
        continue;
      }
      const x = Math.min(Math.max(v.x(place), -20), g.width + 20);
      const top = y - g.lane / 2;
      if (last) {
        line.moveTo(...last);
        line.lineTo(x, top);
      }
      line.moveTo(x, top);
      line.lineTo(x, top + g.lane);
      marks.moveTo(x, y - 5);
      marks.lineTo(x - side * 7, y);
      marks.lineTo(x, y + 5);
      marks.closePath();
      last = [x, top + g.lane];
    }
    c.save();
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 2;
    c.setLineDash(dash);
    c.stroke(line);
    c.fill(marks);
    c.restore();
  }

  private selection(): void {
    const { c, g, state } = this;
    const { execution: e, viewport: v } = state;
    if (state.selected !== NONE) {
      const arrows = e.source[state.selected] !== NONE ? [state.selected] : [];
      for (let i = e.outOffset[state.selected]; i < e.outOffset[state.selected + 1]; i++) arrows.push(e.outgoing[i]);
      for (const event of arrows) this.strokeArrows([event], e.kind[event], 1, 2.6, true);
    }
    for (const event of [state.hovered, state.selected]) {
      if (event === NONE) continue;
      const y = laneY(g, state, laneOf(e, event));
      if (y === undefined) continue;
      const x = v.x(e.order[event]);
      c.strokeStyle = this.colour("--text");
      c.lineWidth = event === state.selected ? 2 : 1;
      c.beginPath();
      c.arc(x, y, 11, 0, Math.PI * 2);
      c.stroke();
      if (event !== state.selected) continue;
      c.fillStyle = this.colour("--text");
      c.fillRect(x - 0.5, RULER, 1, y - RULER - 11);
    }
  }

  private names(): void {
    const { c, g, state } = this;
    const e = state.execution;
    c.save();
    c.fillStyle = this.colour("--page");
    c.fillRect(0, 0, NAMES, g.height);
    c.beginPath();
    c.rect(0, RULER, NAMES, g.height - RULER);
    c.clip();
    c.textBaseline = "middle";
    const own = state.selected === NONE ? NONE : laneOf(e, state.selected);
    for (const { lane, y } of this.visibleRows()) {
      c.textAlign = "left";
      c.fillStyle = this.colour("--text");
      c.font = lane === own ? `bold ${FONT}` : FONT;
      const two = g.lane >= 40;
      c.fillText(e.lanes[lane].name, 12, two ? y - 8 : y, NAMES - 20);
      if (!two) continue;
      c.font = SMALL;
      c.fillStyle = this.colour("--faint");
      c.fillText(`${e.lanes[lane].events.toLocaleString("en")} events`, 12, y + 8, NAMES - 20);
    }
    c.fillStyle = this.colour("--line");
    c.fillRect(NAMES - 1, RULER, 1, g.height);
    c.restore();
    c.font = SMALL;
    c.fillStyle = this.colour("--faint");
    c.textAlign = "left";
    c.textBaseline = "middle";
    c.fillText("order of events →", 12, RULER / 2 - 2);
  }
}

// "#rrggbb" as the four bytes of a pixel.
function pixelOf(colour: string): number {
  const rgb = parseInt(colour.slice(1), 16);
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
