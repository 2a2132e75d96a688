/** The daemon's own events: born like any other, told to `ops` only, and to a route that asks for them by name. */
import type { Notice, Notices } from "../../model/notices.ts";
import { type ChirpEvent, eventId } from "../../model/event.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Random } from "../../model/random.ts";
import type { NewDelivery, PollStore } from "../../model/poll-store.ts";
import { logEvents } from "../../polling/run/event-log.ts";

export interface NoticesDeps {
  readonly store: Pick<PollStore, "commitPoll">;
  readonly clock: Clock;
  readonly random: Random;
  readonly hash: Hash;
  readonly log: Log;
  readonly meter: Meter;
  readonly route: (event: ChirpEvent, exceptSink: string | undefined, nowMs: number) => readonly NewDelivery[];
  readonly wakeDelivery: () => void;
}

export function createNotices(deps: NoticesDeps): Notices {
  const { clock, log } = deps;
  return {
    async tell(notice) {
      const fields = { notice: notice.type, subject: notice.subject, text: notice.message, ...notice.facts };
      if (notice.severity === "info") log.info("notice", fields);
      else log.warn("notice", fields);
      const event = noticeEvent(notice, deps.hash, deps.random.id(), clock.now());
      try {
        const deliveries = deps.route(event, notice.exceptSink, clock.now());
        const commit = { atMs: clock.now(), targets: [], verdicts: [], events: [event], deliveries };
        await deps.store.commitPoll(commit);
        logEvents(log, commit, new Set([event.id]));
        deps.meter.count("chirpwatch_events_total", { watch: "", event: notice.type });
        deps.wakeDelivery();
      } catch (error) {
        log.error("notice could not be stored", { notice: notice.type, error });
      }
    },
  };
}

function noticeEvent(notice: Notice, hash: Hash, episode: string, nowMs: number): ChirpEvent {
  return {
    id: eventId(hash, "", { type: notice.type, subject: notice.subject, episode }),
    type: notice.type,
    watchKey: "",
    watch: notice.watch ?? "",
    watchType: "daemon",
    subject: notice.subject,
    labels: { watch: notice.watch ?? "", type: "daemon", event: notice.type, target: notice.subject, severity: notice.severity },
    body: { message: notice.message, ...(notice.hint === undefined ? {} : { hint: notice.hint }), ...notice.facts },
    occurredAtMs: nowMs,
    detectedAtMs: nowMs,
  };
}
