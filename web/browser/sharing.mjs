// sharing.mjs PAGE DIRECTORY: the picture of tests/view/neighbours.cc, made with its references.
import assert from "node:assert/strict";
import { openPage } from "./open.mjs";

const SAME = 1;
const NEIGHBOURS = 2;
const [file, directory] = process.argv.slice(2);
const { browser, page, complaints } = await openPage(file);
try {
  await page.click("#tab-lines");
  const lines = await page.locator(".heat button").allInnerTexts();
  const own = lines.find((text) => text.includes("count_own"));
  const shared = lines.find((text) => text.includes("count_shared"));
  assert.match(own ?? "", /by false sharing/);
  assert.ok(shared && !shared.includes("false sharing"), shared);
  await page.screenshot({ path: `${directory}/sharing.png` });
  const select = (fn, sharing) =>
    page.evaluate(
      ([name, wanted]) => {
        const e = anaphoraView.execution;
        const accesses = [...e.sinks].filter((event) => e.kind[event] === 0);
        const found = accesses.find(
          (event, i) => e.sharing[i] === wanted && e.places[e.place[event]].function.includes(name),
        );
        anaphoraView.go(found);
      },
      [fn, sharing],
    );
  await select("count_own", NEIGHBOURS);
  const panel = page.locator("#panel-event");
  assert.match(await panel.innerText(), /false sharing\s+0x[0-9a-f]+: the other thread used neighbours/);
  await select("count_shared", SAME);
  assert.match(await panel.innerText(), /shared\s+0x[0-9a-f]+, by both threads/);
  assert.deepEqual(complaints, []);
  console.log(`${lines.length} lines`);
} finally {
  await browser.close();
}
