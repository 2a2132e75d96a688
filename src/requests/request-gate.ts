/**
 * The one door to the data service: every attempt waits here for its turn, is entered in the ledger before it is sent, and is settled after.
 * Owns order, rate, pauses and retries of single requests; leaves polls and notices to others.
 */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { Clock } from "../model/clock.ts";
import { ChirpwatchError } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { Priority } from "../model/schedule.ts";
import type { Grant, Ledger } from "../model/ledger.ts";
import type { Trace } from "../model/trace.ts";
import { type Upstream, type UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import { createPauses } from "./pauses.ts";
import { createRequestLog } from "./request-log.ts";
import { type GateLimits, type GateRequest, type Offers, payersAt, reservationOf } from "./reservation.ts";
import type { ServiceClock } from "./service-clock.ts";
import { type BatchAnswer, createSplitBatches } from "./split-batches.ts";

/** Thrown when a request may not be sent now: `retryAtMs` on the monotonic clock, where that is known. Nothing was paid. */
export class RequestHeld extends ChirpwatchError {
  readonly retryAtMs: number | undefined;
  readonly reason: "backoff" | "stopped" | "quota" | "pace" | "closed";
  constructor(reason: RequestHeld["reason"], message: string, retryAtMs?: number) {
    super(`REQUEST_HELD_${reason.toUpperCase()}`, message, { retry: "later" });
    this.reason = reason;
    this.retryAtMs = retryAtMs;
  }
}

/** How a request failed with each key that it was sent with. */
export type FailedWith = ReadonlyMap<string, UpstreamError>;

/** Several keys that share the load. */
export interface GateKeys {
  /** Those that may pay, by name, with their own limits; at least one. */
  offers(): Offers;
  /** Told when the service refuses a key; true when the request can be sent again at once, because another key pays. */
  refused(key: string, error: UpstreamError, sentAtMs: number): Promise<boolean>;
  /**
   * Told when the service answered what a key paid for; answers do not come in the order of their requests. `failedWith`: the keys with which
   * the same request failed before.
   */
  paid(key: string, sentAtMs: number, failedWith: FailedWith): void;
}

export interface FurtherPages {
  /** A source asks for the first page of a walk. */
  begin(source: string): void;
  /** Whether it may read one page more; counts it. */
  mayReadOn(source: string, priority: Priority): boolean;
}

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
  /** Asked once when the key is refused; true when another key is in force now. */
  readonly renewKey: () => Promise<boolean>;
  /** Undefined: one key, which has no name. */
  readonly keys?: GateKeys;
  /** Joins log lines to polls. Undefined: nobody polls. */
  readonly trace?: Pick<Trace, "ofSource">;
  /** How fast scheduled polls may read beyond their first pages. Undefined: as fast as they like. */
  readonly pages?: FurtherPages;
  /** Told how the ledger answered a billed request. */
  readonly onReserved?: (grant: Grant["kind"]) => void;
  /** Told after every attempt, for notices. */
  readonly onOutcome: (error: UpstreamError | undefined) => void;
}

export interface RequestGate {
  /** @throws UpstreamError when the service refused or failed beyond this request's retries, RequestHeld, or a store's error. */
  request(request: GateRequest): Promise<BatchAnswer>;
  /** Rejects what waits; what is under way finishes. */
  close(): void;
  /** Gives up what is under way as well. */
  abort(): void;
}

/** In-place retries of one request; after them the poll as a whole waits for its backoff. */
const MOST_TRANSIENT_TRIES = 2;
const MOST_THROTTLED_TRIES = 30;
/** Whoever asks for something free asks again by himself, and does not wait long. */
const MOST_FREE_TRIES = 4;
const LONGEST_FREE_WAIT_MS = 60_000;
const RANK: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

type Granted = Extract<Grant, { kind: "granted" }>;

interface Waiting {
  readonly request: GateRequest;
  readonly sequence: number;
  readonly failedWith: Map<string, UpstreamError>;
  /** True once the page it asks for was taken out of what may be read. */
  hasPage: boolean;
  readonly resolve: (grant: Granted) => void;
  readonly reject: (error: Error) => void;
}

export function createRequestGate(deps: GateDeps): RequestGate {
  const { clock, pacer } = deps;
  const waiting: Waiting[] = [];
  const closing = new AbortController();
  const underWay = new Set<AbortController>();
  const pauses = createPauses(clock);
  const requestLog = createRequestLog(deps);
  let sequence = 0;
  let isServing = false;

  const takeTurn = (request: GateRequest, failedWith: Waiting["failedWith"]): Promise<Granted> =>
    new Promise((resolve, reject) => {
      if (closing.signal.aborted) return reject(new RequestHeld("closed", "the daemon is stopping"));
      const entry = { request, sequence: sequence++, failedWith, hasPage: !isFurtherPage(request), resolve, reject };
      const place = waiting.findIndex((other) => RANK[other.request.priority] > RANK[request.priority]);
      waiting.splice(place < 0 ? waiting.length : place, 0, entry);
      if (!isServing) void serve();
    });

  /** When a trial is answered, whoever waits for the next one goes on at once. */
  const minding = <Result>(takeOutcome: () => Result): Result => {
    const [wasDark, wasTrying] = [pacer.isDark, pacer.isTrying];
    const result = takeOutcome();
    if ((wasDark && !pacer.isDark) || (wasTrying && !pacer.isTrying)) pauses.endAll();
    return result;
  };

  /** Serves turns one after the other: order is kept, and nothing overtakes a pause. */
  const serve = async (): Promise<void> => {
    isServing = true;
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const entry = first;
      try {
        const waitMs = await serveOne(entry);
        if (waitMs > 0) await pauses.wait(waitMs);
      } catch (error) {
        remove(entry);
        entry.reject(error as Error);
      }
      if (closing.signal.aborted) break;
    }
    isServing = false;
  };

  const remove = (entry: Waiting) => {
    const place = waiting.indexOf(entry);
    if (place >= 0) waiting.splice(place, 1);
  };

  /** Milliseconds to wait before asking again; 0 when the entry got its slot. */
  const serveOne = async (entry: Waiting): Promise<number> => {
    const { request } = entry;
    const [isFree, nowMs] = [request.billed === false, clock.monotonic()];
    const admission = isFree ? ({ kind: "go" } as const) : pacer.admit(request.source, nowMs);
    if (admission.kind === "stopped") throw new RequestHeld("stopped", `the data service refuses this key (${admission.because})`);
    if (admission.kind === "wait") {
      if (admission.because === "backoff") throw new RequestHeld("backoff", "the source failed a moment ago", admission.untilMs);
      return Math.max(1, admission.untilMs - nowMs);
    }
    if (request.purpose === "poll" && (request.cursor === undefined || request.isWalkStart === true)) deps.pages?.begin(request.source);
    if (!entry.hasPage && deps.pages?.mayReadOn(request.source, request.priority) === false && request.isWhole !== true)
      throw new RequestHeld("pace", "older pages wait: catching up is spread over the quota's time");
    entry.hasPage = true;
    const { offers, othersAtMs } = payersAt(deps.keys?.offers(), pacer, nowMs, entry.failedWith);
    const grant = await deps.ledger.reserve(reservationOf(request, clock.now(), deps.limits(), offers));
    if (request.billed !== false) deps.onReserved?.(grant.kind);
    if (grant.kind === "quota" && entry.failedWith.size > 0) {
      // The others are at their lines: with the same key, then.
      entry.failedWith.clear();
      return 1;
    }
    if (grant.kind === "quota") throw heldAtTheLine(grant.spent, othersAtMs);
    // A slot under way is promised for its timeout; its answer frees it far sooner: asked again at every turn of the window.
    if (grant.kind === "rate") return Math.min(Math.max(1, grant.retryAtMs - clock.now()), deps.limits().rate.intervalMs);
    remove(entry);
    if (!isFree) pacer.sending(grant.key, nowMs);
    entry.resolve(grant);
    return 0;
  };

  /** One attempt that was granted; a failure is classified by the caller. */
  const attempt = async (request: GateRequest, { ledgerId, key }: Granted): Promise<UpstreamAnswer> => {
    const sentAtMs = clock.now();
    const startMs = clock.monotonic();
    const aborting = new AbortController();
    underWay.add(aborting);
    try {
      const answer = await deps.upstream.call({ ...request, keyName: key, signal: aborting.signal });
      await settle(request, ledgerId, 200, startMs, "ok");
      requestLog.answered(request, { key, answer, durationMs: clock.monotonic() - startMs });
      if (answer.serviceTimeMs !== undefined) deps.serviceClock.observe(answer.serviceTimeMs, sentAtMs);
      return answer;
    } catch (error) {
      if (error instanceof UpstreamError) await settle(request, ledgerId, error.status ?? null, startMs, error.kind);
      throw error;
    } finally {
      underWay.delete(aborting);
    }
  };

  const settle = async (request: GateRequest, ledgerId: string, status: number | null, startMs: number, outcome: string): Promise<void> => {
    deps.meter.count("chirpwatch_requests_total", { endpoint: request.endpoint, outcome });
    deps.meter.observe("chirpwatch_request_duration_seconds", (clock.monotonic() - startMs) / 1_000, { endpoint: request.endpoint });
    await deps.ledger.settle(ledgerId, clock.now(), status);
  };

  const request = async (wanted: GateRequest): Promise<UpstreamAnswer> => {
    let transientTries = 0;
    let throttledTries = 0;
    let hasRenewedKey = false;
    const failedWith = new Map<string, UpstreamError>();
    for (;;) {
      const grant = await takeTurn(wanted, failedWith);
      const sentAtMs = clock.monotonic();
      try {
        const answer = await attempt(wanted, grant);
        if (wanted.billed !== false) {
          minding(() => pacer.succeeded(wanted.source, grant.key, sentAtMs));
          deps.keys?.paid(grant.key, sentAtMs, failedWith);
          // A free answer says nothing of those that are billed: a key that is not paid for still learns its usage.
          deps.onOutcome(undefined);
        }
        return answer;
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        if (wanted.billed === false) {
          const waitMs = freePauseMs(error, grant.key, sentAtMs, deps);
          if (waitMs > LONGEST_FREE_WAIT_MS || ++throttledTries >= MOST_FREE_TRIES) throw error;
          await pauses.wait(waitMs);
          continue;
        }
        if (isAboutKey(error) && (await deps.keys?.refused(grant.key, error, sentAtMs)) === true) continue;
        const { kind, retry } = error;
        if (kind === "transient" || kind === "rate_limited") failedWith.set(grant.key, error);
        const failure = { source: wanted.source, key: grant.key, kind, retry, sentAtMs, nowMs: clock.monotonic() };
        const advice = minding(() => pacer.failed(failure));
        deps.onOutcome(error);
        requestLog.failed(wanted, error);
        if (advice.kind === "stop" && error.kind === "unauthorized" && !hasRenewedKey && (await deps.renewKey())) {
          hasRenewedKey = true;
          pacer.resume();
          continue;
        }
        if (advice.kind !== "retry") throw error;
        if (error.kind === "transient" && ++transientTries >= MOST_TRANSIENT_TRIES) throw error;
        if (error.kind === "rate_limited" && ++throttledTries >= MOST_THROTTLED_TRIES) throw error;
        await pauses.wait(advice.atMs - clock.monotonic());
      }
    }
  };

  return {
    request: createSplitBatches(request, clock, deps.log),
    close() {
      closing.abort();
      pauses.close();
      for (const entry of waiting.splice(0)) entry.reject(new RequestHeld("closed", "the daemon is stopping"));
    },
    abort() {
      for (const aborting of underWay) aborting.abort();
    },
  };
}

const heldAtTheLine = (spent: number, othersAtMs: number | undefined): RequestHeld =>
  othersAtMs === undefined
    ? new RequestHeld("quota", `the quota is spent: ${spent} requests this period`)
    : new RequestHeld("backoff", "the keys with requests left wait after a 429", othersAtMs);

/** Free requests count for the rate as well: their 429 pauses the key for all. Any other failure of theirs says nothing about polls. */
function freePauseMs({ kind, retry }: UpstreamError, key: string, sentAtMs: number, { pacer, clock }: GateDeps): number {
  if (kind !== "rate_limited") return Number.POSITIVE_INFINITY;
  const nowMs = clock.monotonic();
  pacer.failed({ source: "", key, kind, retry, sentAtMs, nowMs });
  return Math.max(0, pacer.paysAgainAt(key) - nowMs);
}

const isAboutKey = ({ kind }: UpstreamError): boolean => kind === "unauthorized" || kind === "billing";

/** Baselines and commands read as deep as they need. */
const isFurtherPage = ({ purpose, cursor, billed }: GateRequest): boolean => purpose === "poll" && cursor !== undefined && billed !== false;
