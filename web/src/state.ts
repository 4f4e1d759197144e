// What the user sees and has chosen. Views read it; whoever changes it calls changed().
import { NONE, type Execution } from "./execution";
import type { Frontier } from "./frontier";
import { ALL_KINDS } from "./kinds";
import { KindCounts } from "./lod";
import { Viewport } from "./viewport";

export class State {
  readonly viewport: Viewport;
  readonly counts: KindCounts;
  kinds = ALL_KINDS; // a bit for each kind that is shown
  hidden = new Set<number>(); // lanes
  selected = NONE;
  hovered = NONE;
  frontier: Frontier | undefined;
  showFrontier = true;
  matches: Uint32Array = new Uint32Array(0); // by order
  rows: number[] = []; // the lanes that are shown, from the top

  constructor(
    readonly execution: Execution,
    readonly changed: () => void,
  ) {
    this.viewport = new Viewport(execution.events);
    this.counts = new KindCounts(execution.kind);
    this.arrange();
  }

  arrange(): void {
    this.rows = this.execution.lanes.map((_, lane) => lane).filter((lane) => !this.hidden.has(lane));
  }
  shows(event: number): boolean {
    return (this.kinds & (1 << this.execution.kind[event])) !== 0;
  }
}
