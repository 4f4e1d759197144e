// speed.mjs LARGE SMALL [--json]: how long a page with a million events takes to open, and how many frames a second it
// shows while it moves, at every level of detail. As a test it compares with a small page on the same machine at the
// same time, since absolute numbers say more about the machine.
import assert from "node:assert/strict";
import { openPage } from "./open.mjs";

const [large, small] = process.argv.slice(2);
const LEAST_PART = 1 / 15; // of the small page's frames: drawing every event would give a thousandth

// Frames a second while the picture moves for a while, with `span` events in view.
function frames(page, span) {
  return page.evaluate(
    (wanted) =>
      new Promise((done) => {
        const app = anaphoraView;
        const v = app.state.viewport;
        const middle = app.execution.events / 2;
        v.set(middle - wanted / 2, middle + wanted / 2);
        const begun = performance.now();
        const before = app.frames;
        const step = (now) => {
          v.pan(7);
          app.changed();
          if (now - begun < 1500) requestAnimationFrame(step);
          else done(((app.frames - before) * 1000) / (performance.now() - begun));
        };
        requestAnimationFrame(step);
      }),
    span,
  );
}

async function measure(file) {
  const { browser, page, complaints, openedIn } = await openPage(file);
  const events = await page.evaluate(() => anaphoraView.execution.events);
  const rates = {};
  for (let span = events; span > 40; span /= 10) rates[Math.round(span)] = await frames(page, span);
  const time = (body) =>
    page.evaluate(`(() => { const t = performance.now(); ${body}; return performance.now() - t; })()`);
  const select = await time("anaphoraView.go(anaphoraView.execution.sinks[anaphoraView.execution.sinks.length >> 1])");
  const search = await time("anaphoraView.find('read')");
  const lines = await time("anaphoraView.show('lines')");
  await browser.close();
  assert.deepEqual(complaints, []);
  return { events, openedIn, rates, select, search, lines };
}

const reference = await measure(small);
const result = await measure(large);
if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ large: result, small: reference }, null, 2));
  process.exit(0);
}
assert.ok(result.events >= 1_000_000, `the large page has only ${result.events} events`);
const best = Math.max(...Object.values(reference.rates));
for (const [span, rate] of Object.entries(result.rates)) {
  assert.ok(
    rate > best * LEAST_PART,
    `${rate.toFixed(1)} frames a second with ${span} events in view; ${best.toFixed(1)} of a small page`,
  );
}
console.log(
  `${result.events} events opened in ${(result.openedIn / 1000).toFixed(2)} s, moved at ` +
    `${Math.min(...Object.values(result.rates)).toFixed(0)} frames a second at least; a small page at ${best.toFixed(0)}`,
);
