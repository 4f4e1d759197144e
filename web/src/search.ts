// Search: a text is looked for in places (file:line, function, text of the line), names of calls, and what they read or
// wrote; "2:1846" is thread 2 at event 1846.
import { findEvent, NONE, type Execution, type Place } from "./execution";

export function placeText(place: Place): string {
  if (place.file === "") return place.function;
  return `${place.file}:${place.line}`;
}

export function matchesPlace(place: Place, query: string): boolean {
  const words = query.toLowerCase();
  const line = /^(.*):(\d+)$/.exec(words);
  // "bank.cc:1" is line 1, not 15.
  if (line && place.file !== "") return place.line === Number(line[2]) && place.file.toLowerCase().endsWith(line[1]);
  const text = `${placeText(place)}\n${place.function}\n${place.source}`.toLowerCase();
  return text.includes(words);
}

// The events that match, ascending by their place in the order.
export function search(execution: Execution, query: string): Uint32Array {
  const wanted = query.trim();
  if (wanted === "") return new Uint32Array(0);
  const at = /^(?:(\d+)\/)?(\d+):(\d+)$/.exec(wanted);
  if (at) {
    const rank = at[1] === undefined ? NONE : Number(at[1]);
    const event = findEvent(execution, Number(at[2]), Number(at[3]), rank);
    return event === NONE ? new Uint32Array(0) : Uint32Array.of(event);
  }
  const place = Uint8Array.from(execution.places, (p, i) => (i > 0 && matchesPlace(p, wanted) ? 1 : 0));
  const lower = wanted.toLowerCase();
  const text = Uint8Array.from(execution.texts, (t, i) => (i > 0 && t.toLowerCase().includes(lower) ? 1 : 0));
  const found: number[] = [];
  for (const event of execution.inOrder) {
    if (place[execution.place[event]] || text[execution.what[event]] || text[execution.note[event]]) found.push(event);
  }
  return Uint32Array.from(found);
}

// The index of the first match whose place in the order is not below `place`.
export function firstMatch(matches: Uint32Array, order: Uint32Array, place: number): number {
  let from = 0;
  let to = matches.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (order[matches[middle]] < place) from = middle + 1;
    else to = middle;
  }
  return from;
}

// The index of the match after `place`, or of the one before it; from one end on to the other.
export function nextMatch(matches: Uint32Array, order: Uint32Array, place: number, forward: boolean): number {
  const at = forward ? firstMatch(matches, order, place + 1) : firstMatch(matches, order, place) - 1;
  return (at + matches.length) % matches.length;
}
