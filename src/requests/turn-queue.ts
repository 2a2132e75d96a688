/**
 * Decides which request is sent next, by priority and then by arrival, and whether it may be sent
 * now. A turn ends with an entry in the ledger. request-sender.ts sends the request and
 * request-retries.ts retries it.
 */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { Clock } from "../model/clock.ts";
import type { Grant, Ledger } from "../model/ledger.ts";
import type { Priority } from "../model/schedule.ts";
import type { UpstreamError } from "../model/upstream.ts";
import type { GateKeys } from "./gate-keys.ts";
import type { Pauses } from "./pauses.ts";
import { RequestHeld } from "./request-held.ts";
import {
  type GateLimits,
  type GateRequest,
  eligibleKeysAt,
  isFurtherPage,
  reservationOf,
} from "./reservation.ts";

export interface FurtherPages {
  /** Starts a new walk of a source, which now requests the first page. */
  begin(source: string): void;
  /** Whether the source may read one more page. If so, the page is counted. */
  mayReadOn(source: string, priority: Priority): boolean;
  /** Records that a further page has got its entry in the ledger. */
  entered(): void;
}

export interface TurnQueueDeps {
  readonly ledger: Pick<Ledger, "reserve">;
  readonly clock: Clock;
  readonly pacer: UpstreamPacer;
  /** The waits of the queue, which `close` ends. */
  readonly pauses: Pauses;
  readonly limits: () => GateLimits;
  readonly keys: Pick<GateKeys, "eligible"> | undefined;
  readonly pages: FurtherPages | undefined;
  readonly onReserved: ((grant: Grant["kind"]) => void) | undefined;
}

export type Granted = Extract<Grant, { kind: "granted" }>;

interface Waiting {
  readonly request: GateRequest;
  readonly failedWith: Map<string, UpstreamError>;
  /** Whether the request is not for a further page, or its further page has been allowed. */
  hasPage: boolean;
  readonly resolve: (grant: Granted) => void;
  readonly reject: (error: Error) => void;
}

const RANK: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

export class TurnQueue {
  readonly #deps: TurnQueueDeps;
  readonly #waiting: Waiting[] = [];
  #isServing = false;
  #isClosed = false;

  constructor(deps: TurnQueueDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the request may be sent, with its entry in the ledger. The keys in `failedWith`
   * are tried last: when no other key has requests left, the map is cleared. @throws RequestHeld
   */
  waitForTurn(request: GateRequest, failedWith: Waiting["failedWith"]): Promise<Granted> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new RequestHeld("closed", "the daemon is stopping"));
      const entry = { request, failedWith, hasPage: !isFurtherPage(request), resolve, reject };
      const place = this.#waiting.findIndex(
        (other) => RANK[other.request.priority] > RANK[request.priority],
      );
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, entry);
      if (!this.#isServing) void this.#serveAll();
    });
  }

  /** Rejects all waiting requests and all later ones. */
  close(): void {
    this.#isClosed = true;
    this.#deps.pauses.close();
    for (const entry of this.#waiting.splice(0))
      entry.reject(new RequestHeld("closed", "the daemon is stopping"));
  }

  /** Serves one request at a time, in order: no request overtakes one that waits before it. */
  async #serveAll(): Promise<void> {
    this.#isServing = true;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const entry = first;
      try {
        const waitMs = await this.#serve(entry);
        if (waitMs > 0) await this.#deps.pauses.wait(waitMs);
      } catch (error) {
        this.#remove(entry);
        entry.reject(error as Error);
      }
      if (this.#isClosed) break;
    }
    this.#isServing = false;
  }

  /**
   * Tries to give the entry its turn. Returns the milliseconds to wait before the next try, or 0 if
   * the entry got its turn.
   */
  async #serve(entry: Waiting): Promise<number> {
    const { clock, pacer, ledger, limits, keys } = this.#deps;
    const { request, failedWith } = entry;
    const nowMs = clock.monotonic();
    const pacedMs = this.#pacedMs(request, nowMs);
    if (pacedMs > 0) return pacedMs;
    this.#admitPage(entry);
    const { eligible, othersAtMs } = eligibleKeysAt(keys?.eligible(), pacer, nowMs, failedWith);
    const grant = await ledger.reserve(reservationOf(request, clock.now(), limits(), eligible));
    if (request.billed !== false) this.#deps.onReserved?.(grant.kind);
    if (grant.kind === "quota" && failedWith.size > 0) {
      // The other keys have no requests left, so try again with the keys that failed.
      failedWith.clear();
      return 1;
    }
    if (grant.kind === "quota") throw heldForQuota(grant.spent, othersAtMs);
    // A slot of the rate limit stays reserved until its request times out, but an answer usually
    // frees it much sooner. So ask again at least once per rate window.
    if (grant.kind === "rate")
      return Math.min(Math.max(1, grant.retryAtMs - clock.now()), limits().rate.intervalMs);
    this.#remove(entry);
    if (isFurtherPage(request)) this.#deps.pages?.entered();
    if (request.billed !== false) pacer.sending(grant.key, nowMs);
    entry.resolve(grant);
    return 0;
  }

  /**
   * Returns how long the pacer holds the request back, in ms; 0 if it may be sent. Free requests
   * are not paced. @throws RequestHeld
   */
  #pacedMs(request: GateRequest, nowMs: number): number {
    if (request.billed === false) return 0;
    const admission = this.#deps.pacer.admit(request.source, nowMs);
    if (admission.kind === "stopped")
      throw new RequestHeld("stopped", `the data service refuses this key (${admission.because})`);
    if (admission.kind === "go") return 0;
    if (admission.because === "backoff")
      throw new RequestHeld("backoff", "the source failed a moment ago", admission.untilMs);
    return Math.max(1, admission.untilMs - nowMs);
  }

  /**
   * Counts the page of the entry against the limit on further pages, only once however often the
   * entry is tried. @throws RequestHeld if the page must wait
   */
  #admitPage(entry: Waiting): void {
    const { request } = entry;
    const { pages } = this.#deps;
    if (
      request.purpose === "poll" &&
      (request.cursor === undefined || request.isWalkStart === true)
    )
      pages?.begin(request.source);
    if (
      !entry.hasPage &&
      pages?.mayReadOn(request.source, request.priority) === false &&
      request.isWhole !== true
    )
      throw new RequestHeld(
        "pace",
        "older pages wait: catching up is spread over the quota period",
      );
    entry.hasPage = true;
  }

  #remove(entry: Waiting): void {
    const place = this.#waiting.indexOf(entry);
    if (place >= 0) this.#waiting.splice(place, 1);
  }
}

const heldForQuota = (spent: number, othersAtMs: number | undefined): RequestHeld =>
  othersAtMs === undefined
    ? new RequestHeld("quota", `the quota is spent: ${spent} requests this period`)
    : new RequestHeld("backoff", "the keys with requests left wait after a 429", othersAtMs);
