/**
 * Explains why deliveries wait: finds the cause for a single row, and counts all waiting deliveries
 * by sink and cause.
 */
import { readDigestGroup } from "../../model/digest.ts";
import type { Wait, WaitCause, WaitCount } from "../../model/waiting.ts";
import { GROUPED, OPEN, SINGLE, WAITING } from "../db/literals.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";

export interface WaitRow {
  readonly state: string;
  readonly group_key: string;
  readonly not_before: number;
  readonly held_by: string | null;
  readonly due_at: number;
  readonly message_state: string | null;
  readonly next_attempt_at: number | null;
  readonly error: string | null;
  /** The mute that holds the delivery's message back until the next attempt. */
  readonly message_held_by: string | null;
  /** The state of the message that the delivery's message is posted under. */
  readonly parent_state: string | null;
}

/** Returns why a delivery waits; null if it does not. */
export function waitOf(row: WaitRow, nowMs: number): Wait | null {
  if (row.message_state === "open") return waitOfMessage(row, nowMs);
  if (row.state !== "waiting") return null;
  if (row.not_before > nowMs)
    return { cause: "held", untilMs: row.not_before, about: row.held_by ?? "" };
  if (row.due_at <= nowMs) return { cause: "queued", untilMs: null, about: "" };
  const digest = readDigestGroup(row.group_key);
  if (digest !== undefined)
    return { cause: CAUSES[digest.cause], untilMs: row.due_at, about: digest.name };
  return { cause: "grouped", untilMs: row.due_at, about: row.group_key };
}

const CAUSES = {
  throttle: "throttled",
  return: "returning",
  backfill: "backfilled",
  schedule: "scheduled",
  snooze: "held",
} as const satisfies Record<string, WaitCause>;

function waitOfMessage(
  { error, next_attempt_at: nextAt, message_held_by: by, parent_state: parent }: WaitRow,
  nowMs: number,
): Wait {
  if (by !== null && nextAt !== null && nextAt > nowMs)
    return { cause: "held", untilMs: nextAt, about: by };
  if (parent === "open") return { cause: "threaded", untilMs: null, about: "" };
  if (error === null || error === "") return { cause: "queued", untilMs: null, about: "" };
  return {
    cause: "retrying",
    untilMs: nextAt !== null && nextAt > nowMs ? nextAt : null,
    about: error,
  };
}

/**
 * Counts waiting deliveries by sink and cause. The table also holds months of other deliveries, and
 * a hundred thousand may wait. So rows are counted in indexes, and one of the deliveries with the
 * same due time or group says why all of them wait.
 */
export async function countWaiting(db: Executor, nowMs: number): Promise<readonly WaitCount[]> {
  const singles = [...(await dueSingles(db, nowMs)), ...(await laterSingles(db, nowMs))];
  const groups = await waitingGroups(db);
  const samples = await sampleRows(
    db,
    [...singles, ...groups].flatMap(({ dueAtMs, sample }) => (dueAtMs > nowMs ? [sample] : [])),
  );
  const counts = [...singles, ...groups].flatMap(
    ({ sink, count, dueAtMs, sample }): WaitCount[] => {
      const wait = waitOf({ ...(samples.get(sample) ?? DUE), due_at: dueAtMs }, nowMs);
      return wait === null ? [] : [{ ...wait, sink, count }];
    },
  );
  return [...counts, ...(await sealed(db, nowMs))];
}

/** Deliveries that wait for the same reason. */
interface Alike {
  readonly sink: string;
  readonly count: number;
  readonly dueAtMs: number;
  /**
   * The id of one of these deliveries; 0 if they are due, because then no row is needed to find the
   * cause.
   */
  readonly sample: number;
}

const UNSEALED = {
  state: "waiting",
  message_state: null,
  next_attempt_at: null,
  error: null,
  message_held_by: null,
  parent_state: null,
} as const;
const DUE = { ...UNSEALED, group_key: "", not_before: 0, held_by: null, due_at: 0 } as const;

const countDue = statement<{ now: number }>()((on, slot) =>
  on
    .selectFrom("deliveries")
    .select((eb) => ["sink", eb.fn.countAll<number>().as("count")])
    .where("state", "=", WAITING)
    .where("grouped", "=", SINGLE)
    .where("due_at", "<=", slot("now"))
    .groupBy("sink"),
);

async function dueSingles(db: Executor, nowMs: number): Promise<readonly Alike[]> {
  const { rows } = await countDue(db, { now: nowMs });
  return rows.map(({ sink, count }) => ({ sink, count: Number(count), dueAtMs: 0, sample: 0 }));
}

const countLater = statement<{ now: number }>()((on, slot) =>
  on
    .selectFrom("deliveries")
    .select((eb) => [
      "sink",
      "due_at",
      eb.fn.countAll<number>().as("count"),
      eb.fn.min("id").as("sample"),
    ])
    .where("state", "=", WAITING)
    .where("grouped", "=", SINGLE)
    .where("due_at", ">", slot("now"))
    .groupBy(["sink", "due_at"]),
);

async function laterSingles(db: Executor, nowMs: number): Promise<readonly Alike[]> {
  const { rows } = await countLater(db, { now: nowMs });
  return rows.map(({ sink, due_at: dueAt, count, sample }) => ({
    sink,
    count: Number(count),
    dueAtMs: Number(dueAt),
    sample: Number(sample),
  }));
}

const countGrouped = statement<object>()((on) =>
  on
    .selectFrom("deliveries")
    .select((eb) => [
      "sink",
      "group_key",
      eb.fn.countAll<number>().as("count"),
      eb.fn.min("id").as("sample"),
    ])
    .where("state", "=", WAITING)
    .where("grouped", "=", GROUPED)
    .groupBy(["sink", "group_key"]),
);
const groupTimers = statement<object>()((on) =>
  on.selectFrom("groups").select(["sink", "group_key", "due_at"]).where("due_at", "is not", null),
);

async function waitingGroups(db: Executor): Promise<readonly Alike[]> {
  const { rows } = await countGrouped(db, {});
  if (rows.length === 0) return [];
  const { rows: timers } = await groupTimers(db, {});
  const dueAt = new Map(
    timers.map((timer) => [`${timer.sink}\n${timer.group_key}`, Number(timer.due_at)]),
  );
  return rows.map(({ sink, group_key: groupKey, count, sample }) => {
    const dueAtMs = dueAt.get(`${sink}\n${groupKey}`) ?? 0;
    return { sink, count: Number(count), dueAtMs, sample: Number(sample) };
  });
}

const samplesById = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select(["id", "group_key", "not_before", "held_by"])
    .where("id", "in", list),
);

async function sampleRows(
  db: Executor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Omit<WaitRow, "due_at">>> {
  const { rows } = await samplesById(db, ids, {});
  return new Map(rows.map(({ id, ...row }) => [id, { ...UNSEALED, ...row }]));
}

const countSealed = statement<object>()((on) =>
  on
    .selectFrom("messages as m")
    .leftJoin("messages as parent", "parent.id", "m.parent_id")
    .select((eb) => [
      "m.sink",
      "m.error",
      "m.held_by",
      "parent.state as parent_state",
      eb.fn.countAll<number>().as("count"),
    ])
    .select((eb) => eb.fn.min("m.next_attempt_at").as("next_attempt_at"))
    .where("m.state", "=", OPEN)
    .groupBy(["m.sink", "m.error", "m.held_by", "parent.state"])
    .orderBy("m.sink"),
);

async function sealed(db: Executor, nowMs: number): Promise<readonly WaitCount[]> {
  const { rows } = await countSealed(db, {});
  const none = { ...DUE, state: "sealed", message_state: "open" };
  return rows.flatMap(
    ({ sink, error, count, held_by: by, next_attempt_at: next, parent_state: parent }) => {
      const wait = waitOf(
        {
          ...none,
          error,
          next_attempt_at: Number(next),
          message_held_by: by,
          parent_state: parent,
        },
        nowMs,
      );
      return wait === null ? [] : [{ ...wait, sink, count: Number(count) }];
    },
  );
}
