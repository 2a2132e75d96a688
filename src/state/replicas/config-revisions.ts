/**
 * Stores which configurations have been the current one of a state, and in which order. A
 * transaction reads the current one and writes the one that replaces it, so that all replicas agree
 * on the order.
 */
import type {
  ProposedConfig,
  ConfigRevision,
  ConfigRevisionStore,
} from "../../model/config-revisions.ts";
import type { Random } from "../../model/random.ts";
import { compressText, expandCompressed } from "../archive/compress.ts";
import { fromText, toText } from "../db/json-text.ts";
import { recordAudit } from "../db/audit.ts";
import { type Executor, transact } from "../db/statement.ts";

const SALT_NOTE = "config.salt";

export const configRevisionStore = (db: Executor, random: Random): ConfigRevisionStore => ({
  configSalt: () => transact(db, (on) => salt(on, random)),
  configRevisions: () => revisions(db),
  proposeConfig: (proposed) => transact(db, (on) => accept(on, proposed)),
  currentConfig: () => currentConfig(db),
});

async function currentConfig(db: Executor): Promise<string | undefined> {
  const row = await db
    .selectFrom("config_revisions")
    .select("body")
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined || row.body === null ? undefined : expandCompressed(row.body);
}

async function salt(on: Executor, random: Random): Promise<string> {
  const known = await on
    .selectFrom("notes")
    .select("value")
    .where("name", "=", SALT_NOTE)
    .executeTakeFirst();
  if (known !== undefined) return String(fromText(known.value));
  const fresh = random.id();
  await on
    .insertInto("notes")
    .values({ name: SALT_NOTE, value: toText(fresh) })
    .execute();
  return fresh;
}

async function revisions(db: Executor): Promise<readonly ConfigRevision[]> {
  const rows = await db
    .selectFrom("config_revisions")
    .select(["number", "hash", "at", "cause", "by"])
    .orderBy("number", "desc")
    .execute();
  return rows.map(({ number, at, ...row }) => ({
    ...row,
    number: Number(number),
    atMs: Number(at),
  }));
}

async function storeBody(on: Executor, number: number, body: string): Promise<void> {
  await on.updateTable("config_revisions").set({ body }).where("number", "=", number).execute();
}

async function accept(
  on: Executor,
  { mayGoBack, atMs, body, ...proposed }: ProposedConfig,
): Promise<ConfigRevision> {
  const known = await revisions(on);
  const [current] = known;
  const isElder = known.some(({ hash }) => hash === proposed.hash);
  const stored = body === undefined ? null : compressText(body);
  if (current?.hash === proposed.hash) {
    // A release that stored none may have recorded it, and what no digest covers may have changed.
    if (stored !== null) await storeBody(on, current.number, stored);
    return current;
  }
  if (current !== undefined && isElder && !mayGoBack) return current;
  const next = { ...proposed, number: (current?.number ?? 0) + 1 };
  await on
    .insertInto("config_revisions")
    .values({ ...next, at: atMs, body: stored })
    .execute();
  const { number: revision, hash, by, cause } = next;
  if (cause === "activate") await recordAudit(on, atMs, "config activate", { revision, hash, by });
  return { ...next, atMs };
}
