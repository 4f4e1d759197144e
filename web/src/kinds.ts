// The kinds of events, numbered as in src/view/picture.h. Each has a shape and, if it is the end of an arrow, a dash,
// so that nothing is told by colour alone.
export type Shape =
  "diamond" | "circle" | "ring" | "square" | "triangle" | "bar" | "star" | "letter" | "hollow" | "cross";

export interface Kind {
  readonly name: string;
  readonly short: string;
  readonly shape: Shape;
  readonly dash: readonly number[];
  readonly colour: string; // CSS variable
  readonly what: string;
}

export const ACCESS = 0;
export const SYNC = 1;
export const GAVE = 2;
export const CALL = 3;
export const THREAD = 5;
export const MESSAGE = 7;
export const ANSWER = 8;

export const KINDS: readonly Kind[] = [
  {
    name: "access after another thread's",
    short: "access",
    shape: "diamond",
    dash: [],
    colour: "--access",
    what: "An access to memory that had to come after one of another thread: a frontier race.",
  },
  {
    name: "operation after another thread's",
    short: "operation",
    shape: "circle",
    dash: [5, 3],
    colour: "--sync",
    what: "A lock, condition, join, allocation or call of the library that came after one of another thread.",
  },
  {
    name: "another thread came after this",
    short: "came after",
    shape: "ring",
    dash: [],
    colour: "--gave",
    what: "The other end: what this thread had done up to here, somebody else waited for.",
  },
  {
    name: "system call",
    short: "call",
    shape: "square",
    dash: [],
    colour: "--call",
    what: "A system call whose result was recorded.",
  },
  {
    name: "input",
    short: "input",
    shape: "triangle",
    dash: [],
    colour: "--input",
    what: "Another input: a library call, an instruction, the outcome of an operation.",
  },
  {
    name: "thread",
    short: "thread",
    shape: "bar",
    dash: [9, 3, 2, 3],
    colour: "--thread",
    what: "A thread began, ended or was created.",
  },
  {
    name: "signal",
    short: "signal",
    shape: "star",
    dash: [],
    colour: "--signal",
    what: "A handler of the program was entered.",
  },
  {
    name: "message received",
    short: "message",
    shape: "letter",
    dash: [2, 3],
    colour: "--message",
    what: "A message was received. When it was sent is not recorded: its arrow is drawn straight.",
  },
  {
    name: "answer of MPI",
    short: "answer",
    shape: "hollow",
    dash: [],
    colour: "--answer",
    what: "What a test, probe, wait or clock of MPI said.",
  },
  {
    name: "end of the recording",
    short: "end",
    shape: "cross",
    dash: [],
    colour: "--stop",
    what: "The thread was alive when the program ended or died.",
  },
];

export const ALL_KINDS = (1 << KINDS.length) - 1;
