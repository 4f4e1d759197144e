import { describe, expect, it } from "vitest";
import { laneOf, type Execution } from "../src/execution";
import { frontierOf } from "../src/frontier";
import { execution, randomExecution } from "./executions";

// All events that can be reached backwards, or forwards, one step at a time.
function reachable(e: Execution, from: number, forwards: boolean): Set<number> {
  const found = new Set([from]);
  const open = [from];
  for (let event = open.pop(); event !== undefined; event = open.pop()) {
    const lane = laneOf(e, event);
    const next: number[] = [];
    for (let other = 0; other < e.events; other++) {
      if (forwards ? e.source[other] === event : e.source[event] === other) next.push(other);
    }
    const neighbour = event + (forwards ? 1 : -1);
    if (neighbour >= e.offset[lane] && neighbour < e.offset[lane + 1]) next.push(neighbour);
    for (const other of next) {
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}

describe("frontier", () => {
  it("follows an arrow back and forth", () => {
    const e = execution(2, [
      [0, {}],
      [0, {}],
      [1, {}],
      [1, { kind: 0, after: [0, 1] }],
      [0, {}],
    ]);
    const f = frontierOf(e, 4);
    expect([...f.past]).toEqual([1, 4]);
    expect([...f.future]).toEqual([3, 4]);
    const g = frontierOf(e, 1);
    expect([...g.past]).toEqual([1, 2]);
    expect([...g.future]).toEqual([1, 4]);
  });

  it("is what brute force says", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const e = randomExecution(seed, 2 + (seed % 4), 60);
      for (let event = 0; event < e.events; event += 7) {
        const f = frontierOf(e, event);
        const before = reachable(e, event, false);
        const after = reachable(e, event, true);
        for (let other = 0; other < e.events; other++) {
          const lane = laneOf(e, other);
          expect(other <= f.past[lane], `seed ${seed}: ${other} before ${event}`).toBe(before.has(other));
          expect(other >= f.future[lane], `seed ${seed}: ${other} after ${event}`).toBe(after.has(other));
        }
      }
    }
  });
});
