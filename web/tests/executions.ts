// Executions for the tests: given by hand, or random ones that could have happened.
import { connect, NONE, type Execution } from "../src/execution";

export interface Spec {
  kind?: number;
  count?: number;
  place?: number;
  what?: number;
  after?: [number, number]; // lane and index
}

// Lanes of events, with the order in which they happened: [lane, spec] each.
export function execution(lanes: number, happened: [number, Spec][], extra: Partial<Execution> = {}): Execution {
  const byLane: { spec: Spec; order: number }[][] = Array.from({ length: lanes }, () => []);
  happened.forEach(([lane, spec], order) => byLane[lane].push({ spec, order }));
  const offset = new Uint32Array(lanes + 1);
  byLane.forEach((events, lane) => (offset[lane + 1] = offset[lane] + events.length));
  const all = byLane.flat();
  const column = (of: (spec: Spec) => number) => Uint32Array.from(all, ({ spec }) => of(spec));
  return connect({
    about: { kind: "threads" },
    lanes: byLane.map((events, i) => ({ name: `thread ${i}`, thread: i, rank: -1, events: events.length })),
    places: [{ file: "", line: 0, column: 0, function: "", source: "" }],
    texts: [""],
    notesLeftOut: false,
    events: all.length,
    offset,
    kind: Uint8Array.from(all, ({ spec }) => spec.kind ?? 2),
    count: Float64Array.from(all, ({ spec }, i) => spec.count ?? i),
    order: Uint32Array.from(all, ({ order }) => order),
    place: column((spec) => spec.place ?? 0),
    what: column((spec) => spec.what ?? 0),
    note: new Uint32Array(all.length),
    source: Int32Array.from(all, ({ spec }) => (spec.after ? offset[spec.after[0]] + spec.after[1] : NONE)),
    results: new BigInt64Array(all.length),
    sharing: new Uint8Array(0),
    addresses: new BigUint64Array(0),
    ...extra,
  });
}

// The same numbers every time.
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function randomExecution(seed: number, lanes: number, events: number): Execution {
  const next = random(seed);
  const lengths = new Array<number>(lanes).fill(0);
  const happened: [number, Spec][] = [];
  for (let i = 0; i < events; i++) {
    const lane = next(lanes);
    const other = next(lanes);
    const arrow = other !== lane && lengths[other] > 0 && next(3) === 0;
    happened.push([lane, arrow ? { kind: next(2), after: [other, next(lengths[other])] } : { kind: 2 + next(8) }]);
    lengths[lane]++;
  }
  return execution(lanes, happened);
}
