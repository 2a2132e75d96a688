/**
 * Adds, lists and ends silences and snoozes. `silenced-deliveries.ts` stores which deliveries
 * silences hold back, and `snoozed-deliveries.ts` until when snoozes do.
 */
import { takeClick } from "../messages/clicks.ts";
import type { Selectable } from "kysely";
import type { HoldOutcome, HoldRequest, NewSilence, StoredSilence } from "../../model/silence.ts";
import { recordAudit } from "../db/audit.ts";
import { fromText, toText } from "../db/json-text.ts";
import { nextNumbers } from "../db/sequence.ts";
import { type Executor, statement, transact } from "../db/statement.ts";
import type { SilencesTable } from "../db/outbox-tables.ts";
import { moveSnoozeEnd } from "./snoozed-deliveries.ts";

/** A request that would move the end of an active silence by less than this changes nothing. */
const MIN_EXTENSION_MS = 60_000;

export function addSilence(db: Executor, silence: NewSilence): Promise<StoredSilence> {
  return transact(db, async (on) => {
    const stored = await insert(on, silence);
    const { id, matchers, author, sinks } = stored;
    const where = sinks.length === 0 ? {} : { sinks: [...sinks] };
    const detail = { silence: id, matchers: [...matchers], author, ...where };
    await recordAudit(on, silence.startsAtMs, "silence add", detail);
    return stored;
  });
}

async function insert(on: Executor, silence: NewSilence): Promise<StoredSilence> {
  const id = (await nextNumbers(on, "silence", 1))(0);
  const { kind = "silence", sinks = [], eventId = null } = silence;
  const { matchers, startsAtMs, endsAtMs, author, comment } = silence;
  const row = {
    ...{ id, kind, sinks: sinks.length === 0 ? null : toText(sinks), event_id: eventId },
    ...{ matchers: toText(matchers), starts_at: startsAtMs, ends_at: endsAtMs, author, comment },
  };
  await on.insertInto("silences").values(row).execute();
  return { ...silence, kind, sinks, eventId, id: String(id) };
}

/** Adds or extends silences. Runs alone on Postgres, so that two requests do not both add one. */
export function holdBack(db: Executor, request: HoldRequest): Promise<readonly HoldOutcome[]> {
  const { action, what, by, from, atMs, silences, click } = request;
  return transact(db, async (on) => {
    if (click !== undefined && !(await takeClick(on, click, atMs))) return [];
    const outcomes: HoldOutcome[] = [];
    for (const silence of silences) outcomes.push(await addOrExtend(on, silence, atMs));
    const changed = outcomes.filter(({ change }) => change !== "unchanged");
    if (changed.length > 0)
      await recordAudit(on, atMs, action, {
        ...{ what, silences: changed.map(({ silence }) => silence.id) },
        ...{ sinks: changed.flatMap(({ silence }) => [...silence.sinks]), by, from },
      });
    return outcomes;
  });
}

async function addOrExtend(on: Executor, silence: NewSilence, nowMs: number): Promise<HoldOutcome> {
  const { kind = "silence", sinks = [], matchers, endsAtMs } = silence;
  const rows = await on
    .selectFrom("silences")
    .selectAll()
    .where("kind", "=", kind)
    .where("sinks", "=", toText(sinks))
    .where("matchers", "=", toText(matchers))
    .where("ends_at", ">", nowMs)
    .orderBy("ends_at", "desc")
    .limit(1)
    .execute();
  const [row] = rows;
  if (row === undefined) return { silence: await insert(on, silence), change: "added" };
  const active = silenceOf(row);
  if (endsAtMs < active.endsAtMs + MIN_EXTENSION_MS)
    return { silence: active, change: "unchanged" };
  return { silence: await moveEnd(on, active, endsAtMs), change: "extended" };
}

async function moveEnd(
  on: Executor,
  silence: StoredSilence,
  endsAtMs: number,
): Promise<StoredSilence> {
  const { id, kind } = silence;
  await on
    .updateTable("silences")
    .set({ ends_at: endsAtMs })
    .where("id", "=", Number(id))
    .execute();
  if (kind === "snooze") await moveSnoozeEnd(on, id, endsAtMs);
  return { ...silence, endsAtMs };
}

const allSilences = statement<object>()((on) =>
  on.selectFrom("silences").selectAll().orderBy("id"),
);

export const listSilences = async (db: Executor): Promise<readonly StoredSilence[]> =>
  (await allSilences(db, {})).rows.map(silenceOf);

export function expireSilence(
  db: Executor,
  id: string,
  nowMs: number,
  by?: string,
): Promise<StoredSilence | undefined> {
  return transact(db, async (on) => {
    if (!/^\d{1,15}$/.test(id)) return undefined;
    const row = await on
      .selectFrom("silences")
      .selectAll()
      .where("id", "=", Number(id))
      .executeTakeFirst();
    if (row === undefined || Number(row.ends_at) <= nowMs) return row && silenceOf(row);
    const ended = await moveEnd(on, silenceOf(row), nowMs);
    await recordAudit(on, nowMs, `${row.kind} expire`, {
      silence: id,
      ...(by === undefined ? {} : { by }),
    });
    return ended;
  });
}

const silenceOf = (row: Selectable<SilencesTable>): StoredSilence => ({
  id: String(row.id),
  kind: row.kind,
  sinks: row.sinks === null ? [] : fromText<readonly string[]>(row.sinks),
  eventId: row.event_id,
  matchers: fromText(row.matchers),
  startsAtMs: Number(row.starts_at),
  endsAtMs: Number(row.ends_at),
  author: row.author,
  comment: row.comment,
});
