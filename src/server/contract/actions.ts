/**
 * What the server can ask the daemon to do. Implemented in `operate/`; the JSON
 * of the answers is in `change-view.ts`.
 */
import type { MarkedView } from "../schema/mark-view.ts";
import type { BackfillRequest, BackfillView } from "../schema/backfill-view.ts";
import type { Effect, MemoryView, PauseView, ResumedSinkView } from "../schema/change-view.ts";
import type { ResentView } from "../schema/dead-view.ts";
import type { ReplayRequest } from "../schema/replay-view.ts";
import type {
  AddSilenceOutcome,
  ResendSilenced,
  SilenceRequest,
  SilenceView,
} from "../schema/silence-view.ts";

/**
 * The outcome of a reload. `asked` is the number of daemons elsewhere on the state that were asked
 * to reload; each logs what came of it.
 */
export type ReloadOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly memory: readonly MemoryView[] }
  | { readonly ok: true; readonly asked: number }
  | { readonly ok: false; readonly errors: readonly string[] };

export interface PauseRequest {
  /**
   * Whether what came while the watch was paused is to raise no alert. Has no effect if it was not
   * paused.
   */
  readonly isFromNow: boolean;
  /** The caller, for the audit. */
  readonly by: string;
}

/** A request to mark an alert, or to remove its mark. */
export interface MarkAction {
  /** The id of an event or of a message. */
  readonly what: string;
  readonly isUndo: boolean;
  readonly by: string;
  readonly from: string;
}

/** What the server can ask the daemon to do. */
export interface Actions {
  /**
   * Reloads the configuration completely or not at all: if the file is refused, the old one stays
   * active. `askedBy` is for the log. Does not reject for a bad file.
   */
  reload(askedBy: string): Promise<ReloadOutcome>;
  /** Resolves to undefined if there is no watch with that id. */
  setPaused(
    watchId: string,
    paused: boolean,
    change: PauseRequest,
  ): Promise<(PauseView & Effect) | undefined>;
  /**
   * Tries a failing or disabled sink now. Resolves to undefined if there is no sink of that name.
   */
  resumeSink(sink: string): Promise<(ResumedSinkView & Effect) | undefined>;
  /** Accepts the loss of the dead letters of one sink, or of all; resolves to their number. */
  acknowledgeDead(sink: string | undefined): Promise<number>;
  /** Sends the dead letters of one sink, or of all, again. `by` is for the audit. */
  resendDead(request: {
    readonly sink: string | undefined;
    readonly by: string;
  }): Promise<ResentView & Effect>;
  /** Sends alerts again that were sent or dropped; resolves to their number. */
  replay(request: ReplayRequest): Promise<{ readonly alerts: number } & Effect>;
  /**
   * Turns what was read of a watch's past into alerts. Resolves to undefined if the watch is not
   * polled.
   */
  backfill(request: BackfillRequest): Promise<(BackfillView & Effect) | undefined>;
  /**
   * Acknowledges an event or the events of a message, or undoes that. Resolves to undefined if the
   * state has neither.
   */
  acknowledge(request: MarkAction): Promise<(MarkedView & Effect) | undefined>;
  /** Adds a silence, which is active when the promise resolves. */
  addSilence(request: SilenceRequest): Promise<AddSilenceOutcome<Effect>>;
  /** Resolves to undefined if there is no silence with that id. */
  expireSilence(id: string): Promise<(SilenceView & Effect) | undefined>;
  /**
   * Sends alerts that silences hold back, of one sink and silence or of all; resolves to their
   * number.
   */
  resendSilenced(request: ResendSilenced): Promise<{ readonly alerts: number } & Effect>;
}
