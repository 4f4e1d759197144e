// Where lanes are on the canvas.
import type { State } from "./state";

export const NAMES = 132; // pixels for the names of lanes
export const RULER = 26;
const LEAST_LANE = 26;
const TALLEST_LANE = 150;

export interface Geometry {
  width: number;
  height: number;
  lane: number; // height
  rowOf: Map<number, number>;
}

export function geometryOf(state: State, width: number, height: number): Geometry {
  const free = height - RULER - 8;
  const lane = Math.min(Math.max(free / Math.max(1, state.rows.length), LEAST_LANE), TALLEST_LANE);
  const most = Math.max(0, lane * state.rows.length - free);
  state.viewport.scroll = Math.min(Math.max(state.viewport.scroll, 0), most);
  state.viewport.width = Math.max(1, width - NAMES);
  return { width, height, lane, rowOf: new Map(state.rows.map((l, row) => [l, row])) };
}

export function laneY(geometry: Geometry, state: State, lane: number): number | undefined {
  const row = geometry.rowOf.get(lane);
  return row === undefined ? undefined : rowY(geometry, state, row);
}

export function rowY(geometry: Geometry, state: State, row: number): number {
  return RULER + 4 + (row + 0.5) * geometry.lane - state.viewport.scroll;
}

export function laneAt(geometry: Geometry, state: State, y: number): number | undefined {
  if (y < RULER) return undefined;
  return state.rows[Math.floor((y - RULER - 4 + state.viewport.scroll) / geometry.lane)];
}
