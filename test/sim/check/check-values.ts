/**
 * Checks that values are reported as they were: a changed field with its new value, and a threshold
 * once when it is crossed, and not again before the value came back by a tenth. This is the
 * specification of values; see docs/polling-single.md, "Values".
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { LeftEvent } from "../run/read-state.ts";
import { ARTICLE_POST, FAN_COMMUNITY_ID, FANS } from "../draw/cast.ts";
import type { Fact, WorldHistory } from "../run/world-history.ts";
import type { Evidence } from "./evidence.ts";
import { isFollowUp } from "./check-levels.ts";
import { createNames } from "./expected.ts";
import { accountsOf, type Scene } from "./selects.ts";
import {
  countOf,
  isClockAhead,
  seenBy,
  STALE_MS,
  troubledHandles,
  valueAt,
  valuesWithin,
  type Watched,
  watchedOf,
} from "./timeline.ts";

/** A value that a watch follows. */
interface Followed {
  readonly watched: Watched;
  readonly name: string;
  readonly facts: readonly Fact[];
  /** The key of the event body that holds the values. */
  readonly section: string;
  /** Events in the order in which they were found. */
  readonly events: readonly LeftEvent[];
  /** The name of the value in objections. */
  readonly what: string;
}

/** How the values of a watch type appear in events and in the world. */
interface Kind {
  readonly section: string;
  readonly fact: string;
  readonly fields: readonly string[];
  readonly subjects: (keys: JsonObject, scene: Scene) => readonly string[];
}

const PROFILE_FIELDS = ["display_name", "description", "location"];
const STANDARD_FIELDS = ["display_name", "description"];

const KINDS: Readonly<Record<string, Kind>> = {
  profile: { section: "user", fact: "profile", fields: PROFILE_FIELDS, subjects: accountsOf },
  about: { section: "about", fact: "profile", fields: ["country"], subjects: accountsOf },
  score: { section: "user", fact: "score", fields: [], subjects: accountsOf },
  score_delta: { section: "user", fact: "score", fields: [], subjects: accountsOf },
  followers_stats: { section: "user", fact: "stats", fields: [], subjects: accountsOf },
  tweet: {
    section: "tweet",
    fact: "count",
    fields: [],
    subjects: ({ tweets }) => (tweets as readonly string[]).map(postIn),
  },
  article: {
    section: "article",
    fact: "article",
    fields: ["full_text", "preview_text"],
    subjects: () => [ARTICLE_POST],
  },
  community_info: {
    section: "community",
    fact: "community",
    fields: ["name", "description"],
    subjects: () => [FAN_COMMUNITY_ID],
  },
  space: { section: "space", fact: "space", fields: ["title", "state"], subjects: () => ["room"] },
};

export function checkValues(evidence: Evidence): readonly string[] {
  if (evidence.isClockSet) return [];
  const troubled = troubledHandles(evidence);
  return watchedOf(evidence).flatMap((watched) => {
    const { keys, type } = watched.rules;
    const kind = KINDS[type];
    if (kind === undefined) return [];
    const isMiscounted =
      isClockAhead(evidence) && /^(?:community_info|followers_stats)$/.test(type);
    const thresholds = isMiscounted
      ? []
      : Object.entries((keys["when"] ?? {}) as Readonly<Record<string, string>>);
    const wanted =
      type === "profile" ? ((keys["fields"] ?? STANDARD_FIELDS) as readonly string[]) : kind.fields;
    const fields = kind.fields.filter((field) => wanted.includes(field));
    return kind
      .subjects(keys, evidence.scene)
      .filter((subject) => !troubled.has(subject))
      .flatMap((subject) => [
        ...fields.flatMap((name) =>
          checkField(follow({ watched, kind, subject, name, list: "changed" }, evidence), evidence),
        ),
        ...thresholds.flatMap(([name, text]) =>
          checkThreshold(
            follow({ watched, kind, subject, name, list: "crossed" }, evidence),
            Number(text.replace(">= ", "")),
            evidence,
          ),
        ),
      ]);
  });
}

const postIn = (reference: string): string => /%post:(\w+)%/.exec(reference)?.[1] ?? "";

interface Query {
  readonly watched: Watched;
  readonly kind: Kind;
  readonly subject: string;
  readonly name: string;
  /** Which list of names in the event counts. */
  readonly list: "changed" | "crossed";
}

function follow(
  { watched, kind, subject, name, list }: Query,
  { played, epochs }: Evidence,
): Followed {
  const nameOf = createNames(epochs);
  const { type } = watched.rules;
  const id =
    type === "tweet"
      ? played.world.tweets().find((tweet) => tweet.name === subject)?.id
      : undefined;
  const isOfSubject = ({ body, subject: eventSubject }: LeftEvent): boolean => {
    if (id !== undefined) return (body["tweet"] as JsonObject)["id"] === id;
    // An account that the service left out of an answer is known only by its id.
    return kind.subjects !== accountsOf || played.world.handleOf(eventSubject) === subject;
  };
  const isAbout = (event: LeftEvent): boolean =>
    // An escalation repeats its alert.
    event.watchType !== "daemon" &&
    nameOf(event.watch) === watched.name &&
    ((event.body[list] ?? []) as readonly string[]).includes(name) &&
    isOfSubject(event);
  const facts = factsOf(`${kind.fact} ${subject} ${name}`, played.world);
  const what = `${type} ${watched.name}: ${name} of ${subject}`;
  return {
    watched,
    name,
    facts,
    section: kind.section,
    events: played.left.events.filter((event) => isAbout(event) && !isFollowUp(event)),
    what,
  };
}

const CATEGORIES: Readonly<Record<string, readonly number[]>> = {
  ...{
    followers_count: [0, 1, 2],
    influencers_count: [0],
    projects_count: [1],
    venture_capitals_count: [2],
  },
};

/**
 * Returns the values over time: those that the scenario ordered, and those that follow from other
 * orders.
 */
function factsOf(name: string, { facts, categoryOf }: WorldHistory): readonly Fact[] {
  const [kind, subject, field = ""] = name.split(" ");
  if (field === "member_count")
    return countOf(FANS.map((fan) => facts.get(`in ${subject} ${fan}`) ?? []));
  if (field === "listeners") {
    // Nobody listens to a Space that has ended, whatever was ordered.
    const endedMs =
      facts.get("space room state")?.find(({ value }) => value === "Ended")?.atMs ??
      Number.POSITIVE_INFINITY;
    return (facts.get(name) ?? []).map(({ atMs, value }) => ({
      atMs,
      value: atMs < endedMs ? value : 0,
    }));
  }
  if (kind !== "stats") return facts.get(name) ?? [];
  const counted = FANS.filter((fan) => CATEGORIES[field]?.includes(categoryOf(fan)));
  return countOf(counted.map((fan) => facts.get(`follow ${fan} ${subject}`) ?? []));
}

function checkField(followed: Followed, evidence: Evidence): readonly string[] {
  const { watched, name, facts, section, events, what } = followed;
  const { played } = evidence;
  const reportedBy = (event: LeftEvent | undefined): Json | undefined =>
    event === undefined ? undefined : ((event.body[section] as JsonObject)[name] ?? null);
  const objections = events.flatMap((event, n) => {
    const sinceMs = (events[n - 1]?.detectedAtMs ?? watched.fromMs) - STALE_MS;
    const reported = reportedBy(event);
    const values = valuesWithin(facts, sinceMs, event.detectedAtMs);
    if (!values.includes(reported ?? null))
      return [`${what} is reported as ${JSON.stringify(reported)}, and was not`];
    const isRepeated =
      reportedBy(events[n - 1]) === reported && values.every((value) => value === reported);
    return isRepeated ? [`${what} is reported as ${JSON.stringify(reported)} twice`] : [];
  });
  const baseline = isUnsettled(watched, facts) ? undefined : valueAt(facts, watched.settledMs);
  for (const { fromMs, byMs, value } of seenBy(watched, facts, evidence)) {
    const before =
      reportedBy(events.filter(({ detectedAtMs }) => detectedAtMs < fromMs).at(-1)) ?? baseline;
    const isReported = events.some(
      (event) =>
        event.detectedAtMs >= fromMs && event.detectedAtMs <= byMs && reportedBy(event) === value,
    );
    if (before !== undefined && before !== value && !isReported)
      objections.push(`${what} was ${JSON.stringify(value)}, and nobody was notified`);
  }
  if (!watched.isBound || isUnsettled(watched, facts)) return objections;
  const last = events.at(-1)?.body[section] as JsonObject | undefined;
  const reported: Json =
    last === undefined ? valueAt(facts, watched.settledMs) : (last[name] ?? null);
  const actual = valueAt(facts, played.endMs);
  return reported === actual
    ? objections
    : [
        ...objections,
        `${what} is ${JSON.stringify(actual)} in the end, and ${JSON.stringify(reported)} was reported last`,
      ];
}

/** A threshold re-arms when the value comes back to this share of it. */
const REARM = 0.9;

/**
 * Numbers that the fault `flapping` lowers in every other answer. A daemon that believes the
 * service sees them cross thresholds again and again.
 */
const FLAPPING_COUNTS: readonly string[] = [
  "tweets_count",
  "followers_count",
  "likes_count",
  "week_delta",
];

function checkThreshold(followed: Followed, limit: number, evidence: Evidence): readonly string[] {
  const { watched, facts, events, what, name } = followed;
  const { played } = evidence;
  const isFlapping = played.scenario.steps.some(
    (step) => step.do === "service fault" && step.name === "flapping",
  );
  if (isFlapping && FLAPPING_COUNTS.includes(name)) return [];
  const objections = events.flatMap((event, n) => {
    const before = events[n - 1];
    const values = valuesWithin(
      facts,
      (before?.detectedAtMs ?? watched.fromMs) - STALE_MS,
      event.detectedAtMs,
    ).map(Number);
    if (!values.some((value) => value >= limit))
      return [`${what} is reported across ${limit}, and was not`];
    const low = before === undefined ? limit : limit * REARM + 1e-9;
    return values.some((value) => value < low || (before !== undefined && value <= low))
      ? []
      : [`${what} is reported across ${limit} twice`];
  });
  // The value must have been seen below the limit before it is seen above.
  const seen = seenBy(watched, facts, evidence);
  for (const { fromMs, byMs, value } of seen.filter((one) => Number(one.value) >= limit)) {
    const low = seen
      .filter(
        (one) => one.fromMs < fromMs && Number(one.value) > 0 && Number(one.value) < limit * REARM,
      )
      .at(-1);
    const isReported = events.some(
      ({ detectedAtMs }) => detectedAtMs >= (low?.fromMs ?? fromMs) && detectedAtMs <= byMs,
    );
    if (low !== undefined && !isReported)
      objections.push(
        `${what} was ${JSON.stringify(value)}, across ${limit}, and nobody was notified`,
      );
  }
  if (!watched.isBound || isUnsettled(watched, facts)) return objections;
  const isMissed =
    Number(valueAt(facts, watched.settledMs)) < limit &&
    Number(valueAt(facts, played.endMs)) >= limit &&
    events.length === 0;
  return isMissed
    ? [...objections, `${what} is across ${limit} in the end, and nobody was notified`]
    : objections;
}

const isUnsettled = ({ fromMs, settledMs }: Watched, facts: readonly Fact[]): boolean =>
  valuesWithin(facts, fromMs - STALE_MS, settledMs).length > 1;
