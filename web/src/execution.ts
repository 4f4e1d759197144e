// An execution as the page holds it: typed arrays over all events, lane by lane. An event is its index in these.
export interface About {
  trace?: string;
  program?: string;
  command?: string;
  started?: string;
  machine?: string;
  end?: string;
  kind?: "threads" | "ranks";
  messages?: string;
  wall_seconds?: number;
  dependences?: number;
  rank_places?: { rank: number; call: string; place: string; receives: number; raced: number }[];
}

export interface Lane {
  name: string;
  thread: number;
  rank: number;
  events: number;
}

export interface Place {
  file: string;
  line: number;
  column: number;
  function: string;
  source: string;
}

export const NONE = -1;
// A source that is only known to be in lane n is SOMEWHERE - n.
export const SOMEWHERE = -2;

// Of an access that came after another thread's: did both use the same bytes, or only neighbours in a 64-byte line?
export const UNKNOWN = 0;
export const SAME = 1;
export const NEIGHBOURS = 2;

export interface Execution {
  about: About;
  lanes: Lane[];
  places: Place[];
  texts: string[];
  notesLeftOut: boolean;
  events: number;
  offset: Uint32Array; // of each lane's first event; one more at the end
  kind: Uint8Array;
  count: Float64Array;
  order: Uint32Array; // place in the order of all events; grows within a lane
  place: Uint32Array;
  what: Uint32Array;
  note: Uint32Array;
  source: Int32Array; // the event that it came after, NONE, or SOMEWHERE - lane
  results: BigInt64Array; // of the events from CALL on
  sharing: Uint8Array; // of the events of kind ACCESS: UNKNOWN, SAME or NEIGHBOURS; empty if nobody looked
  addresses: BigUint64Array; // the same
  inOrder: Uint32Array; // the event at each place of the order
  sinks: Uint32Array; // the events that came after another one, ascending
  sinkOffset: Uint32Array; // of each lane in sinks; one more at the end
  outOffset: Uint32Array; // of each event in outgoing; one more at the end
  outgoing: Uint32Array; // events that came after it
}

// The first index in [from, to) of ascending `values` whose value is not below `wanted`.
export function lowerBound(values: ArrayLike<number>, wanted: number, from: number, to: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

export function laneOf(execution: Execution, event: number): number {
  return lowerBound(execution.offset, event + 1, 0, execution.offset.length) - 1;
}

// The lane that an arrow to `event` comes from; NONE if there is no arrow.
export function sourceLane(execution: Execution, event: number): number {
  const source = execution.source[event];
  if (source >= 0) return laneOf(execution, source);
  return source === NONE ? NONE : SOMEWHERE - source;
}

// The event of a lane that is nearest to `place` in the order; NONE if the lane is empty.
export function nearest(execution: Execution, lane: number, place: number): number {
  const from = execution.offset[lane];
  const to = execution.offset[lane + 1];
  if (from === to) return NONE;
  const after = lowerBound(execution.order, place, from, to);
  if (after === to) return to - 1;
  if (after === from) return from;
  return execution.order[after] - place < place - execution.order[after - 1] ? after : after - 1;
}

// The first event of thread `thread` whose count is not below `count`.
export function findEvent(execution: Execution, thread: number, count: number, rank = NONE): number {
  const lane = execution.lanes.findIndex((l) => l.thread === thread && (rank === NONE || l.rank === rank));
  if (lane < 0) return NONE;
  const to = execution.offset[lane + 1];
  const found = lowerBound(execution.count, count, execution.offset[lane], to);
  return found === to ? NONE : found;
}

// Fills in what follows from the rest.
export function connect(e: Omit<Execution, "inOrder" | "sinks" | "sinkOffset" | "outOffset" | "outgoing">): Execution {
  const n = e.events;
  const inOrder = new Uint32Array(n);
  const outOffset = new Uint32Array(n + 1);
  let sinkCount = 0;
  for (let i = 0; i < n; i++) {
    inOrder[e.order[i]] = i;
    const source = e.source[i];
    if (source !== NONE) sinkCount++;
    if (source >= 0) outOffset[source + 1]++;
  }
  for (let i = 0; i < n; i++) outOffset[i + 1] += outOffset[i];
  const sinks = new Uint32Array(sinkCount);
  const outgoing = new Uint32Array(outOffset[n]);
  const filled = outOffset.slice();
  let at = 0;
  for (let i = 0; i < n; i++) {
    const source = e.source[i];
    if (source !== NONE) sinks[at++] = i;
    if (source >= 0) outgoing[filled[source]++] = i;
  }
  const sinkOffset = new Uint32Array(e.lanes.length + 1);
  for (let lane = 0; lane <= e.lanes.length; lane++) sinkOffset[lane] = lowerBound(sinks, e.offset[lane], 0, sinkCount);
  return { ...e, inOrder, sinks, sinkOffset, outOffset, outgoing };
}
