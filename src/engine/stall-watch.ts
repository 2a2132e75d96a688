/**
 * Tells the operator once when a watch gets nowhere although the data service as a whole seems well: polls that keep failing or never get
 * their turn, lists that come back empty. When most lists do, it is the service that says nothing. Owns the judgement; polls are others'.
 */
import { type Cancel, type Clock, isoTime } from "../model/clock.ts";
import { formatDuration } from "../model/duration.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import { UpstreamError } from "../model/upstream.ts";
import { StoreError } from "../model/store-error.ts";
import type { Notes } from "../model/store.ts";
import type { Notices } from "./notices.ts";
import { RequestHeld } from "./request-gate.ts";
import { createSilenceWatch } from "./silence-watch.ts";
import type { Poll } from "./watch-poll.ts";

export interface PolledNews {
  /** Whether a list that held items before came back empty. */
  readonly isBlind: boolean;
  /** Items never seen before. */
  readonly newItems: number;
}

export interface StallWatch {
  succeeded(poll: Poll, news: PolledNews): void;
  failed(poll: Poll, error: unknown): void;
  /** Forgets polls that are no longer planned. */
  keepOnly(polls: readonly Poll[]): void;
  start(): void;
  stop(): void;
}

export interface StallWatchDeps {
  readonly clock: Clock;
  readonly notices: Notices;
  /** What was told, so that a restart does not tell it again. */
  readonly notes: Notes;
  readonly log: Log;
  /** When a poll is due, epoch ms; undefined while it runs. */
  readonly nextDueAt: (key: string) => number | undefined;
  /** While the service or the state is known to fail, it is told as that. */
  readonly isTroubleKnown: () => boolean;
}

interface Health {
  readonly poll: Poll;
  failingSinceMs: number | undefined;
  problem: string;
  /** Answers in a row that were empty although the list held items before. */
  blindAnswers: number;
}

const CHECK_EVERY_MS = 30_000;
/** Trouble shorter than this, or than three intervals, passes without a word. */
const TELL_AFTER_MS = 15 * 60_000;
const BLIND_ANSWERS = 3;
const NOTE = "watch.stalled";

export function createStallWatch(deps: StallWatchDeps): StallWatch {
  const { clock, notices, notes } = deps;
  const healths = new Map<string, Health>();
  const silence = createSilenceWatch(deps);
  let told: Set<string> | undefined;
  /** When trouble that is told as something else was last seen: patience begins anew after it. */
  let otherTroubleAtMs = Number.NEGATIVE_INFINITY;
  let cancel: Cancel | undefined;
  let isStopped = false;

  const healthOf = (poll: Poll): Health => {
    const health = healths.get(poll.key) ?? { poll, failingSinceMs: undefined, problem: "", blindAnswers: 0 };
    healths.set(poll.key, health);
    return health;
  };

  const check = async (): Promise<void> => {
    told ??= new Set(listOf(await notes.readNote(NOTE)));
    await silence.check(isBlindEverywhere(healths.values()));
    const well = wellWatches(healths.values());
    const stalled = new Map([...told].filter((watch) => !well.has(watch)).map((watch) => [watch, ""]));
    if (deps.isTroubleKnown() || silence.isSilent) otherTroubleAtMs = clock.now();
    else {
      for (const health of healths.values()) {
        const reason = reasonOf(health, deps.nextDueAt(health.poll.key), clock.now(), otherTroubleAtMs);
        if (reason !== undefined) for (const { watch } of health.poll.subscribers) stalled.set(watch.id, reason);
      }
    }
    const fresh = [...stalled].filter(([watch]) => told?.has(watch) !== true);
    const isSame = fresh.length === 0 && stalled.size === told.size;
    if (isSame) return;
    told = new Set(stalled.keys());
    await notes.writeNote(NOTE, [...told]);
    for (const [watch, reason] of fresh) {
      await notices.tell({
        type: "watch.stalled",
        subject: watch,
        watch,
        severity: "warning",
        message: `${watch} gets nowhere: ${reason}`,
        hint: "chirpwatch status shows each poll; nothing is lost, what was missed is read when it goes on.",
      });
    }
  };

  const arm = () => {
    cancel = clock.after(CHECK_EVERY_MS, () => {
      check()
        .catch((error: unknown) => deps.log.warn("stalled watches could not be checked", { error }))
        .finally(() => {
          if (!isStopped) arm();
        });
    });
  };

  return {
    succeeded(poll, news) {
      const health = healthOf(poll);
      health.failingSinceMs = undefined;
      health.blindAnswers = news.isBlind ? health.blindAnswers + 1 : 0;
      // The members of a group report what they brought themselves.
      silence.take(poll.key, poll.group === undefined ? news.newItems : 0);
    },
    failed(poll, error) {
      const health = healthOf(poll);
      if (isToldElsewhere(error)) health.failingSinceMs = undefined;
      else health.failingSinceMs ??= clock.now();
      health.problem = errorText(error);
    },
    keepOnly(polls) {
      const keys = new Set(polls.map(({ key }) => key));
      for (const key of healths.keys()) if (!keys.has(key)) healths.delete(key);
      silence.keepOnly(keys);
    },
    start: arm,
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}

/** A target that cannot be read, a spent quota, a refused key and a state that cannot be written have notices of their own. */
function isToldElsewhere(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  if (error instanceof RequestHeld) return error.reason !== "backoff";
  return error instanceof UpstreamError && !["transient", "rate_limited"].includes(error.kind);
}

function reasonOf(
  { poll, failingSinceMs, problem, blindAnswers }: Health,
  dueMs: number | undefined,
  nowMs: number,
  otherTroubleAtMs: number,
): string | undefined {
  const hasWaited = (sinceMs: number) => nowMs - Math.max(sinceMs, otherTroubleAtMs) > patienceMs;
  const patienceMs = Math.max(TELL_AFTER_MS, 3 * poll.intervalMs);
  if (failingSinceMs !== undefined && hasWaited(failingSinceMs))
    return `its polls have been failing since ${isoTime(failingSinceMs)} (${problem})`;
  if (dueMs !== undefined && hasWaited(dueMs)) return `a poll has been waiting for its turn for ${formatDuration(nowMs - dueMs)}`;
  if (blindAnswers >= BLIND_ANSWERS) return `its list came back empty ${BLIND_ANSWERS} times in a row although it held items before`;
  return undefined;
}

/** Watches with a poll that goes well and none that does not: what was told of them is over. */
function wellWatches(healths: Iterable<Health>): ReadonlySet<string> {
  const well = new Set<string>();
  const ill = new Set<string>();
  for (const { poll, failingSinceMs, blindAnswers } of healths) {
    const isWell = failingSinceMs === undefined && blindAnswers === 0;
    for (const { watch } of poll.subscribers) (isWell ? well : ill).add(watch.id);
  }
  return new Set([...well].filter((watch) => !ill.has(watch)));
}

/** Half of the lists that ever held something, and more than one of them. */
function isBlindEverywhere(healths: Iterable<Health>): boolean {
  let blind = 0;
  let all = 0;
  for (const { blindAnswers, poll } of healths) {
    if (poll.detector !== "feed" || poll.source.boundParam !== undefined) continue;
    all += 1;
    if (blindAnswers >= BLIND_ANSWERS) blind += 1;
  }
  return blind >= 2 && blind * 2 >= all;
}

const listOf = (note: unknown): readonly string[] =>
  Array.isArray(note) ? note.filter((entry): entry is string => typeof entry === "string") : [];
