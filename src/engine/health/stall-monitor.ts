/**
 * Alerts the operator once when a watch makes no progress although the data service as a whole
 * seems to work: its polls keep failing, never get their turn, or return an empty list. If most
 * lists come back empty, the service is at fault, which `SilenceMonitor` reports.
 */
import { type Cancel, isoTime } from "../../model/clock.ts";
import { formatDuration } from "../../model/duration.ts";
import { errorText } from "../../model/errors.ts";
import { UpstreamError } from "../../model/upstream.ts";
import { StoreError } from "../../model/store-error.ts";
import type { Ports } from "../../model/ports.ts";
import { repeat } from "./repeat.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import { SilenceMonitor } from "./silence-monitor.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { Poll } from "../../polling/watch-poll.ts";

/** The parts of a successful poll's outcome that show whether its list is suspiciously empty. */
type PolledNews = Pick<PollOutcome, "isSuspicious" | "newItems" | "shown">;

export interface StallMonitorDeps extends Pick<Ports, "clock" | "opsAlerts" | "log"> {
  /** Returns when the poll with this key is due, in epoch ms; undefined while it runs. */
  readonly nextDueAt: (key: string) => number | undefined;
  /**
   * Whether the data service or the state is known to fail. That failure has its own ops alert, so
   * no watch is reported as stalled meanwhile.
   */
  readonly isTroubleKnown: () => boolean;
}

/**
 * A poll that has problems. Polls without problems have no such record, because there may be ten
 * thousand of them.
 */
interface Ill {
  readonly poll: Poll;
  failingSinceMs: number | undefined;
  problem: string;
  /** How many answers in a row were empty although the list held items before. */
  emptyAnswers: number;
  /** When the last suspicious empty answer arrived, in epoch ms. */
  emptyAtMs: number;
}

const CHECK_EVERY_MS = 30_000;
/** Problems are reported only if they last longer than this and longer than three intervals. */
const ALERT_AFTER_MS = 15 * 60_000;
const SUSPICIOUS_ANSWERS = 3;
const SEEN_FOR_MS = 3 * CHECK_EVERY_MS;
const CONDITION = "watch.stalled:";

export class StallMonitor {
  readonly #deps: StallMonitorDeps;
  readonly #silence: SilenceMonitor;
  #stopChecks: Cancel | undefined;
  readonly #ills = new Map<string, Ill>();
  #planned: readonly Poll[] = [];
  /** The watches that were reported as stalled, as of the last check. */
  #reported: ReadonlySet<string> = new Set();
  /** The ids of reported watches of which a poll has succeeded since the report. */
  readonly #better = new Set<string>();
  /**
   * When a problem with an ops alert of its own was last seen, in epoch ms. How long a watch has
   * made no progress is counted from then.
   */
  #otherTroubleAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: StallMonitorDeps) {
    const { clock, opsAlerts } = deps;
    this.#deps = deps;
    this.#silence = new SilenceMonitor({ clock, opsAlerts });
  }

  succeeded(poll: Poll, news: PolledNews): void {
    if (news.isSuspicious) {
      const ill = this.#illOf(poll);
      ill.failingSinceMs = undefined;
      ill.emptyAnswers += 1;
      ill.emptyAtMs = this.#deps.clock.now();
    } else {
      this.#ills.delete(poll.key);
      for (const { watch } of poll.subscribers)
        if (this.#reported.has(watch.id)) this.#better.add(watch.id);
    }
    // The members of a group report their own new items.
    this.#silence.countAnswer(
      poll.group === undefined ? news.newItems : 0,
      (news.shown?.size ?? 0) > 0,
    );
  }

  failed(poll: Poll, error: unknown): void {
    if (isReportedElsewhere(error)) return void this.#ills.delete(poll.key);
    const ill = this.#illOf(poll);
    ill.failingSinceMs ??= this.#deps.clock.now();
    ill.problem = errorText(error);
  }

  /** Sets the planned polls, including those of the members of groups. */
  setPolls(polls: readonly Poll[]): void {
    const keys = new Set(polls.map(({ key }) => key));
    for (const key of this.#ills.keys()) if (!keys.has(key)) this.#ills.delete(key);
    if (this.#planned.some(({ key }) => !keys.has(key))) this.#silence.forget();
    this.#planned = polls;
  }

  start(): void {
    const { clock, log } = this.#deps;
    const onError = (error: unknown) => log.warn("stalled watches could not be checked", { error });
    this.#stopChecks = repeat({
      clock,
      everyMs: CHECK_EVERY_MS,
      work: () => this.#check(),
      onError,
    });
  }

  stop(): void {
    this.#stopChecks?.();
  }

  #illOf(poll: Poll): Ill {
    const ill = this.#ills.get(poll.key) ?? {
      poll,
      failingSinceMs: undefined,
      problem: "",
      emptyAnswers: 0,
      emptyAtMs: 0,
    };
    this.#ills.set(poll.key, ill);
    return ill;
  }

  async #check(): Promise<void> {
    const { clock, opsAlerts, isTroubleKnown } = this.#deps;
    await opsAlerts.load();
    const reported = opsAlerts.lasting(CONDITION);
    await this.#silence.check(isSuspiciousEverywhere(this.#planned, this.#ills, clock.now()));
    const stalled = this.#stillStalled(reported);
    if (isTroubleKnown() || this.#silence.isSilent) this.#otherTroubleAtMs = clock.now();
    else for (const [watch, reason] of this.#reasons()) stalled.set(watch, reason);
    for (const watch of reported) {
      if (stalled.has(watch)) continue;
      this.#better.delete(watch);
      await opsAlerts.clear(`${CONDITION}${watch}`);
    }
    for (const [watch, reason] of stalled) if (reason !== "") await this.#alert(watch, reason);
    this.#reported = opsAlerts.lasting(CONDITION);
  }

  /**
   * Returns the reported watches that are still stalled: no poll succeeded since the report, or one
   * has problems again.
   */
  #stillStalled(reported: ReadonlySet<string>): Map<string, string> {
    const worse = new Set(
      [...this.#ills.values()].flatMap(({ poll }) => poll.subscribers.map(({ watch }) => watch.id)),
    );
    return new Map(
      [...reported]
        .filter((watch) => !this.#better.has(watch) || worse.has(watch))
        .map((watch) => [watch, ""]),
    );
  }

  /** Returns why watches are stalled, by watch id. */
  #reasons(): ReadonlyMap<string, string> {
    const { clock, nextDueAt } = this.#deps;
    const times = { nowMs: clock.now(), otherTroubleAtMs: this.#otherTroubleAtMs };
    const reasons = new Map<string, string>();
    for (const poll of this.#planned) {
      const reason = reasonOf(poll, this.#ills.get(poll.key), nextDueAt(poll.key), times);
      if (reason !== undefined)
        for (const { watch } of poll.subscribers) reasons.set(watch.id, reason);
    }
    return reasons;
  }

  async #alert(watch: string, reason: string): Promise<void> {
    await this.#deps.opsAlerts.raise({
      once: { key: `${CONDITION}${watch}`, seenForMs: SEEN_FOR_MS },
      type: "watch.stalled",
      subject: watch,
      watch,
      severity: "warning",
      message: `${watch} makes no progress: ${reason}`,
      hint: "chirpwatch status shows each poll. Nothing is lost: what was missed is read when the watch works again.",
    });
  }
}

/**
 * Whether the error has an ops alert of its own: a target that cannot be read, a spent quota, a
 * refused key, or a state that cannot be written.
 */
function isReportedElsewhere(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  if (error instanceof RequestHeld) return error.reason !== "backoff";
  return error instanceof UpstreamError && !["transient", "rate_limited"].includes(error.kind);
}

function reasonOf(
  poll: Poll,
  ill: Ill | undefined,
  dueMs: number | undefined,
  { nowMs, otherTroubleAtMs }: { readonly nowMs: number; readonly otherTroubleAtMs: number },
): string | undefined {
  const hasWaited = (sinceMs: number) =>
    nowMs - Math.max(sinceMs, otherTroubleAtMs) > longestWaitMs(poll);
  if (ill?.failingSinceMs !== undefined && hasWaited(ill.failingSinceMs))
    return `its polls have been failing since ${isoTime(ill.failingSinceMs)} (${ill.problem})`;
  if (dueMs !== undefined && hasWaited(dueMs))
    return `a poll has been waiting for its turn for ${formatDuration(nowMs - dueMs)}`;
  if (ill !== undefined && ill.emptyAnswers >= SUSPICIOUS_ANSWERS)
    return `its list came back empty ${SUSPICIOUS_ANSWERS} times in a row although it held items before`;
  return undefined;
}

const longestWaitMs = ({ intervalMs }: Poll): number => Math.max(ALERT_AFTER_MS, 3 * intervalMs);

/**
 * Whether at least two feeds, and at least half of all feeds, keep answering with suspicious empty
 * lists. An empty answer counts only while it is recent, because an account that is probed is not
 * read again before it posts. Searches bounded by time are left out, because they are empty
 * whenever nothing is new.
 */
function isSuspiciousEverywhere(
  polls: readonly Poll[],
  ills: ReadonlyMap<string, Ill>,
  nowMs: number,
): boolean {
  const lists = polls.filter(
    ({ detector, source }) => detector === "feed" && source.boundParam === undefined,
  );
  const isSuspicious = (poll: Poll, ill: Ill | undefined): boolean =>
    ill !== undefined &&
    ill.emptyAnswers >= SUSPICIOUS_ANSWERS &&
    nowMs - ill.emptyAtMs <= longestWaitMs(poll);
  const suspicious = lists.filter((poll) => isSuspicious(poll, ills.get(poll.key))).length;
  return suspicious >= 2 && suspicious * 2 >= lists.length;
}
