/**
 * The one door to the data service: a request waits for its turn (turn-queue.ts), is entered in the
 * ledger before it is sent and settled after (request-sender.ts), and is sent again where that is
 * worth it (request-retries.ts). Leaves polls and ops alerts to others.
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
  /** Read at every request, so that a reload or a learned quota takes effect at once. */
  readonly limits: () => GateLimits;
  /** Asked once when the key is refused; true when another key is active now. */
  readonly renewKey: () => Promise<boolean>;
  /** Undefined: one key, which has no name. */
  readonly keys?: GateKeys;
  /** Joins log lines to polls. Undefined: nobody polls. */
  readonly trace?: Pick<Trace, "ofSource">;
  /**
   * How fast scheduled polls may read beyond their first pages. Undefined: as fast as they like.
   */
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
   * Somebody acts who has perhaps mended what the service refused for: the next request is tried at
   * once, the others wait for its answer.
   */
  tryAtOnce(): void;
  /** Another replica learned that the service refuses a key of this one. */
  keyRefused(key: string, error: UpstreamError): Promise<void>;
  /** Rejects what waits; what is under way finishes. */
  close(): void;
  /** Gives up what is under way as well. */
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
