import { describe, expect, it } from "vitest";
import { KINDS } from "../src/kinds";
import { KindCounts, stride } from "../src/lod";
import { random } from "./executions";

describe("counts of kinds", () => {
  it("are those of counting one by one", () => {
    const next = random(5);
    for (const length of [0, 1, 63, 64, 65, 128, 1000]) {
      const kinds = Uint8Array.from({ length }, () => next(KINDS.length));
      const counts = new KindCounts(kinds);
      const out = new Uint32Array(KINDS.length);
      for (let i = 0; i < 200; i++) {
        const from = next(length + 1);
        const to = from + next(length + 1 - from);
        counts.count(from, to, out);
        const expected = new Uint32Array(KINDS.length);
        for (let k = from; k < to; k++) expected[kinds[k]]++;
        expect([...out]).toEqual([...expected]);
      }
    }
  });
});

describe("stride", () => {
  it("is the least power of two within the budget", () => {
    expect(stride(0, 10)).toBe(1);
    expect(stride(10, 10)).toBe(1);
    expect(stride(11, 10)).toBe(2);
    expect(stride(1_000_000, 600)).toBe(2048);
  });
});
