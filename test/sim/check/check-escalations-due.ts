/**
 * Checks when escalations are sent. While a daemon runs, a step is sent within a second of its
 * time, otherwise soon after a start or a takeover. Follows each alert that its sink took through
 * its steps, as long as nothing is in doubt.
 */
import { actsOn, areCertain } from "./acts.ts";
import {
  escalatedIn,
  type Escalated,
  type NumberedStep,
  stepsBetween,
} from "./check-escalations.ts";
import { holding } from "./check-silences.ts";
import type { Evidence } from "./evidence.ts";
import { aways, downs, handovers } from "./lives.ts";
import { type Alert, routedOf } from "./outbox.ts";

const SECOND_MS = 1_000;
/** Two things that happen this close together may take effect in either order. */
const EDGE_MS = 2_000;
/** A daemon first reads its state and its configuration when it starts. */
const STARTED_WITHIN_MS = 20_000;
const RELOAD_TAKES_MS = 20_000;

export function checkEscalationsDue(evidence: Evidence): readonly string[] {
  const { isClockSet, outbox, played } = evidence;
  if (isClockSet) return [];
  const all = escalatedIn(played);
  return outbox.alerts.flatMap((alert) => {
    const own = all.filter(({ alertIds }) => alertIds.includes(alert.event.id));
    return isCounted(alert, evidence) ? follow(alert, own, evidence) : [];
  });
}

/**
 * Returns whether a sink took the alert at once, in a message of its own or together with others.
 * Only such alerts must be escalated on time.
 */
function isCounted({ event, row }: Alert, { outbox, played, tweets }: Evidence): boolean {
  const { name = "" } = tweets.get(event.subject) ?? {};
  const isBackfilled = played.scenario.steps.some(
    (step) => step.do === "backfill" && step.posts.includes(name),
  );
  const message = outbox.messages.get(row.messageId ?? "");
  return (
    !isBackfilled &&
    event.watchType !== "daemon" &&
    event.type === "tweet.created" &&
    row.state === "sealed" &&
    row.replayedAtMs === null &&
    message !== undefined &&
    message.state !== "open" &&
    !message.groupKey.startsWith("digest\n")
  );
}

function follow(
  alert: Alert,
  escalated: readonly Escalated[],
  evidence: Evidence,
): readonly string[] {
  const { outbox, epochs } = evidence;
  const message = outbox.messages.get(alert.row.messageId ?? "");
  const doneMs = message?.doneAtMs ?? 0;
  const ofSink = escalated.filter(({ from }) => from === alert.row.sink);
  if (ofSink.some(({ reason }) => reason === "failing")) return [];
  const acts = actsOn("acknowledged", alert.event.id, evidence);
  if (!areCertain(acts, alert.event.id)) return [];
  const [first] = stepsBetween(alert, epochs, [doneMs, doneMs]);
  // A step can be passed over while the sink fails. The next one then counts from that time.
  if (
    (alert.row.dueAtMs ?? doneMs) + EDGE_MS < doneMs &&
    first?.some((step) => isPassed(alert, step))
  )
    return [];
  let baseMs = doneMs;
  let isAtOnce = message?.state === "dead";
  for (const step of first ?? []) {
    const found = changes(acts, { baseMs, dueMs: isAtOnce ? baseMs : baseMs + step.afterMs }, step);
    if (found === undefined || found.isOpen) return [];
    const { sinceMs } = found;
    const dueMs = isAtOnce && sinceMs === baseMs ? sinceMs : sinceMs + step.afterMs;
    isAtOnce = false;
    // A daemon that was away at that time starts with the configuration that is there by then.
    const latestMs = latestOf(dueMs, evidence.played);
    if (!areSame(stepsBetween(alert, epochs, [doneMs, latestMs + RELOAD_TAKES_MS]))) return [];
    if (isPerhapsHeld(alert, dueMs, evidence)) return [];
    const next = takeStep(alert, { step, dueMs, escalated }, evidence);
    if (typeof next === "string") return [next];
    if (next === undefined) return [];
    baseMs = next;
  }
  return [];
}

const areSame = (all: readonly unknown[]): boolean =>
  new Set(all.map((one) => JSON.stringify(one))).size === 1;

/**
 * Returns when the step's time begins to count, after everything that people did before, and
 * whether somebody has acknowledged the alert by then. Undefined if that is in doubt.
 */
function changes(
  acts: ReturnType<typeof actsOn>,
  first: { readonly baseMs: number; readonly dueMs: number },
  { afterMs }: NumberedStep,
): { readonly sinceMs: number; readonly isOpen: boolean } | undefined {
  const { baseMs } = first;
  let [sinceMs, isOpen, dueMs] = [baseMs, false, first.dueMs];
  for (const { fromMs, toMs, isUndo, changed } of acts) {
    if (changed === 0) continue;
    const isNear = [dueMs, baseMs].some((ms) => fromMs - EDGE_MS <= ms && toMs + EDGE_MS >= ms);
    if (isNear && !(isOpen && isUndo)) return undefined;
    if (!isOpen && fromMs > dueMs) break;
    isOpen = !isUndo;
    if (isUndo && toMs > baseMs) {
      sinceMs = fromMs;
      dueMs = fromMs + afterMs;
    }
  }
  return { sinceMs, isOpen };
}

/** Returns whether the step is passed over, because its condition is false. */
const isPassed = ({ event }: Alert, { when }: NumberedStep): boolean =>
  when !== undefined && !routedOf(event).fulfils(when);

/** Returns whether something may hold the alert at the time that is due, or until it is sent. */
function isPerhapsHeld(alert: Alert, dueMs: number, { played }: Evidence): boolean {
  const latestMs = latestOf(dueMs, played) + RELOAD_TAKES_MS;
  return (["silence", "snooze"] as const).some((kind) =>
    holding(kind, played, alert).some(
      ({ fromMs, toMs }) => fromMs <= latestMs && toMs >= dueMs - EDGE_MS,
    ),
  );
}

/**
 * Returns when the step was over. Undefined if that cannot be known. Adds an objection if the step
 * was not sent in time.
 */
function takeStep(
  alert: Alert,
  {
    step,
    dueMs,
    escalated,
  }: {
    readonly step: NumberedStep;
    readonly dueMs: number;
    readonly escalated: readonly Escalated[];
  },
  { played }: Evidence,
): number | string | undefined {
  const latestMs = latestOf(dueMs, played);
  const one = escalated.find(({ to, nth }) => to === step.sink && nth === step.nth);
  const what = `${alert.event.type} ${alert.event.subject} at ${alert.row.sink}, step ${step.nth} to ${step.sink}`;
  const mustPass = isPassed(alert, step);
  const isOwn = one?.from === alert.row.sink;
  if (mustPass && isOwn) return `${what} was sent, although its condition is false`;
  // The step was sent because of another sink, or is skipped. The next step counts from its time.
  if (mustPass || (one !== undefined && !isOwn && one.atMs <= latestMs))
    return latestMs > dueMs + slackMs(played) ? undefined : dueMs;
  if (one === undefined)
    return latestMs + STARTED_WITHIN_MS > played.endMs
      ? undefined
      : `${what} was due at ${clock(dueMs, played)}, and was never sent`;
  if (one.atMs < dueMs - SECOND_MS)
    return `${what} was sent ${dueMs - one.atMs} ms before its time`;
  return one.atMs <= latestMs
    ? one.atMs
    : `${what} was sent ${one.atMs - dueMs} ms after its time, of ${latestMs - dueMs}`;
}

const clock = (atMs: number, { scenario }: Evidence["played"]): string =>
  `${((atMs - scenario.startMs) / 60_000).toFixed(2)} min`;

/**
 * Returns how late a step may be. The fleet fires timers of a tenth of a second late, and the pause
 * before a step may be one.
 */
const slackMs = ({ scenario }: Evidence["played"]): number => SECOND_MS + (scenario.lateMs ?? 0);

/**
 * Returns the latest time for a step: shortly after it is due, or soon after whatever stopped every
 * daemon.
 */
function latestOf(dueMs: number, played: Evidence["played"]): number {
  let latestMs = dueMs + slackMs(played);
  const spans = [...downs(played), ...handovers(played), ...aways(played)].toSorted(
    (a, b) => a.fromMs - b.fromMs,
  );
  for (const { fromMs, toMs } of spans)
    if (fromMs - SECOND_MS <= latestMs && toMs + STARTED_WITHIN_MS > latestMs)
      latestMs = toMs + STARTED_WITHIN_MS;
  return latestMs;
}
