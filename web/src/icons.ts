// The shape of a kind as an image, for legends.
import { KINDS } from "./kinds";
import { addShape, isHollow } from "./glyphs";
import type { Colours } from "./theme";

export function icon(kind: number, colours: Colours): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const scale = devicePixelRatio || 1;
  canvas.width = canvas.height = 18 * scale;
  canvas.className = "icon";
  canvas.setAttribute("aria-hidden", "true");
  const c = canvas.getContext("2d")!;
  c.scale(scale, scale);
  c.fillStyle = c.strokeStyle = colours[KINDS[kind].colour] ?? "#888";
  c.lineWidth = 2;
  c.beginPath();
  addShape(c, KINDS[kind].shape, 9, 9, KINDS[kind].shape === "bar" ? 3.6 : 5.2);
  if (isHollow(KINDS[kind].shape)) c.stroke();
  else c.fill();
  return canvas;
}
