// ranks.mjs PAGE RANKS DIRECTORY: the picture of an MPI job whose rank 0 received messages from any source.
import assert from "node:assert/strict";
import { openPage } from "./open.mjs";

const [file, ranks, directory] = process.argv.slice(2);
const MESSAGE = 7;
const { browser, page, complaints } = await openPage(file);
try {
  const lanes = await page.evaluate(() => anaphoraView.execution.lanes.map((lane) => lane.name));
  assert.deepEqual(
    lanes,
    Array.from({ length: Number(ranks) }, (_, rank) => `rank ${rank}`),
  );
  const messages = await page.evaluate(
    (kind) => [...anaphoraView.execution.sinks].filter((event) => anaphoraView.execution.kind[event] === kind),
    MESSAGE,
  );
  assert.ok(messages.length > 0, "no message is there");
  await page.evaluate((event) => anaphoraView.go(event, 30), messages[0]);
  const panel = await page.locator("#panel-event").innerText();
  assert.match(panel, /message received/);
  assert.match(panel, /from rank \d+, tag \d+/);
  assert.match(panel, /when it was sent is not recorded/);
  assert.equal(await page.locator(".command").count(), 0, "nobody can seek in a rank");
  await page.screenshot({ path: `${directory}/ranks.png` });
  await page.click("#tab-lines");
  assert.match(await page.locator("#panel-lines").innerText(), /received, [\d,]+ raced/);
  assert.deepEqual(complaints, []);
  console.log(`${messages.length} messages`);
} finally {
  await browser.close();
}
