/**
 * The named points at which a simulated process can be cut. `call`: before the port is called. `commit`, `committed`: before and after its
 * transaction is committed. `answer`: the port has done its work, and nobody hears of it.
 */

/** Store methods that write. A method of the store that no list here names fails the coverage test. */
const STORE_WRITES = [
  "registerWatches",
  "resolveTarget",
  "nameAccounts",
  "setTargetStatus",
  "setPaused",
  "commitPoll",
  "runRechecksNow",
  "reserve",
  "settle",
  "seal",
  "record",
  "gather",
  "storeEnrichments",
  "saveSinkHealth",
  "wakeSink",
  "moveSink",
  "unseal",
  "recordCrosspost",
  "recordEdit",
  "expireCrossposts",
  "markCrosspostsReported",
  "markDeadReported",
  "addSilence",
  "expireSilence",
  "silenceDeliveries",
  "changeLevel",
  "writeNote",
  "saveLearned",
  "prune",
  "setTimesBack",
  "proveWritable",
] as const;

/** Reads after which something is about to be decided. */
const STORE_READS = [
  "dueWork",
  "nextDueAt",
  "loadTargets",
  "loadSources",
  "knownItems",
  "throttleState",
  "lastMentions",
  "loadSinkHealth",
  "dueRechecks",
  "dueEnrichments",
  "listSilences",
] as const;

/** What only commands call, which nobody runs in a simulation, and reads like those above. */
const NOT_CUT = [
  ...["acknowledgeDead", "resendDead", "explainItem", "findEvents", "recentEvents", "recentRecords", "listDead"],
  ...["listWatches", "knownMembers", "absentMembers", "itemMarks", "eventsById", "countEvents", "newestEvent", "userIdOfHandle"],
  ...["spentSince", "spentByHour", "auditMark", "auditSpan", "outboxStats", "countWaiting", "readNote", "loadLearned"],
  ...["editableAlerts", "dueEdit", "nextEditAt"],
  ...[
    "dueCrosspost",
    "crosspostOutlook",
    "groupDead",
    "unreportedDead",
    "countSilenced",
    "resendSilenced",
    "labelsSince",
    "openLevels",
    "dueRepeats",
  ],
  ...["findReplayable", "replay", "auditRecords", "alertsOfMessages", "enrichmentBacklog"],
  ...["loadBackfill", "saveBackfillPage", "backfilledTweets", "recordBackfill"],
  // Of a state that replicas share: one on Postgres.
  ...["replicas", "claims", "claimsOf", "saveClaims", "handOver", "setReplicaConfig", "shareNews", "raiseShareRevision"],
  // At a start and at a reload, whose crashes other writes have.
  ...["configSalt", "configRevisions", "proposeConfig"],
];

export const STORE_METHODS: readonly string[] = [...STORE_WRITES, ...STORE_READS, ...NOT_CUT, "close"];

export const CRASH_POINTS: readonly string[] = [
  ...STORE_WRITES.flatMap((name) => ["call", "commit", "committed", "answer"].map((moment) => `store.${name}:${moment}`)),
  ...STORE_READS.map((name) => `store.${name}:answer`),
  "http.request:call",
  "http.request:answer",
  "outputs.append:call",
  "outputs.append:answer",
  "outputs.mail:call",
  "outputs.mail:answer",
  "outputs.run:call",
  "outputs.run:answer",
  "files.readText:call",
  "files.readText:answer",
  "store.close:call",
  "store.close:answer",
];

/** Of what writes, with what goes on beside the state: there a process may stand still. */
export const STALL_POINTS: readonly string[] = CRASH_POINTS.filter(
  (point) => /^(?:store|http|outputs)\./.test(point) && !/close|setTimesBack/.test(point),
);

/** Before and after a transaction is committed. */
export const COMMIT_POINTS: readonly string[] = CRASH_POINTS.filter(
  (point) => /:commit(?:ted)?$/.test(point) && !point.includes("setTimesBack"),
);
