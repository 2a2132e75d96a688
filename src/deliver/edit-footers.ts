/**
 * Edits sent messages so that a line below each says who acknowledged its alerts. The rest of the
 * message stays the same. A failed edit is tried a few times and then dropped; it never affects the
 * sink's health.
 */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { DueFooter, FooterResult, FooterStore } from "../model/footer.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import { SinkError, type SinkFooter } from "../model/sink.ts";
import { acknowledgedLine } from "../render/text/acknowledged-text.ts";
import { EDIT_RETRY_MS, type EditPace, withFooter } from "./edit-pace.ts";
import type { SinkQueue } from "./queue/sink-queue.ts";
import { type Abortable, STOPPING } from "./stages/send.ts";

export interface FooterEditorDeps {
  readonly store: FooterStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** The requests to sinks that are under way, which a stop of the daemon may abort. */
  readonly underWay: Set<Abortable>;
}

/**
 * The wait before the next check if an edit should be due but the store returns none, because
 * another process has claimed it or it was pruned.
 */
const RECHECK_MS = 1_000;

export class FooterEditor {
  readonly #deps: FooterEditorDeps;
  readonly #queue: SinkQueue;
  readonly #edit: NonNullable<SinkFooter["edit"]>;
  readonly #pace: EditPace;

  constructor(
    deps: FooterEditorDeps,
    queue: SinkQueue,
    { edit, pace }: { readonly edit: NonNullable<SinkFooter["edit"]>; readonly pace: EditPace },
  ) {
    this.#deps = deps;
    this.#queue = queue;
    this.#edit = edit;
    this.#pace = pace;
  }

  /**
   * Makes one edit that is due. Returns in how many milliseconds to call this method again, or
   * undefined if the next call is needed only after something has happened.
   */
  async turn(): Promise<number | undefined> {
    const { store, clock } = this.#deps;
    const waitMs = this.#pace.waitMs();
    if (waitMs === undefined || waitMs > 0) return waitMs;
    const nextAtMs = await store.nextFooterAt(this.#queue.name);
    if (nextAtMs === null) return undefined;
    if (nextAtMs > clock.now()) return Math.max(RECHECK_MS, nextAtMs - clock.now());
    const due = await store.dueFooter(this.#queue.name, clock.now());
    if (due === undefined) return RECHECK_MS;
    // If the alert was sent again in a new message, only the new message is changed, and the old
    // one stays as it is.
    const footer = due.alerts === 0 ? due.shown : acknowledgedLine(due, this.#queue.region);
    const result = await this.#show(due, footer);
    if (result === undefined) return undefined;
    await store.recordFooter(due, result);
    this.#report(due, result, footer !== due.shown);
    return 0;
  }

  /** Sends the edit. Returns undefined if the attempt was aborted because the daemon stops. */
  async #show(due: DueFooter, footer: string): Promise<FooterResult | undefined> {
    const { clock, underWay } = this.#deps;
    const shown = (): FooterResult => ({ kind: "shown", atMs: clock.now(), footer });
    if (footer === due.shown) return shown();
    const controller = new AbortController();
    underWay.add(controller);
    const sentAtMs = clock.monotonic();
    try {
      this.#pace.begin();
      const { messageId: id, ref, channel, alerts } = due;
      const body = withFooter(this.#queue.sink, due.body, footer);
      await this.#edit({ id, ref, channel, footer, alerts, body }, controller.signal);
      this.#pace.accepted();
      return shown();
    } catch (error) {
      if (controller.signal.reason === STOPPING) return undefined;
      const failure =
        error instanceof SinkError ? error : new SinkError("transient", errorText(error));
      this.#pace.failed(failure, sentAtMs);
      const waitMs = EDIT_RETRY_MS[due.attempts];
      const { kind, message } = failure;
      if (kind === "message" || waitMs === undefined)
        return { kind: "dropped", error: message, isFinal: kind === "message" };
      return { kind: "retry", nextAtMs: clock.now() + waitMs, error: message };
    } finally {
      underWay.delete(controller);
    }
  }

  #report({ messageId }: DueFooter, result: FooterResult, isChange: boolean): void {
    const { log, meter } = this.#deps;
    const sink = this.#queue.name;
    const outcome =
      result.kind === "shown"
        ? isChange
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
