/** Composes the store from its operations; each has its own file. */
import type { Clock } from "../model/clock.ts";
import type { BackfillStore } from "../model/backfill.ts";
import type { CrosspostStore } from "../model/crosspost.ts";
import type { DeadLetters } from "../model/dead-letters.ts";
import type { EditStore } from "../model/edit.ts";
import type { EnrichmentStore } from "../model/enrichment.ts";
import type { EscalationStore } from "../model/escalation.ts";
import type { FooterStore } from "../model/footer.ts";
import type { History } from "../model/history.ts";
import type { LearnedStore } from "../model/learned.ts";
import type { Ledger } from "../model/ledger.ts";
import type { Outbox } from "../model/outbox.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { Random } from "../model/random.ts";
import type { RecheckStore } from "../model/recheck.ts";
import type { ReplayStore } from "../model/replay.ts";
import type { SilenceStore } from "../model/silence.ts";
import type { Notes, Store, Upkeep } from "../model/store.ts";
import type { VolumeStore } from "../model/volume-store.ts";
import type { WaitsStore } from "../model/waits.ts";
import type { WatchStore } from "../model/watch-store.ts";
import { archiveStore, createArchiveRows } from "./archive/archive.ts";
import { recordAudit } from "./db/audit.ts";
import { backfilledTweets, loadBackfill, saveBackfillPage } from "./items/backfills.ts";
import { commitPoll } from "./polls/commit-poll.ts";
import { groupDead, listDead, unreportedDead } from "./outbox/dead-letters.ts";
import {
  crosspostOutlook,
  dueCrosspost,
  expireCrossposts,
  markCrosspostsReported,
  recordCrosspost,
} from "./outbox/crossposts.ts";
import { dueEdit, editableAlerts, nextEditAt, recordEdit } from "./history/edits.ts";
import { dueFooter, nextFooterAt, recordFooter } from "./history/footers.ts";
import { replanEscalations, trackFailing } from "./outbox/begin-escalations.ts";
import {
  commitEscalations,
  dueEscalations,
  escalationOutlook,
  nextEscalationAt,
} from "./outbox/escalations.ts";
import { dueWork } from "./outbox/due-work.ts";
import { lastRefusals } from "./history/refusals.ts";
import { findReplayable, auditRecords, replay } from "./history/replay.ts";
import { eventHeads, eventRecords } from "./history/report-events.ts";
import { days } from "./history/days.ts";
import { explainEvent, explainItem } from "./history/explain.ts";
import { findEvents, labelsSince } from "./history/find-events.ts";
import { alertsOfMessages } from "./history/message-alerts.ts";
import { sentAlertsOf } from "./history/alerts-of.ts";
import { recentEvents, recentRecords, userIdOfHandle } from "./history/history.ts";
import { mark } from "./history/marks.ts";
import { countNotRelevant } from "./history/not-relevant.ts";
import { itemMarks } from "./items/item-marks.ts";
import { knownItems } from "./items/known-items.ts";
import { loadSources } from "./items/load-sources.ts";
import { countEvents, newestEvent } from "./history/event-volume.ts";
import { absentMembers, knownMembers } from "./items/members.ts";
import { closeLevel, dueRepeats, openLevels } from "./items/levels.ts";
import { clickedMessage } from "./messages/clicks.ts";
import { lastMentions } from "./messages/mentions.ts";
import { nextDueAt } from "./outbox/next-due.ts";
import { nameAccounts } from "./watches/named-accounts.ts";
import { loadLearned, saveLearned } from "./upkeep/learned.ts";
import { proveWritable, readNote, writeNote } from "./upkeep/notes.ts";
import { prune } from "./upkeep/prune.ts";
import { dueRechecks, eventsById, runRechecksNow } from "./items/rechecks.ts";
import { record } from "./outbox/store-outcomes.ts";
import { listWatches, registerWatches, stoppedWatches } from "./watches/register-watches.ts";
import { acknowledgeDead, markDeadReported, resendDead } from "./outbox/resend-dead.ts";
import { setPaused } from "./watches/set-paused.ts";
import { reserve } from "./ledger/reserve.ts";
import { seal } from "./outbox/seal.ts";
import { membersOfMessage, splitMessage } from "./outbox/split-message.ts";
import { setTimesBack } from "./outbox/set-times-back.ts";
import { addSilence, expireSilence, holdBack, listSilences } from "./outbox/silences.ts";
import { countSilenced, resendSilenced, silenceDeliveries } from "./outbox/silenced-deliveries.ts";
import { Settlements } from "./ledger/settlements.ts";
import { loadSinkHealth, outboxStats, saveSinkHealth } from "./outbox/sink-health.ts";
import { replicaStore } from "./replicas/claims.ts";
import { configRevisionStore } from "./replicas/config-revisions.ts";
import {
  auditMark,
  auditSpan,
  countFurtherPages,
  spentByHour,
  spentByWatch,
  spentByKey,
  spentSince,
} from "./ledger/spent.ts";
import { type Executor, transact } from "./db/statement.ts";
import {
  dueEnrichments,
  enrichedAt,
  enrichmentBacklog,
  storeEnrichments,
} from "./polls/enrichments.ts";
import { beginDigests, digestPeriod, hasDueDigest } from "./outbox/digest-period.ts";
import { gather, throttleState } from "./outbox/throttle.ts";
import { loadTargets, resolveTarget, setTargetStatus } from "./watches/targets.ts";
import { countWaiting } from "./outbox/waiting.ts";
import { holdDeliveries, holdMessages, messageMembers, releaseHeld } from "./outbox/holds.ts";
import { placeAgain, waitingDeliveries } from "./outbox/place-again.ts";
import { firstWatchHour, watchReads } from "./items/watch-hours.ts";
import { moveSink } from "./outbox/move-sink.ts";
import { revertSealed, revertUntried, unseal } from "./outbox/unseal.ts";
import { withhold } from "./outbox/withhold.ts";
import { wakeSink } from "./outbox/wake-sink.ts";

/** Creates a store over any database that has the tables. `close` closes what the caller opened. */
export function createStore(
  db: Executor,
  deps: { readonly clock: Clock; readonly random: Random },
  close: () => Promise<void>,
): Store {
  const settlements = new Settlements(db, deps.clock);
  return {
    ...watches(db, deps.random),
    ...polls(db, settlements, createArchiveRows(deps.random)),
    ...rechecks(db),
    ...volumes(db),
    ...ledger(db, settlements),
    ...outbox(db),
    ...waits(db),
    ...crossposts(db),
    ...edits(db),
    ...footers(db),
    ...deadLetters(db),
    ...silences(db),
    ...enrichments(db),
    ...replays(db),
    mark: (request, newsOf) => mark(db, request, newsOf),
    ...escalations(db),
    clickedMessage: (id) => clickedMessage(db, id),
    alertsOf: (what) => sentAlertsOf(db, what),
    countNotRelevant: (sinceMs) => countNotRelevant(db, sinceMs),
    ...replicaStore(db),
    ...configRevisionStore(db, deps.random),
    ...backfills(db),
    ...archiveStore(db),
    openLevels: (watchKeys) => openLevels(db, watchKeys),
    dueRepeats: () => dueRepeats(db),
    closeLevel: (level) => closeLevel(db, level),
    ...history(db, deps.clock),
    watchReads: (keys, fromMs, toMs) => watchReads(db, keys, fromMs, toMs),
    eventHeads: (sinceMs, before) => eventHeads(db, sinceMs, before),
    eventRecords: (ids) => eventRecords(db, ids, deps.clock.now()),
    firstWatchHour: () => firstWatchHour(db),
    ...days(db),
    ...notes(db),
    ...learned(db),
    ...upkeep(db),
    async close() {
      await settlements.close();
      await close();
    },
  };
}

const watches = (db: Executor, random: Random): WatchStore => ({
  registerWatches: (watches, nowMs, onWritten, readUntilMs) =>
    registerWatches(db, watches, { random, nowMs, onWritten, readUntilMs }),
  resolveTarget: (ref, account) => resolveTarget(db, ref, account),
  nameAccounts: (found) => nameAccounts(db, found),
  loadTargets: (refs) => loadTargets(db, refs),
  setTargetStatus: (ref, status, reason) => setTargetStatus(db, ref, status, reason),
  setPaused: (watchId, paused, change) => setPaused(db, watchId, paused, change),
  listWatches: (ids) => listWatches(db, ids),
  stoppedWatches: () => stoppedWatches(db),
});

const polls = (
  db: Executor,
  settlements: Settlements,
  archiveRows: ReturnType<typeof createArchiveRows>,
): PollStore => ({
  loadSources: (fingerprints) => loadSources(db, fingerprints),
  knownItems: (refs, itemIds) => knownItems(db, refs, itemIds),
  itemMarks: (refs, itemIds) => itemMarks(db, refs, itemIds),
  knownMembers: (refs, userIds) => knownMembers(db, refs, userIds),
  absentMembers: (ref, sinceMs) => absentMembers(db, ref, sinceMs),
  commitPoll: (commit) => commitPoll(settlements, commit, archiveRows(commit.archive ?? [])),
});

const rechecks = (db: Executor): RecheckStore => ({
  dueRechecks: (nowMs, mostTweets) => dueRechecks(db, nowMs, mostTweets),
  runRechecksNow: (watchKey, laterThanMs, dueAtMs) =>
    runRechecksNow(db, { watchKey, laterThanMs, dueAtMs }),
  eventsById: (ids) => eventsById(db, ids),
});

const volumes = (db: Executor): VolumeStore => ({
  countEvents: (watchKey, spans) => countEvents(db, watchKey, spans),
  newestEvent: (watchKey, wanted) => newestEvent(db, watchKey, wanted),
});

const ledger = (db: Executor, settlements: Settlements): Ledger => ({
  reserve: (reservation) => reserve(settlements, reservation),
  settle: async (ledgerId, atMs, status) => settlements.add(ledgerId, atMs, status),
  spentByKey: (sinceMs) => spentByKey(db, sinceMs),
  spentSince: (sinceMs) => spentSince(db, sinceMs),
  spentByWatch: (fromHour, toHour) => spentByWatch(db, fromHour, toHour),
  spentByHour: (sinceMs) => spentByHour(db, sinceMs),
  countFurtherPages: (afterId) => countFurtherPages(db, afterId),
  auditMark: async (key, atMs, marginMs) => {
    await settlements.write();
    return auditMark(db, key, atMs, marginMs);
  },
  auditSpan: async (key, from, to) => {
    await settlements.write();
    return auditSpan(db, key, from, to);
  },
});

const outbox = (db: Executor): Outbox => ({
  dueWork: (query) => dueWork(db, query),
  nextDueAt: (sinks) => nextDueAt(db, sinks),
  seal: (messages) => seal(db, messages),
  record: (results, escalating) => record(db, results, escalating),
  digestPeriod: (sink, name) => digestPeriod(db, sink, name),
  beginDigests: (sink, name, nowMs) => beginDigests(db, sink, name, nowMs),
  hasDueDigest: (sink, name, nowMs) => hasDueDigest(db, sink, name, nowMs),
  membersOf: (messageId) => membersOfMessage(db, messageId),
  splitMessage: (split) => splitMessage(db, split),
  lastMentions: (sink) => lastMentions(db, sink),
  gather: (overflow) => gather(db, overflow),
  throttleState: (query) => throttleState(db, query),
  loadSinkHealth: () => loadSinkHealth(db),
  saveSinkHealth: (health) => saveSinkHealth(db, health),
  wakeSink: (sink, nowMs) => wakeSink(db, sink, nowMs),
  moveSink: (move) => moveSink(db, move),
  unseal: (sink, type) => unseal(db, sink, type),
  revertSealed: (messageIds) => revertSealed(db, messageIds),
  withhold: (withheld) => withhold(db, withheld),
  outboxStats: () => outboxStats(db),
  countWaiting: (nowMs) => countWaiting(db, nowMs),
});

const waits = (db: Executor): WaitsStore => ({
  waitingDeliveries: (page) => waitingDeliveries(db, page),
  placeAgain: (page, placed) => placeAgain(db, page, placed),
  holdDeliveries: (sink, held) => holdDeliveries(db, sink, held),
  holdMessages: (held, nowMs) => holdMessages(db, held, nowMs),
  releaseHeld: (sink, nowMs) => releaseHeld(db, sink, nowMs),
  revertUntried: (messageIds) => revertUntried(db, messageIds),
  messageMembers: (messageIds) => messageMembers(db, messageIds),
});

const crossposts = (db: Executor): CrosspostStore => ({
  dueCrosspost: (sink, nowMs) => dueCrosspost(db, sink, nowMs),
  recordCrosspost: (result) => recordCrosspost(db, result),
  expireCrossposts: (sink, expiry) => expireCrossposts(db, sink, expiry),
  crosspostOutlook: (sink) => crosspostOutlook(db, sink),
  markCrosspostsReported: (sink, nowMs) => markCrosspostsReported(db, sink, nowMs),
});

const edits = (db: Executor): EditStore => ({
  editableAlerts: (tweetIds, sinks) => editableAlerts(db, tweetIds, sinks),
  dueEdit: (sink, nowMs) => dueEdit(db, sink, nowMs),
  recordEdit: (edit, result) => recordEdit(db, edit, result),
  nextEditAt: (sink) => nextEditAt(db, sink),
});

const footers = (db: Executor): FooterStore => ({
  dueFooter: (sink, nowMs) => dueFooter(db, sink, nowMs),
  recordFooter: (footer, result) => recordFooter(db, footer, result),
  nextFooterAt: (sink) => nextFooterAt(db, sink),
});

const escalations = (db: Executor): EscalationStore => ({
  escalationOutlook: () => escalationOutlook(db),
  nextEscalationAt: () => nextEscalationAt(db),
  dueEscalations: (nowMs) => dueEscalations(db, nowMs),
  commitEscalations: (commit) => commitEscalations(db, commit),
  trackFailing: (sinks, nowMs) => trackFailing(db, sinks, nowMs),
  replanEscalations: (nowMs) => replanEscalations(db, nowMs),
});

const deadLetters = (db: Executor): DeadLetters => ({
  listDead: (selection, limit) => listDead(db, selection, limit),
  groupDead: (sinceMs) => groupDead(db, sinceMs),
  unreportedDead: () => unreportedDead(db),
  markDeadReported: (messageIds, nowMs) => markDeadReported(db, messageIds, nowMs),
  acknowledgeDead: (selection, nowMs, by) => acknowledgeDead(db, selection, nowMs, by),
  resendDead: (selection, nowMs, by) => resendDead(db, selection, nowMs, by),
});

const silences = (db: Executor): SilenceStore => ({
  addSilence: (silence) => addSilence(db, silence),
  listSilences: () => listSilences(db),
  holdBack: (request) => holdBack(db, request),
  expireSilence: (id, nowMs, by) => expireSilence(db, id, nowMs, by),
  countSilenced: () => countSilenced(db),
  silenceDeliveries: (silenced) => silenceDeliveries(db, silenced),
  resendSilenced: (selection, nowMs, by) => resendSilenced(db, selection, nowMs, by),
});

const enrichments = (db: Executor): EnrichmentStore => ({
  enrichmentBacklog: () => enrichmentBacklog(db),
  dueEnrichments: (query) => dueEnrichments(db, query),
  enrichedAt: (eventIds) => enrichedAt(db, eventIds),
  storeEnrichments: (round) => storeEnrichments(db, round),
});

const replays = (db: Executor): ReplayStore => ({
  findReplayable: (selection) => findReplayable(db, selection),
  replay: (wanted) => replay(db, wanted),
  auditRecords: (limit) => auditRecords(db, limit),
});

const backfills = (db: Executor): BackfillStore => ({
  loadBackfill: (fingerprint, sinceMs) => loadBackfill(db, fingerprint, sinceMs),
  saveBackfillPage: (page) => saveBackfillPage(db, page),
  backfilledTweets: (fingerprint, postedMs) => backfilledTweets(db, fingerprint, postedMs),
  recordChange: async (atMs, action, detail) => void (await recordAudit(db, atMs, action, detail)),
});

const history = (db: Executor, clock: Clock): History => ({
  explainItem: (itemId) => explainItem(db, itemId, clock.now()),
  explainEvent: (eventId) => explainEvent(db, eventId, clock.now()),
  findEvents: (query) => findEvents(db, query, clock.now()),
  labelsSince: (sinceMs, before) => labelsSince(db, sinceMs, before),
  recentEvents: (limit) => recentEvents(db, limit),
  recentRecords: (limit) => recentRecords(db, limit, clock.now()),
  lastRefusals: (sink, limit) => lastRefusals(db, sink, limit),
  alertsOfMessages: (messageIds) => alertsOfMessages(db, messageIds),
  userIdOfHandle: (handle) => userIdOfHandle(db, handle),
});

const notes = (db: Executor): Notes => ({
  readNote: (name) => readNote(db, name),
  writeNote: (name, value) => writeNote(db, name, value),
});

const learned = (db: Executor): LearnedStore => ({
  loadLearned: (scope, keys) => loadLearned(db, scope, keys),
  saveLearned: (scope, changes) => saveLearned(db, scope, changes),
});

const upkeep = (db: Executor): Upkeep => ({
  prune: (nowMs, retentionMs, inUse, pause = async () => undefined) =>
    prune(db, { nowMs, retentionMs, inUse, pause }),
  setTimesBack: (byMs) => setTimesBack(db, byMs),
  proveWritable: (nowMs) => proveWritable(db, nowMs),
  proveUnlocked: () => transact(db, async () => undefined),
});
