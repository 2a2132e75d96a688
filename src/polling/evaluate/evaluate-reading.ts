/**
 * Evaluates a record for one subscriber: which thresholds it crossed, which values changed, and
 * whether it is gone.
 */
import {
  detectReading,
  factBody,
  readValues,
  type ReadingFinding,
  type ReadingMemory,
  type ReadingRule,
} from "../../detect/reading.ts";
import type { EventBody } from "../../model/event.ts";
import { passedMs } from "../../model/clock.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { User } from "../../model/user.ts";
import { isSuspiciousProbe } from "../../requests/suspicious-probe.ts";
import type { Beside } from "../read/beside.ts";
import type { Subscriber } from "../watch-poll.ts";
import { type Missed, missedOnce, withMissed } from "./absence.ts";
import { foundFact, foundValues } from "./found.ts";
import type { Reader } from "./load-subscribers.ts";
import { type EvaluationContext, type Fact, makeEvent } from "./make-event.ts";
import { changeOf, WELL } from "./target-change.ts";
import { type EvaluatedEvent, type SubscriberEvaluation, NOTHING } from "./verdicts.ts";

/**
 * The context of a record. `profile`, `other` and `companion` are requested only if there is an
 * event, so they are absent before that is known.
 */
export interface ReadingContext extends Omit<EvaluationContext, "serviceClock">, Beside {
  readonly rule: ReadingRule;
  /** Whether the answer lacks several records that were there before (`isSuspiciousReading`). */
  readonly isSuspicious?: boolean;
}

const NO_READING = "the service gave no value";
/**
 * How many answers in a row must lack a record before it counts as gone, because an answer may lack
 * it by mistake.
 */
const ABSENCES_TO_GO = 2;

/**
 * How long answers that lack several known records are taken for an error of the service. After
 * that, the records count as missing.
 */
const SUSPICIOUS_FOR_MS = 86_400_000;

/**
 * The memory of a target. `last` is the last stored record, which is kept only if the rule reports
 * records that are gone.
 */
interface TargetMemory extends Partial<ReadingMemory> {
  readonly last?: JsonObject;
  readonly absences?: number;
  readonly gone?: true;
  /** When the first of the suspicious answers in a row came, on our clock. */
  readonly blindAtMs?: number;
}

/**
 * Whether a batch lacks several entries that were there before, so that it is not used for any of
 * them.
 */
export function isSuspiciousReading(
  readers: readonly Reader[],
  records: ReadonlyMap<string, JsonObject>,
): boolean {
  const shown = new Map<string, { readonly before: boolean; readonly now: boolean }>();
  for (const { subscriber, target } of readers) {
    const { entry = "" } = subscriber;
    const { values, gone } = memoryOf(target);
    const before = values !== undefined && gone === undefined && target.status !== "unavailable";
    shown.set(entry, {
      before: before || shown.get(entry)?.before === true,
      now: records.has(entry),
    });
  }
  return isSuspiciousProbe([...shown.values()]);
}

export function evaluateReading(
  subscriber: Subscriber,
  target: TargetState,
  record: JsonObject | undefined,
  context: ReadingContext,
): SubscriberEvaluation {
  const { rule, detectedAtMs } = context;
  if (record === undefined) return evaluateAbsence(subscriber, target, context);
  const reading = readValues(record, rule);
  if (reading === undefined) return noteNoReading(target);
  const before = memoryOf(target);
  const finding = detectReading(readingMemory(before), reading, rule);
  const isKept = rule.gone !== undefined && (finding.facts.length > 0 || before.last === undefined);
  const last = isKept ? record : before.last;
  const memory = { ...finding.memory, ...(last === undefined ? {} : { last }) };
  const isUnchanged =
    JSON.stringify(memory) === JSON.stringify(target.memory) &&
    target.status === "ok" &&
    target.statusReason === "";
  if (isUnchanged) return NOTHING;
  const baselineAtMs = target.baselineAtMs ?? detectedAtMs;
  const targets = [
    { ...changeOf(target), memory: memory as unknown as JsonObject, baselineAtMs, ...WELL },
  ];
  const found = readingFacts(finding, record, target, context);
  const missed = missedOnce(subscriber.watch, target);
  return {
    verdicts: [],
    events: eventsOf(subscriber, found, missed, context),
    targets,
    found: {
      facts: found.map((fact) => foundFact(subscriber, fact, "news", missed)),
      values: [foundValues(subscriber, target, record, { episode: context.episode, missed })],
    },
  };
}

/** Returns what the detector remembered of a target; undefined if it has read no value of it. */
export function readingMemory(memory: Partial<ReadingMemory>): ReadingMemory | undefined {
  const { values } = memory;
  return values === undefined ? undefined : { ...memory, values, across: memory.across ?? [] };
}

/** What the facts of a record depend on besides the record. */
export type ReadingFactContext = Beside & Pick<ReadingContext, "rule" | "episode" | "detectedAtMs">;

/** Returns the facts of a record, before the conditions of the watch are applied. */
export function readingFacts(
  finding: ReadingFinding,
  record: JsonObject,
  target: Pick<TargetState, "key" | "userId">,
  context: ReadingFactContext,
): readonly Fact[] {
  const { rule, other, companion } = context;
  const user = accountOf(record, context);
  return finding.facts.map((fact) => {
    const body: EventBody = {
      ...(user === undefined ? {} : { user }),
      ...(other === undefined ? {} : { target: other }),
      ...factBody(rule, fact, record, finding),
      ...(rule.companion === undefined || companion === undefined
        ? {}
        : { [rule.companion.name]: companion }),
    };
    return factOf(target, { type: fact.event, body }, context);
  });
}

/**
 * Returns the account that the record is about: a part of the record, or else the profile that was
 * requested.
 */
function accountOf(record: JsonObject, { rule, profile }: ReadingFactContext): User | undefined {
  const own =
    rule.account === undefined ? undefined : (record[rule.account] as User | null | undefined);
  return own?.id ? own : profile;
}

const GONE = { status: "gone", statusReason: "deleted, or no longer public" } as const;

/**
 * Evaluates an answer without the record. A record that is gone is reported once, and not when it
 * comes back. If the target is an account, or its record was never seen, nothing is reported here:
 * the account may exist elsewhere, or the id may be misspelt, so `isAbsent` makes the caller look
 * up the reason.
 */
function evaluateAbsence(
  subscriber: Subscriber,
  target: TargetState,
  context: ReadingContext,
): SubscriberEvaluation {
  const { rule } = context;
  const before = memoryOf(target);
  if (
    context.isSuspicious === true &&
    passedMs(before.blindAtMs ?? context.detectedAtMs, context.detectedAtMs) < SUSPICIOUS_FOR_MS
  )
    return before.blindAtMs === undefined
      ? recordSuspicious(target, context.detectedAtMs)
      : NOTHING;
  if (before.values === undefined || target.userId !== null) return { ...NOTHING, isAbsent: true };
  // An older release reported the record as gone without setting this status.
  if (before.gone === true)
    return target.status === GONE.status
      ? NOTHING
      : { ...NOTHING, targets: [{ ...changeOf(target), ...GONE }] };
  const absences = (before.absences ?? 0) + 1;
  const isGone = absences >= ABSENCES_TO_GO;
  const memory = {
    ...before,
    absences,
    ...(isGone ? { gone: true } : {}),
  } as unknown as JsonObject;
  const targets = [{ ...changeOf(target), memory, ...(isGone ? GONE : {}) }];
  if (!isGone || rule.gone === undefined) return { verdicts: [], events: [], targets };
  const body: EventBody = {
    [rule.name]: before.last ?? before.values,
    previous: before.values,
    crossed: [],
    changed: [],
  };
  const fact = factOf(target, { type: rule.gone.event, body }, context);
  const missed = missedOnce(subscriber.watch, target);
  return {
    verdicts: [],
    events: eventsOf(subscriber, [fact], missed, context),
    targets,
    found: { facts: [foundFact(subscriber, fact, "news", missed)] },
  };
}

const recordSuspicious = (target: TargetState, blindAtMs: number): SubscriberEvaluation => ({
  ...NOTHING,
  targets: [{ ...changeOf(target), memory: { ...target.memory, blindAtMs } }],
});

function noteNoReading(target: TargetState): SubscriberEvaluation {
  if (target.status === "ok" && target.statusReason === NO_READING) return NOTHING;
  return { ...NOTHING, targets: [{ ...changeOf(target), status: "ok", statusReason: NO_READING }] };
}

const factOf = (
  target: Pick<TargetState, "key" | "userId">,
  { type, body }: Pick<Fact, "type" | "body">,
  { episode, detectedAtMs }: Pick<ReadingContext, "episode" | "detectedAtMs">,
): Fact => ({
  type,
  subject: target.userId ?? target.key,
  episode,
  body,
  occurredAtMs: detectedAtMs,
});

function eventsOf(
  subscriber: Subscriber,
  facts: readonly Fact[],
  missed: Missed | undefined,
  context: ReadingContext,
): readonly EvaluatedEvent[] {
  const wanted = facts.filter(({ body }) => subscriber.watch.where?.matches(body) !== false);
  return withMissed(
    wanted.map((fact) => makeEvent(context, subscriber, fact)),
    missed,
  );
}

const memoryOf = (target: TargetState): TargetMemory => target.memory as TargetMemory;
