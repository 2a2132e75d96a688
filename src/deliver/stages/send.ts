/**
 * The fourth delivery stage: makes one attempt to send a message and reports the sink's result.
 * Makes no decisions.
 */
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
      readonly kind: "accepted";
      readonly atMs: number;
      readonly receipt: SendReceipt;
    }
  /** `sentAtMs` is a time of the monotonic clock. */
  | {
      readonly claimed: ClaimedMessage;
      readonly kind: "failed";
      readonly atMs: number;
      readonly sentAtMs: number;
      readonly error: SinkError;
    }
  /** The attempt was not made, because a mute or a snooze holds the message. */
  | { readonly claimed: ClaimedMessage; readonly kind: "held"; readonly hold: Hold }
  /**
   * The attempt was aborted by a shutdown, or not made because another process has taken over. Its
   * outcome is unknown, so nothing is recorded.
   */
  | { readonly claimed: ClaimedMessage; readonly kind: "aborted" };

/** An attempt that a stop may abort. */
export interface Abortable {
  abort(reason: SinkError): void;
}

export interface SendDeps {
  readonly clock: Clock;
  /** The attempts under way, which a stop of the daemon may abort. */
  readonly underWay: Set<Abortable>;
  /**
   * Whether this process still holds its claims. If not, other processes may have taken them over.
   */
  mayAct(): Promise<boolean>;
  readonly mutes: Pick<Mutes, "holdOf">;
}

/**
 * The longest time of an attempt. Every sink has a shorter deadline of its own; this limit frees
 * the send slot if a sink does not end in time.
 */
const MAX_ATTEMPT_MS = 120_000;

/** Creates the stage. An aborted attempt ends at once, even if its sink ignores the signal. */
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
            ? { claimed, kind: "aborted" }
            : { claimed, kind: "failed", atMs: clock.now(), sentAtMs, error: asSinkError(error) },
        );
      };
      const abortable: Abortable = {
        abort(reason) {
          controller.abort(reason);
          fail(reason);
        },
      };
      const cancel = clock.after(MAX_ATTEMPT_MS, () =>
        abortable.abort(new SinkError("transient", "no answer within two minutes")),
      );
      underWay.add(abortable);
      attempt(deps, claimed, controller.signal).then(end, fail);
    });
  return { name: "send", run };
}

/** The reason with which attempts are aborted when the grace period of a stop is over. */
export const STOPPING = new SinkError("transient", "the daemon is stopping");

/** Marks the error of a message that was given up without a request to the sink. */
const UNSENT = { fields: { unsent: true } } as const;

export const isUnsent = (error: SinkError): boolean => error.fields["unsent"] === true;

async function attempt(
  { clock, mayAct, mutes }: SendDeps,
  claimed: ClaimedMessage,
  signal: AbortSignal,
): Promise<Attempt> {
  const { queue, message } = claimed;
  if (!(await mayAct()) || signal.aborted) return { claimed, kind: "aborted" };
  const hold = await mutes.holdOf(queue.name, message);
  if (signal.aborted) return { claimed, kind: "aborted" };
  if (hold !== undefined) return { claimed, kind: "held", hold };
  if (isUnrendered(message.body))
    throw new SinkError("message", "it could not be rendered", undefined, UNSENT);
  const { footer: line = "" } = message;
  const { footer } = queue.sink;
  const isPlain = footer === undefined || line === "";
  const shown = isPlain ? message : { ...message, body: footer.add(message.body, line) };
  const receipt = await queue.sink.send(shown, signal);
  return { claimed, kind: "accepted", atMs: clock.now(), receipt };
}

const asSinkError = (error: unknown): SinkError =>
  error instanceof SinkError
    ? error
    : new SinkError("transient", errorText(error), undefined, { cause: error });
