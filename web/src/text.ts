// Events in words.
import { ACCESS, CALL, GAVE, KINDS, MESSAGE } from "./kinds";
import { resultOf } from "./decode";
import { laneOf, NONE, sourceLane, type Execution, type Place } from "./execution";

export function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

export function shortPlace(place: Place): string {
  if (place.file === "") return place.function;
  return `${baseName(place.file)}:${place.line}`;
}

export function labelOf(e: Execution, event: number): string {
  if (e.place[event] !== 0) return shortPlace(e.places[e.place[event]]);
  const kind = e.kind[event];
  if (kind < CALL) return KINDS[kind].short;
  return e.texts[e.what[event]];
}

export function number(value: number): string {
  return value.toLocaleString("en");
}

// "thread 1, event 1,846"
export function nameOf(e: Execution, event: number): string {
  return `${e.lanes[laneOf(e, event)].name}, event ${number(e.count[event])}`;
}

// "read = 12"
export function valueOf(e: Execution, event: number): string {
  const name = e.texts[e.what[event]];
  if (e.kind[event] === MESSAGE) return name;
  return `${name} = ${resultOf(e, event)}`;
}

// One line that says all: for tips and for screen readers.
export function summaryOf(e: Execution, event: number): string {
  const kind = e.kind[event];
  let text = `${nameOf(e, event)}: ${KINDS[kind].name}`;
  if (kind >= CALL) text += `, ${valueOf(e, event)}`;
  if (e.place[event] !== 0) text += ` at ${shortPlace(e.places[e.place[event]])}`;
  if (kind === GAVE) text += ` (${number(e.outOffset[event + 1] - e.outOffset[event])})`;
  const from = sourceLane(e, event);
  if (from !== NONE) {
    const source = e.source[event];
    text += source >= 0 ? `, after ${nameOf(e, source)}` : `, from ${e.lanes[from].name}`;
  }
  return text;
}

// The last place that is known of the event's thread, at or before it; NONE if there is none.
export function lastPlaced(e: Execution, event: number): number {
  const first = e.offset[laneOf(e, event)];
  for (let i = event; i >= first; i--) if (e.kind[i] === ACCESS && e.place[i] !== 0) return i;
  return NONE;
}
