/** State files in fresh temporary folders, opened with a virtual clock and a log that remembers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Log } from "../../src/model/log.ts";
import { type OpenedStore, type OpenOptions, openStore } from "../../src/state/open.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { makeEmptyState } from "../support/empty-state.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export const START_MS = Date.UTC(2026, 0, 15, 12, 0, 0);

/** Removed after the test. */
export function tempFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "chirpwatch-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * An empty state, for tests that do not depend on the disk, for which a state waits at every
 * commit. Removed after the test.
 */
export function memoryStatePath(): string {
  const folder = makeEmptyState();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "state.db");
}

export const tempStatePath = (): string => join(tempFolder(), "data", "chirpwatch.db");

export interface RememberedLog extends Log {
  readonly lines: readonly { readonly level: string; readonly message: string }[];
}

export function rememberingLog(): RememberedLog {
  const lines: { level: string; message: string }[] = [];
  const at = (level: string) => (message: string) => {
    lines.push({ level, message });
  };
  const log: RememberedLog = {
    lines,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => log,
  };
  return log;
}

/** Closed after the test, whatever it does. */
export async function openTemp(
  path: string,
  options: Partial<OpenOptions> = {},
): Promise<OpenedStore> {
  const clock = createVirtualClock(START_MS);
  const store = await openStore({
    path,
    clock,
    random: createSeededRandom(1),
    log: rememberingLog(),
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}
