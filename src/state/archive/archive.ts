/** Reads, compresses and trims the archive. The commit of a poll adds to it. */
import type { ArchivedRead, ArchivePlace, ArchiveSize, ArchiveStore } from "../../model/archive.ts";
import type { Random } from "../../model/random.ts";
import type { Texts } from "../db/json-text.ts";
import { type Executor, insertRows, statement, transact } from "../db/statement.ts";
import type { ArchiveTable } from "../db/tables.ts";
import { compressText, expandCompressed } from "./compress.ts";
import { decodeRead, encodeRead } from "./encode-read.ts";

/** The number of digits of the place of a commit among those of the same millisecond. */
const PLACE_DIGITS = 4;
const WRITER_CHARS = 12;
/** The maximum number of rows that one transaction deletes. */
const AT_ONCE = 500;
/** The maximum number of reads in a chunk, a row with reads that are compressed together. */
const MAX_CHUNK_READS = 200;
/**
 * The number of characters from which on reads are compressed together as a chunk. Posts have many
 * words in common, so together they take a tenth of their size. Compressed alone, in the commit of
 * its poll, a post would take a third of its size and slow the commit down.
 */
const CHUNK_CHARS = 64_000;
/**
 * How long reads that are too few for a full chunk stay uncompressed and wait for further reads.
 */
const MAX_CHUNK_WAIT_MS = 86_400_000;

export const archiveStore = (db: Executor): ArchiveStore => ({
  archiveSize: () => archiveSize(db),
  archivedReads: (after, untilMs, limit) => archivedReads(db, after, untilMs, limit),
  compressArchive: (beforeMs) => compressArchive(db, beforeMs),
  trimArchive: (beforeMs, maxBytes) => trimArchive(db, beforeMs, maxBytes),
});

/** The reads of a commit as a row; no row if there are no reads. */
export interface EncodedReads {
  readonly rows: readonly ArchiveTable[];
  /** The texts of the objects in them, for the events of the commit. */
  readonly texts: Texts;
}

const NOTHING: EncodedReads = { rows: [], texts: new Map() };

/**
 * Encodes the reads of a commit, before the transaction that inserts them begins. The order of rows
 * is that in which the process created them. A random part of their ids keeps rows apart that
 * different replicas create in the same millisecond.
 */
export function createArchiveRows(
  random: Random,
): (reads: readonly ArchivedRead[]) => EncodedReads {
  const writer = random.id().slice(-WRITER_CHARS);
  let [lastAtMs, place] = [0, 0];
  return (reads) => {
    if (reads.length === 0) return NOTHING;
    const at = Math.max(...reads.map(({ atMs }) => atMs));
    place = at === lastAtMs ? place + 1 : 0;
    lastAtMs = at;
    const texts = new Map<unknown, string>();
    const body = reads
      .map((read, index) => encodeRead(index === 0 ? read : { ...read, sameCommit: true }, texts))
      .join(",");
    const id = `${String(place).padStart(PLACE_DIGITS, "0")}${writer}`;
    const row = { at, id, until: at, reads: reads.length, compressed: 0, bytes: body.length, body };
    return { rows: [row], texts };
  };
}

/**
 * Inserts rows. A row with the same time and id as an existing one is left out, because it is the
 * same row: a transaction that failed may be run again.
 */
export const insertArchived = insertRows(
  "archive",
  ["at", "id", "until", "reads", "compressed", "bytes", "body"],
  (insert) => insert.onConflict((conflict) => conflict.columns(["at", "id"]).doNothing()),
);

const measureAll = statement<object>()((on) =>
  on
    .selectFrom("archive")
    .select((eb) => [
      eb.fn.sum<number | null>("reads").as("reads"),
      eb.fn.sum<number | null>("bytes").as("bytes"),
      eb.fn.min("at").as("first"),
      eb.fn.max("until").as("last"),
    ]),
);

async function archiveSize(db: Executor): Promise<ArchiveSize> {
  const [row] = (await measureAll(db, {})).rows;
  const timeOf = (time: number | string | null | undefined) =>
    time === null || time === undefined ? null : Number(time);
  return {
    reads: Number(row?.reads ?? 0),
    bytes: Number(row?.bytes ?? 0),
    firstAtMs: timeOf(row?.first),
    lastAtMs: timeOf(row?.last),
  };
}

async function archivedReads(
  db: Executor,
  after: ArchivePlace,
  untilMs: number,
  limit: number,
): ReturnType<ArchiveStore["archivedReads"]> {
  const isFirst = after.id === "";
  const rows = await db
    .selectFrom("archive")
    .select(["at", "id", "compressed", "body"])
    .where((eb) =>
      isFirst
        ? eb("until", ">", after.atMs)
        : eb.or([
            eb("at", ">", after.atMs),
            eb.and([eb("at", "=", after.atMs), eb("id", ">", after.id)]),
          ]),
    )
    .where("at", "<", untilMs)
    .orderBy("at")
    .orderBy("id")
    .limit(limit)
    .execute();
  const reads = rows.flatMap(readsOf).filter(({ atMs }) => atMs < untilMs);
  const last = rows.at(-1);
  return {
    reads: isFirst ? reads.filter(({ atMs }) => atMs > after.atMs) : reads,
    last: last === undefined ? undefined : { atMs: Number(last.at), id: last.id },
  };
}

const readsOf = ({ compressed, body }: Pick<ArchiveTable, "compressed" | "body">): ArchivedRead[] =>
  (JSON.parse(compressed === 0 ? `[${body}]` : expandCompressed(body)) as unknown[]).map(
    decodeRead,
  );

async function compressArchive(db: Executor, beforeMs: number): Promise<void> {
  for (;;) {
    const rows = await firstUncompressed(db, beforeMs);
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    const isFull = charsOf(rows) >= CHUNK_CHARS;
    if (!isFull && Number(first.at) > beforeMs - MAX_CHUNK_WAIT_MS) return;
    const body = compressText(`[${rows.map((row) => row.body).join(",")}]`);
    const chunk: ArchiveTable = {
      ...{ at: Number(first.at), id: first.id, until: Number(last.at) },
      ...{ reads: readsIn(rows), compressed: 1, bytes: body.length, body },
    };
    await transact(db, async (on) => {
      for (const { at, id } of rows)
        await on.deleteFrom("archive").where("at", "=", at).where("id", "=", id).execute();
      await insertArchived(on, [chunk]);
    });
  }
}

type Uncompressed = Pick<ArchiveTable, "at" | "id" | "reads" | "body">;

const readsIn = (rows: readonly Uncompressed[]): number =>
  rows.reduce((sum, { reads }) => sum + reads, 0);

/**
 * Returns the oldest uncompressed reads from before `beforeMs`, at most as many as fill a chunk.
 */
async function firstUncompressed(db: Executor, beforeMs: number): Promise<readonly Uncompressed[]> {
  const rows = await db
    .selectFrom("archive")
    .select(["at", "id", "reads", "body"])
    .where("compressed", "=", 0)
    .where("at", "<", beforeMs)
    .orderBy("at")
    .orderBy("id")
    .limit(MAX_CHUNK_READS)
    .execute();
  let chars = 0;
  const end = rows.findIndex(({ body }) => (chars += body.length) >= CHUNK_CHARS);
  return end < 0 ? rows : rows.slice(0, end + 1);
}

const charsOf = (rows: readonly Uncompressed[]): number =>
  rows.length >= MAX_CHUNK_READS
    ? CHUNK_CHARS
    : rows.reduce((sum, { body }) => sum + body.length, 0);

async function trimArchive(db: Executor, beforeMs: number, maxBytes: number): Promise<void> {
  await deleteBefore(db, beforeMs);
  let { bytes } = await archiveSize(db);
  while (bytes > maxBytes) {
    const freed = await deleteOldest(db, bytes - maxBytes);
    if (freed === 0) return;
    bytes -= freed;
  }
}

async function deleteBefore(db: Executor, beforeMs: number): Promise<void> {
  const old = db.selectFrom("archive").select("id").where("until", "<", beforeMs).limit(AT_ONCE);
  for (;;) {
    const deleted = await db
      .deleteFrom("archive")
      .where("until", "<", beforeMs)
      .where("id", "in", old)
      .executeTakeFirst();
    if (deleted.numDeletedRows === 0n) return;
  }
}

/**
 * Deletes the oldest reads that together take at least `bytes`, but at most `AT_ONCE` rows. Returns
 * the number of bytes that were freed.
 */
const deleteOldest = (db: Executor, bytes: number): Promise<number> =>
  transact(db, async (on) => {
    const oldest = await on
      .selectFrom("archive")
      .select(["at", "id", "bytes"])
      .orderBy("at")
      .orderBy("id")
      .limit(AT_ONCE)
      .execute();
    let freed = 0;
    for (const row of oldest) {
      if (freed >= bytes) break;
      await on.deleteFrom("archive").where("at", "=", row.at).where("id", "=", row.id).execute();
      freed += row.bytes;
    }
    return freed;
  });
