/**
 * Finds the entries because of which the service refuses a batch, by halving the batch, and
 * requests the other entries without them. Decides which entries are quarantined and when they are
 * tried again; callers decide what a refused entry means for a target.
 */
import { createCooldowns, type Cooldowns } from "../model/backoff.ts";
import type { Clock } from "../model/clock.ts";
import { createInTurn } from "../model/in-turn.ts";
import type { Log } from "../model/log.ts";
import { isBadRequest, type UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import { createRefusalBackoff, type RefusalBackoff } from "./refusal-backoff.ts";
import type { GateRequest } from "./reservation.ts";

export interface BatchAnswer extends UpstreamAnswer {
  /** The entries of the batch that the service refuses, each with the service's message. */
  readonly refused?: ReadonlyMap<string, string>;
}

export type AskBatch = (request: GateRequest) => Promise<BatchAnswer>;

type Ask = (request: GateRequest) => Promise<UpstreamAnswer>;

/**
 * The maximum number of requests in a search if the service refuses them all, because the cause is
 * then the service itself. Six requests cover the halves and the quarters of a batch. With up to
 * three bad entries, the service answers at least one quarter.
 */
const MAX_REFUSED_PARTS = 6;
/** How long refused batches of an endpoint are not split after a search for it was given up. */
const GIVEN_UP_MS = 6 * 3_600_000;
/**
 * If every entry of a refused batch was answered before, the service itself is probably faulty, so
 * the batch is not split. After refusals for this long, it is split nevertheless.
 */
const TROUBLE_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MAX_REMEMBERED = 20_000;

interface Part {
  readonly entries: readonly string[];
  readonly error: UpstreamError;
}

interface Found {
  readonly answers: readonly UpstreamAnswer[];
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Wraps `ask`: a refused batch is split if the request allows that. @throws what `ask` throws, if
 * the service refuses all entries
 */
export function createSplitBatches(ask: Ask, clock: Clock, log: Log): AskBatch {
  const batches = new SplitBatches(ask, clock, log);
  return async (request) => {
    const param = Object.keys(request.params).find((name) => Array.isArray(request.params[name]));
    return request.isSplit !== true || param === undefined
      ? ask(request)
      : batches.ask({ request, param });
  };
}

/** A request, and the parameter that lists its entries. */
interface Batch {
  readonly request: GateRequest;
  readonly param: string;
}

class SplitBatches {
  readonly #ask: Ask;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #backoff: RefusalBackoff;
  readonly #search: HalvingSearch;
  /** The quarantined entries by `keyOf`, each with the service's message. */
  readonly #quarantined = new Map<string, string>();
  /** The entries, as `keyOf` writes them, that were part of an answered request. */
  readonly #answered = new Set<string>();
  /**
   * When the service began to refuse the batches of a source without a success since; monotonic.
   */
  readonly #refusedSinceMs = new Map<string, number>();

  constructor(ask: Ask, clock: Clock, log: Log) {
    this.#ask = ask;
    this.#clock = clock;
    this.#log = log;
    this.#backoff = createRefusalBackoff(clock);
    this.#search = new HalvingSearch(ask, clock);
  }

  async ask(batch: Batch): Promise<BatchAnswer> {
    const { request, param } = batch;
    const all = request.params[param] as readonly string[];
    const quarantined = all.filter((entry) => this.#quarantined.has(keyOf(param, entry)));
    const rest = all.filter((entry) => !quarantined.includes(entry));
    const { answers, refused } = rest.length === 0 ? NOTHING : await this.#askRest(batch, rest);
    for (const [entry, reason] of refused) this.#quarantine(param, entry, reason);
    const again: UpstreamAnswer[] = [];
    for (const entry of quarantined)
      if (!this.#backoff.isCoolingDown({ key: keyOf(param, entry) }))
        again.push(await this.#askAgain(batch, entry));
    const reasons = new Map(
      all.flatMap((entry) => reasonOf(this.#quarantined.get(keyOf(param, entry)), entry)),
    );
    return joined([...answers, ...again], reasons);
  }

  async #askRest(batch: Batch, entries: readonly string[]): Promise<Found> {
    const { request, param } = batch;
    const answer = await this.#ask(withEntries(batch, entries)).catch((error: unknown) => {
      if (
        error instanceof UpstreamError &&
        isBadRequest(error) &&
        this.#isWorthSearching(batch, entries)
      )
        return error;
      throw error;
    });
    const found =
      answer instanceof UpstreamError
        ? await this.#search.find(batch, { entries, error: answer })
        : { answers: [answer], refused: NOTHING.refused };
    this.#refusedSinceMs.delete(request.source);
    for (const entry of entries) if (!found.refused.has(entry)) this.#remember(keyOf(param, entry));
    return found;
  }

  #isWorthSearching({ request: { source }, param }: Batch, entries: readonly string[]): boolean {
    const nowMs = this.#clock.monotonic();
    const sinceMs = this.#refusedSinceMs.get(source) ?? nowMs;
    this.#refusedSinceMs.set(source, sinceMs);
    const isTrouble =
      nowMs - sinceMs < TROUBLE_MS &&
      entries.every((entry) => this.#answered.has(keyOf(param, entry)));
    return entries.length > 1 && !isTrouble;
  }

  #remember(key: string): void {
    this.#answered.add(key);
    for (const oldest of this.#answered) {
      if (this.#answered.size <= MAX_REMEMBERED) return;
      this.#answered.delete(oldest);
    }
  }

  #quarantine(param: string, entry: string, reason: string): void {
    const key = keyOf(param, entry);
    this.#quarantined.set(key, reason);
    this.#backoff.recordRefusal({ key, intervalMs: DAY_MS }, DAY_MS);
    this.#log.warn("one entry of a batch is refused, asking for the others without it", {
      entry,
      reason,
    });
  }

  /**
   * Requests a quarantined entry alone, so that it cannot make the service refuse other entries.
   */
  async #askAgain(batch: Batch, entry: string): Promise<UpstreamAnswer> {
    const answer = await askFor(this.#ask, batch, [entry]);
    if (answer instanceof UpstreamError) {
      this.#quarantine(batch.param, entry, answer.message);
      return {};
    }
    this.#quarantined.delete(keyOf(batch.param, entry));
    return answer;
  }
}

/** Finds the refused entries of a batch by asking for its halves. */
class HalvingSearch {
  readonly #ask: Ask;
  readonly #inTurn = createInTurn();
  /** The endpoints whose batches are not split for a while, because a search was given up. */
  readonly #givenUp: Cooldowns;

  constructor(ask: Ask, clock: Clock) {
    this.#ask = ask;
    this.#givenUp = createCooldowns(clock);
  }

  /**
   * Searches a refused batch for the entries that cause the refusal. Only one search runs at a
   * time. If it is given up, the waiting searches of the same endpoint fail without a request.
   * @throws the error of the whole batch, if the service answers none of its parts
   */
  async find(batch: Batch, whole: Part): Promise<Found> {
    const { endpoint } = batch.request;
    let found: Found | undefined;
    await this.#inTurn(async () => {
      if (this.#givenUp.isCoolingDown(endpoint)) throw whole.error;
      try {
        found = await this.#byHalves(batch, whole);
      } catch (error) {
        if (isBadRequest(error)) this.#givenUp.begin(endpoint, GIVEN_UP_MS);
        throw error;
      }
    });
    return found ?? NOTHING;
  }

  async #byHalves(batch: Batch, whole: Part): Promise<Found> {
    const answers: UpstreamAnswer[] = [];
    const refused = new Map<string, string>();
    const parts = [whole];
    let asked = 0;
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const { entries, error } = part;
      if (answers.length === 0 && asked >= MAX_REFUSED_PARTS) throw error;
      if (entries.length === 1) refused.set(entries[0] ?? "", error.message);
      for (const half of entries.length === 1 ? [] : halvesOf(entries)) {
        const answer = await askFor(this.#ask, batch, half);
        asked += 1;
        if (answer instanceof UpstreamError) parts.push({ entries: half, error: answer });
        else answers.push(answer);
      }
    }
    if (answers.length === 0) throw whole.error;
    return { answers, refused };
  }
}

const NOTHING: Found = { answers: [], refused: new Map() };

const keyOf = (param: string, entry: string): string => `${param}\n${entry}`;

const withEntries = ({ request, param }: Batch, entries: readonly string[]): GateRequest => ({
  ...request,
  params: { ...request.params, [param]: entries },
});

/**
 * Requests some of the entries. Returns the error if the service refuses them, and an empty answer
 * for a 404, which means that none of them exists.
 */
async function askFor(
  ask: Ask,
  batch: Batch,
  entries: readonly string[],
): Promise<UpstreamAnswer | UpstreamError> {
  try {
    return await ask(withEntries(batch, entries));
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === "not_found") return {};
    if (error instanceof UpstreamError && isBadRequest(error)) return error;
    throw error;
  }
}

const reasonOf = (
  reason: string | undefined,
  entry: string,
): readonly (readonly [string, string])[] => (reason === undefined ? [] : [[entry, reason]]);

function halvesOf(entries: readonly string[]): readonly (readonly string[])[] {
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)];
}

function joined(
  answers: readonly UpstreamAnswer[],
  refused: ReadonlyMap<string, string>,
): BatchAnswer {
  const [only] = answers;
  if (answers.length === 1 && only !== undefined && refused.size === 0) return only;
  const users = answers.flatMap((answer) => answer.users ?? []);
  const tweets = answers.flatMap((answer) => answer.tweets ?? []);
  return { ...(users.length > 0 ? { users } : { tweets }), refused };
}
