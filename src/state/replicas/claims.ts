/** Who does what, of the daemons that share a state. Each change counts the revision up that all of them watch. */
import { sql } from "kysely";
import type { ReplicaState, ReplicaStore, Work, WorkClaim } from "../../model/replicas.ts";
import { type Executor, insertRows, statement, transact } from "../db/statement.ts";

const REVISION = "shares";

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

/** A transaction that has taken a number may be committed after some that took higher ones, not after so many. */
const NEWEST = sql.lit(300);

/** Differs with each new one, also where that has not the highest number. */
const newestDeliveries = statement<object>()((on) =>
  on
    .selectFrom(on.selectFrom("deliveries").select("id").orderBy("id", "desc").limit(NEWEST).as("newest"))
    .select((eb) => eb.fn.sum<number | null>("id").as("sum")),
);
const newestEvents = statement<object>()((on) =>
  on
    .selectFrom(on.selectFrom("events").select("seq").orderBy("seq", "desc").limit(NEWEST).as("newest"))
    .select((eb) => eb.fn.sum<number | null>("seq").as("sum")),
);

export const replicaStore = (db: Executor): ReplicaStore => ({
  replicas: () => replicas(db),
  claims: () => db.selectFrom("claims").selectAll().orderBy("kind").orderBy("key").execute(),
  claimsOf: (replica) => db.selectFrom("claims").selectAll().where("replica", "=", replica).execute(),
  saveClaims: (changed, removed) => transact(db, (on) => saveClaims(on, changed, removed)),
  handOver: (replica) =>
    transact(db, async (on) => {
      await on
        .updateTable("claims")
        .set((eb) => ({ replica: eb.ref("wanted") }))
        .where("replica", "=", replica)
        .where("wanted", "<>", replica)
        .execute();
      await raiseRevision(on);
    }),
  setReplicaConfig: (replica, config) =>
    transact(db, async (on) => {
      await on.updateTable("replicas").set({ config }).where("id", "=", replica).execute();
      await raiseRevision(on);
    }),
  async shareNews() {
    const newest = (await newestDeliveries(db, {})).rows[0];
    const events = (await newestEvents(db, {})).rows[0];
    return { revision: await shareRevision(db), arrivals: Number(newest?.sum ?? 0) + Number(events?.sum ?? 0) };
  },
  raiseShareRevision: () => transact(db, raiseRevision),
});

async function replicas(db: Executor): Promise<readonly ReplicaState[]> {
  const rows = await db.selectFrom("replicas").selectAll().orderBy("joined_at").orderBy("id").execute();
  return rows.map(({ id, host, config, leads, joined_at: joinedAtMs }) => ({
    id,
    host,
    config,
    isLeading: leads === 1,
    joinedAtMs: Number(joinedAtMs),
  }));
}

async function saveClaims(on: Executor, changed: readonly WorkClaim[], removed: readonly Pick<Work, "kind" | "key">[]): Promise<void> {
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
  await raiseRevision(on);
}

async function shareRevision(db: Executor): Promise<number> {
  const row = await db.selectFrom("housekeeping").select("value").where("name", "=", REVISION).executeTakeFirst();
  return Number(row?.value ?? 0);
}

async function raiseRevision(on: Executor): Promise<void> {
  const value = String((await shareRevision(on)) + 1);
  await on
    .insertInto("housekeeping")
    .values({ name: REVISION, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
