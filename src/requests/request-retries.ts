/**
 * Sends a request until it is answered, or is not worth another attempt: each attempt takes a turn
 * and an entry in the ledger of its own. Owns what a failure means for the next attempt; when a
 * poll as a whole is tried again is the poll loop's.
 */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { Clock } from "../model/clock.ts";
import { type UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import type { GateKeys } from "./gate-keys.ts";
import type { Pauses } from "./pauses.ts";
import type { RequestLog } from "./request-log.ts";
import type { RequestSender } from "./request-sender.ts";
import type { GateRequest } from "./reservation.ts";
import type { TurnQueue } from "./turn-queue.ts";

export interface RequestRetriesDeps {
  readonly queue: Pick<TurnQueue, "takeTurn">;
  readonly sender: Pick<RequestSender, "send">;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly pacer: UpstreamPacer;
  readonly requestLog: Pick<RequestLog, "failed">;
  readonly keys: Pick<GateKeys, "refused" | "paid"> | undefined;
  readonly renewKey: () => Promise<boolean>;
  readonly onOutcome: (error: UpstreamError | undefined) => void;
}

/** What one request went through so far. */
interface Tries {
  transient: number;
  throttled: number;
  hasRenewedKey: boolean;
  readonly failedWith: Map<string, UpstreamError>;
}

interface Attempt {
  readonly request: GateRequest;
  readonly key: string;
  /** Monotonic. */
  readonly sentAtMs: number;
}

interface KeyUse extends Pick<Attempt, "key" | "sentAtMs"> {
  readonly source: string;
}

const isAboutKey = ({ kind }: UpstreamError): boolean =>
  kind === "unauthorized" || kind === "billing";

/** In-place retries of one request; after them the poll as a whole waits for its backoff. */
const MAX_TRANSIENT_TRIES = 2;
const MAX_THROTTLED_TRIES = 30;
/** Whoever asks for something free asks again by himself, and does not wait long. */
const MAX_FREE_TRIES = 4;
const LONGEST_FREE_WAIT_MS = 60_000;

export class RequestRetries {
  readonly #deps: RequestRetriesDeps;

  constructor(deps: RequestRetriesDeps) {
    this.#deps = deps;
  }

  /**
   * @throws UpstreamError when the service refused or failed beyond this request's retries,
   * RequestHeld, or a store's error.
   */
  async request(request: GateRequest): Promise<UpstreamAnswer> {
    const { queue, sender, clock, pauses } = this.#deps;
    const tries: Tries = {
      transient: 0,
      throttled: 0,
      hasRenewedKey: false,
      failedWith: new Map(),
    };
    for (;;) {
      const grant = await queue.takeTurn(request, tries.failedWith);
      const attempt: Attempt = { request, key: grant.key, sentAtMs: clock.monotonic() };
      try {
        const answer = await sender.send(request, grant);
        if (request.billed !== false) this.#answered(attempt, tries);
        return answer;
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        const waitMs =
          request.billed === false
            ? await this.#afterFreeFailure(attempt, tries, error)
            : await this.#afterFailure(attempt, tries, error);
        if (waitMs !== undefined) await pauses.wait(waitMs);
      }
    }
  }

  /**
   * A free answer says nothing of those that are billed: a key that is not paid for still learns
   * its usage.
   */
  #answered({ request, key, sentAtMs }: Attempt, { failedWith }: Tries): void {
    this.#updatePacer((pacer) => pacer.succeeded(request.source, key, sentAtMs));
    this.#deps.keys?.paid(key, sentAtMs, failedWith);
    this.#deps.onOutcome(undefined);
  }

  /** What another replica learned of a key counts as if a request with it had been refused here. */
  async refused(key: string, error: UpstreamError): Promise<void> {
    await this.#keyRefused({ source: "", key, sentAtMs: this.#deps.clock.monotonic() }, error);
  }

  /**
   * Without another key that pays, nothing is sent any more: everybody who asks how the service is
   * hears that. True: another one pays.
   */
  async #keyRefused({ source, key, sentAtMs }: KeyUse, error: UpstreamError): Promise<boolean> {
    const { keys, clock, pacer, onOutcome } = this.#deps;
    if ((await keys?.refused(key, error, sentAtMs)) === true) return true;
    this.#updatePacer(() =>
      pacer.failed({
        source,
        key,
        kind: error.kind,
        retry: error.retry,
        sentAtMs,
        nowMs: clock.monotonic(),
      }),
    );
    onOutcome(error);
    return false;
  }

  /**
   * How long to wait for the next attempt; undefined: at once. @throws the error, when there is
   * none
   */
  async #afterFailure(
    { request, key, sentAtMs }: Attempt,
    tries: Tries,
    error: UpstreamError,
  ): Promise<number | undefined> {
    const { clock, pacer, requestLog, onOutcome } = this.#deps;
    const { kind, retry } = error;
    if (isAboutKey(error)) {
      if (await this.#keyRefused({ source: request.source, key, sentAtMs }, error))
        return undefined;
      requestLog.failed(request, error);
      if (tries.hasRenewedKey || !(await this.#renews(error))) throw error;
      tries.hasRenewedKey = true;
      return undefined;
    }
    if (kind === "transient" || kind === "rate_limited") tries.failedWith.set(key, error);
    const failure = {
      source: request.source,
      key,
      kind,
      retry,
      sentAtMs,
      nowMs: clock.monotonic(),
    };
    const advice = this.#updatePacer(() => pacer.failed(failure));
    onOutcome(error);
    requestLog.failed(request, error);
    if (advice.kind !== "retry") throw error;
    if (kind === "transient" && ++tries.transient >= MAX_TRANSIENT_TRIES) throw error;
    if (kind === "rate_limited" && ++tries.throttled >= MAX_THROTTLED_TRIES) throw error;
    return advice.atMs - clock.monotonic();
  }

  /** Whether the key's file holds another key by now, so that polls go on. */
  async #renews({ kind }: UpstreamError): Promise<boolean> {
    const { renewKey, pacer } = this.#deps;
    if (kind !== "unauthorized" || !(await renewKey())) return false;
    pacer.resume();
    return true;
  }

  /**
   * Free requests count for the rate as well: their 429 pauses the key for all. A key that does not
   * even learn its usage pays for nothing either. Any other failure of theirs says nothing about
   * polls.
   */
  async #afterFreeFailure(
    { request, key, sentAtMs }: Attempt,
    tries: Tries,
    error: UpstreamError,
  ): Promise<number> {
    const { clock, pacer } = this.#deps;
    const { kind, retry } = error;
    if (
      isAboutKey(error) &&
      !(await this.#keyRefused({ source: request.source, key, sentAtMs }, error))
    )
      await this.#renews(error);
    if (kind !== "rate_limited") throw error;
    const nowMs = clock.monotonic();
    pacer.failed({ source: "", key, kind, retry, sentAtMs, nowMs });
    const waitMs = Math.max(0, pacer.paysAgainAt(key) - nowMs);
    if (waitMs > LONGEST_FREE_WAIT_MS || ++tries.throttled >= MAX_FREE_TRIES) throw error;
    return waitMs;
  }

  /** When a trial is answered, whoever waits for the next one goes on at once. */
  #updatePacer<Result>(takeOutcome: (pacer: UpstreamPacer) => Result): Result {
    const { pacer, pauses } = this.#deps;
    const [wasDown, wasTrying] = [pacer.isDown, pacer.isTrying];
    const result = takeOutcome(pacer);
    if ((wasDown && !pacer.isDown) || (wasTrying && !pacer.isTrying)) pauses.endAll();
    return result;
  }
}
