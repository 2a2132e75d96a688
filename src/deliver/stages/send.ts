/** Fourth stage: one attempt, and what it came to in the sink's own words. Decides nothing. */
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import { SinkError, type SendReceipt } from "../../model/sink.ts";
import type { ClaimedMessage } from "../queue/sink-queue.ts";
import type { Hold } from "../../model/waits.ts";
import { isUnrendered } from "./lay-out.ts";
import type { Mutes } from "./mute.ts";
import type { Stage } from "./stage.ts";

export type Attempt =
  | {
      readonly claimed: ClaimedMessage;
      readonly kind: "taken";
      readonly atMs: number;
      readonly receipt: SendReceipt;
    }
  /** `sentAtMs` is the monotonic clock's. */
  | {
      readonly claimed: ClaimedMessage;
      readonly kind: "failed";
      readonly atMs: number;
      readonly sentAtMs: number;
      readonly error: SinkError;
    }
  /** Not made: a mute holds the message. */
  | { readonly claimed: ClaimedMessage; readonly kind: "held"; readonly hold: Hold }
  /**
   * Cut off because the daemon stops, or not made because others deliver now: nothing is known,
   * nothing is recorded.
   */
  | { readonly claimed: ClaimedMessage; readonly kind: "cut" };

/** What a stop may end. */
export interface Abortable {
  abort(reason: SinkError): void;
}

export interface SendDeps {
  readonly clock: Clock;
  /** Attempts under way, for whoever has to end them. */
  readonly underWay: Set<Abortable>;
  /** False: other processes may have taken over what this one holds. */
  mayAct(): Promise<boolean>;
  readonly mutes: Pick<Mutes, "holdOf">;
}

/** Sinks have their own, shorter deadlines; this one frees the attempt when one of them forgets. */
const LONGEST_ATTEMPT_MS = 120_000;

/** An attempt that is aborted ends at once, whatever its sink makes of the signal. */
export function createSendStage(deps: SendDeps): Stage<ClaimedMessage, Attempt> {
  const { clock, underWay } = deps;
  const run = (claimed: ClaimedMessage) =>
    new Promise<Attempt>((resolve) => {
      const controller = new AbortController();
      const sentAtMs = clock.monotonic();
      const end = (attempt: Attempt) => {
        cancel();
        underWay.delete(abortable);
        resolve(attempt);
      };
      const fail = (error: unknown) => {
        const isStopped = controller.signal.reason === STOPPING;
        end(
          isStopped
            ? { claimed, kind: "cut" }
            : { claimed, kind: "failed", atMs: clock.now(), sentAtMs, error: asSinkError(error) },
        );
      };
      const abortable: Abortable = {
        abort(reason) {
          controller.abort(reason);
          fail(reason);
        },
      };
      const cancel = clock.after(LONGEST_ATTEMPT_MS, () =>
        abortable.abort(new SinkError("transient", "no answer within two minutes")),
      );
      underWay.add(abortable);
      attempt(deps, claimed, controller.signal).then(end, fail);
    });
  return { name: "send", run };
}

/** The reason attempts are ended with when the grace of a stop is over. */
export const STOPPING = new SinkError("transient", "the daemon stops");

/** Given up without asking the sink. */
const UNSENT = { fields: { unsent: true } } as const;

export const isUnsent = (error: SinkError): boolean => error.fields["unsent"] === true;

async function attempt(
  { clock, mayAct, mutes }: SendDeps,
  claimed: ClaimedMessage,
  signal: AbortSignal,
): Promise<Attempt> {
  const { queue, message } = claimed;
  if (!(await mayAct()) || signal.aborted) return { claimed, kind: "cut" };
  const hold = mutes.holdOf(queue.name, message);
  if (hold !== undefined) return { claimed, kind: "held", hold };
  if (isUnrendered(message.body))
    throw new SinkError("message", "it could not be rendered", undefined, UNSENT);
  const receipt = await queue.sink.send(message, signal);
  return { claimed, kind: "taken", atMs: clock.now(), receipt };
}

const asSinkError = (error: unknown): SinkError =>
  error instanceof SinkError
    ? error
    : new SinkError("transient", errorText(error), undefined, { cause: error });
