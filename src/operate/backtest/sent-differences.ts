/**
 * Compares the replay of the active configuration with what the state recorded, and finds the cause
 * of each difference in the state.
 */
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryOutcome, DeliveryPath, EventRecord } from "../../model/history.ts";
import { isVolumeEvent } from "../../render/messages/volume-message.ts";
import { isFollowUp } from "../../route/level.ts";
import type { Placed } from "./compare.ts";
import { placedIn } from "./compare.ts";

export interface SentDifference {
  readonly id: string;
  readonly watch: string;
  readonly sink: string;
  /** What the replay did with it; null if it did not have it. */
  readonly replayed: DeliveryOutcome | null;
  /** What became of it; null if the state does not have it. */
  readonly sent: DeliveryOutcome | null;
  readonly cause: string;
  /** Whether the state recorded the cause. */
  readonly is_explained: boolean;
}

type PathsOf = (eventId: string) => Promise<readonly DeliveryPath[]>;

export interface SentFacts {
  /** What the state recorded in the period, and what the replay made of it. */
  readonly sent: readonly EventRecord[];
  readonly replayed: readonly EventRecord[];
  readonly sentPathsOf: PathsOf;
  readonly replayedPathsOf: PathsOf;
  /** When each silence began, by its id. */
  readonly silencedSinceMs: ReadonlyMap<string, number>;
  /** Since when the active configuration is active. */
  readonly activeSinceMs: number;
}

type Cause = Pick<SentDifference, "cause" | "is_explained">;

const MAX_DIFFERENCES = 1_000;
/** How many alerts are followed from one that joined another to the first of them. */
const MAX_JOINED = 10;

/**
 * Whether alerts like this one are compared: those that polls and rechecks find. Repeats and ends of
 * alerts on values and alerts on the volume of a watch are not replayed, and escalations follow from
 * the others.
 */
const isReplayed = (event: ChirpEvent): boolean =>
  event.watchKey !== "" &&
  !event.type.startsWith("alert.") &&
  !isFollowUp(event) &&
  !isVolumeEvent({ event, watches: [] });

export async function sentDifferences(facts: SentFacts): Promise<readonly SentDifference[]> {
  const [was, is] = [byPair(facts.sent), byPair(facts.replayed)];
  const causes = new Causes(facts, was, is);
  const found: SentDifference[] = [];
  for (const pair of new Set([...is.keys(), ...was.keys()])) {
    const [real, tried] = [was.get(pair), is.get(pair)];
    if (real !== undefined && tried !== undefined && kindOf(real) === kindOf(tried)) continue;
    const [id = "", sink = ""] = pair.split("\n");
    const cause = await causes.of(id, sink);
    if (cause === undefined) continue;
    const watch = causes.eventOf(id)?.watch ?? "";
    found.push({
      ...{ id, watch, sink, replayed: tried?.state ?? null, sent: real?.state ?? null },
      ...cause,
    });
    if (found.length === MAX_DIFFERENCES) break;
  }
  return found;
}

const byPair = (records: readonly EventRecord[]): ReadonlyMap<string, Placed> =>
  new Map(
    placedIn(records.filter(({ event }) => isReplayed(event)))
      .filter(({ sink }) => sink !== ENRICHMENT && !sink.endsWith(" crosspost"))
      .map((one) => [pairOf(one.event, one.sink), one]),
  );

const pairOf = (eventId: string, sink: string): string => `${eventId}\n${sink}`;

/** The name that stands for what happens to an event before its sinks. */
const ENRICHMENT = "enrichment";

type Kind = "delivered" | "duplicate" | "muted" | "silenced" | "deleted" | "dead";

/** Returns what it comes to. What waits in one may be sent in the other. */
const kindOf = ({ state }: Pick<DeliveryPath, "state">): Kind =>
  state === "muted" ||
  state === "silenced" ||
  state === "duplicate" ||
  state === "deleted" ||
  state === "dead"
    ? state
    : "delivered";

/** Whether a silence or the deletion of its post kept an alert from being sent. */
const isStopped = (path: Pick<DeliveryPath, "state">): boolean =>
  ["silenced", "deleted"].includes(kindOf(path));

/** Finds the causes of differences. */
class Causes {
  readonly #facts: SentFacts;
  readonly #events: ReadonlyMap<string, ChirpEvent>;
  readonly #sent: ReadonlySet<string>;
  readonly #was: ReadonlyMap<string, Placed>;
  readonly #is: ReadonlyMap<string, Placed>;

  /** `was` and `is` are the alerts at their sinks in the state and in the replay. */
  constructor(facts: SentFacts, was: ReadonlyMap<string, Placed>, is: ReadonlyMap<string, Placed>) {
    [this.#facts, this.#was, this.#is] = [facts, was, is];
    const { sent, replayed } = facts;
    this.#events = new Map([...replayed, ...sent].map(({ event }) => [event.id, event]));
    this.#sent = new Set(sent.map(({ event }) => event.id));
  }

  eventOf(id: string): ChirpEvent | undefined {
    return this.#events.get(id);
  }

  /** Returns the cause; undefined if there is no difference after all. */
  async of(id: string, sink: string, depth = 0): Promise<Cause | undefined> {
    const pair = pairOf(id, sink);
    const isReplayed = this.#is.has(pair);
    if (!isReplayed && !this.#was.has(pair)) return undefined;
    const sent = await this.#facts.sentPathsOf(id);
    const real = sent.find((one) => one.sink === sink);
    const cause =
      real === undefined
        ? this.#unsent(id, sent)
        : isReplayed
          ? await this.#otherwise(id, real, depth)
          : unreplayed(real);
    if (cause === undefined || cause.is_explained) return cause;
    const { activeSinceMs } = this.#facts;
    return (this.eventOf(id)?.detectedAtMs ?? 0) < activeSinceMs
      ? known(`another configuration was active until ${isoTime(activeSinceMs)}`)
      : cause;
  }

  #unsent(id: string, sent: readonly DeliveryPath[]): Cause {
    const before = sent.find((one) => one.sink === ENRICHMENT);
    if (before?.state === "waiting") return known("it still waits for its enrichment");
    if (before?.state === "muted") return known(`dropped before its enrichment: ${before.detail}`);
    return unknown(
      this.#sent.has(id) ? "the state did not send it there" : "the state has no such alert",
    );
  }

  async #otherwise(id: string, real: DeliveryPath, depth: number): Promise<Cause | undefined> {
    const replayed = await this.#facts.replayedPathsOf(id);
    const tried = replayed.find((one) => one.sink === real.sink);
    if (tried === undefined) return unreplayed(real);
    const [was, is] = [kindOf(real), kindOf(tried)];
    if (was === is || (real.joinedEventId !== null && tried.joinedEventId !== null))
      return undefined;
    if (was === "dead") return known(givenUp(real));
    if (real.replayedAtMs !== null)
      return known(`an operator sent it again at ${isoTime(Number(real.replayedAtMs))}`);
    const joined = real.joinedEventId ?? tried.joinedEventId;
    if (joined !== null) return this.#joinedTo(joined, real, depth);
    const passed = this.#passedBefore(id, real, tried);
    if (passed !== undefined) return known(passed);
    return unknown(`the state calls it ${real.state}, and the replay ${tried.state}`);
  }

  /** Explains an alert that joined another one on one side by what became of that other one. */
  async #joinedTo(joined: string, { sink }: DeliveryPath, depth: number): Promise<Cause> {
    const other = depth < MAX_JOINED ? await this.of(joined, sink, depth + 1) : undefined;
    return other === undefined
      ? unknown(`only one side joined it to ${joined}`)
      : { ...other, cause: `an alert on the same fact, ${joined}, differs: ${other.cause}` };
  }

  /**
   * Says that one side sent an alert before the silence or the deletion that stopped it on the
   * other side. Times differ where a sink was slow, or where alerts of the daemon itself, which are
   * not replayed, were part of a throttle. Returns undefined if that is not the case.
   */
  #passedBefore(id: string, real: DeliveryPath, tried: DeliveryPath): string | undefined {
    const wasStopped = isStopped(real);
    if (wasStopped === isStopped(tried)) return undefined;
    const [stopped, sent] = wasStopped ? [real, tried] : [tried, real];
    const isSilenced = kindOf(stopped) === "silenced";
    const beganMs = isSilenced ? this.#silencedSince(stopped) : this.#deletedAt(id);
    if (beganMs === undefined || sent.sentAtMs === null || sent.sentAtMs > beganMs)
      return undefined;
    const when = `${isSilenced ? "the silence began" : "its post was deleted"}, at ${isoTime(beganMs)}`;
    return wasStopped
      ? `it still waited when ${when}`
      : `it was sent before ${when}, and still waits then in the replay`;
  }

  #silencedSince({ silencedBy }: DeliveryPath): number | undefined {
    return this.#facts.silencedSinceMs.get(silencedBy ?? "");
  }

  /** Returns when the post of an alert was found to be deleted. */
  #deletedAt(id: string): number | undefined {
    const subject = this.eventOf(id)?.subject;
    return [...this.#events.values()].find(
      (event) => event.type === "tweet.deleted" && event.subject === subject,
    )?.detectedAtMs;
  }
}

function unreplayed(real: DeliveryPath): Cause {
  const { routed, replayedAtMs } = real;
  if (routed?.isBackfilled === true) return known("a backfill found it");
  if (routed?.by === "replay" || replayedAtMs !== null) return known("an operator sent it there");
  return unknown("the archive does not lead to it");
}

/** Says why a sink never got an alert, and since when it failed. */
function givenUp({ sink, failures, detail }: DeliveryPath): string {
  const times = failures.map(({ atMs }) => Number(atMs)).sort((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  const when =
    first === undefined || last === undefined
      ? ""
      : first === last
        ? ` at ${isoTime(first)}`
        : ` from ${isoTime(first)} to ${isoTime(last)}`;
  return `${sink} failed${when}: ${detail}`;
}

const known = (cause: string): Cause => ({ cause, is_explained: true });
const unknown = (cause: string): Cause => ({ cause, is_explained: false });
