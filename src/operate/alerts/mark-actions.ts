/**
 * Marks of alerts as people set them, acknowledged or not relevant, and undone. Page, commands, API
 * and chats call the same operation, beside a daemon and without one.
 */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import { type ChirpEvent, eventId } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { MarkKind } from "../../model/mark.ts";
import type { MarkStore, NewsOfMarks } from "../../model/marks.ts";
import type { SilenceStore } from "../../model/silence.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { routeEvent } from "../../route/route-event.ts";
import type { MarkAction } from "../../server/contract/actions.ts";
import type { MarkedView, MarkView } from "../../server/schema/mark-view.ts";
import { markView } from "../../server/contract/delivery-words.ts";
import { createReader } from "../create-reader.ts";
import { sinkFactsOf } from "./create-sink.ts";
import { createActiveSilences } from "./silences.ts";

export interface MarkDeps {
  readonly store: MarkStore & Pick<SilenceStore, "listSilences">;
  readonly clock: Pick<Clock, "now">;
  readonly hash: Hash;
  readonly config: Pick<Config, "route" | "sinks" | "linksHost">;
}

/** The type of the event that says that an alert was acknowledged. */
const ACKNOWLEDGED_EVENT = "alert.acknowledged";

/** The answer to a request for a mark. `mark` is the newest mark of the alerts. */
export interface MarkAnswer extends Pick<MarkedView, "alerts" | "changed"> {
  readonly mark: MarkView | null;
}

/** Marks an alert. Resolves to undefined if the state has no such event or message. */
export async function markAlert(
  deps: MarkDeps,
  kind: MarkKind,
  { what, isUndo, by: written, from, click }: MarkAction,
): Promise<MarkAnswer | undefined> {
  const { store, clock } = deps;
  const by = cleanLine(written);
  const atMs = clock.now();
  const request = { kind, what: what.trim(), isUndo, by, from, atMs, click };
  const newsOf = kind === "acknowledged" ? await createNews(deps, request) : undefined;
  const outcome = await store.mark(request, newsOf);
  return (
    outcome && {
      alerts: outcome.alerts,
      changed: outcome.changed,
      mark: markView(outcome.mark),
    }
  );
}

/**
 * Creates the events that say that alerts were acknowledged, one for each alert that a route asks
 * for. Such an event has the labels of its alert, so that routes and silences can match these.
 */
async function createNews(
  { store, clock, hash, config }: MarkDeps,
  { by, from, atMs }: { readonly by: string; readonly from: string; readonly atMs: number },
): Promise<NewsOfMarks> {
  const silences = createActiveSilences(store, clock);
  await silences.load();
  const context = {
    ...{ ownSinks: [], tree: config.route, sinks: sinkFactsOf(config.sinks) },
    ...{ nowMs: atMs, silences: silences.all() },
  };
  const read = createReader(config.linksHost);
  return (alerts, episode) => {
    const events = alerts.map((alert): ChirpEvent => {
      const { title, url } = read({ event: alert, watches: [alert.watch] });
      const identity = { type: ACKNOWLEDGED_EVENT, subject: alert.id, episode };
      return {
        id: eventId(hash, "", identity),
        type: ACKNOWLEDGED_EVENT,
        ...{ watchKey: "", watch: alert.watch, watchType: "daemon" },
        subject: alert.id,
        labels: { ...alert.labels, event: ACKNOWLEDGED_EVENT },
        body: {
          message: `${by} acknowledged: ${cleanLine(title)}`,
          ...(url === undefined ? {} : { url }),
          alert: { id: alert.id, type: alert.type, subject: alert.subject },
          ...{ by, from },
        },
        ...{ occurredAtMs: atMs, detectedAtMs: atMs },
      };
    });
    const deliveries = events.flatMap((event) => routeEvent(event, context));
    const asked = new Set(deliveries.map((delivery) => delivery.eventId));
    return { events: events.filter(({ id }) => asked.has(id)), deliveries };
  };
}
