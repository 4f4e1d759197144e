// The frontier of an event: of each lane, the last event that happened before it and the first that happened after it.
// What lies between is concurrent. "Before" is the order that was recorded: lanes, and arrows whose both ends are
// known.
import { laneOf, type Execution } from "./execution";

export interface Frontier {
  event: number;
  past: Int32Array; // of each lane: its last event before (or the event itself); offset - 1 if there is none
  future: Int32Array; // of each lane: its first event after (or the event itself); the lane's end if there is none
}

export function frontierOf(execution: Execution, event: number): Frontier {
  return { event, past: pastOf(execution, event), future: futureOf(execution, event) };
}

function pastOf(e: Execution, event: number): Int32Array {
  const past = new Int32Array(e.lanes.length);
  for (let lane = 0; lane < past.length; lane++) past[lane] = e.offset[lane] - 1;
  const seen = past.slice(); // up to where arrows have been followed
  const own = laneOf(e, event);
  past[own] = event;
  const open = [own];
  for (let lane = open.pop(); lane !== undefined; lane = open.pop()) {
    const to = past[lane];
    for (let i = seen[lane] + 1; i <= to; i++) {
      const source = e.source[i];
      if (source < 0) continue;
      const other = laneOf(e, source);
      if (source <= past[other]) continue;
      past[other] = source;
      open.push(other);
    }
    seen[lane] = Math.max(seen[lane], to);
  }
  return past;
}

function futureOf(e: Execution, event: number): Int32Array {
  const future = new Int32Array(e.lanes.length);
  for (let lane = 0; lane < future.length; lane++) future[lane] = e.offset[lane + 1];
  const seen = future.slice();
  const own = laneOf(e, event);
  future[own] = event;
  const open = [own];
  for (let lane = open.pop(); lane !== undefined; lane = open.pop()) {
    const from = future[lane];
    for (let i = seen[lane] - 1; i >= from; i--) {
      for (let k = e.outOffset[i]; k < e.outOffset[i + 1]; k++) {
        const sink = e.outgoing[k];
        const other = laneOf(e, sink);
        if (sink >= future[other]) continue;
        future[other] = sink;
        open.push(other);
      }
    }
    seen[lane] = Math.min(seen[lane], from);
  }
  return future;
}
