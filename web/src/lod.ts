// Levels of detail: how many events of each kind lie in a range, without looking at each; and which arrows to draw when
// there are too many.
import { KINDS } from "./kinds";

const BLOCK = 64;
const K = KINDS.length;

// Counts of kinds before each block of events.
export class KindCounts {
  private readonly before: Uint32Array;

  constructor(private readonly kinds: Uint8Array) {
    const blocks = Math.floor(kinds.length / BLOCK) + 1;
    this.before = new Uint32Array(blocks * K);
    const running = new Uint32Array(K);
    for (let i = 0; i < kinds.length; i++) {
      if (i % BLOCK === 0) this.before.set(running, (i / BLOCK) * K);
      running[kinds[i]]++;
    }
    if (kinds.length % BLOCK === 0) this.before.set(running, (blocks - 1) * K);
  }

  // Of the events [from, to), into `out`.
  count(from: number, to: number, out: Uint32Array): void {
    out.fill(0);
    const first = Math.ceil(from / BLOCK);
    const last = Math.floor(to / BLOCK);
    if (first >= last) {
      for (let i = from; i < to; i++) out[this.kinds[i]]++;
      return;
    }
    for (let k = 0; k < K; k++) out[k] = this.before[last * K + k] - this.before[first * K + k];
    for (let i = from; i < first * BLOCK; i++) out[this.kinds[i]]++;
    for (let i = last * BLOCK; i < to; i++) out[this.kinds[i]]++;
  }
}

// Every how many-th of `count` things to draw, so that at most `budget` are: a power of two. Multiples of it are drawn
// whatever else is in view, so that the same arrows stay while the picture moves.
export function stride(count: number, budget: number): number {
  let every = 1;
  while (count / every > budget) every *= 2;
  return every;
}
