/**
 * Profiles by id for whoever asks at about the same time: an account that two groups probe, or that a watch of profiles reads, is asked for
 * once, and requests with free places carry the accounts of others. Owns what is asked together; what an answer means is the asker's.
 */
import type { Purpose } from "../budget/quota-line.ts";
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
export interface Passengers {
  /** As many as there are places beside those asked for. */
  choose(places: number, asked: ReadonlySet<string>): readonly string[];
  /** What an answer showed, of whomever. */
  take(seen: ReadonlyMap<string, SeenProfile>): void;
}

export interface ProbeDesk {
  /** Of every id, an answer that was asked for no longer than `maxAgeMs` ago. @throws UpstreamError, RequestHeld */
  ask(asker: Asker, userIds: readonly string[], maxAgeMs: number): Promise<ReadonlyMap<string, SeenProfile>>;
  /** From now on they fill the places of requests that are left. */
  carry(passengers: Passengers): void;
}

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

export function createProbeDesk(
  gate: Pick<RequestGate, "request">,
  clock: Clock,
  learn: (users: readonly User[], atMs: number) => void,
): ProbeDesk {
  const seen = new Map<string, Kept>();
  /** By purpose, because one may be held where the other is not. */
  const wanted = new Map<Purpose, Map<string, Wanted>>();
  /** Purposes whose next requests are put together now. */
  const gathering = new Set<Purpose>();
  let prunedMs = clock.monotonic();
  let passengers: Passengers | undefined;

  const send = async (asker: Asker, wants: readonly Wanted[]): Promise<void> => {
    const [atMs, sentMs] = [clock.now(), clock.monotonic()];
    const userIds = wants.map(({ id }) => id);
    const answer = await gate.request({ ...asker, endpoint: "info-batch", params: { user_ids: userIds }, isSplit: true });
    const users = new Map((answer.users ?? []).map((user) => [user.id, user]));
    learn([...users.values()], atMs);
    const answers = new Map(userIds.map((id) => [id, { user: users.get(id), ...refusalOf(answer, id), atMs, sentMs }]));
    for (const [id, one] of answers) seen.set(id, one);
    for (const { id, resolve } of wants) resolve(answers.get(id) as Kept);
    // One that shows nobody may be the service's own trouble: whoever asked looks into that.
    if (users.size > 0) passengers?.take(answers);
  };

  /** In the places that are left. Whoever asks for one of them meanwhile has the same answer. */
  const ridersOf = (wants: readonly Wanted[], all: Map<string, Wanted>): readonly Wanted[] => {
    const places = BATCH_SIZE - wants.length;
    const chosen = places === 0 ? [] : (passengers?.choose(places, new Set(all.keys())) ?? []);
    return chosen.map((id) => {
      const one = { id, askers: new Set<Asker>(), ...promiseOf<SeenProfile>(), sentMs: clock.monotonic() };
      // Where nobody asks, nobody hears of a failure.
      one.answer.catch(() => undefined);
      all.set(id, one);
      return one;
    });
  };

  /** One request for all; where the service refuses that, one for each who asked. */
  const sendBatch = async (batch: readonly Wanted[], all: Map<string, Wanted>): Promise<void> => {
    const wants = [...batch, ...ridersOf(batch, all)];
    const askersOf = (): readonly Asker[] => [...new Set(wants.flatMap((want) => [...want.askers]))];
    const [first] = askersOf();
    if (first === undefined) return;
    try {
      await send({ ...first, priority: mostUrgent(askersOf().map(({ priority }) => priority)) }, wants);
    } catch (error) {
      const askers = askersOf();
      const isShared = (askers.length > 1 || wants.length > batch.length) && isRefusal(error);
      const own = (asker: Asker) => wants.filter((want) => want.askers.has(asker));
      if (isShared) await Promise.allSettled(askers.map((asker) => send(asker, own(asker))));
      // Those that were answered after all take no notice.
      for (const { reject } of wants) reject(error);
    } finally {
      for (const want of wants) if (all.get(want.id) === want) all.delete(want.id);
    }
  };

  const flush = (purpose: Purpose): void => {
    gathering.delete(purpose);
    const all = wanted.get(purpose) ?? new Map<string, Wanted>();
    const gathered = [...all.values()].filter(({ sentMs }) => sentMs === undefined);
    for (const want of gathered) want.sentMs = clock.monotonic();
    for (const batch of batchesOf(gathered)) void sendBatch(batch, all);
  };

  const want = (asker: Asker, id: string, oldestMs: number): Promise<SeenProfile> => {
    const all = wanted.get(asker.purpose) ?? new Map<string, Wanted>();
    wanted.set(asker.purpose, all);
    const known = all.get(id);
    if (known !== undefined && (known.sentMs ?? clock.monotonic()) >= oldestMs) {
      known.askers.add(asker);
      return known.answer;
    }
    const one = { id, askers: new Set([asker]), ...promiseOf<SeenProfile>(), sentMs: undefined };
    all.set(id, one);
    if (!gathering.has(asker.purpose)) clock.after(GATHER_MS, () => flush(asker.purpose));
    gathering.add(asker.purpose);
    return one.answer;
  };

  const prune = (): void => {
    const nowMs = clock.monotonic();
    if (nowMs - prunedMs < KEEP_MS) return;
    prunedMs = nowMs;
    for (const [id, { sentMs }] of seen) if (nowMs - sentMs > KEEP_MS) seen.delete(id);
  };

  return {
    carry: (all) => void (passengers = all),
    async ask(asker, userIds, maxAgeMs) {
      prune();
      const oldestMs = clock.monotonic() - Math.min(maxAgeMs, KEEP_MS);
      const answers = userIds.map(async (id) => {
        const known = seen.get(id);
        return [id, known !== undefined && known.sentMs > oldestMs ? known : await want(asker, id, oldestMs)] as const;
      });
      return new Map(await Promise.all(answers));
    },
  };
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

/** As much as a poll may be moved from its tick: an answer that is hardly older is as good as a new one. */
export const hardlyOldMs = (intervalMs: number): number => Math.min(intervalMs * 0.1, 30_000);
