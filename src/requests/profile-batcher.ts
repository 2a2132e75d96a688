/**
 * Fetches profiles by id and coalesces the calls of the same moment: an account that two groups
 * probe, or that a profile watch reads as well, is requested once. Spare slots of a request are
 * filled with accounts that no caller has requested (piggybacked accounts). Decides which accounts
 * share a request; the callers decide what an answer means.
 */
import type { Purpose } from "../budget/spending-limit.ts";
import { BATCH_SIZE, batchesOf } from "../model/batch.ts";
import type { Clock } from "../model/clock.ts";
import { mostUrgent, type Priority } from "../model/schedule.ts";
import { isRefusal } from "../model/upstream.ts";
import type { User } from "../model/user.ts";
import type { RequestGate } from "./request-gate.ts";
import type { BatchAnswer } from "./split-batches.ts";

/**
 * The caller on whose behalf a request is sent. A shared request has the source and watch of its
 * first caller, and the highest priority among its callers.
 */
export interface Asker {
  /** The fingerprint of the source, whose backoff the request shares. */
  readonly source: string;
  readonly watch: string;
  readonly priority: Priority;
  readonly purpose: Purpose;
}

export interface SeenProfile {
  /** Undefined if the account was not in the answer. */
  readonly user: User | undefined;
  /** The service's message, if it refuses requests that contain this account. */
  readonly refused?: string;
  /** When the account was requested, by our wall clock. */
  readonly atMs: number;
}

/**
 * Accounts that no caller has requested, but that are worth reading when a request has spare slots.
 */
export interface PiggybackedAccounts {
  /** Returns up to `slots` ids that are not in `asked`. */
  choose(slots: number, asked: ReadonlySet<string>): readonly string[];
  /**
   * Receives every answer that contains at least one account: an entry for each account that was
   * requested, whether it was piggybacked or not.
   */
  receive(seen: ReadonlyMap<string, SeenProfile>): void;
}

export interface ProfileBatcher {
  /**
   * Returns an answer for every id. An earlier answer is reused if its request was sent at most
   * `maxAgeMs` ago, but never after a minute. @throws UpstreamError, RequestHeld
   */
  ask(
    asker: Asker,
    userIds: readonly string[],
    maxAgeMs: number,
  ): Promise<ReadonlyMap<string, SeenProfile>>;
  /** Sets the accounts that fill the spare slots of requests from now on. */
  fillSpareSlots(accounts: PiggybackedAccounts): void;
}

/**
 * Stores the profiles of an answer, so that later alerts can contain them. `atMs` is when they were
 * requested.
 */
type LearnUsers = (users: readonly User[], atMs: number) => void;

/** An account that callers wait for. */
interface Wanted {
  readonly id: string;
  readonly askers: Set<Asker>;
  readonly answer: Promise<SeenProfile>;
  readonly resolve: (seen: SeenProfile) => void;
  readonly reject: (error: unknown) => void;
  /** When the request for the account was sent (monotonic); undefined while it is assembled. */
  sentMs: number | undefined;
}

interface Kept extends SeenProfile {
  /**
   * When the account was requested, by the monotonic clock, because the wall clock can be set back.
   */
  readonly sentMs: number;
}

/**
 * How long a request is delayed, so that other callers that are due at the same moment can share
 * it.
 */
const GATHER_MS = 20;
/** The maximum age at which an answer is reused. */
const KEEP_MS = 60_000;

export const createProfileBatcher = (
  gate: Pick<RequestGate, "request">,
  clock: Clock,
  learn: LearnUsers,
): ProfileBatcher => new CoalescedProfiles(gate, clock, learn);

/** The accounts that callers wait for, by id. */
type WantedById = Map<string, Wanted>;

class CoalescedProfiles implements ProfileBatcher {
  readonly #gate: Pick<RequestGate, "request">;
  readonly #clock: Clock;
  readonly #learn: LearnUsers;
  readonly #seen = new Map<string, Kept>();
  /**
   * The accounts that callers wait for, separately for each purpose, because requests of one
   * purpose may be held while requests of another are sent.
   */
  readonly #wanted = new Map<Purpose, WantedById>();
  /** The purposes for which a request is being assembled. */
  readonly #gathering = new Set<Purpose>();
  #prunedMs: number;
  #piggybacked: PiggybackedAccounts | undefined;

  constructor(gate: Pick<RequestGate, "request">, clock: Clock, learn: LearnUsers) {
    this.#gate = gate;
    this.#clock = clock;
    this.#learn = learn;
    this.#prunedMs = clock.monotonic();
  }

  fillSpareSlots(accounts: PiggybackedAccounts): void {
    this.#piggybacked = accounts;
  }

  async ask(
    asker: Asker,
    userIds: readonly string[],
    maxAgeMs: number,
  ): Promise<ReadonlyMap<string, SeenProfile>> {
    this.#prune();
    const oldestMs = this.#clock.monotonic() - Math.min(maxAgeMs, KEEP_MS);
    const answers = userIds.map(async (id) => {
      const known = this.#seen.get(id);
      return [
        id,
        known !== undefined && known.sentMs > oldestMs
          ? known
          : await this.#want(asker, id, oldestMs),
      ] as const;
    });
    return new Map(await Promise.all(answers));
  }

  #want(asker: Asker, id: string, oldestMs: number): Promise<SeenProfile> {
    const { purpose } = asker;
    const all: WantedById = this.#wanted.get(purpose) ?? new Map();
    this.#wanted.set(purpose, all);
    const known = all.get(id);
    if (known !== undefined && (known.sentMs ?? this.#clock.monotonic()) >= oldestMs) {
      known.askers.add(asker);
      return known.answer;
    }
    const one = { id, askers: new Set([asker]), ...promiseOf<SeenProfile>(), sentMs: undefined };
    all.set(id, one);
    if (!this.#gathering.has(purpose)) this.#clock.after(GATHER_MS, () => this.#flush(purpose));
    this.#gathering.add(purpose);
    return one.answer;
  }

  #flush(purpose: Purpose): void {
    this.#gathering.delete(purpose);
    const all: WantedById = this.#wanted.get(purpose) ?? new Map();
    const gathered = [...all.values()].filter(({ sentMs }) => sentMs === undefined);
    for (const want of gathered) want.sentMs = this.#clock.monotonic();
    for (const batch of batchesOf(gathered)) void this.#sendBatch(batch, all);
  }

  /**
   * Sends one request for all callers. If the service refuses it, sends one for each caller, so
   * that the accounts of one caller cannot make the request of another fail.
   */
  async #sendBatch(batch: readonly Wanted[], all: WantedById): Promise<void> {
    const wants = [...batch, ...this.#inSpareSlots(batch, all)];
    const askersOf = (): readonly Asker[] => [
      ...new Set(wants.flatMap((want) => [...want.askers])),
    ];
    const [first] = askersOf();
    if (first === undefined) return;
    try {
      await this.#send(
        { ...first, priority: mostUrgent(askersOf().map(({ priority }) => priority)) },
        wants,
      );
    } catch (error) {
      const askers = askersOf();
      const isShared = (askers.length > 1 || wants.length > batch.length) && isRefusal(error);
      const own = (asker: Asker) => wants.filter((want) => want.askers.has(asker));
      if (isShared) await Promise.allSettled(askers.map((asker) => this.#send(asker, own(asker))));
      // Rejecting has no effect on accounts that have been answered by now.
      for (const { reject } of wants) reject(error);
    } finally {
      for (const want of wants) if (all.get(want.id) === want) all.delete(want.id);
    }
  }

  async #send(asker: Asker, wants: readonly Wanted[]): Promise<void> {
    const [atMs, sentMs] = [this.#clock.now(), this.#clock.monotonic()];
    const userIds = wants.map(({ id }) => id);
    const answer = await this.#gate.request({
      ...asker,
      endpoint: "info-batch",
      params: { user_ids: userIds },
      isSplit: true,
    });
    const users = new Map((answer.users ?? []).map((user) => [user.id, user]));
    this.#learn([...users.values()], atMs);
    const answers = new Map(
      userIds.map((id) => [id, { user: users.get(id), ...refusalOf(answer, id), atMs, sentMs }]),
    );
    for (const [id, one] of answers) this.#seen.set(id, one);
    for (const { id, resolve } of wants) resolve(answers.get(id) as Kept);
    // An answer without any account may be a fault of the service, which the callers check.
    if (users.size > 0) this.#piggybacked?.receive(answers);
  }

  /**
   * Chooses accounts for the spare slots. A caller that asks for such an account while the request
   * is under way gets the answer of this request.
   */
  #inSpareSlots(wants: readonly Wanted[], all: WantedById): readonly Wanted[] {
    const slots = BATCH_SIZE - wants.length;
    const chosen = slots === 0 ? [] : (this.#piggybacked?.choose(slots, new Set(all.keys())) ?? []);
    return chosen.map((id) => {
      const one = {
        id,
        askers: new Set<Asker>(),
        ...promiseOf<SeenProfile>(),
        sentMs: this.#clock.monotonic(),
      };
      // Often no caller waits for a piggybacked account, so a failure must not become an unhandled
      // rejection.
      one.answer.catch(() => undefined);
      all.set(id, one);
      return one;
    });
  }

  #prune(): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#prunedMs < KEEP_MS) return;
    this.#prunedMs = nowMs;
    for (const [id, { sentMs }] of this.#seen) if (nowMs - sentMs > KEEP_MS) this.#seen.delete(id);
  }
}

function refusalOf({ refused }: BatchAnswer, id: string): Pick<SeenProfile, "refused"> {
  const reason = refused?.get(id);
  return reason === undefined ? {} : { refused: reason };
}

function promiseOf<T>() {
  let [resolve, reject] = [(_value: T): void => undefined, (_error: unknown): void => undefined];
  const answer = new Promise<T>((onDone, onFailed) => {
    [resolve, reject] = [onDone, onFailed];
  });
  return { answer, resolve, reject };
}

/**
 * Returns the maximum age of an answer that a poll with this interval may use instead of a new
 * request. It equals the time by which a poll may be moved from its scheduled time.
 */
export const reusableAgeMs = (intervalMs: number): number => Math.min(intervalMs * 0.1, 30_000);
