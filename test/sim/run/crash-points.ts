/**
 * The named points at which a simulated process can be cut. `call`: before the port is called. `commit`, `committed`: before and after its
 * transaction is committed. `answer`: the port has done its work, and nobody hears of it.
 */

/** Store methods that write. A method that writes and is not named here fails the coverage test. */
const STORE_WRITES = [
  "registerWatches",
  "resolveTarget",
  "setTargetStatus",
  "setPaused",
  "commitPoll",
  "runRechecksNow",
  "reserve",
  "settle",
  "seal",
  "record",
  "postpone",
  "saveSinkHealth",
  "wakeSink",
  "writeNote",
  "prune",
  "proveWritable",
] as const;

/** Reads after which something is about to be decided. */
const STORE_READS = [
  "dueWork",
  "nextDueAt",
  "loadTargets",
  "loadSources",
  "knownItems",
  "sealedSince",
  "loadSinkHealth",
  "dueRechecks",
] as const;

export const CRASH_POINTS: readonly string[] = [
  ...STORE_WRITES.flatMap((name) => ["call", "commit", "committed", "answer"].map((moment) => `store.${name}:${moment}`)),
  ...STORE_READS.map((name) => `store.${name}:answer`),
  "http.request:call",
  "http.request:answer",
  "files.readText:call",
  "files.readText:answer",
  "store.close:call",
  "store.close:answer",
];
