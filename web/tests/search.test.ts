import { describe, expect, it } from "vitest";
import { nextMatch, search } from "../src/search";
import { hotLines } from "../src/heat";
import { execution } from "./executions";

const place = (file: string, line: number, fn: string, source: string) => ({
  file,
  line,
  column: 3,
  function: fn,
  source,
});
const e = execution(
  2,
  [
    [0, { count: 5, place: 1, kind: 0, after: [1, 0] }],
    [1, { count: 7 }],
    [0, { count: 9, place: 2, kind: 0, after: [1, 0] }],
    [1, { count: 11, what: 1, kind: 3 }],
    [0, { count: 12, place: 1, kind: 0, after: [1, 1] }],
  ],
  {
    places: [
      place("", 0, "", ""),
      place("/src/bank.cc", 1, "transfer(int)", "balance += amount;"),
      place("/src/bank.cc", 15, "audit()", "sum += a.balance;"),
    ],
    texts: ["", "read"],
  },
);
const found = (query: string) => [...search(e, query)];

describe("search", () => {
  it("finds lines, functions, variables, calls and events", () => {
    expect(found("bank.cc:1")).toEqual([0, 2]);
    expect(found("bank.cc:15")).toEqual([1]);
    expect(found("bank.cc")).toEqual([0, 1, 2]);
    expect(found("AUDIT")).toEqual([1]);
    expect(found("amount")).toEqual([0, 2]);
    expect(found("read")).toEqual([4]);
    expect(found("0:9")).toEqual([1]);
    expect(found("0:6")).toEqual([1]);
    expect(found("0:13")).toEqual([]);
    expect(found("nothing of this")).toEqual([]);
    expect(found("  ")).toEqual([]);
  });
  it("goes from match to match, around the end", () => {
    const matches = search(e, "bank.cc");
    expect(nextMatch(matches, e.order, -1, true)).toBe(0);
    expect(nextMatch(matches, e.order, 0, true)).toBe(1);
    expect(nextMatch(matches, e.order, 4, true)).toBe(0);
    expect(nextMatch(matches, e.order, 0, false)).toBe(2);
  });
});

describe("heat", () => {
  it("counts arrows by line, most first", () => {
    const lines = hotLines(e);
    expect(lines.map((l) => [l.line, l.edges, l.lanes, l.from])).toEqual([
      [1, 2, 1, 1],
      [15, 1, 1, 1],
    ]);
  });
});
