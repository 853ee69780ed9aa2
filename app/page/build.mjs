// Bundles the page: `node build.mjs [FOLDER]` writes index.html, app.js, app.css and LICENSES.txt; by default to static/.
import { createHash } from "node:crypto";
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "static");
mkdirSync(out, { recursive: true });
const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

await build({
  entryPoints: { app: join(here, "src/main.tsx") },
  bundle: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  charset: "utf8",
  outdir: out,
  logLevel: "warning",
});
await build({
  entryPoints: { app: join(here, "src/app.css") },
  bundle: true,
  minify: true,
  charset: "utf8",
  outdir: out,
  logLevel: "warning",
});
// What is asked for by its version may be kept for good.
const index = readFileSync(join(here, "src/index.html"), "utf8").replace(/app\.(css|js)(?=")/g, (name) => {
  const version = createHash("sha256").update(readFileSync(join(out, name))).digest("hex").slice(0, 12);
  return `${name}?v=${version}`;
});
writeFileSync(join(out, "index.html"), index);
const licences = Object.keys(dependencies).map((name) => {
  const { version } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(join(out, "LICENSES.txt"), `app.js holds, in part:\n\n${licences.join("\n")}`);
