import { describe, expect, it } from "vitest";
import { deflateSync } from "node:zlib";
import { decode, fromBase64, inflate, resultOf, sharingOf } from "../src/decode";
import { NEIGHBOURS, NONE, SOMEWHERE } from "../src/execution";

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];

// As src/view/columns.cc writes it: two lanes of three and one event.
function picture(format = 1): ArrayBuffer {
  const word = (value: bigint) => [...new Uint8Array(BigInt64Array.of(value).buffer)];
  const columns: Record<string, number[]> = {
    results: [...word(-5n), ...word(2n ** 60n)],
    addresses: word(0x7fff_0000_1238n),
    sharing: [2],
    kinds: [2, 3, 7, 0],
    counts: [...varint(3), ...varint(2 ** 40), ...varint(1), ...varint(300)],
    order: [0, 2, 1, 1].flatMap(varint),
    places: [0, 0, 0, 1].flatMap(varint),
    whats: [0, 1, 1, 0].flatMap(varint),
    notes: [0, 0, 0, 0].flatMap(varint),
    lanes: [0, 0, 2, 1].flatMap(varint),
    sources: [0, 1 + 2].flatMap(varint),
  };
  const directory: Record<string, [number, number]> = {};
  const body: number[] = [];
  for (const [name, bytes] of Object.entries(columns)) {
    directory[name] = [body.length, bytes.length];
    body.push(...bytes);
  }
  const head = {
    format,
    about: {},
    events: 4,
    texts: ["", "read"],
    notes_left_out: false,
    lanes: [3, 1].map((events, i) => ({ name: `thread ${i}`, thread: i, rank: -1, events })),
    places: [
      ["", 0, 0, "", ""],
      ["a.c", 7, 1, "f", "x++;"],
    ],
    columns: directory,
  };
  const json = new TextEncoder().encode(JSON.stringify(head));
  const base = Math.ceil((4 + json.length) / 8) * 8;
  const out = new Uint8Array(base + body.length);
  new DataView(out.buffer).setUint32(0, json.length, true);
  out.set(json, 4);
  out.set(body, base);
  return out.buffer;
}

describe("decode", () => {
  it("reads what the tool writes", async () => {
    const text = deflateSync(new Uint8Array(picture())).toString("base64");
    const e = decode(await inflate(fromBase64(`\n${text}\n`)));
    expect([...e.count]).toEqual([3, 3 + 2 ** 40, 4 + 2 ** 40, 300]);
    expect([...e.order]).toEqual([0, 2, 3, 1]);
    expect([...e.source]).toEqual([NONE, NONE, SOMEWHERE - 1, 1]);
    expect([...e.inOrder]).toEqual([0, 3, 1, 2]);
    expect([...e.sinks]).toEqual([2, 3]);
    expect([...e.outgoing]).toEqual([3]);
    expect(resultOf(e, 1)).toBe(-5n);
    expect(resultOf(e, 2)).toBe(2n ** 60n);
    expect(sharingOf(e, 3)).toEqual({ sharing: NEIGHBOURS, address: 0x7fff_0000_1238n });
    expect(e.places[1].source).toBe("x++;");
  });
  it("refuses what it does not know, and what is cut off", () => {
    expect(() => decode(picture(2))).toThrow("format 2");
    const whole = picture();
    expect(() => decode(whole.slice(0, whole.byteLength - 2))).toThrow();
  });
});
