/**
 * Sends a request until it is answered or another attempt would not help. Each attempt has its own
 * turn and its own entry in the ledger. Decides what a failure means for the next attempt; the poll
 * loop decides when the whole poll is tried again.
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
  readonly queue: Pick<TurnQueue, "waitForTurn">;
  readonly sender: Pick<RequestSender, "send">;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly pacer: UpstreamPacer;
  readonly requestLog: Pick<RequestLog, "failed">;
  readonly keys: Pick<GateKeys, "refused" | "paid"> | undefined;
  readonly renewKey: () => Promise<boolean>;
  readonly onOutcome: (error: UpstreamError | undefined) => void;
}

/** The failed attempts of one request so far. */
interface Tries {
  transient: number;
  throttled: number;
  hasRenewedKey: boolean;
  readonly failedWith: Map<string, UpstreamError>;
}

interface Attempt {
  readonly request: GateRequest;
  readonly key: string;
  /** When the attempt was sent, on the monotonic clock. */
  readonly sentAtMs: number;
}

interface KeyUse extends Pick<Attempt, "key" | "sentAtMs"> {
  readonly source: string;
}

const isAboutKey = ({ kind }: UpstreamError): boolean =>
  kind === "unauthorized" || kind === "billing";

/**
 * The maximum number of failed attempts of one request: for temporary failures, and for answers
 * with status 429. After that, the whole poll waits for its backoff.
 */
const MAX_TRANSIENT_TRIES = 2;
const MAX_THROTTLED_TRIES = 30;
/**
 * The limits for repeating free requests are low, because their callers repeat them on their own
 * schedule.
 */
const MAX_FREE_TRIES = 4;
const MAX_FREE_WAIT_MS = 60_000;

export class RequestRetries {
  readonly #deps: RequestRetriesDeps;

  constructor(deps: RequestRetriesDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a request until it is answered. @throws UpstreamError when the service refused it or too
   * many attempts failed, RequestHeld, or a store's error.
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
      const grant = await queue.waitForTurn(request, tries.failedWith);
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
   * Records the success of a billed request. A free request is no evidence, because a key whose
   * bill is unpaid can still read its usage.
   */
  #answered({ request, key, sentAtMs }: Attempt, { failedWith }: Tries): void {
    this.#updatePacer((pacer) => pacer.succeeded(request.source, key, sentAtMs));
    this.#deps.keys?.paid(key, sentAtMs, failedWith);
    this.#deps.onOutcome(undefined);
  }

  /**
   * Handles the refusal of a key that another replica reported, as if this process had received it.
   */
  async refused(key: string, error: UpstreamError): Promise<void> {
    await this.#keyRefused({ source: "", key, sentAtMs: this.#deps.clock.monotonic() }, error);
  }

  /**
   * Handles a refused key. Returns true if another key can pay. Otherwise the pacer stops all
   * requests, and the error is reported for ops alerts.
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
   * Returns the milliseconds to wait before the next attempt; undefined if it need not wait.
   * @throws the error, if there is no next attempt
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

  /**
   * Reads the key's file again if the service did not accept the key. Returns true if the file now
   * contains another key, so that requests can continue.
   */
  async #renews({ kind }: UpstreamError): Promise<boolean> {
    const { renewKey, pacer } = this.#deps;
    if (kind !== "unauthorized" || !(await renewKey())) return false;
    pacer.resume();
    return true;
  }

  /**
   * Returns the milliseconds to wait before the next attempt of a free request. An answer with
   * status 429 pauses the key for all requests, because free requests count against the rate limit
   * too. A key that may not read its usage is treated as refused, because it cannot pay either. Any
   * other failure of a free request has no effect on polls. @throws the error, if there is no next
   * attempt
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
    if (waitMs > MAX_FREE_WAIT_MS || ++tries.throttled >= MAX_FREE_TRIES) throw error;
    return waitMs;
  }

  /**
   * Updates the pacer. If that shows that the service is no longer down, or that a trial request
   * has been answered, all waiting requests continue at once.
   */
  #updatePacer<Result>(update: (pacer: UpstreamPacer) => Result): Result {
    const { pacer, pauses } = this.#deps;
    const [wasDown, wasTrying] = [pacer.isDown, pacer.isTrying];
    const result = update(pacer);
    if ((wasDown && !pacer.isDown) || (wasTrying && !pacer.isTrying)) pauses.endAll();
    return result;
  }
}
