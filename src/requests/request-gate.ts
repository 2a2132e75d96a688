/**
 * Sends every request to the data service. A request waits for its turn (turn-queue.ts), is entered
 * in the ledger before it is sent and settled afterwards (request-sender.ts), and is retried if
 * that can help (request-retries.ts). The gate does not decide what is polled, and it raises no ops
 * alerts.
 */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { Grant, Ledger } from "../model/ledger.ts";
import type { Trace } from "../model/trace.ts";
import type { Upstream, UpstreamError } from "../model/upstream.ts";
import type { GateKeys } from "./gate-keys.ts";
import { createPauses } from "./pauses.ts";
import { createRequestLog } from "./request-log.ts";
import { RequestRetries } from "./request-retries.ts";
import { RequestSender } from "./request-sender.ts";
import type { GateLimits, GateRequest } from "./reservation.ts";
import type { ServiceClock } from "./service-clock.ts";
import { type BatchAnswer, createSplitBatches } from "./split-batches.ts";
import { type FurtherPages, TurnQueue } from "./turn-queue.ts";

export interface GateDeps {
  readonly upstream: Upstream;
  readonly ledger: Pick<Ledger, "reserve" | "settle">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly pacer: UpstreamPacer;
  readonly meter: Meter;
  readonly log: Log;
  /**
   * Returns the current limits. It is called for every request, so that a reload or a learned quota
   * takes effect at once.
   */
  readonly limits: () => GateLimits;
  /**
   * Reads the key again after the service refused it, at most once per request. Resolves to true if
   * another key is active now.
   */
  readonly renewKey: () => Promise<boolean>;
  /** The keys that share the load. Undefined if there is only one key, which has no name. */
  readonly keys?: GateKeys;
  /** Links log lines to polls. Undefined in commands that do not poll. */
  readonly trace?: Pick<Trace, "ofSource">;
  /** Limits how fast scheduled polls read pages beyond the first one. Undefined: no limit. */
  readonly pages?: FurtherPages;
  /** Receives what the ledger answered when a billed request was to be entered. */
  readonly onReserved?: (grant: Grant["kind"]) => void;
  /**
   * Receives the outcome of attempts, for ops alerts: the error, or undefined after a success.
   * Failures of free requests are left out unless they refuse the key.
   */
  readonly onOutcome: (error: UpstreamError | undefined) => void;
}

export interface RequestGate {
  /**
   * Sends a request when its turn has come, and repeats it if that can help. @throws UpstreamError
   * when the service refused it or too many attempts failed, RequestHeld, or a store's error.
   */
  request(request: GateRequest): Promise<BatchAnswer>;
  /**
   * Ends all waits, so that the next request is sent at once. Called when an operator may have
   * removed the cause of a refusal, for example with a new key. The other requests wait until that
   * request is answered.
   */
  tryAtOnce(): void;
  /**
   * Records that the service refuses one of this process's keys, which another replica has found
   * out.
   */
  keyRefused(key: string, error: UpstreamError): Promise<void>;
  /** Rejects all waiting requests. Requests under way continue. */
  close(): void;
  /** Aborts the requests under way. */
  abort(): void;
}

export function createRequestGate(deps: GateDeps): RequestGate {
  const { ledger, clock, pacer, keys, log } = deps;
  const pauses = createPauses(clock);
  const requestLog = createRequestLog({ log, trace: deps.trace });
  const { limits, pages, onReserved } = deps;
  const queue = new TurnQueue({ ledger, clock, pacer, pauses, limits, keys, pages, onReserved });
  const { upstream, serviceClock, meter } = deps;
  const sender = new RequestSender({ upstream, ledger, clock, serviceClock, meter, requestLog });
  const { renewKey, onOutcome } = deps;
  const retries = new RequestRetries({
    queue,
    sender,
    pauses,
    clock,
    pacer,
    requestLog,
    keys,
    renewKey,
    onOutcome,
  });
  return {
    request: createSplitBatches((request) => retries.request(request), clock, log),
    tryAtOnce() {
      pacer.tryAtOnce(clock.monotonic());
      pauses.endAll();
    },
    keyRefused: (key, error) => retries.refused(key, error),
    close: () => queue.close(),
    abort: () => sender.abort(),
  };
}
