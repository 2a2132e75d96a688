/**
 * Batches that the service refuses for one of their entries: which one is found by halves, and the others are asked for without it. Owns
 * whom it refuses and when it is asked for that one again; what it means for a target is the asker's.
 */
import type { Clock } from "../model/clock.ts";
import { createInTurn } from "../model/in-turn.ts";
import type { Log } from "../model/log.ts";
import { isBadRequest, type UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import { createPatience } from "./patience.ts";
import type { GateRequest } from "./reservation.ts";

export interface BatchAnswer extends UpstreamAnswer {
  /** Of a batch: the entries that the service refuses to be asked for, with its words. */
  readonly refused?: ReadonlyMap<string, string>;
}

export type AskBatch = (request: GateRequest) => Promise<BatchAnswer>;

/** The service's own trouble, where so many are refused before anything is answered: three entries of a hundred would not do that. */
const MOST_IN_VAIN = 6;
/** Then halves are not tried again for so long. */
const IN_VAIN_MS = 6 * 3_600_000;
/** What was answered before is refused for the service's own trouble, unless that lasts. */
const TROUBLE_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MOST_REMEMBERED = 20_000;

interface Part {
  readonly entries: readonly string[];
  readonly error: UpstreamError;
}

interface Found {
  readonly answers: readonly UpstreamAnswer[];
  readonly refused: ReadonlyMap<string, string>;
}

/** @throws what `ask` throws, where the service refuses all of them. */
export function createSplitBatches(ask: (request: GateRequest) => Promise<UpstreamAnswer>, clock: Clock, log: Log): AskBatch {
  const patience = createPatience(clock);
  const inTurn = createInTurn();
  /** Entries by what they are asked for as, with the words of the service. */
  const setAside = new Map<string, string>();
  /** Entries that were asked for and not refused. */
  const answered = new Set<string>();
  /** By source, since when its batches were refused; monotonic. */
  const refusedSinceMs = new Map<string, number>();
  /** By endpoint; monotonic. */
  const vainUntilMs = new Map<string, number>();

  /** One request for some of the entries; a 404 says that there are none of these. */
  const askFor = async (request: GateRequest, param: string, entries: readonly string[]): Promise<UpstreamAnswer | UpstreamError> => {
    try {
      return await ask({ ...request, params: { ...request.params, [param]: entries } });
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === "not_found") return {};
      if (error instanceof UpstreamError && isBadRequest(error)) return error;
      throw error;
    }
  };

  const byHalves = async (request: GateRequest, param: string, whole: Part): Promise<Found> => {
    const answers: UpstreamAnswer[] = [];
    const refused = new Map<string, string>();
    const parts = [whole];
    let asked = 0;
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const { entries, error } = part;
      if (answers.length === 0 && asked >= MOST_IN_VAIN) throw error;
      if (entries.length === 1) refused.set(entries[0] ?? "", error.message);
      for (const half of entries.length === 1 ? [] : halvesOf(entries)) {
        const answer = await askFor(request, param, half);
        asked += 1;
        if (answer instanceof UpstreamError) parts.push({ entries: half, error: answer });
        else answers.push(answer);
      }
    }
    if (answers.length === 0) throw whole.error;
    return { answers, refused };
  };

  /** One after the other: what makes one search vain makes the others. */
  const search = async (request: GateRequest, param: string, whole: Part): Promise<Found> => {
    let found: Found | undefined;
    await inTurn(async () => {
      if (clock.monotonic() < (vainUntilMs.get(request.endpoint) ?? 0)) throw whole.error;
      try {
        found = await byHalves(request, param, whole);
      } catch (error) {
        if (isBadRequest(error)) vainUntilMs.set(request.endpoint, clock.monotonic() + IN_VAIN_MS);
        throw error;
      }
    });
    return found ?? { answers: [], refused: new Map() };
  };

  const isWorthSearching = (source: string, param: string, entries: readonly string[]): boolean => {
    const sinceMs = refusedSinceMs.get(source) ?? clock.monotonic();
    refusedSinceMs.set(source, sinceMs);
    const isTrouble = clock.monotonic() - sinceMs < TROUBLE_MS && entries.every((entry) => answered.has(`${param}\n${entry}`));
    return entries.length > 1 && !isTrouble;
  };

  const askRest = async (request: GateRequest, param: string, entries: readonly string[]): Promise<Found> => {
    const answer = await ask({ ...request, params: { ...request.params, [param]: entries } }).catch((error: unknown) => {
      if (error instanceof UpstreamError && isBadRequest(error) && isWorthSearching(request.source, param, entries)) return error;
      throw error;
    });
    const found =
      answer instanceof UpstreamError
        ? await search(request, param, { entries, error: answer })
        : { answers: [answer], refused: new Map() };
    refusedSinceMs.delete(request.source);
    for (const entry of entries) if (!found.refused.has(entry)) remember(`${param}\n${entry}`);
    return found;
  };

  const remember = (key: string): void => {
    answered.add(key);
    for (const oldest of answered) {
      if (answered.size <= MOST_REMEMBERED) return;
      answered.delete(oldest);
    }
  };

  const hold = (param: string, entry: string, reason: string): void => {
    const key = `${param}\n${entry}`;
    setAside.set(key, reason);
    patience.holdMs({ key, intervalMs: DAY_MS }, DAY_MS);
    log.warn("one entry of a batch is refused, asking for the others without it", { entry, reason });
  };

  /** By itself: the others are not refused for it. */
  const askAgain = async (request: GateRequest, param: string, entry: string): Promise<UpstreamAnswer> => {
    const answer = await askFor(request, param, [entry]);
    if (answer instanceof UpstreamError) {
      hold(param, entry, answer.message);
      return {};
    }
    setAside.delete(`${param}\n${entry}`);
    return answer;
  };

  return async (request) => {
    const param = Object.keys(request.params).find((name) => Array.isArray(request.params[name]));
    if (request.isSplit !== true || param === undefined) return ask(request);
    const all = request.params[param] as readonly string[];
    const aside = all.filter((entry) => setAside.has(`${param}\n${entry}`));
    const rest = all.filter((entry) => !aside.includes(entry));
    const { answers, refused } =
      rest.length === 0 ? { answers: [], refused: new Map<string, string>() } : await askRest(request, param, rest);
    for (const [entry, reason] of refused) hold(param, entry, reason);
    const again: UpstreamAnswer[] = [];
    for (const entry of aside) if (!patience.isHeld({ key: `${param}\n${entry}` })) again.push(await askAgain(request, param, entry));
    return joined([...answers, ...again], new Map(all.flatMap((entry) => reasonOf(setAside.get(`${param}\n${entry}`), entry))));
  };
}

const reasonOf = (reason: string | undefined, entry: string): readonly (readonly [string, string])[] =>
  reason === undefined ? [] : [[entry, reason]];

function halvesOf(entries: readonly string[]): readonly (readonly string[])[] {
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)];
}

function joined(answers: readonly UpstreamAnswer[], refused: ReadonlyMap<string, string>): BatchAnswer {
  const [only] = answers;
  if (answers.length === 1 && only !== undefined && refused.size === 0) return only;
  const users = answers.flatMap((answer) => answer.users ?? []);
  const tweets = answers.flatMap((answer) => answer.tweets ?? []);
  return { ...(users.length > 0 ? { users } : { tweets }), refused };
}
