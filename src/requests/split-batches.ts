/**
 * Batches that the service refuses for one of their entries: which one is found by halves, and the
 * others are asked for without it. Owns whom it refuses and when it is asked for that one again;
 * what it means for a target is the asker's.
 */
import { createCooldowns, type Cooldowns } from "../model/backoff.ts";
import type { Clock } from "../model/clock.ts";
import { createInTurn } from "../model/in-turn.ts";
import type { Log } from "../model/log.ts";
import { isBadRequest, type UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import { createRefusalBackoff, type RefusalBackoff } from "./refusal-backoff.ts";
import type { GateRequest } from "./reservation.ts";

export interface BatchAnswer extends UpstreamAnswer {
  /** Of a batch: the entries that the service refuses to be asked for, with its words. */
  readonly refused?: ReadonlyMap<string, string>;
}

export type AskBatch = (request: GateRequest) => Promise<BatchAnswer>;

type Ask = (request: GateRequest) => Promise<UpstreamAnswer>;

/**
 * The service's own trouble, where so many are refused before anything is answered: three entries
 * of a hundred would not do that.
 */
const MAX_IN_VAIN = 6;
/** Then halves are not tried again for so long. */
const IN_VAIN_MS = 6 * 3_600_000;
/** What was answered before is refused for the service's own trouble, unless that lasts. */
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

/** @throws what `ask` throws, where the service refuses all of them. */
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
  /** Entries by what they are asked for as, with the words of the service. */
  readonly #quarantined = new Map<string, string>();
  /** Entries that were asked for and not refused. */
  readonly #answered = new Set<string>();
  /** By source, since when its batches were refused; monotonic. */
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
    this.#backoff.holdMs({ key, intervalMs: DAY_MS }, DAY_MS);
    this.#log.warn("one entry of a batch is refused, asking for the others without it", {
      entry,
      reason,
    });
  }

  /** By itself: the others are not refused for it. */
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
  /** Endpoints of which the search found nothing. */
  readonly #vain: Cooldowns;

  constructor(ask: Ask, clock: Clock) {
    this.#ask = ask;
    this.#vain = createCooldowns(clock);
  }

  /**
   * One after the other: what makes one search vain makes the others. @throws the error of the
   * whole, where no half is answered
   */
  async find(batch: Batch, whole: Part): Promise<Found> {
    const { endpoint } = batch.request;
    let found: Found | undefined;
    await this.#inTurn(async () => {
      if (this.#vain.isCoolingDown(endpoint)) throw whole.error;
      try {
        found = await this.#byHalves(batch, whole);
      } catch (error) {
        if (isBadRequest(error)) this.#vain.begin(endpoint, IN_VAIN_MS);
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
      if (answers.length === 0 && asked >= MAX_IN_VAIN) throw error;
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

/** One request for some of the entries; a 404 says that there are none of these. */
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
