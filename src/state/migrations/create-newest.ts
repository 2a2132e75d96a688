/**
 * Gives an empty state file the newest schema at once: the migrations one by one cost a first start
 * seven times as much.
 */
import { type Clock, isoTime } from "../../model/clock.ts";
import type { SqliteHandle } from "../db/driver.ts";
import { MIGRATIONS } from "./migrate.ts";
import { NEWEST_SCHEMA } from "./newest-schema.ts";

/** Creates the whole schema in one transaction, and records every migration as done. */
export function createNewest(handle: SqliteHandle, clock: Clock): void {
  const create = handle.transaction(() => {
    handle.exec(NEWEST_SCHEMA);
    const note = handle.prepare("insert into kysely_migration (name, timestamp) values (?, ?)");
    const at = isoTime(clock.now());
    for (const name of Object.keys(MIGRATIONS)) note.run(name, at);
  });
  create.immediate();
}
