/**
 * Keeps one vendor connected: opens a connection, waits for its end, and opens the next one. A
 * vendor that cannot be reached or refuses is a condition that degrades the status, with one ops
 * alert while it lasts. Alerts are sent even while the vendor is not connected.
 */
import type { ChatVendor } from "../model/chat-access.ts";
import { type Clock, sleep } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { OpsAlerts } from "../model/ops-alerts.ts";
import { type ChatConnection, ChatError, type Click, type OpenConnection } from "./clicks/click.ts";

/** The waits after failures in a row. The first attempt after a lost connection is made at once. */
const WAIT_MS = [0, 1_000, 2_000, 5_000, 15_000, 60_000] as const;
/**
 * The vendor refuses until somebody corrects the settings of the Slack or Discord app, so an
 * attempt every minute would be useless.
 */
const REFUSED_WAIT_MS = 300_000;
/** A connection that ends earlier than this counts as a failure. */
const MIN_LIFE_MS = 10_000;
/** The number of failures in a row after which the operator is alerted. */
const FAILURES_TO_ALERT = 3;
/** How long the vendor has to accept a connection. */
const MAX_OPEN_MS = 30_000;
const MAX_CLOSE_MS = 1_000;

/**
 * The prefix of the key under which the ops alert about a failing chat is raised and cleared. The
 * vendor follows it.
 */
export const CHAT_CONDITION = "chat.failing:";

/** Returns the sentence for the status and the operator. */
export const chatTrouble = (vendor: ChatVendor, reason: string): string =>
  `Clicks below messages in ${NAMES[vendor]} are not received: ${reason}`;

const NAMES = { slack: "Slack", discord: "Discord" } as const;

export interface KeepDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly opsAlerts: Pick<OpsAlerts, "raise" | "clear">;
  clicked(click: Click): void;
}

export interface KeptConnection {
  /** Why clicks are not received at the moment; undefined if they are, or if it is not known yet. */
  readonly trouble: string | undefined;
  readonly isConnected: boolean;
  /** Closes the socket and makes no other connection. */
  stop(): Promise<void>;
}

export function keepConnected(deps: KeepDeps, connection: ChatConnection): KeptConnection {
  const kept = new Keeper(deps, connection);
  void kept.run();
  return kept;
}

class Keeper implements KeptConnection {
  readonly #deps: KeepDeps;
  readonly #connection: ChatConnection;
  readonly #stopping = new AbortController();
  #open: OpenConnection | undefined;
  #failures = 0;
  trouble: string | undefined;

  constructor(deps: KeepDeps, connection: ChatConnection) {
    this.#deps = deps;
    this.#connection = connection;
  }

  get isConnected(): boolean {
    return this.#open !== undefined;
  }

  async run(): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const failure = await this.#live().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (signal.aborted) return;
      this.#failures = failure === undefined ? 0 : this.#failures + 1;
      if (failure !== undefined) await sleep(clock, await this.#report(failure.error), signal);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#close();
  }

  /** Opens a connection and waits for its end. Rejects if it cannot be opened, or ends at once. */
  async #live(): Promise<void> {
    const { clock, log } = this.#deps;
    const { vendor } = this.#connection;
    const controller = new AbortController();
    const late = new ChatError(`no connection within ${MAX_OPEN_MS / 1_000} s`, false);
    const cancel = clock.after(MAX_OPEN_MS, () => controller.abort(late));
    const signal = AbortSignal.any([controller.signal, this.#stopping.signal]);
    let end = (_reason: string) => {};
    const ended = new Promise<string>((resolve) => (end = resolve));
    const listener = { clicked: (click: Click) => this.#clicked(click), ended: end };
    try {
      this.#open = await this.#connection.open(listener, signal);
    } finally {
      cancel();
    }
    if (this.#stopping.signal.aborted) return this.#close();
    log.info("listening for clicks in a chat", { chat: vendor });
    const openedMs = clock.monotonic();
    // A connection after failures may end at once like those before it.
    const isDoubted = this.#failures >= FAILURES_TO_ALERT;
    const cancelRecovery = isDoubted
      ? clock.after(MIN_LIFE_MS, () => this.#recovered())
      : this.#recovered();
    const reason = await ended;
    cancelRecovery?.();
    this.#open = undefined;
    log.info("a connection to a chat ended", { chat: vendor, reason });
    if (clock.monotonic() - openedMs < MIN_LIFE_MS)
      throw new ChatError(`the connection ended at once: ${reason}`, false);
  }

  #recovered(): undefined {
    if (this.#stopping.signal.aborted) return;
    const { opsAlerts } = this.#deps;
    const { vendor } = this.#connection;
    this.trouble = undefined;
    void opsAlerts.clear(`${CHAT_CONDITION}${vendor}`, {
      type: "chat.recovered",
      subject: vendor,
      severity: "info",
      message: `Clicks below messages in ${NAMES[vendor]} are received again.`,
    });
  }

  #clicked(click: Click): void {
    if (!this.#stopping.signal.aborted) this.#deps.clicked(click);
  }

  /** Returns how long to wait before the next attempt. */
  async #report(failure: unknown): Promise<number> {
    const { log, opsAlerts } = this.#deps;
    const { vendor } = this.#connection;
    const isRefused = failure instanceof ChatError && failure.isRefused;
    const waitMs = isRefused
      ? REFUSED_WAIT_MS
      : (WAIT_MS[Math.min(this.#failures, WAIT_MS.length) - 1] ?? 0);
    const reason = errorText(failure ?? "") || "the connection failed";
    log.info("a connection to a chat failed", { chat: vendor, reason });
    if (!isRefused && this.#failures < FAILURES_TO_ALERT) return waitMs;
    const hint = failure instanceof ChatError ? failure.hint : "";
    this.trouble = chatTrouble(vendor, reason);
    await opsAlerts.raise({
      type: "chat.failing",
      subject: vendor,
      severity: "warning",
      message: this.trouble,
      hint: [hint, "Alerts are sent meanwhile, and can be acknowledged on the page."]
        .filter((sentence) => sentence !== "")
        .join(" "),
      once: { key: `${CHAT_CONDITION}${vendor}`, about: isRefused ? reason : "" },
    });
    return waitMs;
  }

  async #close(): Promise<void> {
    const { clock } = this.#deps;
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const closed = new AbortController();
    const close = async () => open.close();
    await Promise.race([
      close().then(
        () => closed.abort(),
        () => closed.abort(),
      ),
      sleep(clock, MAX_CLOSE_MS, closed.signal),
    ]);
  }
}
