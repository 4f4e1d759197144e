// The page in share/view is what this source builds: builds it anew and compares.
import { readFileSync } from "node:fs";
import { build } from "vite";

const built = new URL("../dist/index.html", import.meta.url);
const shipped = new URL("../../share/view/index.html", import.meta.url);
await build({ logLevel: "error", root: new URL("..", import.meta.url).pathname });
if (readFileSync(built, "utf8") !== readFileSync(shipped, "utf8")) {
  console.error("share/view/index.html is not what web/ builds: run `make page` and commit it");
  process.exit(1);
}
console.log("share/view/index.html is what web/ builds");
