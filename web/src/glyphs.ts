// The shapes of events.
import type { Shape } from "./kinds";

const TURN = Math.PI * 2;

// Adds the shape around (x, y) to the path. Hollow ones are to be stroked, the others filled.
export function isHollow(shape: Shape): boolean {
  return shape === "ring" || shape === "hollow" || shape === "cross";
}

export function addShape(to: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number): void {
  switch (shape) {
    case "diamond":
      to.moveTo(x, y - r * 1.25);
      to.lineTo(x + r * 1.1, y);
      to.lineTo(x, y + r * 1.25);
      to.lineTo(x - r * 1.1, y);
      to.closePath();
      break;
    case "circle":
      to.moveTo(x + r, y);
      to.arc(x, y, r, 0, TURN);
      break;
    case "ring":
      to.moveTo(x + r * 0.8, y);
      to.arc(x, y, r * 0.8, 0, TURN);
      break;
    case "square":
      to.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
      break;
    case "hollow":
      to.rect(x - r * 0.8, y - r * 0.8, r * 1.6, r * 1.6);
      break;
    case "triangle":
      to.moveTo(x, y - r * 1.1);
      to.lineTo(x + r * 1.1, y + r * 0.9);
      to.lineTo(x - r * 1.1, y + r * 0.9);
      to.closePath();
      break;
    case "bar":
      to.rect(x - r * 0.35, y - r * 2, r * 0.7, r * 4);
      break;
    case "letter":
      to.moveTo(x - r * 1.2, y - r * 0.8);
      to.lineTo(x, y + r * 0.1);
      to.lineTo(x + r * 1.2, y - r * 0.8);
      to.lineTo(x + r * 1.2, y + r * 0.9);
      to.lineTo(x - r * 1.2, y + r * 0.9);
      to.closePath();
      break;
    case "star":
      for (let i = 0; i < 10; i++) {
        const length = i % 2 === 0 ? r * 1.4 : r * 0.6;
        const angle = (i / 10) * TURN - Math.PI / 2;
        if (i === 0) to.moveTo(x + length * Math.cos(angle), y + length * Math.sin(angle));
        else to.lineTo(x + length * Math.cos(angle), y + length * Math.sin(angle));
      }
      to.closePath();
      break;
    case "cross":
      to.moveTo(x - r, y - r);
      to.lineTo(x + r, y + r);
      to.moveTo(x + r, y - r);
      to.lineTo(x - r, y + r);
      break;
  }
}
