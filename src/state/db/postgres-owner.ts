/**
 * One active daemon per state: a session of its own holds an advisory lock for as long as it lives, so the server frees it with the process.
 * When the session is cut, it is taken up again; until then nothing is read or written. Others stand by until the lock is free.
 */
import type { Client } from "pg";
import { type Cancel, type Clock, sleep } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Log } from "../../model/log.ts";
import { type PostgresAddress, postgresName } from "../../model/postgres-address.ts";
import { StoreError } from "../../model/store-error.ts";
import { type ActiveDaemon, endSessions, EPOCH_TEXT, findActive, nextEpoch, readEpoch, tryLock } from "./postgres-active.ts";
import { connectSession } from "./postgres-sessions.ts";

/** A process that was killed is gone for the server within milliseconds. */
const START_TRIES = 10;
const START_PAUSE_MS = 200;
const RETRY_MS = 500;
/** A server restarts within this; what waits for it longer fails, and is done again later. */
const LONGEST_WAIT_MS = 10_000;
const CHECK_MS = 3_000;
const CHECK_TIMEOUT_MS = 10_000;
const STANDBY_MS = 100;
/** An active daemon that has not asked for so long is frozen, or cut off: whoever stands by ends its sessions. Five checks. */
const LEASE_MS = 15_000;
/** So that the server, too, detects a host that is gone. */
const SERVER_KEEPALIVE = "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/** For a daemon that stands by while another is active; without it, it is refused. */
export interface Standby {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Called when it begins to wait, and when another daemon has become the active one. */
  readonly onWait: (active: ActiveDaemon) => void;
  /** Another daemon has become active in the place of this one, which must end. */
  readonly onReplaced: (error: ExitError) => void;
}

export interface OwnerDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Of the daemon's sessions. */
  readonly name: string;
  readonly standby?: Standby;
}

export class PostgresOwner {
  readonly #address: PostgresAddress;
  readonly #deps: OwnerDeps;
  #session: Client | undefined;
  #lostMs = 0;
  #isClosed = false;
  #isReplaced = false;
  #epoch: string | undefined;
  #cancel: Cancel | undefined;
  readonly #waiting = new Set<() => void>();

  private constructor(address: PostgresAddress, deps: OwnerDeps) {
    this.#address = address;
    this.#deps = deps;
  }

  /** @throws ExitError STATE_LOCKED while another process has it, or the wait was ended; as `pg` does. */
  static async take(address: PostgresAddress, deps: OwnerDeps): Promise<PostgresOwner> {
    const owner = new PostgresOwner(address, deps);
    for (let left = START_TRIES; left >= 0; left--) {
      if (await owner.#connect()) return owner;
      if (deps.standby !== undefined) break;
      await sleep(deps.clock, START_PAUSE_MS);
    }
    const client = deps.standby === undefined ? undefined : await waitForLock(address, deps, deps.standby);
    if (client !== undefined) {
      owner.#adopt(client);
      return owner;
    }
    throw new ExitError(EXIT.alreadyRunning, "STATE_LOCKED", `Another chirpwatch is running on ${postgresName(address)}.`, {
      hint: "Stop it first, or give this one a database of its own.",
    });
  }

  /** From here on its predecessor writes nothing more. Call it once the tables are there. */
  async begin(): Promise<void> {
    await this.held();
    if (this.#session !== undefined) this.#epoch = await nextEpoch(this.#session);
  }

  /** Resolves while the state is held. @throws StoreError STORE_UNREACHABLE, STORE_REPLACED */
  readonly held = async (): Promise<void> => {
    if (this.#session !== undefined) return;
    const leftMs = this.#lostMs + LONGEST_WAIT_MS - this.#deps.clock.monotonic();
    if (leftMs > 0 && !this.#isClosed && !this.#isReplaced) await this.#wait(leftMs);
    if (this.#isReplaced) throw replaced();
    if (this.#session === undefined)
      throw new StoreError("STORE_UNREACHABLE", "The Postgres server does not answer.", {
        hint: "Start the server, or make the way to it work; work resumes by itself.",
      });
  };

  /** What each transaction asks first, and what checks the answer. @throws StoreError STORE_REPLACED */
  readonly fence = {
    text: EPOCH_TEXT,
    check: (epoch: unknown): void => {
      if (epoch === this.#epoch) return;
      this.#replace();
      throw replaced();
    },
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
    const client = await connectSession(this.#address, { name: this.#deps.name, answerTimeoutMs: CHECK_TIMEOUT_MS });
    if (!this.#isClosed && (await this.#mayHold(client).catch(() => false))) {
      this.#adopt(client);
      return true;
    }
    await client.end().catch(() => undefined);
    return false;
  }

  /** While the session was cut, another daemon may have been active: what this one knows is then old. */
  async #mayHold(client: Client): Promise<boolean> {
    const isHeld = await tryLock(client);
    if (this.#epoch !== undefined && (await readEpoch(client)) !== this.#epoch) this.#replace();
    return isHeld && !this.#isReplaced;
  }

  #adopt(client: Client): void {
    client.once("end", () => this.#lose(client));
    void client.query(SERVER_KEEPALIVE).catch(() => undefined);
    this.#session = client;
    this.#checkLater(client);
    for (const resolve of this.#waiting) resolve();
  }

  #replace(): void {
    if (this.#isReplaced || this.#isClosed) return;
    this.#isReplaced = true;
    this.#cancel?.();
    const session = this.#session;
    this.#session = undefined;
    void session?.end().catch(() => undefined);
    for (const resolve of this.#waiting) resolve();
    this.#deps.standby?.onReplaced(
      new ExitError(EXIT.alreadyRunning, "STATE_REPLACED", `Another chirpwatch has become active on ${postgresName(this.#address)}.`, {
        hint: "Start this one again: it stands by.",
      }),
    );
  }

  /** A broken network path gives no signal of its own. */
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
          else if (!this.#isClosed && !this.#isReplaced) this.#takeUpAgain();
        });
    });
  }
}

const replaced = (): StoreError =>
  new StoreError("STORE_REPLACED", "Another chirpwatch has become active on this state.", { retry: "no", hint: "This one ends." });

/** The session that has the lock; undefined when the wait was ended. */
async function waitForLock(address: PostgresAddress, { clock, log, name }: OwnerDeps, standby: Standby): Promise<Client | undefined> {
  let [client, known]: [Client | undefined, string | undefined] = [undefined, undefined];
  while (!standby.signal.aborted) {
    try {
      client ??= await connectSession(address, { name, answerTimeoutMs: CHECK_TIMEOUT_MS });
      if (await tryLock(client)) return client;
      const active = await findActive(client);
      if (active !== undefined && active.name !== known) standby.onWait(active);
      known = active?.name ?? known;
      if (active !== undefined && active.silentMs > LEASE_MS) {
        log.warn("the active chirpwatch is silent: its sessions are ended", { host: active.host, silentMs: active.silentMs });
        await endSessions(client, active.name);
      }
    } catch (error) {
      log.debug("standby could not ask postgres", { error });
      void client?.end().catch(() => undefined);
      client = undefined;
    }
    await sleep(clock, STANDBY_MS, standby.signal);
  }
  await client?.end().catch(() => undefined);
  return undefined;
}
