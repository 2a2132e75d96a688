/**
 * Profiles by id for whoever asks at about the same time: an account that two groups probe, or that
 * a watch of profiles reads, is asked for once, and spare slots of a request take piggybacked
 * accounts. Owns what is asked together; what an answer means is the asker's.
 */
import type { Purpose } from "../budget/spending-limit.ts";
import { BATCH_SIZE, batchesOf } from "../model/batch.ts";
import type { Clock } from "../model/clock.ts";
import { mostUrgent, type Priority } from "../model/schedule.ts";
import { isRefusal } from "../model/upstream.ts";
import type { User } from "../model/user.ts";
import type { RequestGate } from "./request-gate.ts";
import type { BatchAnswer } from "./split-batches.ts";

/** On whose behalf a request is sent: of several, the first to ask. */
export interface Asker {
  /** Whose backoff it shares. */
  readonly source: string;
  readonly watch: string;
  readonly priority: Priority;
  readonly purpose: Purpose;
}

export interface SeenProfile {
  /** Undefined: the account was not in the answer. */
  readonly user: User | undefined;
  /** Why the service refuses to be asked for it, where it does. */
  readonly refused?: string;
  /** When it was asked for; our clock. */
  readonly atMs: number;
}

/** Accounts that nobody asks for now, and that somebody would like to see all the same. */
export interface PiggybackedAccounts {
  /** As many as there are places beside those asked for. */
  choose(places: number, asked: ReadonlySet<string>): readonly string[];
  /** What an answer showed, of whomever. */
  take(seen: ReadonlyMap<string, SeenProfile>): void;
}

export interface ProfileBatcher {
  /**
   * Of every id, an answer that was asked for no longer than `maxAgeMs` ago. @throws UpstreamError,
   * RequestHeld
   */
  ask(
    asker: Asker,
    userIds: readonly string[],
    maxAgeMs: number,
  ): Promise<ReadonlyMap<string, SeenProfile>>;
  /** From now on they take the spare slots of requests. */
  fillSpareSlots(accounts: PiggybackedAccounts): void;
}

/** Takes profiles that an answer brought; `atMs`: when they were asked for. */
type LearnUsers = (users: readonly User[], atMs: number) => void;

/** An account that somebody waits for. */
interface Wanted {
  readonly id: string;
  readonly askers: Set<Asker>;
  readonly answer: Promise<SeenProfile>;
  readonly resolve: (seen: SeenProfile) => void;
  readonly reject: (error: unknown) => void;
  /** Undefined while its request is put together; monotonic. */
  sentMs: number | undefined;
}

interface Kept extends SeenProfile {
  /** When it was asked for; monotonic, because the wall clock can be set back. */
  readonly sentMs: number;
}

/** For so long, others that are due at the same instant can say whom they need. */
const GATHER_MS = 20;
/** No answer is used again for longer. */
const KEEP_MS = 60_000;

export const createProfileBatcher = (
  gate: Pick<RequestGate, "request">,
  clock: Clock,
  learn: LearnUsers,
): ProfileBatcher => new CoalescedProfiles(gate, clock, learn);

/** Those a purpose waits for, by id. */
type WantedById = Map<string, Wanted>;

class CoalescedProfiles implements ProfileBatcher {
  readonly #gate: Pick<RequestGate, "request">;
  readonly #clock: Clock;
  readonly #learn: LearnUsers;
  readonly #seen = new Map<string, Kept>();
  /** By purpose, because one may be held where the other is not. */
  readonly #wanted = new Map<Purpose, WantedById>();
  /** Purposes whose next requests are put together now. */
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

  /** One request for all; where the service refuses that, one for each who asked. */
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
      // For those that were answered after all this has no effect.
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
    // One that shows nobody may be the service's own trouble: the asker checks that.
    if (users.size > 0) this.#piggybacked?.take(answers);
  }

  /** Whoever asks for one of them meanwhile has the same answer. */
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
      // Where nobody asks, nobody hears of a failure.
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
 * As much as a poll may be moved from its tick: an answer that is hardly older is as good as a new
 * one.
 */
export const hardlyOldMs = (intervalMs: number): number => Math.min(intervalMs * 0.1, 30_000);
