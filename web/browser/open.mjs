// A page of `anaphora view` in headless Chromium. Any message on the console, error, or request that leaves the page is
// kept, for the test to find none.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const WAIT = 60_000;

function findChromium() {
  const named = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(named)) throw new Error(`${named} is missing: install chromium, or set CHROMIUM`);
  return named;
}

// Playwright's own waitForFunction evaluates text in the page, which the page does not allow.
export async function waitUntil(page, predicate, argument) {
  const until = performance.now() + WAIT;
  while (!(await page.evaluate(predicate, argument))) {
    if (performance.now() > until) throw new Error(`waited in vain for ${predicate}`);
    await page.waitForTimeout(10);
  }
}

export async function openPage(file, options = {}) {
  // Without the sandbox, which a container does not allow; the page is ours.
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"], timeout: WAIT });
  const page = await browser.newPage({ viewport: { width: 1400, height: 800 }, ...options });
  page.setDefaultTimeout(WAIT);
  const url = pathToFileURL(file).href;
  const complaints = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:") && !request.url().startsWith("blob:")) {
      complaints.push(`request: ${request.url()}`);
    }
  });
  const begun = performance.now();
  await page.goto(url, { timeout: WAIT });
  await waitUntil(page, () => window.anaphoraView?.frames > 0);
  return { browser, page, complaints, openedIn: performance.now() - begun };
}
