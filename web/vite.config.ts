import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One page with everything in it, for share/view.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
  },
});
