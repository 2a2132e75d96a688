/**
 * What the server asks the daemon to do, and how it answers: the JSON of the changing calls of
 * `/api/v1/…`, field for field. Implemented in app/.
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

/** What an edit does to what a watch remembers. */
export interface MemoryView {
  readonly watch: string;
  /** What was edited: `query`, `where`, names of accounts, or `watch` itself. */
  readonly part: string;
  readonly effect: "kept" | "new_baseline" | "dropped";
  readonly detail: string;
  /** What the change has sent by itself; absent where nothing is. */
  readonly sends?: string;
}

/** When a change takes effect and who carries it out, for people. */
export interface Effect {
  /** `now`, `now, by 10.0.0.3#k3x9`, `at the next start`. */
  readonly effect: string;
}

/**
 * `asked`: how many daemons elsewhere on the state were asked; what comes of it stands in the log
 * of each.
 */
export type ReloadOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly memory: readonly MemoryView[] }
  | { readonly ok: true; readonly asked: number }
  | { readonly ok: false; readonly errors: readonly string[] };

export interface PauseView {
  readonly watch: string;
  readonly paused: boolean;
  readonly was_paused: boolean;
  /** Paused, or disabled, since then; null where it was neither. */
  readonly away_since: string | null;
  /** What becomes of what came meanwhile. */
  readonly on_return: OnReturn;
}

export interface ResumedSinkView {
  readonly sink: string;
  /** Its receiver had said that its address is gone. */
  readonly was_disabled: boolean;
}

export interface PauseRequest {
  /** What came while it was paused raises no alert; nothing changes where it was not. */
  readonly isFromNow: boolean;
  /** For the audit. */
  readonly by: string;
}

/** What the server may ask the daemon to do. */
export interface Actions {
  /**
   * All or nothing: a refused file leaves the old one active. `askedBy` is for the log. Never
   * rejects for a bad file.
   */
  reload(askedBy: string): Promise<ReloadOutcome>;
  /** Undefined when there is no watch of that id. */
  setPaused(
    watchId: string,
    paused: boolean,
    change: PauseRequest,
  ): Promise<(PauseView & Effect) | undefined>;
  /** Tries a sink now that fails or is disabled. Undefined when there is none of that name. */
  resumeSink(sink: string): Promise<(ResumedSinkView & Effect) | undefined>;
  /** Accepts the loss of dead letters, of one sink or of all; how many there were. */
  acknowledgeDead(sink: string | undefined): Promise<number>;
  /** Of one sink or of all. `by`: for the audit. */
  resendDead(request: {
    readonly sink: string | undefined;
    readonly by: string;
  }): Promise<ResentView & Effect>;
  /** Sends again what was sent or dropped; how many alerts. */
  replay(request: ReplayRequest): Promise<{ readonly alerts: number } & Effect>;
  /** Makes alerts of what was read of a watch's past. Undefined when no such watch is polled. */
  backfill(request: BackfillRequest): Promise<(BackfillView & Effect) | undefined>;
  /** It holds once this resolves. */
  addSilence(request: SilenceRequest): Promise<AddSilenceOutcome<Effect>>;
  /** Undefined when there is none of that id. */
  expireSilence(id: string): Promise<(SilenceView & Effect) | undefined>;
  /** Sends what silences hold back, of one sink and silence or of all; how many alerts. */
  resendSilenced(request: ResendSilenced): Promise<{ readonly alerts: number } & Effect>;
}
