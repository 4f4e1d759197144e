import "./style.css";
import { App } from "./app";
import { decode, fromBase64, inflate } from "./decode";
import { byId, el } from "./dom";
import { listen } from "./input";

declare global {
  interface Window {
    anaphoraView?: App; // for tests and the browser's console
  }
}

async function start(): Promise<void> {
  const holder = byId("picture");
  const text = holder.textContent;
  holder.remove();
  const app = new App(decode(await inflate(fromBase64(text))));
  listen(app);
  window.anaphoraView = app;
  byId("lanes").focus();
}

start().catch((error: unknown) => {
  const why = error instanceof Error ? error.message : String(error);
  byId("stage").replaceChildren(
    el(
      "p",
      { class: "failure", role: "alert" },
      `This page cannot show its picture: ${why}. `,
      "Make it again with `anaphora view`.",
    ),
  );
});
