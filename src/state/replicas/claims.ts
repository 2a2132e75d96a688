/**
 * Stores which of the daemons that share a state does which work. Each change increases a counter
 * that all of them read at intervals.
 */
import { sql } from "kysely";
import type {
  ChangedWatches,
  ReplicaState,
  ReplicaStore,
  Work,
  WorkClaim,
} from "../../model/replicas.ts";
import { keepValue, keptValues } from "../db/housekeeping.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, insertRows, statement, transact } from "../db/statement.ts";

const COUNTERS = ["shares", "announcements"] as const;

const upsert = insertRows("claims", ["kind", "key", "cost", "replica", "wanted"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.columns(["kind", "key"]).doUpdateSet((eb) => ({
      cost: eb.ref("excluded.cost"),
      replica: eb.ref("excluded.replica"),
      wanted: eb.ref("excluded.wanted"),
    })),
  ),
);

const AT_ONCE = 500;

/**
 * The number of newest rows that replicas compare to notice new ones. A transaction may be
 * committed after others that have taken higher numbers, but not after this many.
 */
const NEWEST = sql.lit(300);

/**
 * Reads in one round trip everything whose changes replicas notice, because each replica asks
 * several times a second. The sums change with each new row, even if another row has a higher
 * number.
 */
const readShareNews = statement<object>()((on) =>
  on.selectNoFrom((eb) => [
    eb
      .selectFrom(
        eb.selectFrom("deliveries").select("id").orderBy("id", "desc").limit(NEWEST).as("newest"),
      )
      .select(({ fn }) => fn.sum<number | null>("id").as("sum"))
      .as("deliveries"),
    eb
      .selectFrom(
        eb.selectFrom("events").select("seq").orderBy("seq", "desc").limit(NEWEST).as("newest"),
      )
      .select(({ fn }) => fn.sum<number | null>("seq").as("sum"))
      .as("events"),
    ...COUNTERS.map((name) =>
      eb.selectFrom("housekeeping").select("value").where("name", "=", sql.lit(name)).as(name),
    ),
  ]),
);

export const replicaStore = (db: Executor): ReplicaStore => ({
  replicas: () => replicas(db),
  claims: () => db.selectFrom("claims").selectAll().orderBy("kind").orderBy("key").execute(),
  claimsOf: (replica) =>
    db.selectFrom("claims").selectAll().where("replica", "=", replica).execute(),
  saveClaims: (changed, removed) => transact(db, (on) => saveClaims(on, changed, removed)),
  handOver: (replica) =>
    transact(db, async (on) => {
      await on
        .updateTable("claims")
        .set((eb) => ({ replica: eb.ref("wanted") }))
        .where("replica", "=", replica)
        .where("wanted", "<>", replica)
        .execute();
      await countUp(on, "shares");
    }),
  setReplicaConfig: (replica, config) =>
    transact(db, async (on) => {
      await on.updateTable("replicas").set({ config }).where("id", "=", replica).execute();
      await countUp(on, "shares");
    }),
  async shareNews() {
    const news = (await readShareNews(db, {})).rows[0];
    return {
      revision: Number(news?.shares ?? 0),
      announcements: Number(news?.announcements ?? 0),
      arrivals: Number(news?.deliveries ?? 0) + Number(news?.events ?? 0),
    };
  },
  announce: (watches) =>
    transact(db, async (on) => {
      const number = await countUp(on, "announcements");
      await keepValue(on, placeOf(number), toText({ number, watches }));
      return number;
    }),
  announced: (after, upTo) => announced(db, after, upTo),
});

/**
 * The number of characters of its id that a replica's name contains, to distinguish the replica
 * from others on the same host.
 */
const NAMED_BY = 4;

async function replicas(db: Executor): Promise<readonly ReplicaState[]> {
  const rows = await db
    .selectFrom("replicas")
    .selectAll()
    .orderBy("joined_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id, host, config, leads, joined_at: joinedAtMs }) => ({
    id,
    name: `${host}#${id.slice(0, NAMED_BY)}`,
    config,
    isLeading: leads === 1,
    joinedAtMs: Number(joinedAtMs),
  }));
}

async function saveClaims(
  on: Executor,
  changed: readonly WorkClaim[],
  removed: readonly Pick<Work, "kind" | "key">[],
): Promise<void> {
  for (const kind of ["poll", "destination"] as const) {
    const keys = removed.flatMap((one) => (one.kind === kind ? [one.key] : []));
    for (let at = 0; at < keys.length; at += AT_ONCE)
      await on
        .deleteFrom("claims")
        .where("kind", "=", kind)
        .where("key", "in", keys.slice(at, at + AT_ONCE))
        .execute();
  }
  await upsert(on, changed);
  await countUp(on, "shares");
}

type Counters = Readonly<Record<(typeof COUNTERS)[number], number>>;

async function counters(db: Executor): Promise<Counters> {
  const kept = await keptValues(db, COUNTERS);
  return {
    shares: Number(kept.get("shares") ?? 0),
    announcements: Number(kept.get("announcements") ?? 0),
  };
}

async function countUp(on: Executor, name: keyof Counters): Promise<number> {
  const next = (await counters(on))[name] + 1;
  await keepValue(on, name, String(next));
  return next;
}

/** The number of announcements that are kept. */
const PLACES = 100;
const placeOf = (number: number): string => `announcement ${number % PLACES}`;

interface Announcement {
  readonly number: number;
  readonly watches: ChangedWatches;
}

async function announced(db: Executor, after: number, upTo: number): Promise<ChangedWatches> {
  if (upTo - after > PLACES) return "all";
  const names = Array.from({ length: upTo - after }, (_, at) => placeOf(after + 1 + at));
  const values = [...(await keptValues(db, names)).values()];
  const kept = values
    .map((value) => fromText<Announcement>(value))
    .filter(({ number }) => number > after && number <= upTo);
  const ids = kept.flatMap(({ watches }) => (watches === "all" ? [] : watches));
  return kept.length < names.length || kept.some(({ watches }) => watches === "all")
    ? "all"
    : [...new Set(ids)];
}
