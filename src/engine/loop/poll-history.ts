/**
 * What is remembered of each poll while the daemon runs: when it ran, how that went, and what is
 * missing of its feed. All by poll key.
 */
import { type GapAge, readFeedMemory } from "../../detect/feed-memory.ts";
import { gapAges } from "../../detect/gap-age.ts";
import type { Clock } from "../../model/clock.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Poll, PollGroup } from "../../plan/poll.ts";

type Store = Pick<PollStore, "loadSources">;

/** Gaps of a feed. */
interface FeedGaps {
  readonly gaps: readonly GapAge[];
  /** When the state was asked for them, monotonic; undefined: a poll of this process left them. */
  readonly readAtMs?: number;
}

/** Gaps in the history of a feed that wait to be filled. */
export interface OpenGaps {
  readonly feed: Poll;
  readonly gaps: readonly GapAge[];
}

export const countGaps = (open: readonly OpenGaps[]): number =>
  open.reduce((sum, { gaps }) => sum + gaps.length, 0);

/** What the state said of gaps that another replica may fill meanwhile is believed for so long. */
const BELIEVED_MS = 30_000;

export class PollHistory {
  readonly lastPolledAtMs = new Map<string, number>();
  /** When a run last succeeded. */
  readonly lastOkAtMs = new Map<string, number>();
  /** Why the last run failed. */
  readonly problems = new Map<string, string>();
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #gaps = new Map<string, FeedGaps>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Takes over what the state knows of polls that are new here. Returns their keys. A group that
   * was never polled as such is due by those of its members that were polled longest ago; at once
   * when one never was.
   */
  async load(polls: readonly Poll[], store: Store): Promise<readonly string[]> {
    const unknown = polls.filter(({ key }) => !this.lastPolledAtMs.has(key)).map(({ key }) => key);
    for (const source of unknown.length === 0 ? [] : await store.loadSources(unknown)) {
      if (source.lastPollAtMs !== null)
        this.lastPolledAtMs.set(source.fingerprint, source.lastPollAtMs);
      if (source.lastOkAtMs !== null) this.lastOkAtMs.set(source.fingerprint, source.lastOkAtMs);
    }
    for (const { key, group } of polls)
      if (group !== undefined && !this.lastPolledAtMs.has(key))
        await this.#dateGroup(key, group, store);
    return unknown;
  }

  async #dateGroup(key: string, { members }: PollGroup, store: Store): Promise<void> {
    const sources = await store.loadSources(members.map((member) => member.key));
    const times = sources.map(({ lastPollAtMs }) => lastPollAtMs);
    if (times.length > 0 && times.every((time) => time !== null))
      this.lastPolledAtMs.set(key, Math.min(...times));
    const okTimes = sources.flatMap(({ lastOkAtMs }) => lastOkAtMs ?? []);
    if (okTimes.length > 0) this.lastOkAtMs.set(key, Math.max(...okTimes));
  }

  /**
   * Drops what is kept of polls that are planned no longer, alone or in a group: when they come
   * back, the state knows when they ran.
   */
  keepOnly(polls: readonly Poll[]): void {
    const keys = new Set(
      polls.flatMap(({ key, group }) => [
        key,
        ...(group?.members ?? []).map((member) => member.key),
      ]),
    );
    for (const kept of [this.lastPolledAtMs, this.lastOkAtMs, this.problems, this.#gaps])
      for (const key of kept.keys()) if (!keys.has(key)) kept.delete(key);
  }

  /**
   * A run that brought something, if only a part. `openGaps`: gaps in what is known of its feed.
   */
  polled(key: string, atMs: number, openGaps: readonly GapAge[] | undefined): void {
    this.lastPolledAtMs.set(key, atMs);
    this.problems.delete(key);
    if (openGaps !== undefined) this.#gaps.set(key, { gaps: openGaps });
  }

  succeeded(key: string, atMs: number): void {
    this.problems.delete(key);
    this.lastOkAtMs.set(key, atMs);
  }

  failed(key: string, problem: string): void {
    this.problems.set(key, problem);
  }

  /**
   * Gaps in covered history that wait to be filled, of feeds that are polled by themselves and of
   * those in groups. The state is asked for those that were not polled here, and not again at once:
   * thousands of memories take it a while.
   */
  async openGaps(polls: readonly Poll[], store: Store): Promise<readonly OpenGaps[]> {
    const all = polls
      .flatMap((poll) => poll.group?.members ?? [poll])
      .filter(({ detector }) => detector === "feed");
    const feeds = new Map(all.map((feed) => [feed.key, feed]));
    const unknown = [...feeds.keys()].filter((key) => !this.#isKnown(key));
    for (const { fingerprint, memory } of unknown.length === 0
      ? []
      : await store.loadSources(unknown)) {
      // One that was polled meanwhile knows better.
      if (!this.#isKnown(fingerprint))
        this.#gaps.set(fingerprint, {
          gaps: gapAges(readFeedMemory(memory)),
          readAtMs: this.#clock.monotonic(),
        });
    }
    return [...feeds.values()].flatMap((feed) => {
      const { gaps = [] } = this.#gaps.get(feed.key) ?? {};
      return gaps.length === 0 ? [] : [{ feed, gaps }];
    });
  }

  #isKnown(key: string): boolean {
    const known = this.#gaps.get(key);
    return (
      known !== undefined &&
      (known.readAtMs === undefined || this.#clock.monotonic() - known.readAtMs < BELIEVED_MS)
    );
  }
}
