/**
 * Remembers for each poll, by its key, when it ran, how that went, and which gaps its feed has. The
 * memory lasts as long as the process.
 */
import { type GapAge, readFeedMemory } from "../../detect/feed-memory.ts";
import { gapAges } from "../../detect/gap-age.ts";
import type { Clock } from "../../model/clock.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Poll, PollGroup } from "../../plan/poll.ts";

type Store = Pick<PollStore, "loadSources">;

/** The gaps of a feed. */
interface FeedGaps {
  readonly gaps: readonly GapAge[];
  /**
   * When the gaps were read from the state, in monotonic ms; undefined if a poll of this process
   * reported them.
   */
  readonly readAtMs?: number;
}

/** A feed with the gaps in its covered ranges that wait to be filled. */
export interface OpenGaps {
  readonly feed: Poll;
  readonly gaps: readonly GapAge[];
}

export const countGaps = (open: readonly OpenGaps[]): number =>
  open.reduce((sum, { gaps }) => sum + gaps.length, 0);

/**
 * After this time, gaps that were read from the state are read again, because another replica may
 * have filled them.
 */
const BELIEVED_MS = 30_000;

export class PollHistory {
  readonly lastPolledAtMs = new Map<string, number>();
  /** When each poll last succeeded, in epoch ms, by its key. */
  readonly lastOkAtMs = new Map<string, number>();
  /** Why the last run of each failing poll failed, by its key. */
  readonly problems = new Map<string, string>();
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #gaps = new Map<string, FeedGaps>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Loads when polls ran, for those polls that are new here, and resolves to their keys. A group
   * that was never polled gets the time of the member that was polled longest ago, and no time if a
   * member was never polled.
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
   * Forgets polls that are no longer planned, alone or in a group. If such a poll is planned again,
   * `load` reads from the state when it ran.
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

  /** Records a run that read all or a part. `openGaps` are the gaps of the poll's feed. */
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
   * Returns the gaps in the covered ranges of feeds, including those in groups. If this process has
   * not polled a feed, its gaps are read from the state and used for `BELIEVED_MS`, because reading
   * thousands of memories takes time.
   */
  async openGaps(polls: readonly Poll[], store: Store): Promise<readonly OpenGaps[]> {
    const all = polls
      .flatMap((poll) => poll.group?.members ?? [poll])
      .filter(({ detector }) => detector === "feed");
    const feeds = new Map(all.map((feed) => [feed.key, feed]));
    const nowMs = this.#clock.monotonic();
    const unknown = [...feeds.keys()].filter((key) => !this.#isKnown(key, nowMs));
    for (const { fingerprint, memory } of unknown.length === 0
      ? []
      : await store.loadSources(unknown)) {
      // A poll of the feed may have ended while the state was read. Its gaps are newer and are
      // kept.
      if (!this.#isKnown(fingerprint, nowMs))
        this.#gaps.set(fingerprint, { gaps: gapAges(readFeedMemory(memory)), readAtMs: nowMs });
    }
    return [...feeds.values()].flatMap((feed) => {
      const { gaps = [] } = this.#gaps.get(feed.key) ?? {};
      return gaps.length === 0 ? [] : [{ feed, gaps }];
    });
  }

  #isKnown(key: string, nowMs: number): boolean {
    const known = this.#gaps.get(key);
    return (
      known !== undefined && (known.readAtMs === undefined || nowMs - known.readAtMs < BELIEVED_MS)
    );
  }
}
