/**
 * Makes a daemon one of the replicas that share a state on Postgres. A session that stays open
 * shows the other replicas that it is alive. The replica whose session holds an advisory lock
 * leads; when its process ends, the server frees the lock. The leader removes replicas that are
 * gone, and the state accepts no writes from them afterwards. If the session is cut, a new one is
 * opened, and until then this replica neither reads nor writes.
 */
import { type Cancel, type Clock, shiftClock, sleep } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Membership } from "../../model/replicas.ts";
import { StoreError } from "../../model/store-error.ts";
import { DAEMON, presenceText } from "./postgres-replicas.ts";
import { GoneReplicas } from "./gone-replicas.ts";
import { ServerClock } from "./server-clock.ts";
import type { PostgresSignals } from "./postgres-signals.ts";
import type { ReplicaSession } from "./replica-session.ts";
import {
  endSilentLeader,
  schemaOf,
  type Standby,
  type StandbyDeps,
  WATCH_MS,
  waitToJoin,
} from "./standby.ts";

/**
 * How often a daemon that may not share the state tries to take the lock, with a pause between
 * tries. A daemon that was just killed loses the lock within milliseconds.
 */
const START_TRIES = 10;
const START_PAUSE_MS = 200;
const RETRY_MS = 500;
/**
 * How long work waits for a new session after a cut. A server usually restarts within this time.
 * Work that waits longer fails and is repeated later.
 */
const MAX_WAIT_MS = 10_000;
/**
 * How many times a replica reads the server's clock before it takes part, unless an answer comes
 * quickly enough.
 */
const CLOCK_TRIES = 5;
/**
 * For this long after an answer on its session, a replica need not ask whether it is still present,
 * because no other replica declares it dead so soon.
 */
const PRESENT_MS = 5_000;
/** How long the end of a session is awaited at most. Over a broken connection it may never come. */
const END_WITHIN_MS = 1_000;

export interface MembershipDeps extends StandbyDeps {
  /** The address of the state for messages: the server and the database, without secrets. */
  readonly state: string;
  /**
   * Migrates the schema to the version of this build. Called while this daemon leads, before it
   * becomes one of the replicas.
   */
  readonly bringUp: () => Promise<void>;
  readonly signals: PostgresSignals;
  readonly standby?: Standby;
}

export class PostgresMembership implements Membership {
  readonly id: string;
  readonly #deps: MembershipDeps;
  readonly #waiting = new Set<() => void>();
  readonly #gone: GoneReplicas;
  /** A clock that shows the server's time. The system clock of this machine is not used. */
  readonly clock: Clock;
  readonly #serverClock: ServerClock;
  #session: ReplicaSession | undefined;
  /** When the session was last cut, in monotonic ms. */
  #lostMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #isReplaced = false;
  #isLeading = false;
  /** The session in which this replica was recorded as the leader. */
  #leadsIn: ReplicaSession | undefined;
  #mayLead = true;
  #hasBegun = false;
  #answeredMs = 0;
  #cancel: Cancel | undefined;

  private constructor(deps: MembershipDeps) {
    this.id = deps.id;
    this.#serverClock = new ServerClock(deps.clock);
    this.clock = shiftClock(deps.clock, () => this.#serverClock.aheadMs);
    this.#deps = deps;
    this.#gone = new GoneReplicas(deps);
  }

  /**
   * Makes this daemon one of the replicas. @throws ExitError STATE_LOCKED if another process leads
   * and this one may not join, or if waiting to join was cancelled; and what `pg`, `bringUp` and
   * `pendingOf` throw
   */
  static async take(deps: MembershipDeps): Promise<PostgresMembership> {
    const taken = new PostgresMembership(deps);
    try {
      await taken.#enter();
      // The previous leader may have migrated the state already. From here on no other process
      // migrates it.
      if (taken.isLeading()) await deps.bringUp();
      await taken.#begin();
      return taken;
    } catch (error) {
      await taken.close();
      throw error;
    }
  }

  async #enter(): Promise<void> {
    const { standby, clock, signals, state } = this.#deps;
    for (let left = START_TRIES; left >= 0; left--) {
      if (await this.#connect()) return;
      if (standby !== undefined) break;
      await sleep(clock, START_PAUSE_MS);
    }
    const admitted = standby === undefined ? undefined : await waitToJoin(this.#deps, standby);
    if (admitted === undefined)
      throw new ExitError(
        EXIT.alreadyRunning,
        "STATE_LOCKED",
        `Another chirpwatch is running on ${state}.`,
        {
          hint: "Stop it first, or give this one a database of its own.",
        },
      );
    this.#isLeading = admitted.isLeading;
    await signals.listen(admitted.session);
    this.#adopt(admitted.session);
  }

  readonly isLeading = (): boolean => this.#isLeading && this.#mayLead;

  setMayLead(mayLead: boolean): void {
    this.#mayLead = mayLead;
  }

  /**
   * Enters this daemon as a replica. If it leads, it then removes replicas that are gone, so that
   * they write nothing more. The tables must exist.
   */
  async #begin(): Promise<void> {
    await this.held();
    if (this.#session === undefined) return;
    await this.#readClockFirst(this.#session);
    await this.#session.enter(this.id, this.clock.now());
    if (this.#isLeading) {
      await this.#recordLead(this.#session);
      const gone = (await this.#session.knownReplicas()).filter(
        ({ id, silentMs }) => id !== this.id && silentMs === null,
      );
      await this.#session.remove(gone.map(({ id }) => id));
    }
    this.#hasBegun = true;
    this.#watchLater(this.#session);
  }

  /**
   * Resolves while there is a session; otherwise waits for a new one. @throws StoreError
   * STORE_UNREACHABLE, STORE_REPLACED
   */
  readonly held = async (): Promise<void> => {
    if (this.#session !== undefined) return;
    const leftMs = this.#lostMs + MAX_WAIT_MS - this.#deps.clock.monotonic();
    if (leftMs > 0 && !this.#isClosed && !this.#isReplaced) await this.#wait(leftMs);
    if (this.#isReplaced) throw replaced();
    if (this.#session === undefined)
      throw new StoreError("STORE_UNREACHABLE", "The Postgres server does not answer.", {
        hint: "Start the server, or repair the connection to it; work resumes by itself.",
      });
  };

  async isPresent(): Promise<boolean> {
    const session = this.#session;
    if (session === undefined) return false;
    if (this.#deps.clock.monotonic() - this.#answeredMs < PRESENT_MS) return true;
    return session.isPresent(this.id).catch(() => false);
  }

  isConnected(): boolean {
    return this.#session !== undefined;
  }

  async giveUp(why: string): Promise<void> {
    await this.#session?.remove([this.id]);
    this.#replace(why);
  }

  /**
   * Returns the query that each transaction makes first, and the function that checks its result.
   * @throws StoreError STORE_REPLACED
   */
  get fence(): { readonly text: string; check(present: unknown): void } {
    return {
      text: presenceText(this.id),
      check: (present) => {
        if (present === 1) return;
        this.#replace();
        throw replaced();
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined && this.#hasBegun)
      await session.remove([this.id]).catch(() => undefined);
    if (session !== undefined)
      await Promise.race([
        session.end().catch(() => undefined),
        sleep(this.#deps.clock, END_WITHIN_MS),
      ]);
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
    const session = await this.#deps.connect(DAEMON + this.id);
    const isHeld = await this.#mayHold(session).catch(() => false);
    if (!this.#isClosed && isHeld) {
      this.#adopt(session);
      return true;
    }
    // Ending a session may hang if the connection is broken, so it is not awaited.
    void session.end().catch(() => undefined);
    return false;
  }

  /**
   * Whether this replica may use the state with a new session. It may not if another replica has
   * declared it dead or taken the lead while the old session was cut.
   */
  async #mayHold(session: ReplicaSession): Promise<boolean> {
    this.#isLeading = this.#mayLead && (await session.tryLock());
    await this.#deps.signals.listen(session);
    if (!this.#hasBegun)
      return (
        this.#isLeading ||
        (this.#deps.standby !== undefined && (await schemaOf(session, this.#deps)) === "current")
      );
    if (!(await session.isPresent(this.id))) this.#replace();
    return !this.#isReplaced;
  }

  /**
   * Reads the server's clock until an answer comes quickly. A process that starts together with
   * others on a busy machine sees answers late.
   */
  async #readClockFirst(session: ReplicaSession): Promise<void> {
    for (let left = CLOCK_TRIES; left > 0; left -= 1) {
      this.#serverClock.forgetAge();
      await this.#readClock(session);
      if (this.#serverClock.isExact()) return;
    }
  }

  async #readClock(session: ReplicaSession): Promise<void> {
    if (this.#serverClock.isDue()) await this.#serverClock.read(() => session.readClock());
  }

  #adopt(session: ReplicaSession): void {
    session.onEnd(() => this.#lose(session));
    this.#session = session;
    if (this.#hasBegun) this.#gone.sessionOpened();
    if (this.#hasBegun) this.#watchLater(session);
    for (const resolve of this.#waiting) resolve();
  }

  #replace(why?: string): void {
    if (this.#isReplaced || this.#isClosed) return;
    this.#isReplaced = true;
    this.#cancel?.();
    const session = this.#session;
    this.#session = undefined;
    void session?.end().catch(() => undefined);
    for (const resolve of this.#waiting) resolve();
    this.#deps.standby?.onReplaced(
      new ExitError(
        EXIT.alreadyRunning,
        "STATE_REPLACED",
        `Other replicas took over on ${this.#deps.state}${why === undefined ? "" : `: ${why}`}.`,
        {
          hint: "Start this one again: it gets a share again.",
        },
      ),
    );
  }

  /**
   * Checks the session at intervals, because a broken connection can only be noticed by a query
   * that gets no answer.
   */
  #watchLater(session: ReplicaSession): void {
    this.#cancel = this.#deps.clock.after(this.#watchInMs(), () => {
      void this.#watch(session).then(
        () => this.#session === session && this.#watchLater(session),
        () => this.#lose(session),
      );
    });
  }

  /**
   * Returns the time until the next check in ms. It is shorter than `WATCH_MS` if a silent replica
   * will count as gone before that.
   */
  #watchInMs(): number {
    const goneMs = this.#gone.nextInMs();
    return goneMs > 0 ? Math.min(WATCH_MS, goneMs) : WATCH_MS;
  }

  async #watch(session: ReplicaSession): Promise<void> {
    await this.#askWhoLeads(session);
    await this.#readClock(session);
    this.#answeredMs = this.#deps.clock.monotonic();
  }

  async #askWhoLeads(session: ReplicaSession): Promise<void> {
    if (this.#isLeading && !this.#mayLead) {
      this.#isLeading = false;
      this.#leadsIn = undefined;
      await session.resign(this.id);
    }
    if (!this.#isLeading && this.#mayLead) this.#isLeading = await session.tryLock();
    if (this.#isLeading) {
      await this.#recordLead(session);
      await this.#gone.remove(session);
    } else await endSilentLeader(session, this.#deps);
  }

  /**
   * Records that this replica leads, once for each session that holds the lock, including one that
   * was opened after a cut.
   */
  async #recordLead(session: ReplicaSession): Promise<void> {
    if (this.#leadsIn === session) return;
    await session.lead(this.id);
    this.#leadsIn = session;
  }

  #lose(session: ReplicaSession): void {
    if (this.#session !== session || this.#isClosed) return;
    this.#session = undefined;
    this.#lostMs = this.#deps.clock.monotonic();
    this.#deps.log.warn("connection to postgres was lost", { state: this.#deps.state });
    void session.end().catch(() => undefined);
    this.#cancel?.();
    this.#connectAgain(0);
  }

  #connectAgain(inMs: number): void {
    this.#cancel = this.#deps.clock.after(inMs, () => {
      void this.#connect()
        .catch(() => false)
        .then((isHeld) => {
          if (isHeld)
            this.#deps.log.info("connection to postgres is back", { state: this.#deps.state });
          else if (!this.#isClosed && !this.#isReplaced) this.#connectAgain(RETRY_MS);
        });
    });
  }
}

const replaced = (): StoreError =>
  new StoreError("STORE_REPLACED", "Other replicas of chirpwatch took over on this state.", {
    retry: "no",
    hint: "This one ends.",
  });
