/**
 * Adds, lists and ends silences. `silenced-deliveries.ts` stores which deliveries they hold back.
 */
import type { Selectable } from "kysely";
import type { NewSilence, StoredSilence } from "../../model/silence.ts";
import { recordAudit } from "../db/audit.ts";
import { fromText, toText } from "../db/json-text.ts";
import { nextNumbers } from "../db/sequence.ts";
import { type Executor, transact } from "../db/statement.ts";
import type { SilencesTable } from "../db/outbox-tables.ts";

export function addSilence(db: Executor, silence: NewSilence): Promise<StoredSilence> {
  return transact(db, async (on) => {
    const id = (await nextNumbers(on, "silence", 1))(0);
    const { matchers, startsAtMs, endsAtMs, author, comment } = silence;
    const row = {
      id,
      matchers: toText(matchers),
      starts_at: startsAtMs,
      ends_at: endsAtMs,
      author,
      comment,
    };
    await on.insertInto("silences").values(row).execute();
    await recordAudit(on, startsAtMs, "silence add", { silence: String(id), matchers, author });
    return { ...silence, id: String(id) };
  });
}

export async function listSilences(db: Executor): Promise<readonly StoredSilence[]> {
  const rows = await db.selectFrom("silences").selectAll().orderBy("id").execute();
  return rows.map(silenceOf);
}

export function expireSilence(
  db: Executor,
  id: string,
  nowMs: number,
): Promise<StoredSilence | undefined> {
  return transact(db, async (on) => {
    if (!/^\d{1,15}$/.test(id)) return undefined;
    const row = await on
      .selectFrom("silences")
      .selectAll()
      .where("id", "=", Number(id))
      .executeTakeFirst();
    if (row === undefined || Number(row.ends_at) <= nowMs) return row && silenceOf(row);
    await on.updateTable("silences").set({ ends_at: nowMs }).where("id", "=", row.id).execute();
    await recordAudit(on, nowMs, "silence expire", { silence: id });
    return silenceOf({ ...row, ends_at: nowMs });
  });
}

const silenceOf = (row: Selectable<SilencesTable>): StoredSilence => ({
  id: String(row.id),
  matchers: fromText(row.matchers),
  startsAtMs: Number(row.starts_at),
  endsAtMs: Number(row.ends_at),
  author: row.author,
  comment: row.comment,
});
