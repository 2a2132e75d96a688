/**
 * The only way to the data service. A request waits for its turn (turn-queue.ts), is entered in the
 * ledger before it is sent and settled afterwards (request-sender.ts), and is retried if that can
 * help (request-retries.ts). Does not decide what is polled, and raises no ops alerts.
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
  /** Called for every request, so that a reload or a learned quota takes effect at once. */
  readonly limits: () => GateLimits;
  /**
   * Called at most once per request, when its key is refused. Resolves to true if another key is
   * active now.
   */
  readonly renewKey: () => Promise<boolean>;
  /** Undefined if there is only one key, which has no name. */
  readonly keys?: GateKeys;
  /** Links log lines to polls. Undefined in commands, which do not poll. */
  readonly trace?: Pick<Trace, "ofSource">;
  /** Limits how fast scheduled polls read pages beyond the first one. Undefined: no limit. */
  readonly pages?: FurtherPages;
  /** Called with the ledger's answer to a billed request. */
  readonly onReserved?: (grant: Grant["kind"]) => void;
  /** Called after every attempt, for ops alerts. */
  readonly onOutcome: (error: UpstreamError | undefined) => void;
}

export interface RequestGate {
  /**
   * @throws UpstreamError when the service refused or failed beyond this request's retries,
   * RequestHeld, or a store's error.
   */
  request(request: GateRequest): Promise<BatchAnswer>;
  /**
   * Lets the next request be tried at once, because somebody has acted who may have repaired what
   * the service refused. The other requests wait for its answer.
   */
  tryAtOnce(): void;
  /**
   * Records that the service refuses one of this process's keys, as another replica has learned.
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
