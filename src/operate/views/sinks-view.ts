/**
 * The sinks as the status page, the API and `chirpwatch status` show them: whether each accepts
 * messages, what waits for it, and why.
 */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import type { DeadLetters } from "../../model/dead-letters.ts";
import type { EscalationStore } from "../../model/escalation.ts";
import type { LevelStore } from "../../model/level.ts";
import type { Outbox, OutboxStats } from "../../model/outbox.ts";
import type { SinkView } from "../../server/schema/sink-view.ts";
import { placeOfSink } from "../alerts/create-sink.ts";
import { countDead } from "../alerts/dead-letters.ts";
import { countViews, createWaitReader, type WaitReader } from "../alerts/waiting.ts";

type SinkStore = Pick<Outbox, "loadSinkHealth" | "outboxStats" | "countWaiting"> &
  Pick<DeadLetters, "groupDead"> &
  Pick<LevelStore, "dueRepeats"> &
  Pick<EscalationStore, "escalationOutlook">;

export interface SinksNow {
  readonly views: readonly SinkView[];
  /** Counts of all sinks, including sinks that are gone. */
  readonly stats: readonly OutboxStats[];
  readonly readWait: WaitReader;
}

/**
 * Reads the state of the sinks. `pauses` says until when each sink asked to receive no messages.
 */
export async function readSinks(
  store: SinkStore,
  config: Config,
  { pauses, nowMs }: { readonly pauses: ReadonlyMap<string, number>; readonly nowMs: number },
): Promise<SinksNow> {
  const [health, stats, dead, waiting, repeats, escalations] = [
    await store.loadSinkHealth(),
    await store.outboxStats(),
    await countDead(store),
    await store.countWaiting(nowMs),
    await store.dueRepeats(),
    await store.escalationOutlook(),
  ];
  const readWait = createWaitReader({ config, health, pauses, nowMs });
  const views = config.sinks.map((sink): SinkView => {
    const { name, type } = sink;
    const own = stats.find((one) => one.sink === name);
    const again = repeats.find((one) => one.sink === name);
    const open = health.find((one) => one.sink === name && one.breaker === "open");
    return {
      name,
      type,
      place: sink.settings === undefined ? "" : placeOfSink(sink),
      breaker: open === undefined ? "closed" : "open",
      reason: open?.reason ?? "",
      hint: open?.hint ?? "",
      failing_since: isoOrNull(open?.openedAtMs),
      next_attempt_at: isoOrNull(open?.probeAtMs),
      waiting: own?.waiting ?? 0,
      waits: countViews(name, waiting, readWait),
      repeats:
        again === undefined ? null : { count: again.count, next_at: isoTime(again.nextAtMs) },
      escalations: escalations
        .filter((one) => one.sink === name)
        .map(({ to, count, nextAtMs }) => ({ to, count, next_at: isoTime(nextAtMs) })),
      oldest_at: isoOrNull(own?.oldestAtMs),
      sent: own?.sent ?? 0,
      dead: dead.get(name) ?? 0,
    };
  });
  return { views, stats, readWait };
}

const isoOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : isoTime(epochMs);
