/**
 * Alerts the operator when a gap in a feed's covered ranges does not shrink, and clears the alert
 * when the gap is closed. The feed's memory holds the gaps and their ages.
 */
import { type GapAge, readFeedMemory } from "../../detect/feed-memory.ts";
import { gapAges, stuckGap } from "../../detect/gap-age.ts";
import { type Cancel, isoTime } from "../../model/clock.ts";
import { formatDuration } from "../../model/duration.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { Share } from "../../model/replicas.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { repeat } from "./repeat.ts";

export interface GapMonitorDeps extends Pick<Ports, "clock" | "opsAlerts" | "log"> {
  readonly store: Pick<PollStore, "loadSources">;
  /**
   * Shows whether this replica leads. Only the leader clears alerts, whichever replica filled the
   * gap.
   */
  readonly share: Pick<Share, "isLeading">;
  readonly pollsOf: (watchId: string) => readonly Poll[];
}

const CHECK_EVERY_MS = 30_000;
const CONDITION = "watch.gap:";

export class GapMonitor {
  readonly #deps: GapMonitorDeps;
  #stopChecks: Cancel | undefined;

  constructor(deps: GapMonitorDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { clock, log } = this.#deps;
    const onError = (error: unknown) => log.warn("gaps could not be checked", { error });
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

  /** Alerts the operator if a poll of this replica left a gap that does not shrink. */
  async polled({ subscribers }: Poll, { openGaps = [] }: PollOutcome): Promise<void> {
    const stuck = stuckGap(openGaps);
    if (stuck === undefined) return;
    const reported = this.#deps.opsAlerts.lasting(CONDITION);
    for (const id of new Set(subscribers.map(({ watch }) => watch.id)))
      if (!reported.has(id)) await this.#alert(id, stuck);
  }

  async #check(): Promise<void> {
    const { opsAlerts, share, store, pollsOf } = this.#deps;
    if (!share.isLeading()) return;
    await opsAlerts.load();
    for (const watch of opsAlerts.lasting(CONDITION)) {
      const feeds = feedsOf(watch, pollsOf(watch));
      const sources =
        feeds.length === 0 ? [] : await store.loadSources(feeds.map(({ key }) => key));
      if (sources.some(({ memory }) => stuckGap(gapAges(readFeedMemory(memory))) !== undefined))
        continue;
      await opsAlerts.clear(`${CONDITION}${watch}`, feeds.length === 0 ? undefined : closed(watch));
    }
  }

  async #alert(watch: string, gap: GapAge): Promise<void> {
    const { opsAlerts, clock } = this.#deps;
    await opsAlerts.raise({
      once: { key: `${CONDITION}${watch}` },
      type: "watch.gap",
      subject: watch,
      watch,
      severity: "warning",
      message: `${watch}: ${gapText(gap, clock.now())}`,
      hint: HINTS[gap.cause],
      facts: {
        reason: "open",
        cause: gap.cause,
        opened_at: isoTime(gap.openedAtMs),
        polls: gap.polls,
      },
    });
  }
}

/** Describes how old a gap is and what keeps it open. `status` shows the same text. */
export const gapText = ({ openedAtMs, shrunkAtMs, polls, cause }: GapAge, nowMs: number): string =>
  `a gap in what was read, open since ${isoTime(openedAtMs)}, has not shrunk for ${formatDuration(roundTo(nowMs - shrunkAtMs))} and ${polls} polls: ${CAUSES[cause]}`;

const roundTo = (ms: number): number => Math.max(0, Math.floor(ms / 60_000) * 60_000);

const CAUSES = {
  quota: "the quota leaves no requests for pages beyond the first",
  service: "the data service fails beyond the first page",
  depth: "newer posts use up the `max_pages` of each poll",
} as const satisfies Record<GapAge["cause"], string>;

const HINTS = {
  quota:
    "Raise the quota, or make the watches cheaper: see chirpwatch budget. The missing items are read as soon as requests are left.",
  service: "The missing items are read when the service answers.",
  depth: "Raise `max_pages`, or poll more often.",
} as const satisfies Record<GapAge["cause"], string>;

const closed = (watch: string) =>
  ({
    type: "watch.recovered",
    subject: watch,
    watch,
    severity: "info",
    message: `${watch}: the gap in what was read is closed.`,
    facts: { reason: "closed" },
  }) as const;

/** Returns the feeds that a watch reads, including those read in groups. */
const feedsOf = (watchId: string, polls: readonly Poll[]): readonly Poll[] =>
  polls
    .flatMap((poll) => poll.group?.members ?? [poll])
    .filter(
      ({ detector, subscribers }) =>
        detector === "feed" && subscribers.some(({ watch }) => watch.id === watchId),
    );
