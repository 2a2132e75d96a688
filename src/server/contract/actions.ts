/**
 * The interface through which the server changes something in the daemon. `operate/` implements it;
 * the JSON of the answers is in `change-view.ts`.
 */
import type { ClickKey } from "../../model/clicks.ts";
import type { MarkedView, NotRelevantView } from "../schema/mark-view.ts";
import type {
  HeldView,
  HoldProblem,
  AddSilenceOutcome,
  ResendSilenced,
  SilenceRequest,
  SilenceView,
} from "../schema/silence-view.ts";
import type { BackfillRequest, BackfillView } from "../schema/backfill-view.ts";
import type { Effect, MemoryView, PauseView, ResumedSinkView } from "../schema/change-view.ts";
import type { ResentView } from "../schema/dead-view.ts";
import type { ReplayRequest } from "../schema/replay-view.ts";

/**
 * The outcome of a reload. If the daemons run elsewhere, `asked` is the number of daemons on the
 * same state that were asked to reload; each of them logs its own outcome.
 */
export type ReloadOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly memory: readonly MemoryView[] }
  | { readonly ok: true; readonly asked: number }
  | { readonly ok: false; readonly errors: readonly string[] };

export interface PauseRequest {
  /**
   * Whether items that appeared while the watch was paused raise no alerts. Has no effect if the
   * watch was not paused.
   */
  readonly isFromNow: boolean;
  /** The caller, for the audit. */
  readonly by: string;
}

/** A request to acknowledge an alert, or to undo the acknowledgement. */
export interface MarkAction {
  /** The id of an event or of a message. */
  readonly what: string;
  readonly isUndo: boolean;
  readonly by: string;
  readonly from: string;
  /** The click in a chat that asks for it. */
  readonly click?: ClickKey;
}

/** A request to snooze what an alert is about, or to silence its author. */
export interface HoldAction {
  /** The id of an event or of a message. */
  readonly what: string;
  readonly by: string;
  readonly from: string;
  /** The sink at which it holds; each sink that has the alert if it is absent. */
  readonly sink?: string | undefined;
  /**
   * A duration, such as `4h`. A snooze may also be until `tomorrow`, which is 9:00 in the sink's
   * time zone, and must have a length. Without one, an author is silenced for 7 days.
   */
  readonly length?: string | undefined;
  /** The click that asks for it, which takes effect once; undefined if it was no click. */
  readonly click?: ClickKey | undefined;
}

/** What came of such a request. */
export type HoldAnswer =
  | { readonly ok: true; readonly view: HeldView & Effect }
  | { readonly ok: false; readonly problem: HoldProblem };

/** `by` is always the caller, for the audit. */
export interface Actions {
  /**
   * Reloads the configuration completely or not at all: if the file has errors, the old
   * configuration stays active. An invalid file does not reject the promise. `askedBy`: the caller,
   * for the log.
   */
  reload(askedBy: string): Promise<ReloadOutcome>;
  /** Resolves to undefined if there is no watch with that id. */
  setPaused(
    watchId: string,
    paused: boolean,
    change: PauseRequest,
  ): Promise<(PauseView & Effect) | undefined>;
  /**
   * Makes a failing or disabled sink try its next message now. Resolves to undefined if there is no
   * sink with that name.
   */
  resumeSink(sink: string, by?: string): Promise<(ResumedSinkView & Effect) | undefined>;
  /**
   * Acknowledges the dead letters of one sink, or of all if `sink` is undefined, so that they no
   * longer count as a problem. Resolves to their number.
   */
  acknowledgeDead(sink: string | undefined, by?: string): Promise<number>;
  /**
   * Sends the dead letters of one sink again, or of all if `sink` is undefined. `by` is for the
   * audit.
   */
  resendDead(request: {
    readonly sink: string | undefined;
    readonly by: string;
  }): Promise<ResentView & Effect>;
  /**
   * Sends alerts again that were already sent or were dropped. Resolves to the number of alerts.
   */
  replay(request: ReplayRequest): Promise<{ readonly alerts: number } & Effect>;
  /**
   * Turns the already read items of a watch's past into alerts. Resolves to undefined if there is
   * no polled watch with that id.
   */
  backfill(request: BackfillRequest): Promise<(BackfillView & Effect) | undefined>;
  /**
   * Acknowledges an event, or all events of a message, or undoes the acknowledgement. Resolves to
   * undefined if the state has neither an event nor a message with that id.
   */
  acknowledge(request: MarkAction): Promise<(MarkedView & Effect) | undefined>;
  /** Marks an event or the events of a message as not relevant, or undoes that. */
  markNotRelevant(request: MarkAction): Promise<(NotRelevantView & Effect) | undefined>;
  /** Snoozes the conversation or the account that an alert is about. */
  snooze(request: HoldAction): Promise<HoldAnswer>;
  /** Silences the author of an alert. */
  muteAuthor(request: HoldAction): Promise<HoldAnswer>;
  /** Adds a silence. The silence is active when the promise resolves. */
  addSilence(request: SilenceRequest): Promise<AddSilenceOutcome<Effect>>;
  /** Ends a silence. Resolves to undefined if there is no silence with that id. */
  expireSilence(id: string, by?: string): Promise<(SilenceView & Effect) | undefined>;
  /**
   * Sends the alerts that silences hold back: those of one sink or of all, and of one silence or of
   * all. Resolves to the number of alerts.
   */
  resendSilenced(request: ResendSilenced): Promise<{ readonly alerts: number } & Effect>;
}
