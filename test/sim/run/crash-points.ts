/**
 * The named points at which a simulated process can be cut. `call`: before the port is called.
 * `commit`, `committed`: before and after its transaction is committed. `answer`: the port has done
 * its work, but the answer never arrives.
 */

/**
 * Store methods that write. A method of the store that no list here names fails the coverage test.
 */
export const STORE_WRITES: readonly string[] = [
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
  "beginDigests",
  "splitMessage",
  "withhold",
  "revertSealed",
  "revertUntried",
  "holdDeliveries",
  "holdMessages",
  "placeAgain",
  "releaseHeld",
  "record",
  "gather",
  "storeEnrichments",
  "saveSinkHealth",
  "wakeSink",
  "moveSink",
  "unseal",
  "recordCrosspost",
  "recordEdit",
  "recordFooter",
  "expireCrossposts",
  "markCrosspostsReported",
  "markDeadReported",
  "addSilence",
  "expireSilence",
  "holdBack",
  "mark",
  "commitEscalations",
  "trackFailing",
  "replanEscalations",
  "silenceDeliveries",
  "closeLevel",
  "writeNote",
  "saveLearned",
  "prune",
  "compressArchive",
  "trimArchive",
  "setTimesBack",
  "proveWritable",
];

/** Reads on which a decision is based. */
const STORE_READS = [
  "dueWork",
  "digestPeriod",
  "hasDueDigest",
  "watchReads",
  "firstWatchHour",
  "eventHeads",
  "eventRecords",
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
  "dueEscalations",
  "nextEscalationAt",
] as const;

/** Store methods that only commands call, which no simulation runs, and reads like those above. */
const NOT_CUT = [
  ...[
    "clickedMessage",
    "acknowledgeDead",
    "resendDead",
    "explainItem",
    "explainEvent",
    "countAlerts",
    "watchHours",
    "findEvents",
    "recentEvents",
    "recentRecords",
    "lastRefusals",
    "listDead",
  ],
  ...[
    "listWatches",
    "stoppedWatches",
    "membersOf",
    "knownMembers",
    "absentMembers",
    "itemMarks",
    "eventsById",
    "countEvents",
    "newestEvent",
    "userIdOfHandle",
  ],
  ...[
    "spentByKey",
    "spentSince",
    "spentByHour",
    "spentByWatch",
    "auditMark",
    "auditSpan",
    "outboxStats",
    "countWaiting",
    "readNote",
    "loadLearned",
  ],
  ...["messageMembers", "waitingDeliveries", "alertsOf", "countNotRelevant"],
  ...["countFurtherPages", "editableAlerts", "dueEdit", "nextEditAt", "dueFooter", "nextFooterAt"],
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
    "escalationOutlook",
  ],
  ...["findReplayable", "replay", "auditRecords", "alertsOfMessages", "enrichmentBacklog"],
  "enrichedAt",
  ...["archiveSize", "archivedReads"],
  ...["loadBackfill", "saveBackfillPage", "backfilledTweets", "recordChange"],
  // Methods of a state shared by replicas. See SHARING.
  ...[
    "replicas",
    "claims",
    "claimsOf",
    "saveClaims",
    "handOver",
    "setReplicaConfig",
    "shareNews",
    "announce",
    "announced",
  ],
  // Writes nothing.
  ...["proveUnlocked"],
  // Methods of a start and a reload. Crashes there are covered by other writes.
  ...["configSalt", "configRevisions", "currentConfig", "proposeConfig"],
];

export const STORE_METHODS: readonly string[] = [
  ...STORE_WRITES,
  ...STORE_READS,
  ...NOT_CUT,
  "close",
];

function pointsOf(name: string): readonly string[] {
  return ["call", "commit", "committed", "answer"].map((moment) => `store.${name}:${moment}`);
}

export const CRASH_POINTS: readonly string[] = [
  ...STORE_WRITES.flatMap((name) => pointsOf(name)),
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

const SHARING = ["saveClaims", "handOver", "setReplicaConfig", "announce"].flatMap((name) =>
  pointsOf(name),
);

/** Calls that only replicas make: they join, lead, remove others, and share out the work. */
const OF_REPLICAS = [
  ...SHARING,
  ...["enter", "lead", "remove", "tryLock", "knownReplicas", "isPresent"].flatMap((name) => [
    `session.${name}:call`,
    `session.${name}:answer`,
  ]),
];

const ofAll = CRASH_POINTS.filter((point) => !/setTimesBack|close|files/.test(point));

/** The points at which one of several replicas can be cut or stalled. */
export const REPLICA_POINTS = { common: ofAll, own: OF_REPLICAS } as const;

/**
 * Points after which a replica acts on a decision: it sends, stores a poll, records the outcome of
 * a message, or shares out work.
 */
export const DECIDED_POINTS: readonly string[] = [
  ...[
    "store.seal:answer",
    "store.seal:committed",
    "store.lastMentions:answer",
    "store.record:call",
  ],
  ...[
    "store.reserve:answer",
    "store.knownItems:answer",
    "store.commitPoll:call",
    "store.saveClaims:call",
  ],
];

/** The points before and after a transaction of a replica is committed. */
export const COMMIT_POINTS: readonly string[] = [...ofAll, ...SHARING].filter((point) =>
  /:commit(?:ted)?$/.test(point),
);
