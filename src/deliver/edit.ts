/**
 * Edits sent messages whose tweets have changed. A sink's edits are made one at a time, and only
 * while no message of the sink is being sent. Edits have their own waits and attempts. A failed
 * edit is tried a few times and then dropped; it never becomes a dead letter and does not affect
 * the sink's health.
 */
import { EDIT_EVERY_MS } from "../detect/tweet-edit.ts";
import type { Clock } from "../model/clock.ts";
import type { DueEdit, EditResult, EditStore } from "../model/edit.ts";
import { errorText } from "../model/errors.ts";
import type { Json } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import type { NeutralMessage } from "../model/message.ts";
import type { Meter } from "../model/meter.ts";
import { type OutboxEvent, SinkError, type SinkUpdates } from "../model/sink.ts";
import type { SinkQueue } from "./queue/sink-queue.ts";
import { EDIT_RETRY_MS, type EditPace, withFooter } from "./edit-pace.ts";
import { type Abortable, STOPPING } from "./stages/send.ts";
import type { WordEvents } from "./stages/word-events.ts";

export interface EditorDeps {
  readonly store: Pick<EditStore, "dueEdit" | "nextEditAt" | "recordEdit">;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** The requests to sinks that are under way, which a stop of the daemon may abort. */
  readonly underWay: Set<Abortable>;
  readEvent(event: OutboxEvent): NeutralMessage;
  readonly wordEvents: WordEvents;
}

/**
 * The wait before the next check if an edit should be due but the store returns none, because
 * another process has claimed it or it was pruned.
 */
const RECHECK_MS = 1_000;

export class Editor {
  readonly #deps: EditorDeps;
  readonly #queue: SinkQueue;
  readonly #updates: SinkUpdates;
  readonly #pace: EditPace;

  constructor(
    deps: EditorDeps,
    queue: SinkQueue,
    { updates, pace }: { readonly updates: SinkUpdates; readonly pace: EditPace },
  ) {
    this.#deps = deps;
    this.#queue = queue;
    this.#updates = updates;
    this.#pace = pace;
  }

  /**
   * Makes one edit that is due. Returns in how many milliseconds to call this method again, or
   * undefined if the next call is needed only after a message was sent.
   */
  async turn(): Promise<number | undefined> {
    const { store, clock } = this.#deps;
    const { name } = this.#queue;
    const waitMs = this.#pace.waitMs();
    if (waitMs === undefined || waitMs > 0) return waitMs;
    const nextAtMs = await store.nextEditAt(name);
    if (nextAtMs === null) return undefined;
    if (nextAtMs > clock.now()) return Math.max(RECHECK_MS, nextAtMs - clock.now());
    const due = await store.dueEdit(name, clock.now());
    if (due === undefined) return RECHECK_MS;
    const result = await this.#edit(due);
    if (result === undefined) return undefined;
    await store.recordEdit(due, result);
    this.#report(due, result);
    return 0;
  }

  /** Makes an edit. Returns undefined if the attempt was aborted because the daemon stops. */
  async #edit(due: DueEdit): Promise<EditResult | undefined> {
    const { clock, underWay } = this.#deps;
    if (due.alerts > 1) return this.#dropped("its message lists several alerts", true);
    const controller = new AbortController();
    underWay.add(controller);
    const sentAtMs = clock.monotonic();
    try {
      const body = await this.#render(due);
      const isSent = JSON.stringify(body) !== JSON.stringify(due.body);
      if (isSent) {
        this.#pace.begin();
        const { messageId: id, ref, channel, footer, alerts } = due;
        const shown = withFooter(this.#queue.sink, body, footer);
        await this.#updates.send(
          { id, ref, channel, footer, alerts, body: shown },
          controller.signal,
        );
        this.#pace.accepted();
      }
      const atMs = clock.now();
      return { kind: "edited", atMs, nextAtMs: atMs + EDIT_EVERY_MS, body, isSent };
    } catch (error) {
      if (controller.signal.reason === STOPPING) return undefined;
      const failure =
        error instanceof SinkError ? error : new SinkError("transient", errorText(error));
      this.#pace.failed(failure, sentAtMs);
      return this.#failure(due, failure);
    } finally {
      underWay.delete(controller);
    }
  }

  async #render({
    member: { event, watches, acknowledged: _, ...member },
    shown,
    body,
  }: DueEdit): Promise<Json> {
    const { sink } = this.#queue;
    const seen: OutboxEvent = {
      event: { ...event, body: { ...event.body, tweet: shown.tweet } },
      watches,
    };
    const { readEvent, wordEvents } = this.#deps;
    // A template could show the tweet's text, which the message about a deleted tweet must not
    // show.
    const [worded = seen] = shown.isGone
      ? [seen]
      : await wordEvents(this.#queue, [{ ...member, ...seen }]);
    const read = (one: OutboxEvent): NeutralMessage => {
      if (shown.isGone) return readGone(one, readEvent);
      const message = readEvent(one);
      return shown.isEdited ? { ...message, title: `${message.title} (edited)` } : message;
    };
    // The text of the edit keeps the mentions of the sent message. An edit notifies nobody a second
    // time.
    const sent = JSON.stringify(body);
    const mentions = (sink.mentions ?? []).flatMap(({ text }) =>
      sent.includes(JSON.stringify(text).slice(1, -1)) ? [text] : [],
    );
    // Sinks that edit messages render to JSON, never to plain text.
    return sink.render({
      events: [worded],
      sample: false,
      read,
      actAt: this.#queue.actAt,
      ...(mentions.length === 0 ? {} : { mentions }),
    }) as Json;
  }

  #failure({ attempts }: DueEdit, error: SinkError): EditResult {
    const { clock } = this.#deps;
    const waitMs = EDIT_RETRY_MS[attempts];
    if (error.kind === "message" || waitMs === undefined)
      return this.#dropped(error.message, error.kind === "message");
    return { kind: "retry", nextAtMs: clock.now() + waitMs, error: error.message };
  }

  #dropped(error: string, isFinal: boolean): EditResult {
    return { kind: "dropped", atMs: this.#deps.clock.now(), error, isFinal };
  }

  #report({ messageId }: DueEdit, result: EditResult): void {
    const { log, meter } = this.#deps;
    const sink = this.#queue.name;
    const outcome =
      result.kind === "edited"
        ? result.isSent
          ? "edited"
          : "unchanged"
        : result.kind === "retry"
          ? "retried"
          : "dropped";
    meter.count("chirpwatch_edits_total", { sink, outcome });
    if (result.kind === "dropped")
      log.warn("an edit of a message was dropped", {
        sink,
        message: messageId,
        error: result.error,
      });
    else log.debug("message edited", { sink, message: messageId, outcome });
  }
}

/**
 * Builds the message that replaces the alert of a deleted tweet. It leaves out the tweet's text and
 * media, and the tweet that it replied to.
 */
function readGone(one: OutboxEvent, readEvent: EditorDeps["readEvent"]): NeutralMessage {
  const { context: _context, ...message } = readEvent({
    ...one,
    event: { ...one.event, type: "tweet.deleted" },
  });
  return { ...message, body: "", media: [], facts: [] };
}
