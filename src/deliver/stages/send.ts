/** Fourth stage: one attempt, and what it came to in the sink's own words. Decides nothing. */
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import { SinkError, type SendReceipt } from "../../model/sink.ts";
import type { ClaimedMessage } from "../queue/sink-queue.ts";
import { isUnrendered } from "./seal.ts";
import type { Stage } from "./stage.ts";

export type Attempt =
  | { readonly claimed: ClaimedMessage; readonly kind: "taken"; readonly atMs: number; readonly receipt: SendReceipt }
  | { readonly claimed: ClaimedMessage; readonly kind: "failed"; readonly atMs: number; readonly error: SinkError }
  /** Cut off because the daemon stops, or not made because others deliver now: nothing is known, nothing is recorded. */
  | { readonly claimed: ClaimedMessage; readonly kind: "cut" };

export interface SendDeps {
  readonly clock: Clock;
  /** Attempts under way, for whoever has to end them. */
  readonly underWay: Set<AbortController>;
  /** False: other processes may have taken over what this one holds. */
  mayAct(): Promise<boolean>;
}

/** Sinks have their own, shorter deadlines; this one frees the attempt when one of them forgets. */
const LONGEST_ATTEMPT_MS = 120_000;

export function createSendStage(deps: SendDeps): Stage<ClaimedMessage, Attempt> {
  return {
    name: "send",
    async run(claimed) {
      const controller = new AbortController();
      deps.underWay.add(controller);
      try {
        if (!(await deps.mayAct())) return { claimed, kind: "cut" };
        const receipt = await attempt(deps.clock, claimed, controller);
        return { claimed, kind: "taken", atMs: deps.clock.now(), receipt };
      } catch (error) {
        if (controller.signal.aborted && controller.signal.reason === STOPPING) return { claimed, kind: "cut" };
        return { claimed, kind: "failed", atMs: deps.clock.now(), error: asSinkError(error) };
      } finally {
        deps.underWay.delete(controller);
      }
    },
  };
}

/** The reason attempts are ended with when the grace of a stop is over. */
export const STOPPING = new SinkError("transient", "the daemon stops");

/** Given up without asking the sink. */
const UNSENT = { fields: { unsent: true } } as const;

export const isUnsent = (error: SinkError): boolean => error.fields["unsent"] === true;

function attempt(clock: Clock, { queue, message }: ClaimedMessage, controller: AbortController): Promise<SendReceipt> {
  if (controller.signal.aborted) return Promise.reject(controller.signal.reason);
  if (isUnrendered(message.body)) return Promise.reject(new SinkError("message", "it could not be rendered", undefined, UNSENT));
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(controller.signal.reason);
    const cancel = clock.after(LONGEST_ATTEMPT_MS, () => controller.abort(new SinkError("transient", "no answer within two minutes")));
    const cleanUp = () => {
      cancel();
      controller.signal.removeEventListener("abort", giveUp);
    };
    controller.signal.addEventListener("abort", giveUp, { once: true });
    queue.sink.send(message, controller.signal).then(resolve, reject).finally(cleanUp);
  });
}

const asSinkError = (error: unknown): SinkError =>
  error instanceof SinkError ? error : new SinkError("transient", errorText(error), undefined, { cause: error });
