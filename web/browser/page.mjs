// page.mjs PAGE DIRECTORY: tries everything that the page can do, on the picture of tests/view/small.cc. Screenshots go
// to DIRECTORY.
import assert from "node:assert/strict";
import { openPage, waitUntil } from "./open.mjs";

const [file, directory] = process.argv.slice(2);
const { browser, page, complaints } = await openPage(file, { colorScheme: "light" });
let passed = 0;

async function check(name, body) {
  try {
    await body();
  } catch (error) {
    await page.screenshot({ path: `${directory}/failed.png` });
    console.error(`${name}: ${error.stack}\nsee ${directory}/failed.png`);
    await browser.close();
    process.exit(1);
  }
  passed++;
}
const view = (body, argument) => page.evaluate(body, argument);
const text = (selector) => page.locator(selector).innerText();
const span = () => view(() => anaphoraView.state.viewport.span);
const selected = () => view(() => anaphoraView.state.selected);
// Two frames: the one that is drawn, and the one that shows it.
const settled = () =>
  view(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(undefined)))));
// How many colours there are on the canvas, but for those of a few pixels.
const colours = () =>
  view(() => {
    const canvas = document.getElementById("lanes");
    // From a copy: browsers warn of canvases that are read again and again.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const data = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const counted = new Map();
    for (const pixel of data) counted.set(pixel, (counted.get(pixel) ?? 0) + 1);
    return [...counted.values()].filter((pixels) => pixels > 50).length;
  });
const firstOf = (kind) =>
  view((k) => anaphoraView.execution.sinks.find((e) => anaphoraView.execution.kind[e] === k), kind);

await check("a lane for each thread", async () => {
  assert.equal(await view(() => anaphoraView.execution.lanes.length), 4);
  assert.match(await text("#subtitle"), /^4 threads, [\d,]+ events, [\d,]+ arrows · exit status 0$/);
  assert.equal(await text("#title"), "small");
  const ys = await view(() =>
    anaphoraView.state.rows.map((lane) => anaphoraView.pointOf(anaphoraView.execution.offset[lane]).y),
  );
  assert.deepEqual(
    ys,
    [...ys].sort((a, b) => a - b),
  );
  assert.equal(new Set(ys).size, 4);
});

await check("the whole run is drawn", async () => {
  await settled();
  const all = await colours();
  await view(() => {
    anaphoraView.state.kinds = 0;
    anaphoraView.changed();
  });
  await settled();
  const none = await colours();
  await view(() => {
    anaphoraView.state.kinds = 1023;
    anaphoraView.changed();
  });
  await settled();
  assert.ok(all >= none + 3, `${all} colours with events, ${none} without`);
  await page.screenshot({ path: `${directory}/whole.png` });
});

await check("zoom by wheel keeps what is under the mouse", async () => {
  const before = await span();
  const place = () => view(() => anaphoraView.state.viewport.place(600 - 132));
  const there = await place();
  const box = await page.locator("#lanes").boundingBox();
  await page.mouse.move(box.x + 600, box.y + 200);
  for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -200);
  await waitUntil(page, (s) => anaphoraView.state.viewport.span < s / 3, before);
  assert.ok(Math.abs((await place()) - there) < before / 1000);
});

await check("drag moves", async () => {
  const from = await view(() => anaphoraView.state.viewport.from);
  const box = await page.locator("#lanes").boundingBox();
  await page.mouse.move(box.x + 600, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 300, { steps: 4 });
  await page.mouse.up();
  const moved = (await view(() => anaphoraView.state.viewport.from)) - from;
  const expected = 100 / (await view(() => anaphoraView.state.viewport.pixelsPerEvent));
  assert.ok(Math.abs(moved - expected) < expected * 0.1, `${moved} instead of ${expected}`);
});

await check("search by line, function and variable", async () => {
  for (const [query, least] of [
    ["small.cc:18", 1],
    ["race_for_it", 1],
    ["raced_counter", 1],
    ["ostype", 0],
    ["Linux", 3],
  ]) {
    await page.fill("#query", query);
    const found = await view(() => anaphoraView.state.matches.length);
    assert.ok(found >= least, `${query}: ${found}`);
  }
  await page.fill("#query", "no such thing");
  assert.equal(await text("#matches"), "nothing");
  await page.fill("#query", "raced_counter");
  await page.press("#query", "Enter");
  assert.match(await text("#matches"), /^1 of [\d,]+$/);
  await page.press("#query", "Enter");
  assert.match(await text("#matches"), /^2 of [\d,]+$/);
  await page.press("#query", "Shift+Enter");
  assert.match(await text("#matches"), /^1 of [\d,]+$/);
  assert.match(await text("#panel-event"), /small\.cc:18/);
  assert.match(await text("#panel-event"), /race_for_it\(\)/);
  assert.match(await text("#panel-event .source"), /raced_counter = raced_counter \+ 1/);
});

await check("a click shows the event, its other end and the commands", async () => {
  const sink = await firstOf(0);
  await view((e) => anaphoraView.go(e, 30), sink);
  await view(() => anaphoraView.select(-1));
  await settled();
  const point = await view((e) => anaphoraView.pointOf(e), sink);
  const box = await page.locator("#lanes").boundingBox();
  await page.mouse.click(box.x + point.x, box.y + point.y);
  assert.equal(await selected(), sink);
  const [thread, count] = await view((e) => {
    const a = anaphoraView.execution;
    const lane = a.offset.findLastIndex((offset) => offset <= e);
    return [a.lanes[lane].thread, a.count[e]];
  }, sink);
  const panel = await text("#panel-event");
  assert.match(panel, /access after another thread's/);
  assert.match(panel, /came after\s+thread \d+, event [\d,]+/);
  assert.match(panel, /false sharing/);
  const commands = await page.locator(".command code").allInnerTexts();
  assert.match(commands[0], new RegExp(`^anaphora replay -g ${thread}:${count} /`));
  assert.equal(commands[1], `seek ${thread}:${count}`);
  await page.screenshot({ path: `${directory}/event.png` });
  await page.locator("#panel-event dd .link").last().click();
  const source = await view((e) => anaphoraView.execution.source[e], sink);
  assert.equal(await selected(), source);
  assert.match(await text("#panel-event"), /Came after this/);
});

await check("the command can be copied", async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator(".command button").last().click();
  await waitUntil(page, () => document.querySelectorAll(".command button")[1].textContent === "copied");
});

await check("a call with its result and bytes", async () => {
  await view(() => anaphoraView.find("Linux"));
  const panel = await text("#panel-event");
  assert.match(panel, /system call/);
  assert.match(panel, /read = 6/);
  assert.match(panel, /6 bytes: "Linux\\n"/);
});

await check("the frontier borders the past and the future", async () => {
  const sink = await firstOf(1);
  await view((e) => anaphoraView.go(e, 60), sink);
  const consistent = await view((e) => {
    const { execution: x, state } = anaphoraView;
    const f = state.frontier;
    // Nothing in the past comes after something outside of it.
    for (let lane = 0; lane < x.lanes.length; lane++) {
      for (let i = x.offset[lane]; i <= f.past[lane]; i++) {
        const source = x.source[i];
        if (source < 0) continue;
        const other = x.offset.findLastIndex((offset) => offset <= source);
        if (source > f.past[other]) return `event ${i} of the past needs ${source}`;
        if (x.order[i] > x.order[e]) return `event ${i} of the past is later`;
      }
    }
    return "";
  }, sink);
  assert.equal(consistent, "");
  assert.equal(await page.locator(".frontier tbody tr").count(), 4);
  await settled();
  await page.screenshot({ path: `${directory}/frontier.png` });
  const shown = await page.locator("#lanes").screenshot();
  await page.press("#lanes", "f");
  await settled();
  assert.notDeepEqual(await page.locator("#lanes").screenshot(), shown);
  await page.press("#lanes", "f");
});

await check("filter by kind and thread", async () => {
  await page.click("#tab-filter");
  const boxes = page.locator("#panel-filter input");
  await view(() => anaphoraView.whole());
  await settled();
  const before = await page.locator("#lanes").screenshot();
  await page.getByLabel("access after another thread's").uncheck();
  assert.equal(await view(() => anaphoraView.state.kinds & 1), 0);
  await settled();
  assert.notDeepEqual(await page.locator("#lanes").screenshot(), before);
  await page.getByLabel("access after another thread's").check();
  await page.getByLabel(/^thread 2/).uncheck();
  assert.deepEqual(await view(() => anaphoraView.state.rows), [0, 1, 3]);
  await settled(); // the line below the lanes is written with the next frame
  assert.match(await text("#status"), /1 lanes hidden/);
  await page.getByRole("button", { name: "None" }).click();
  assert.deepEqual(await view(() => anaphoraView.state.rows), []);
  await page.getByRole("button", { name: "All" }).click();
  assert.ok((await boxes.count()) > 6);
  await page.screenshot({ path: `${directory}/filter.png` });
});

await check("lines that cause dependences", async () => {
  await page.click("#tab-lines");
  const first = page.locator(".heat button").first();
  const place = (await first.innerText()).match(/small\.cc:(18|24)/)?.[0]; // which of the two depends on the run
  assert.ok(place);
  assert.match(await text("#panel-lines"), /false sharing.*not in the\s+trace/);
  await page.screenshot({ path: `${directory}/lines.png` });
  await first.click();
  assert.equal(await page.inputValue("#query"), place);
});

await check("keys", async () => {
  await page.press("#query", "Escape");
  await page.keyboard.press("Escape");
  assert.equal(await selected(), -1);
  await page.keyboard.press("0");
  const whole = await span();
  await page.keyboard.press("+");
  assert.ok((await span()) < whole);
  const from = await view(() => anaphoraView.state.viewport.from);
  await page.keyboard.press("ArrowRight");
  assert.ok((await view(() => anaphoraView.state.viewport.from)) > from);
  await page.keyboard.press("n");
  const first = await selected();
  await page.keyboard.press("n");
  assert.equal(await selected(), first + 1);
  await page.keyboard.press("p");
  assert.equal(await selected(), first);
  await page.keyboard.press("ArrowDown");
  const below = await selected();
  assert.ok((await view((e) => anaphoraView.execution.offset.findLastIndex((o) => o <= e), below)) > 0);
  assert.ok((await text("#said")).startsWith("thread 1"));
  const sink = await firstOf(0);
  await view((e) => anaphoraView.go(e), sink);
  await page.press("#lanes", "e");
  assert.equal(await selected(), await view((e) => anaphoraView.execution.source[e], sink));
  await page.keyboard.press("/");
  assert.equal(await view(() => document.activeElement.id), "query");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#keys").isVisible());
  await page.screenshot({ path: `${directory}/keys.png` });
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  assert.ok(
    (await view(() => anaphoraView.state.viewport.to)) >= (await view(() => anaphoraView.execution.events)) - 1,
  );
});

await check("light and dark", async () => {
  const background = () => view(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.press("#lanes", "t");
  const dark = await background();
  assert.notEqual(dark, light);
  await page.screenshot({ path: `${directory}/dark.png` });
  await page.click("#theme");
  assert.equal(await background(), light);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await background(), light, "what was chosen stays");
  const other = await openPage(file, { colorScheme: "dark" });
  assert.equal(await other.page.evaluate(() => getComputedStyle(document.body).backgroundColor), dark);
  await other.browser.close();
});

await check("everything that can be used has a name", async () => {
  const nameless = await view(() =>
    [...document.querySelectorAll("button, input, canvas:not([aria-hidden]), dialog")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
      .map((e) => e.outerHTML),
  );
  assert.deepEqual(nameless, []);
});

await check("a small window", async () => {
  await page.setViewportSize({ width: 420, height: 700 });
  await settled();
  assert.ok(await page.locator("#lanes").isVisible());
  assert.ok(await view(() => document.documentElement.scrollWidth <= 421));
});

await check("no message, error or request", () => assert.deepEqual(complaints, []));

await browser.close();
console.log(`${passed} checks passed`);
