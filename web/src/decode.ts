// From the bytes in the page to an Execution; src/view/columns.h says how they are laid out.
import { ACCESS, CALL } from "./kinds";
import { connect, NONE, SOMEWHERE, UNKNOWN, type About, type Execution, type Lane } from "./execution";

const FORMAT = 1;

interface Head {
  format: number;
  about: About;
  events: number;
  texts: string[];
  notes_left_out: boolean;
  lanes: Lane[];
  places: [string, number, number, string, string][];
  columns: Record<string, [number, number]>;
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Reads varints. Numbers above 2^53 lose their last digits, which no count reaches.
class Varints {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  next(): number {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("the picture in this page is cut off");
      if (shift < 28) value |= (byte & 0x7f) << shift;
      else value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
      shift += 7;
    }
  }
}

export function decode(buffer: ArrayBuffer): Execution {
  const jsonBytes = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, jsonBytes))) as Head;
  if (head.format !== FORMAT) throw new Error(`this page does not know pictures of format ${head.format}`);
  const base = Math.ceil((4 + jsonBytes) / 8) * 8;
  const column = (name: string) => new Uint8Array(buffer, base + head.columns[name][0], head.columns[name][1]);
  const n = head.events;
  const offset = new Uint32Array(head.lanes.length + 1);
  head.lanes.forEach((lane, i) => (offset[i + 1] = offset[i] + lane.events));

  const whole = (name: string) => {
    const values = new Varints(column(name));
    const out = new Uint32Array(n);
    for (let i = 0; i < n; i++) out[i] = values.next();
    return out;
  };
  const count = new Float64Array(n);
  const order = new Uint32Array(n);
  const source = new Int32Array(n);
  const counts = new Varints(column("counts"));
  const orders = new Varints(column("order"));
  const lanes = new Varints(column("lanes"));
  const sources = new Varints(column("sources"));
  for (let lane = 0; lane < head.lanes.length; lane++) {
    const last = new Int32Array(head.lanes.length);
    let counted = 0;
    let place = 0;
    for (let i = offset[lane]; i < offset[lane + 1]; i++) {
      count[i] = counted += counts.next();
      order[i] = place += orders.next();
      const from = lanes.next() - 1;
      if (from < 0) {
        source[i] = NONE;
        continue;
      }
      const coded = sources.next();
      if (coded === 0) {
        source[i] = SOMEWHERE - from;
        continue;
      }
      const zigzag = coded - 1;
      last[from] += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      source[i] = offset[from] + last[from];
    }
  }
  const kind = column("kinds").slice();
  // A copy, since views of 8 bytes must be aligned.
  const words = (name: string) => {
    const [at, bytes] = head.columns[name];
    return buffer.slice(base + at, base + at + bytes);
  };
  return connect({
    about: head.about,
    lanes: head.lanes,
    places: head.places.map(([file, line, column, fn, text]) => ({ file, line, column, function: fn, source: text })),
    texts: head.texts,
    notesLeftOut: head.notes_left_out,
    events: n,
    offset,
    kind,
    count,
    order,
    place: whole("places"),
    what: whole("whats"),
    note: whole("notes"),
    source,
    results: new BigInt64Array(words("results")),
    sharing: column("sharing").slice(),
    addresses: new BigUint64Array(words("addresses")),
  });
}

// Some columns have no gaps for events that they are not for: the place there is the number of those before.
function indexAmong(execution: Execution, event: number, belongs: (kind: number) => boolean): number {
  let index = 0;
  for (let i = 0; i < event; i++) if (belongs(execution.kind[i])) index++;
  return index;
}

// Of an event from CALL on.
export function resultOf(execution: Execution, event: number): bigint {
  return execution.results[indexAmong(execution, event, (kind) => kind >= CALL)];
}

// Of an event of kind ACCESS.
export function sharingOf(execution: Execution, event: number): { sharing: number; address: bigint } {
  if (execution.sharing.length === 0) return { sharing: UNKNOWN, address: 0n };
  const index = indexAmong(execution, event, (kind) => kind === ACCESS);
  return { sharing: execution.sharing[index], address: execution.addresses[index] };
}
