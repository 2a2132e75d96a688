/**
 * The state of a daemon that was started and stopped and found nothing. Creating one takes longer
 * than many tests, so it is copied.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../src/model/log.ts";
import { openStore } from "../../src/state/open.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { makeStateFolder } from "./state-folder.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

const image = await createImage();

async function createImage(): Promise<Buffer> {
  const folder = makeStateFolder();
  const path = join(folder, "state.db");
  const store = await openStore({
    path,
    clock: createVirtualClock(0),
    random: createSeededRandom(1),
    log: silent,
  });
  await store.close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Creates a folder with such a state as `state.db`. The caller removes it. */
export function makeEmptyState(): string {
  const folder = makeStateFolder();
  writeFileSync(join(folder, "state.db"), image, { mode: 0o600 });
  return folder;
}
