/**
 * Sends one attempt that the ledger granted, and records its end in the ledger. request-retries.ts
 * decides what happens after a failure.
 */
import type { Clock } from "../model/clock.ts";
import type { Ledger } from "../model/ledger.ts";
import type { Meter } from "../model/meter.ts";
import { type Upstream, type UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import type { RequestLog } from "./request-log.ts";
import type { GateRequest } from "./reservation.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { Granted } from "./turn-queue.ts";

export interface RequestSenderDeps {
  readonly upstream: Upstream;
  readonly ledger: Pick<Ledger, "settle">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly meter: Meter;
  readonly requestLog: Pick<RequestLog, "answered">;
}

interface Sent {
  readonly request: GateRequest;
  readonly ledgerId: string;
  /** When the attempt was sent, on the monotonic clock. */
  readonly startMs: number;
}

export class RequestSender {
  readonly #deps: RequestSenderDeps;
  readonly #underWay = new Set<AbortController>();

  constructor(deps: RequestSenderDeps) {
    this.#deps = deps;
  }

  /**
   * Sends one attempt and settles its entry in the ledger. @throws UpstreamError, or a store's
   * error
   */
  async send(request: GateRequest, { ledgerId, key }: Granted): Promise<UpstreamAnswer> {
    const { clock, upstream, requestLog, serviceClock } = this.#deps;
    const sentAtMs = clock.now();
    const sent: Sent = { request, ledgerId, startMs: clock.monotonic() };
    const aborting = new AbortController();
    this.#underWay.add(aborting);
    try {
      const answer = await upstream.call({ ...request, keyName: key, signal: aborting.signal });
      await this.#settle(sent, 200, "ok");
      requestLog.answered(request, { key, answer, durationMs: clock.monotonic() - sent.startMs });
      if (answer.serviceTimeMs !== undefined) serviceClock.observe(answer.serviceTimeMs, sentAtMs);
      return answer;
    } catch (error) {
      if (error instanceof UpstreamError)
        await this.#settle(sent, error.status ?? null, error.kind);
      throw error;
    } finally {
      this.#underWay.delete(aborting);
    }
  }

  /** Aborts all requests under way. */
  abort(): void {
    for (const aborting of this.#underWay) aborting.abort();
  }

  async #settle(
    { request: { endpoint }, ledgerId, startMs }: Sent,
    status: number | null,
    outcome: string,
  ): Promise<void> {
    const { clock, meter, ledger } = this.#deps;
    meter.count("chirpwatch_requests_total", { endpoint, outcome });
    meter.observe("chirpwatch_request_duration_seconds", (clock.monotonic() - startMs) / 1_000, {
      endpoint,
    });
    await ledger.settle(ledgerId, clock.now(), status);
  }
}
