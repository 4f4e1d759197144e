// Which lines of the source cause the most dependences: arrows that end there, and where they come from.
import { ACCESS } from "./kinds";
import { NEIGHBOURS, sourceLane, type Execution } from "./execution";

export interface HotLine {
  places: number[]; // of the line; the pass makes several
  file: string;
  line: number;
  function: string;
  source: string;
  edges: number;
  lanes: number; // that took them
  from: number; // lanes that they came from
  neighbours: number; // edges of false sharing
}

export function hotLines(e: Execution): HotLine[] {
  const lines = new Map<string, HotLine & { by: Set<number>; of: Set<number> }>();
  const ofPlace = e.places.map((place, i) => {
    if (i === 0) return undefined;
    const key = place.file === "" ? place.function : `${place.file}:${place.line}`;
    let line = lines.get(key);
    if (!line) {
      line = { ...place, places: [], edges: 0, lanes: 0, from: 0, neighbours: 0, by: new Set(), of: new Set() };
      lines.set(key, line);
    }
    line.places.push(i);
    return line;
  });
  let accesses = 0; // the place in the column of sharing
  for (let lane = 0; lane < e.lanes.length; lane++) {
    for (let i = e.sinkOffset[lane]; i < e.sinkOffset[lane + 1]; i++) {
      const event = e.sinks[i];
      const isAccess = e.kind[event] === ACCESS;
      const neighbours = isAccess && e.sharing[accesses] === NEIGHBOURS;
      if (isAccess) accesses++;
      const line = isAccess ? ofPlace[e.place[event]] : undefined;
      if (!line) continue;
      line.edges++;
      if (neighbours) line.neighbours++;
      line.by.add(lane);
      line.of.add(sourceLane(e, event));
    }
  }
  const found = [...lines.values()].filter((line) => line.edges > 0);
  for (const line of found) {
    line.lanes = line.by.size;
    line.from = line.of.size;
  }
  return found.sort((a, b) => b.edges - a.edges);
}
