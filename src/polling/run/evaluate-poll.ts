/**
 * Evaluates a poll for each of its readers, finds accounts that were renamed, and puts the outcome
 * of the poll together.
 */
import type { Ports } from "../../model/ports.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { Reader } from "../evaluate/load-subscribers.ts";
import { findRenames, type Rename } from "../evaluate/renames.ts";
import { joinEvaluations, type SubscriberEvaluation } from "../evaluate/verdicts.ts";
import { type BesideDeps, readBeside } from "../read/beside.ts";
import { isLost, type ReportedTarget } from "../targets/target-alerts.ts";
import type { Subscriber } from "../watch-poll.ts";
import { NOTHING_POLLED, type PollOutcome } from "./poll-outcome.ts";
import type { KnownStore, PollState, Seen } from "./seen.ts";

export interface EvaluateDeps extends BesideDeps, Pick<Ports, "clock" | "random" | "hash"> {
  readonly store: KnownStore;
  readonly serviceClock: ServiceClock;
}

export interface Evaluation {
  /** The evaluations, in the order of the readers. */
  readonly evaluations: readonly SubscriberEvaluation[];
  /** The evaluations of all readers joined. */
  readonly joined: SubscriberEvaluation;
  /** Accounts whose handle differs from the stored one. */
  readonly renames: readonly Rename[];
}

export async function evaluatePoll(
  deps: EvaluateDeps,
  state: PollState,
  seen: Seen,
): Promise<Evaluation> {
  const { poll, readers } = state;
  const { store, hash, serviceClock, clock, random } = deps;
  const evaluate = await seen.evaluator(state, store, {
    hash,
    serviceClock,
    detectedAtMs: clock.now(),
    episode: random.id(),
  });
  const userId = readers[0]?.target.userId ?? null;
  // Whether there is anything to report is decided without `where`, because its expression may use
  // the additional data, which is requested only then.
  const hasFacts = () =>
    readers.some((reader, index) => evaluate(withoutWhere(reader), index, {}).events.length > 0);
  const beside =
    seen.isAboutAccount && userId !== null && hasFacts()
      ? await readBeside(deps, poll, userId)
      : {};
  const evaluations = readers.map((reader, index) => evaluate(reader, index, beside));
  return {
    evaluations,
    joined: joinEvaluations(evaluations),
    renames: findRenames(readers, seen.users),
  };
}

function withoutWhere({ subscriber, target }: Reader): Reader {
  const { where: _, ...watch } = subscriber.watch;
  return { subscriber: { ...subscriber, watch }, target };
}

/** What is known only after the commit. */
interface Committed {
  /** The number of events that were new to the state. */
  readonly events: number;
  /** Verdicts of tweets older than this may no longer be stored. */
  readonly rememberedFromMs: number;
}

export function outcomeOf(
  { poll, readers }: PollState,
  seen: Seen,
  { evaluations, joined, renames }: Evaluation,
  committed: Committed,
): PollOutcome {
  const isBaselined = ({ targets }: SubscriberEvaluation) =>
    targets.some(({ baselineAtMs }) => baselineAtMs !== undefined);
  const { subscribers } = poll;
  const subscribersThat = (is: (evaluation: SubscriberEvaluation) => boolean) =>
    evaluations.flatMap((evaluation, index) => (is(evaluation) ? (subscribers[index] ?? []) : []));
  const baselined = subscribersThat(isBaselined);
  return {
    ...NOTHING_POLLED,
    events: committed.events,
    baselined,
    tooOld: tooOldOf(subscribers, evaluations, committed.rememberedFromMs),
    newItems: Math.max(
      ...evaluations.map(
        ({ verdicts }) => verdicts.filter(({ verdict }) => verdict !== "baseline").length,
      ),
      0,
    ),
    postedMs: postedMsOf(subscribers, evaluations, new Set(baselined)),
    renames: renames.filter(({ from }) => from !== null),
    returned: returnedIn(readers, joined),
    absent: subscribersThat(({ isAbsent }) => isAbsent === true),
    ...seen.outcome(poll, evaluations),
    ...(seen.error === undefined ? {} : { error: seen.error }),
  };
}

/** Returns by watch id how many tweets were found too late to raise an alert. */
function tooOldOf(
  subscribers: readonly Subscriber[],
  evaluations: readonly SubscriberEvaluation[],
  rememberedFromMs: number,
): ReadonlyMap<string, number> {
  const tooOld = new Map<string, number>();
  for (const [index, { watch }] of subscribers.entries()) {
    const verdicts = evaluations[index]?.verdicts ?? [];
    const count = verdicts.filter(
      ({ verdict, occurredAtMs }) => verdict === "too_old" && occurredAtMs > rememberedFromMs,
    ).length;
    if (count > 0) tooOld.set(watch.id, (tooOld.get(watch.id) ?? 0) + count);
  }
  return tooOld;
}

/** Returns the targets that could not be read before and can be read again. */
const returnedIn = (
  readers: readonly Reader[],
  { targets }: SubscriberEvaluation,
): readonly ReportedTarget[] =>
  readers.flatMap(({ subscriber: { watch }, target }) => {
    const isWell = () =>
      targets.some(
        (one) =>
          one.watchKey === target.watchKey && one.targetKey === target.key && one.status === "ok",
      );
    return isLost(target) && isWell() ? [{ watchId: watch.id, target }] : [];
  });

/**
 * Returns when the new tweets of this poll were posted, the oldest first. A tweet must be new to
 * every subscriber, or in a public list to every subscriber that reads its author, because every
 * tweet is new to a subscriber that was just added. Tweets below the baseline watermark count only
 * in a first read: later they appear because they are pinned, or because deletions move them up to
 * a page.
 */
function postedMsOf(
  subscribers: readonly Subscriber[],
  evaluations: readonly SubscriberEvaluation[],
  baselined: ReadonlySet<Subscriber>,
): readonly number[] {
  const readers = new Map<string | undefined, number>();
  for (const { author } of subscribers) readers.set(author, (readers.get(author) ?? 0) + 1);
  const ofAll = readers.get(undefined) ?? 0;
  const seen = new Map<
    string,
    { readonly atMs: number; readonly author: string | undefined; readonly subscribers: number }
  >();
  for (const [index, { verdicts }] of evaluations.entries()) {
    const subscriber = subscribers[index];
    const author = subscriber?.author;
    const isFirst = subscriber !== undefined && baselined.has(subscriber);
    for (const { itemId, itemKind, occurredAtMs, verdict } of verdicts) {
      if (itemKind !== "tweet" || (verdict === "baseline" && !isFirst)) continue;
      const before = seen.get(itemId);
      seen.set(itemId, {
        atMs: occurredAtMs,
        author: author ?? before?.author,
        subscribers: (before?.subscribers ?? 0) + 1,
      });
    }
  }
  const wanted = (author: string | undefined) =>
    author === undefined ? ofAll : ofAll + (readers.get(author) ?? 0);
  const fresh = [...seen.values()].filter(
    ({ author, subscribers }) => subscribers === wanted(author),
  );
  return fresh.map(({ atMs }) => atMs).sort((a, b) => a - b);
}
