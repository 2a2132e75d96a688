/**
 * Alerts the operator when the data service goes down or refuses the API key, and when it works
 * again. Probes the service at intervals while it refuses the key.
 */
import type { PacerStatus, StopReason, UpstreamPacer } from "../../budget/upstream-pacer.ts";
import { WAITS_FAIL_AFTER_MS } from "../../model/asked-wait.ts";
import { type Cancel, isoTime } from "../../model/clock.ts";
import type { UpstreamError } from "../../model/upstream.ts";
import type { Ports } from "../../model/ports.ts";
import { repeat } from "./repeat.ts";

export interface UpstreamMonitorDeps extends Pick<Ports, "opsAlerts" | "clock" | "log" | "meter"> {
  readonly pacer: UpstreamPacer;
  /**
   * Sends a free request to `/key-usage-info`. Resolves to true if the service would answer billed
   * requests again.
   */
  readonly probe: () => Promise<boolean>;
  /** Called when the service answers again after a refusal. */
  readonly onBack: () => void;
}

/** What is wrong with the data service, in words. */
export interface UpstreamTrouble {
  readonly reason: string;
  readonly sinceMs: number;
  /** When the next request is made, in epoch ms, if the service asked to wait. */
  readonly untilMs?: number;
}

/** How long the service must fail before an alert. A shorter failure is only retried. */
const ALERT_AFTER_MS = 60_000;
const CHECK_EVERY_MS = 15_000;
const SEEN_FOR_MS = 3 * CHECK_EVERY_MS;
/**
 * How long a failure counts after the last failed attempt. It is longer than any pause before the
 * next attempt, so nothing asks the service any more: the last poll of this replica may have been
 * paused, or given to another replica. No answer would end the failure, and its reports would hide
 * from everybody that the service is back.
 */
const FORGOTTEN_AFTER_MS = 6 * 60_000;
const CONDITION = "upstream.dark";

export class UpstreamMonitor {
  readonly #deps: UpstreamMonitorDeps;
  #stopChecks: Cancel | undefined;
  #lastError: UpstreamError | undefined;
  #failingSinceMs: number | undefined;
  #throttledSinceMs: number | undefined;
  /** When an attempt last failed, on the monotonic clock. */
  #lastFailureMs = 0;
  /** Whether the service has answered since it was reported as down, and has not failed again. */
  #isBack = false;

  constructor(deps: UpstreamMonitorDeps) {
    this.#deps = deps;
  }

  /** Records the outcome of every attempt. */
  recordOutcome(error: UpstreamError | undefined): void {
    const { clock } = this.#deps;
    if (error?.kind === "rate_limited") this.#throttledSinceMs ??= clock.now();
    else if (error?.kind !== "transient") this.#throttledSinceMs = undefined;
    if (error === undefined) return this.#answered();
    this.#isBack = false;
    this.#lastFailureMs = clock.monotonic();
    if (error.kind === "transient") this.#failingSinceMs ??= clock.now();
    this.#lastError = error;
    if (error.kind === "billing" || error.kind === "unauthorized") {
      this.#failingSinceMs ??= clock.now();
      void this.#alertDown(...stopText(error.kind, error));
    }
  }

  /**
   * Ends a refusal, because the service accepts the key again. `isPaidFor` is true if a billed
   * request was answered, and false if only a free one was.
   */
  keyTaken(isPaidFor: boolean): void {
    const status = this.#status();
    if (status.kind !== "stopped" || (status.because === "billing" && !isPaidFor)) return;
    this.#deps.pacer.resume();
    this.#answered();
    this.#deps.onBack();
  }

  /** Whether the service refuses the key, so that nothing is polled. */
  get isStopped(): boolean {
    return this.#status().kind === "stopped";
  }

  /** Whether the operator was notified that the service is down, and not yet that it is back. */
  get isDown(): boolean {
    return this.#deps.opsAlerts.lasting(CONDITION).size > 0;
  }

  /** What is wrong; undefined if nothing is. */
  get trouble(): UpstreamTrouble | undefined {
    const { clock } = this.#deps;
    const status = this.#status();
    const failingSinceMs = this.#failingSinceMs;
    if (status.kind === "throttled") {
      const untilMs = clock.now() + status.untilMs - clock.monotonic();
      return {
        reason: "throttled",
        sinceMs: this.#throttledSinceMs ?? failingSinceMs ?? clock.now(),
        untilMs,
      };
    }
    if (failingSinceMs !== undefined)
      return { reason: this.#lastError?.message ?? "failing", sinceMs: failingSinceMs };
    return this.#onlyAsksToWait()
      ? { reason: "throttled", sinceMs: this.#throttledSinceMs ?? clock.now() }
      : undefined;
  }

  async start(): Promise<void> {
    const { opsAlerts, clock, log } = this.#deps;
    const onError = (error: unknown) => log.error("upstream check failed", { error });
    this.#stopChecks = repeat({
      clock,
      everyMs: CHECK_EVERY_MS,
      work: () => this.#check(),
      onError,
    });
    await opsAlerts.load();
  }

  stop(): void {
    this.#stopChecks?.();
  }

  /** Whether the service has answered only 429 for so long that the operator is alerted. */
  #onlyAsksToWait(): boolean {
    return (
      this.#throttledSinceMs !== undefined &&
      this.#deps.clock.now() - this.#throttledSinceMs >= WAITS_FAIL_AFTER_MS
    );
  }

  #status(): PacerStatus {
    return this.#deps.pacer.status(this.#deps.clock.monotonic());
  }

  #answered(): void {
    // A request that was under way when another one was refused may still be answered. Its answer
    // does not end the refusal.
    if (this.isStopped) return;
    this.#failingSinceMs = undefined;
    this.#lastError = undefined;
    if (!this.isDown) return;
    this.#isBack = true;
    void this.#alertRecovered();
  }

  #forgetFailure(): void {
    this.#failingSinceMs = undefined;
    this.#throttledSinceMs = undefined;
    this.#lastError = undefined;
  }

  async #check(): Promise<void> {
    const { meter, clock } = this.#deps;
    const status = this.#status();
    const isOver = clock.monotonic() - this.#lastFailureMs >= FORGOTTEN_AFTER_MS;
    if (isOver && status.kind !== "stopped") this.#forgetFailure();
    const [failingSinceMs, throttledSinceMs] = [this.#failingSinceMs, this.#throttledSinceMs];
    const isUp =
      status.kind !== "stopped" && failingSinceMs === undefined && !this.#onlyAsksToWait();
    meter.set("chirpwatch_upstream_up", isUp ? 1 : 0);
    if (status.kind === "stopped") await this.#checkStopped(status.because);
    else if (failingSinceMs !== undefined && clock.now() - failingSinceMs >= ALERT_AFTER_MS) {
      await this.#alertDown(
        `The data service has been failing since ${isoTime(failingSinceMs)}: ${this.#lastError?.message ?? "no answer"}`,
        "Nothing is lost: what is missed now is read when it answers again.",
      );
    } else if (throttledSinceMs !== undefined && this.#onlyAsksToWait()) {
      await this.#alertDown(
        `The data service has answered nothing but 429 since ${isoTime(throttledSinceMs)}: it accepts no more requests with this key for now.`,
        "Nothing is lost: what is missed now is read when it answers again. Check whether something else uses the key, or lower api.rate_limit.",
      );
    } else if (this.isDown && this.#isBack) await this.#alertRecovered();
  }

  async #checkStopped(because: StopReason): Promise<void> {
    const { pacer, clock, probe, onBack } = this.#deps;
    await this.#alertDown(...stopText(because, this.#lastError));
    if (pacer.claimProbe(clock.monotonic()) && (await probe())) {
      pacer.resume();
      onBack();
    }
  }

  async #alertDown(message: string, hint: string): Promise<void> {
    const { opsAlerts, clock } = this.#deps;
    await opsAlerts.raise({
      once: { key: CONDITION, seenForMs: SEEN_FOR_MS },
      type: "upstream.dark",
      subject: "upstream",
      severity: "critical",
      message,
      hint,
      facts: { since: isoTime(this.#failingSinceMs ?? this.#throttledSinceMs ?? clock.now()) },
    });
  }

  #alertRecovered(): Promise<void> {
    return this.#deps.opsAlerts.clear(CONDITION, {
      type: "upstream.recovered",
      subject: "upstream",
      severity: "info",
      message: "The data service answers again; what was missed is being read.",
    });
  }
}

function stopText(because: StopReason, error: UpstreamError | undefined): [string, string] {
  const said = error === undefined ? "" : ` (${error.status ?? ""} ${error.message})`;
  if (because === "unauthorized")
    return [
      `The data service refuses the API key${said}: polling stopped, deliveries continue.`,
      "Put a valid key into api.key or its key_file; then reload.",
    ];
  if (error?.status === 402)
    return [
      `The data service demands payment${said}: polling stopped, deliveries continue.`,
      "Pay the subscription; chirpwatch tries once an hour and continues by itself.",
    ];
  return [
    `The request quota is used up or the subscription has ended${said}: polling stopped, deliveries continue.`,
    "Top up or upgrade; chirpwatch tries once an hour and continues by itself.",
  ];
}
