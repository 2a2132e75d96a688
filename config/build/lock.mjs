/**
 * Writes three facts about the SQLite drivers into package-lock.json that npm leaves out: `npm run
 * lock`, after each `npm install`. `npm ci` goes by the lock file. Without them it would run
 * node-gyp for release 13, which brings its binaries; fetch and compile release 12 where release 13
 * is used; and compile it on Node 20 without a word, for more than a minute. prepare.mjs builds it
 * there instead.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Releases of Node that have no Node-API 10, which release 13 needs (src/state/db/driver.ts). */
const NODE_WITHOUT_NAPI_10 = "<22.14 || >=23 <23.6";

/**
 * Returns the text of a lock file with the facts in it; the same text if they stand there already.
 */
export function completeLock(text) {
  const lock = JSON.parse(text);
  const prebuilt = lock.packages["node_modules/better-sqlite3"];
  const compiled = lock.packages["node_modules/better-sqlite3-node20"];
  Object.assign(prebuilt, { gypfile: false });
  Object.assign(compiled, { gypfile: false, engines: { node: NODE_WITHOUT_NAPI_10 } });
  delete compiled.hasInstallScript;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const path = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "package-lock.json");
  writeFileSync(path, completeLock(readFileSync(path, "utf8")));
}
