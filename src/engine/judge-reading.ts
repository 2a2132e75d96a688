/** What a reading means to one subscriber: which thresholds it crossed. One event per crossing poll. */
import { detectReading, readNumbers, type ReadingMemory, type ReadingRule } from "../detect/reading.ts";
import type { EventBody } from "../model/event.ts";
import type { Hash } from "../model/hash.ts";
import type { JsonObject } from "../model/json.ts";
import type { TargetState } from "../model/store.ts";
import type { User } from "../model/user.ts";
import type { Subscriber } from "./watch-poll.ts";
import { makeEvent } from "./make-event.ts";
import type { Judgement } from "./verdicts.ts";

export interface ReadingJudgeContext {
  readonly hash: Hash;
  readonly detectedAtMs: number;
  readonly rule: ReadingRule;
  readonly profile: User | undefined;
  /** A fresh random id: the same threshold can be crossed again. */
  readonly episode: string;
}

const NO_READING = "the service gave no number";

export function judgeReading(subscriber: Subscriber, target: TargetState, record: JsonObject, context: ReadingJudgeContext): Judgement {
  const { rule, detectedAtMs } = context;
  const change = { watchKey: target.watchKey, targetKey: target.key, expectedRevision: target.revision };
  const reading = readNumbers(record, rule.fields);
  if (reading === undefined) {
    const isNoted = target.status === "ok" && target.statusReason === NO_READING;
    return { verdicts: [], events: [], targets: isNoted ? [] : [{ ...change, status: "ok", statusReason: NO_READING }] };
  }
  const finding = detectReading(memoryOf(target), reading, rule);
  const isUnchanged =
    JSON.stringify(finding.memory) === JSON.stringify(memoryOf(target)) && target.status === "ok" && target.statusReason === "";
  if (isUnchanged) return { verdicts: [], events: [], targets: [] };
  const targets = [
    {
      ...change,
      memory: { ...finding.memory },
      baselineAtMs: target.baselineAtMs ?? detectedAtMs,
      status: "ok" as const,
      statusReason: "",
    },
  ];
  const body: EventBody = {
    ...(context.profile === undefined ? {} : { user: context.profile }),
    [rule.reading]: finding.memory.values,
    previous: finding.previous,
    crossed: finding.crossed,
  };
  const isTold = finding.crossed.length > 0 && (subscriber.watch.where?.matches(body) ?? true);
  if (!isTold) return { verdicts: [], events: [], targets };
  const subject = target.userId ?? target.key;
  const event = makeEvent(
    context.hash,
    subscriber,
    { type: rule.event, subject, episode: context.episode, body, occurredAtMs: detectedAtMs },
    detectedAtMs,
  );
  return { verdicts: [], events: [{ event, ownSinks: subscriber.watch.sinks }], targets };
}

function memoryOf(target: TargetState): ReadingMemory | undefined {
  const { values, across } = target.memory as { values?: ReadingMemory["values"]; across?: readonly string[] };
  return values === undefined ? undefined : { values, across: across ?? [] };
}
