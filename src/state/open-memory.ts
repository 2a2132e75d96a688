/** Opens an empty state that exists only in memory, for what must leave nothing behind. */
import type { Clock } from "../model/clock.ts";
import type { Random } from "../model/random.ts";
import type { Store } from "../model/store.ts";
import { loadDriver } from "./db/driver.ts";
import { kyselyOver } from "./db/sqlite.ts";
import { createNewest } from "./migrations/create-newest.ts";
import { createStore } from "./store.ts";

export function openMemory(deps: { readonly clock: Clock; readonly random: Random }): Store {
  const handle = new (loadDriver())(":memory:");
  createNewest(handle, deps.clock);
  const db = kyselyOver(handle, deps.clock);
  return createStore(db, deps, () => db.destroy());
}
