/**
 * One daemon per state: a session of its own holds an advisory lock for as long as it lives, so the server frees it with the process. When
 * the session is cut, it is taken up again; until then nothing is read or written.
 */
import type { Client } from "pg";
import { type Cancel, type Clock, sleep } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Log } from "../../model/log.ts";
import { type PostgresAddress, postgresName } from "../../model/postgres-address.ts";
import { StoreError } from "../../model/store-error.ts";
import { connectSession, lockName } from "./postgres-sessions.ts";

/** A process that was killed is gone for the server within milliseconds. */
const START_TRIES = 10;
const START_PAUSE_MS = 200;
const RETRY_MS = 500;
/** A server restarts within this; what waits for it longer fails, and is done again later. */
const LONGEST_WAIT_MS = 10_000;
const CHECK_MS = 5_000;
const CHECK_TIMEOUT_MS = 10_000;
/** A host that vanished is noticed by the server, too. */
const SERVER_KEEPALIVE = "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

export interface OwnerDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** False when another session has it. */
export async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${lockName("owner")}) as held`);
  return rows[0]?.held === true;
}

export class PostgresOwner {
  readonly #address: PostgresAddress;
  readonly #deps: OwnerDeps;
  #session: Client | undefined;
  #lostMs = 0;
  #isClosed = false;
  #cancel: Cancel | undefined;
  readonly #waiting = new Set<() => void>();

  private constructor(address: PostgresAddress, deps: OwnerDeps) {
    this.#address = address;
    this.#deps = deps;
  }

  /** @throws ExitError STATE_LOCKED while another process has it; as `pg` does. */
  static async take(address: PostgresAddress, deps: OwnerDeps): Promise<PostgresOwner> {
    const owner = new PostgresOwner(address, deps);
    for (let left = START_TRIES; ; left--) {
      if (await owner.#connect()) return owner;
      if (left === 0) break;
      await sleep(deps.clock, START_PAUSE_MS);
    }
    throw new ExitError(EXIT.alreadyRunning, "STATE_LOCKED", `Another chirpwatch is running on ${postgresName(address)}.`, {
      hint: "Stop it first, or give this one a database of its own.",
    });
  }

  /** Resolves while the state is held. @throws StoreError STORE_UNREACHABLE */
  readonly held = async (): Promise<void> => {
    if (this.#session !== undefined) return;
    const leftMs = this.#lostMs + LONGEST_WAIT_MS - this.#deps.clock.monotonic();
    if (leftMs > 0 && !this.#isClosed) await this.#wait(leftMs);
    if (this.#session === undefined)
      throw new StoreError("STORE_UNREACHABLE", "The Postgres server does not answer.", {
        hint: "Start the server, or make the way to it work; work resumes by itself.",
      });
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    const session = this.#session;
    this.#session = undefined;
    await session?.end().catch(() => undefined);
  }

  #wait(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#waiting.delete(done);
        resolve();
      };
      const cancel = this.#deps.clock.after(mostMs, done);
      this.#waiting.add(done);
    });
  }

  async #connect(): Promise<boolean> {
    const client = await connectSession(this.#address, CHECK_TIMEOUT_MS);
    const isHeld = !this.#isClosed && (await tryLock(client).catch(() => false));
    if (!isHeld) {
      await client.end().catch(() => undefined);
      return false;
    }
    client.once("end", () => this.#lose(client));
    await client.query(SERVER_KEEPALIVE).catch(() => undefined);
    this.#session = client;
    this.#checkLater(client);
    for (const resolve of this.#waiting) resolve();
    return true;
  }

  /** A cable that was cut says nothing by itself. */
  #checkLater(client: Client): void {
    this.#cancel = this.#deps.clock.after(CHECK_MS, () => {
      void client.query("select 1").then(
        () => this.#session === client && this.#checkLater(client),
        () => this.#lose(client),
      );
    });
  }

  #lose(client: Client): void {
    if (this.#session !== client || this.#isClosed) return;
    this.#session = undefined;
    this.#lostMs = this.#deps.clock.monotonic();
    this.#deps.log.warn("connection to postgres was lost", { state: postgresName(this.#address) });
    void client.end().catch(() => undefined);
    this.#cancel?.();
    this.#takeUpAgain();
  }

  #takeUpAgain(): void {
    this.#cancel = this.#deps.clock.after(RETRY_MS, () => {
      void this.#connect()
        .catch(() => false)
        .then((isHeld) => {
          if (isHeld) this.#deps.log.info("connection to postgres is back", { state: postgresName(this.#address) });
          else if (!this.#isClosed) this.#takeUpAgain();
        });
    });
  }
}
