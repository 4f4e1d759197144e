// What part of the execution is shown: a range of the order of events, and how far the lanes are scrolled.
const LEAST = 6; // events

export class Viewport {
  from = 0;
  to = 1;
  scroll = 0;
  width = 1; // pixels of the lanes, without the names

  constructor(private readonly events: number) {
    this.whole();
  }

  get span(): number {
    return this.to - this.from;
  }
  get pixelsPerEvent(): number {
    return this.width / this.span;
  }
  x(place: number): number {
    return (place - this.from) * this.pixelsPerEvent;
  }
  place(x: number): number {
    return this.from + x / this.pixelsPerEvent;
  }

  whole(): void {
    const margin = Math.max(0.5, this.events * 0.01);
    this.set(-margin, this.events - 1 + margin);
  }
  set(from: number, to: number): void {
    const most = Math.max(LEAST, this.events * 1.02 + 1);
    const span = Math.min(Math.max(to - from, LEAST), most);
    const middle = (from + to) / 2;
    // The middle of the picture stays inside the run.
    const kept = Math.min(Math.max(middle, 0), this.events - 1);
    this.from = kept - span / 2;
    this.to = kept + span / 2;
  }
  // The event under `x` stays there.
  zoom(factor: number, x = this.width / 2): void {
    const fixed = this.place(x);
    const most = Math.max(LEAST, this.events * 1.02 + 1);
    const span = Math.min(Math.max(this.span * factor, LEAST), most);
    const part = x / this.width;
    this.set(fixed - span * part, fixed + span * (1 - part));
  }
  pan(pixels: number): void {
    const by = pixels / this.pixelsPerEvent;
    this.set(this.from + by, this.to + by);
  }
  // Moves, without zooming out, until `place` is well inside.
  reveal(place: number, atMost = this.span): void {
    const span = Math.min(this.span, atMost);
    const inside = place > this.from + this.span * 0.1 && place < this.to - this.span * 0.1;
    if (inside && span === this.span) return;
    this.set(place - span / 2, place + span / 2);
  }
}
