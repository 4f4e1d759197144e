// The whole run in a strip: how many arrows end where, with the part that is shown in a frame.
import { NAMES } from "./geometry";
import type { State } from "./state";
import type { Colours } from "./theme";

export class Overview {
  private columns: Uint32Array = new Uint32Array(0);

  constructor(private readonly state: State) {}

  place(x: number, width: number): number {
    return ((x - NAMES) / Math.max(1, width - NAMES)) * this.state.execution.events;
  }

  draw(c: CanvasRenderingContext2D, width: number, height: number, colours: Colours): void {
    const { execution: e, viewport: v, matches } = this.state;
    const columns = Math.max(1, Math.floor(width - NAMES));
    if (this.columns.length !== columns) this.columns = this.count(columns);
    c.fillStyle = colours["--page"];
    c.fillRect(0, 0, width, height);
    c.fillStyle = colours["--lane"];
    c.fillRect(NAMES, 0, columns, height);
    const most = Math.log2(1 + this.columns.reduce((a, b) => Math.max(a, b), 1));
    c.fillStyle = colours["--gave"];
    this.columns.forEach((n, x) => {
      const h = Math.round((Math.log2(1 + n) / most) * (height - 10));
      if (n > 0) c.fillRect(NAMES + x, height - 2 - h, 1, h);
    });
    c.fillStyle = colours["--mark"];
    const every = Math.max(1, Math.floor(matches.length / columns));
    for (let i = 0; i < matches.length; i += every) {
      c.fillRect(NAMES + (e.order[matches[i]] / e.events) * columns - 1, 0, 2, 5);
    }
    const from = NAMES + (Math.max(0, v.from) / e.events) * columns;
    const to = NAMES + (Math.min(e.events, v.to) / e.events) * columns;
    c.strokeStyle = colours["--text"];
    c.lineWidth = 2;
    c.strokeRect(from, 1, Math.max(3, to - from), height - 2);
    c.fillStyle = colours["--faint"];
    c.font = '11px ui-sans-serif, system-ui, "DejaVu Sans", sans-serif';
    c.textBaseline = "middle";
    c.fillText("whole run", 12, height / 2);
  }

  // Ends of arrows, or, where there are none, events.
  private count(columns: number): Uint32Array {
    const e = this.state.execution;
    const out = new Uint32Array(columns);
    const events = e.sinks.length > 0 ? e.sinks : e.inOrder;
    for (const event of events) out[Math.min(columns - 1, Math.floor((e.order[event] / e.events) * columns))]++;
    return out;
  }
}
