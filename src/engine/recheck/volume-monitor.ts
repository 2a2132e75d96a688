/**
 * Raises an event when a watch has far more events than usual, or none for a long time. Makes no
 * requests: it counts the watch's events in the state. It stores only one value itself: when the
 * watch was observed.
 */
import {
  spikeLimit,
  usualCount,
  usualSpans,
  watchedMs,
  watchedOn,
  type Watched,
  windowsSince,
} from "../../detect/volume.ts";
import { isoTime } from "../../model/clock.ts";
import { formatDuration } from "../../model/duration.ts";
import type { EventBody } from "../../model/event.ts";
import { createInTurn } from "../../model/in-turn.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Priority } from "../../model/schedule.ts";
import type { Ports } from "../../model/ports.ts";
import type { TimeSpan, VolumeStore } from "../../model/volume-store.ts";
import { type CommitDeps, commitEvents } from "../../polling/run/commit-events.ts";
import { makeEvent } from "../../polling/evaluate/make-event.ts";
import { committedOf, type RouteEvaluated } from "../../polling/evaluate/verdicts.ts";
import type { Poll, Subscriber } from "../../polling/watch-poll.ts";

export interface VolumeDeps extends CommitDeps, Pick<Ports, "notes" | "clock" | "hash"> {
  readonly store: VolumeStore & CommitDeps["store"];
  /** Returns the factor by which polls of a priority are slowed down while the quota is short. */
  readonly slowDownOf: (priority: Priority) => number;
  readonly route: RouteEvaluated;
  /** Returns when the baseline of a watch was set, in epoch ms; undefined if it has none. */
  readonly baselineAtMs: (watchKey: string) => number | undefined;
}

/**
 * The watch counts as observed between two checks, unless more time passed than this many poll
 * intervals and than LATE_MS.
 */
const LATE_POLLS = 3;
const LATE_MS = 15 * 60_000;
/**
 * The time of the last check is written this often. After a crash, up to this much time counts as
 * not observed.
 */
const WRITE_EVERY_MS = 5 * 60_000;

/** The `episode` of a watch's first spike. */
const FIRST = "first";

/**
 * The data of a check of a watch: its time, one of the watch's subscribers, and when the watch was
 * observed.
 */
interface VolumeCheck {
  readonly subscriber: Subscriber;
  readonly watched: Watched;
  readonly nowMs: number;
}

interface VolumeFact {
  readonly type: "volume.spike" | "volume.silent";
  /**
   * The id of the watch's previous event of this kind. The new event's id is computed from it, so
   * that replicas that detect the same spike store it only once.
   */
  readonly episode: string;
  readonly volume: JsonObject;
}

export class VolumeMonitor {
  readonly #deps: VolumeDeps;
  readonly #known = new Map<string, { readonly watched: Watched; readonly writtenMs: number }>();
  /** Checks run one at a time, so that two polls do not report the same spike. */
  readonly #inTurn = createInTurn();

  constructor(deps: VolumeDeps) {
    this.#deps = deps;
  }

  /**
   * Checks the number of events of a poll's watches. Called after a successful poll. Never rejects.
   */
  async polled(poll: Poll): Promise<void> {
    const ruled = poll.subscribers.filter(
      ({ watch }) => watch.spike !== undefined || watch.noEventsForMs !== undefined,
    );
    const once = new Map(ruled.map((subscriber) => [subscriber.watchKey, subscriber]));
    for (const subscriber of once.values())
      await this.#inTurn(() => this.#check(poll, subscriber)).catch((error: unknown) =>
        this.#deps.log.warn("the volume of a watch could not be checked", {
          watch: subscriber.watch.id,
          error,
        }),
      );
  }

  /** Writes when each watch was last checked, before the stop. */
  async close(): Promise<void> {
    for (const [watchKey, { watched, writtenMs }] of this.#known)
      if (watched.okMs > writtenMs) await this.#write(watchKey, watched);
  }

  async #check(poll: Poll, subscriber: Subscriber): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const volumeCheck = {
      subscriber,
      watched: await this.#recordCheck(poll, subscriber.watchKey, nowMs),
      nowMs,
    };
    await this.#checkSpike(volumeCheck);
    await this.#checkSilence(volumeCheck);
  }

  /** Records the check, and returns when the watch was observed. */
  async #recordCheck(poll: Poll, watchKey: string, nowMs: number): Promise<Watched> {
    const { notes, slowDownOf } = this.#deps;
    const before = this.#known.get(watchKey) ?? {
      watched: watchedOf(await notes.readNote(noteOf(watchKey))),
      writtenMs: 0,
    };
    const apartMs = Math.max(LATE_MS, LATE_POLLS * poll.intervalMs * slowDownOf(poll.priority));
    const watched = watchedOn(before.watched, nowMs, apartMs);
    const isDue =
      nowMs - before.writtenMs >= WRITE_EVERY_MS ||
      watched.gaps.length !== before.watched?.gaps.length;
    if (isDue) await this.#write(watchKey, watched);
    this.#known.set(watchKey, { watched, writtenMs: isDue ? nowMs : before.writtenMs });
    return watched;
  }

  async #write(watchKey: string, watched: Watched): Promise<void> {
    await this.#deps.notes.writeNote(noteOf(watchKey), watched as unknown as JsonObject);
  }

  async #checkSpike({ subscriber, watched, nowMs }: VolumeCheck): Promise<void> {
    const { store, baselineAtMs } = this.#deps;
    const { watch, watchKey } = subscriber;
    if (watch.spike === undefined) return;
    const { windowMs } = watch.spike;
    const count =
      (await store.countEvents(watchKey, [{ fromMs: nowMs - windowMs, toMs: nowMs }]))[0] ?? 0;
    if (count < watch.spike.min) return;
    const learningSinceMs = Math.min(baselineAtMs(watchKey) ?? watched.sinceMs, watched.sinceMs);
    const spans = usualSpans(watched, learningSinceMs, nowMs, windowMs);
    if (spans.length === 0) return;
    const usual = usualCount(spans, await store.countEvents(watchKey, spans), windowMs);
    const limit = spikeLimit(usual, watch.spike);
    if (count < limit) return;
    const last = await store.newestEvent(watchKey, { type: "volume.spike", sinceMs: 0 });
    if (
      last !== undefined &&
      !(await this.#isOver(watchKey, limit, windowsSince(last.detectedAtMs, nowMs, windowMs)))
    )
      return;
    const volume = { count, usual: Math.round(usual * 10) / 10, window: formatDuration(windowMs) };
    await this.#emit(
      subscriber,
      { type: "volume.spike", episode: last?.id ?? FIRST, volume },
      nowMs,
    );
  }

  /**
   * Whether the last spike is over. A spike is over after a whole window with fewer events than the
   * limit, so that one long surge is reported once.
   */
  async #isOver(watchKey: string, limit: number, since: readonly TimeSpan[]): Promise<boolean> {
    const counts = await this.#deps.store.countEvents(watchKey, since);
    return counts.some((count) => count < limit);
  }

  async #checkSilence({ subscriber, watched, nowMs }: VolumeCheck): Promise<void> {
    const { store } = this.#deps;
    const { watch, watchKey } = subscriber;
    if (watch.noEventsForMs === undefined) return;
    const last = await store.newestEvent(watchKey);
    const sinceMs = Math.max(last?.detectedAtMs ?? 0, watched.sinceMs);
    if (watchedMs(watched, sinceMs, nowMs) < watch.noEventsForMs) return;
    const lastAtMs = await store.newestEvent(watchKey, { type: "volume.silent", sinceMs });
    if (lastAtMs !== undefined) return;
    const volume = {
      for: formatDuration(watch.noEventsForMs),
      last_event_at: last === undefined ? null : isoTime(last.detectedAtMs),
    };
    await this.#emit(
      subscriber,
      { type: "volume.silent", episode: last?.id ?? isoTime(sinceMs), volume },
      nowMs,
    );
  }

  async #emit(
    subscriber: Subscriber,
    { type, episode, volume }: VolumeFact,
    nowMs: number,
  ): Promise<void> {
    const { hash, route } = this.#deps;
    const body: EventBody = { volume };
    const fact = { type, subject: subscriber.watch.id, episode, body, occurredAtMs: nowMs };
    const routed = route(
      makeEvent({ hash, detectedAtMs: nowMs }, { ...subscriber, targetName: "" }, fact),
      nowMs,
    );
    await commitEvents(this.#deps, {
      atMs: nowMs,
      targets: [],
      verdicts: [],
      ...committedOf([routed]),
    });
  }
}

const noteOf = (watchKey: string): string => `volume:${watchKey}`;

function watchedOf(note: unknown): Watched | undefined {
  const { sinceMs, okMs, gaps } = (note ?? {}) as Partial<Watched>;
  return sinceMs === undefined || okMs === undefined || gaps === undefined
    ? undefined
    : { sinceMs, okMs, gaps };
}
