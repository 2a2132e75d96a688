/**
 * What the server can ask the daemon to do, and the JSON of the answers of the changing calls of
 * `/api/v1/…`, field for field. Implemented in `operate/`.
 */
import type { OnReturn } from "../../model/watch.ts";
import type { BackfillRequest, BackfillView } from "./backfill-view.ts";
import type { ResentView } from "./dead-view.ts";
import type { ReplayRequest } from "./replay-view.ts";
import type {
  AddSilenceOutcome,
  ResendSilenced,
  SilenceRequest,
  SilenceView,
} from "./silence-view.ts";

/** What an edit of the configuration does to the memory of a watch. */
export interface MemoryView {
  readonly watch: string;
  /** What was edited: `query`, `where`, names of accounts, or `watch` itself. */
  readonly part: string;
  readonly effect: "kept" | "new_baseline" | "dropped";
  readonly detail: string;
  /** What the change sends by itself; absent if that is nothing. */
  readonly sends?: string;
}

/** When a change takes effect and which daemon carries it out, for people. */
export interface Effect {
  /** A text such as `now`, `now, by 10.0.0.3#k3x9` or `at the next start`. */
  readonly effect: string;
}

/**
 * The outcome of a reload. `asked` is the number of daemons elsewhere on the state that were asked
 * to reload; each logs what came of it.
 */
export type ReloadOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly memory: readonly MemoryView[] }
  | { readonly ok: true; readonly asked: number }
  | { readonly ok: false; readonly errors: readonly string[] };

export interface PauseView {
  readonly watch: string;
  readonly paused: boolean;
  readonly was_paused: boolean;
  /** Since when the watch was paused or disabled; null if it was neither. */
  readonly away_since: string | null;
  /** What happens to what came meanwhile. */
  readonly on_return: OnReturn;
}

export interface ResumedSinkView {
  readonly sink: string;
  /** Whether the sink was disabled because its receiver had said that its address is gone. */
  readonly was_disabled: boolean;
}

export interface PauseRequest {
  /**
   * Whether what came while the watch was paused is to raise no alert. Has no effect if it was not
   * paused.
   */
  readonly isFromNow: boolean;
  /** The caller, for the audit. */
  readonly by: string;
}

export interface MarkView {
  readonly by: string;
  readonly at: string;
  /** Where the person was: `command line`, `API`, `page`. */
  readonly from: string;
}

/** A request to mark an alert, or to remove its mark. */
export interface MarkAction {
  /** The id of an event or of a message. */
  readonly what: string;
  readonly isUndo: boolean;
  readonly by: string;
  readonly from: string;
}

export interface MarkedView {
  /** The number of alerts that were asked for. */
  readonly alerts: number;
  /** The number of alerts that the request changed; 0 if it asked for what held already. */
  readonly changed: number;
  /** The newest mark of these alerts; null if none has one now. */
  readonly acknowledged: MarkView | null;
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
