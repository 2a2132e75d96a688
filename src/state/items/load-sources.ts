/** Loads the memory of each source, which its polls have stored. */
import type { SourceState } from "../../model/poll-store.ts";
import { fromText } from "../db/json-text.ts";
import { type Executor, listStatement } from "../db/statement.ts";

const byFingerprint = listStatement<object, string>()((on, list) =>
  on.selectFrom("sources").selectAll().where("fingerprint", "in", list),
);

/**
 * Returns the states in the order of the fingerprints. A source that was never polled has an empty
 * memory and revision 0.
 */
export async function loadSources(
  db: Executor,
  fingerprints: readonly string[],
): Promise<readonly SourceState[]> {
  const { rows } = await byFingerprint(db, fingerprints, {});
  const known = new Map(rows.map((row) => [row.fingerprint, row]));
  return fingerprints.map((fingerprint) => {
    const row = known.get(fingerprint);
    if (row === undefined)
      return { fingerprint, memory: {}, revision: 0, lastPollAtMs: null, lastOkAtMs: null };
    return {
      fingerprint,
      memory: fromText(row.memory),
      revision: row.revision,
      lastPollAtMs: row.last_poll_at,
      lastOkAtMs: row.last_ok_at,
    };
  });
}
