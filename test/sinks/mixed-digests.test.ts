/**
 * Tests digests of mixed alerts and of accounts that came and left, as they are laid out and
 * rendered for each sink: every vendor's limit is kept, each alert is listed or counted once, and
 * sums are right.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LaidOut, layOutDigest } from "../../src/deliver/stages/digest.ts";
import { MAX_SECTIONS } from "../../src/deliver/stages/digest-sections.ts";
import type { DigestCause } from "../../src/model/digest.ts";
import type { Digest, DigestSection, OutboxEvent } from "../../src/model/sink.ts";
import { createReader } from "../../src/operate/create-reader.ts";
import { makeEvent, makeTweet, makeUser } from "../support/make-event.ts";
import { manyRuns } from "../support/many-runs.ts";
import { hostileText } from "../render/hostile-text.ts";
import { DIGEST_LAYOUTS } from "./digest-layouts.ts";
import { tweetId } from "./chat-batch.ts";

const PERIOD = { fromMs: Date.UTC(2026, 10, 26, 9), toMs: Date.UTC(2026, 10, 27, 9) };
const MAX_PEOPLE = 20;
const read = createReader("https://x.com");

interface Drawn {
  readonly kind: "post" | "edited" | "follower" | "left" | "member" | "milestone";
  readonly watch: string;
  readonly likes: number;
  readonly text: string;
  readonly target: string;
}

const TYPES = {
  post: ["tweet.created", "search"],
  edited: ["tweet.edited", "search"],
  milestone: ["tweet.threshold", "tweet"],
  follower: ["follower.added", "followers"],
  left: ["follower.removed", "followers"],
  member: ["member.added", "list_members"],
} as const;

const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom(
    "post",
    "post",
    "follower",
    "follower",
    "left",
    "member",
    "edited",
    "milestone",
  ),
  watch: fc.constantFrom("mentions", "fans", "partners", "a", "b"),
  likes: fc.nat(5_000),
  text: fc.oneof(
    fc.constant("a few plain words"),
    fc.constant("a long text with many plain words ".repeat(6)),
    hostileText,
  ),
  target: fc.constantFrom("acme", "rival"),
});

/** Enough followers of one account in one watch that a list of them is cut. */
const crowd = fc.array(
  drawn.map((one) => ({ ...one, kind: "follower", watch: "fans", target: "acme" }) as const),
  { minLength: 15, maxLength: 30, size: "max" },
);

const anything = fc.oneof(
  fc.array(drawn, { minLength: 1, maxLength: 90, size: "max" }),
  fc
    .tuple(fc.array(drawn, { maxLength: 60, size: "max" }), crowd)
    .map(([some, more]) => [...some, ...more]),
);

interface Schedule {
  readonly title: string;
  readonly maxItems: number;
  readonly groupBy: string | undefined;
  readonly isSorted: boolean;
  /** The address of the alerts that the digest does not list. */
  readonly where: string;
}

const PAGE = `https://alerts.example/search?q=${"word+".repeat(60)}`;
const TITLE = "News of all our partners & of their partners";

const scheduled: fc.Arbitrary<Schedule> = fc.record({
  title: fc.constantFrom("Daily", TITLE),
  maxItems: fc.integer({ min: 1, max: 80 }),
  groupBy: fc.constantFrom(undefined, "watch", "type", "target"),
  isSorted: fc.boolean(),
  where: fc.constantFrom("there", PAGE),
});

const posts = (count: number, text: string): Drawn[] =>
  Array.from({ length: count }, (_, likes) => ({
    ...({ kind: "post", watch: "mentions", target: "acme" } as const),
    ...{ likes, text },
  }));

/**
 * Digests that reach each vendor's limits: many short lines (Telegram counts entities), lines with
 * long escapes (mail counts bytes), and the largest possible text around the lines.
 */
const FULL: [Drawn[], Schedule | DigestCause][] = [
  [posts(140, "hi"), "throttle"],
  [posts(140, "\"'&".repeat(60)), "throttle"],
  ...[60, 61, 62, 63].map((words): [Drawn[], Schedule] => [
    posts(140, "w".repeat(words)),
    {
      ...{ title: `${TITLE}, `.repeat(3), maxItems: 130, groupBy: undefined, isSorted: false },
      ...{ where: PAGE },
    },
  ]),
];

function eventOf({ kind, watch, likes, text, target }: Drawn, n: number): OutboxEvent {
  const [type, watchType] = TYPES[kind];
  const id = tweetId(n);
  const user = { ...makeUser(id), username: `u${n}`, display_name: text, followers_count: likes };
  const tweet = { ...makeTweet(id), user, full_text: text, likes_count: likes };
  const isTweet = type.startsWith("tweet.");
  const list =
    kind === "member"
      ? { public_list: { id: target } }
      : { target: makeUser(`id_${target}`, target) };
  const counts =
    kind === "milestone" ? { crossed: ["likes_count"], previous: { likes_count: 1 } } : {};
  const body = isTweet ? { tweet, ...counts } : { user, ...list };
  const atMs = PERIOD.fromMs + n;
  const labels = { watch, type: watchType, event: type, target };
  return {
    event: makeEvent(id, {
      ...{ type, watchType, watch, labels, body: body as never },
      ...{ occurredAtMs: atMs, detectedAtMs: atMs },
    }),
    watches: [watch],
  };
}

/** Matches the links of an alert: those of its post, or of its account. */
const linksOf = (event: OutboxEvent, n: number): RegExp =>
  new RegExp(
    event.event.body.tweet === undefined
      ? `x\\.com\\\\?/u${n}(?!\\d|\\\\?/status)`
      : `status\\\\?/${event.event.subject}(?!\\d)`,
    "g",
  );

describe.each(DIGEST_LAYOUTS)("a mixed digest in $name", ({ render, refusal, ways }) => {
  it("keeps every limit, and lists or counts each alert once", () => {
    fc.assert(
      fc.property(
        anything,
        fc.oneof(scheduled, fc.constantFrom<DigestCause[]>("throttle", "return", "backfill")),
        (all, how) => {
          const events = all.map(eventOf);
          const cause = typeof how === "string" ? how : "schedule";
          const written = typeof how === "string" ? undefined : digestOf(how);
          const where = typeof how === "string" ? "there" : how.where;
          const facts = { cause, written, period: PERIOD, mentions: [] };
          const digests: Digest[] = [];
          const noted = (digest: Digest) => {
            digests.push(digest);
            return render(digest);
          };
          const { parts: rendered, unlisted }: LaidOut = layOutDigest(
            events,
            facts,
            { above: 0, render: noted },
            { read, listedAt: () => where },
          );
          const parts = [...rendered];
          for (const { body } of parts) expect(refusal(body as never)).toBeUndefined();
          const listed = parts.flatMap((part) => part.events);
          const idsOf = (some: readonly OutboxEvent[]) => some.map(({ event }) => event.id).sort();
          expect(idsOf([...listed, ...unlisted])).toEqual(idsOf(events));
          expect(unlisted).toHaveLength(
            Math.max(0, events.length - (written?.maxItems ?? Infinity)),
          );
          const seen = parts.map(({ body }) => ways(body as never)[0] ?? "").join("\n");
          expectSums(seen, events, unlisted);
          expectLinks(seen, { events, listed, isScheduled: written !== undefined });
          const { sections } = digests[0] as Digest;
          expectSections(sections, { events, listed, isSorted: written?.sortBy !== undefined });
          expectHeadings(seen.replaceAll("\\", ""), sections);
          expectOrder(seen, { events, sections });
        },
      ),
      { numRuns: FULL.length + manyRuns(15, 400), examples: FULL },
    );
  });
});

/**
 * How to read the heading in each sink with a limit for it: a title, a subject or the name of a
 * post.
 */
const HEADLINES: Readonly<Record<string, (body: never) => string>> = {
  Slack: ({ text }: { text: string }) => text.split("\n")[0] ?? "",
  Discord: ({ content }: { content: string }) => content,
  Telegram: ({ text }: { text: string }) => text.split("\n")[0] ?? "",
  Teams: (body: object) => JSON.stringify(body),
  Apprise: ({ title }: { title: string }) => title,
  "a chat's webhook": ({ text }: { text: string }) => text.split("\n")[0] ?? "",
  mails: ({ subject }: { subject: string }) => subject,
};

describe.each(DIGEST_LAYOUTS)("a long title in $name", ({ name, render }) => {
  it("is cut before the period and the counts are", () => {
    const kinds = Object.keys(TYPES) as Drawn["kind"][];
    const all = kinds.map(
      (kind, likes): Drawn => ({
        ...{ kind, watch: "mentions", target: "acme", likes, text: "hi" },
      }),
    );
    const how = { ...{ title: "", groupBy: undefined, isSorted: false }, maxItems: 80, where: "" };
    for (const title of ["Tidings ".repeat(18).slice(0, 138), "_".repeat(138), "ab".repeat(300)]) {
      const isCut = title.length > 138 || name === "Apprise" || name === "mails";
      const written = { ...digestOf(how), title };
      const facts = { cause: "schedule" as const, written, period: PERIOD, mentions: [] };
      const { parts } = layOutDigest(
        all.map(eventOf),
        facts,
        { above: 0, render },
        { read, listedAt: () => "" },
      );
      const [first] = [...parts];
      const shown = HEADLINES[name]?.(first?.body as never).replaceAll("\\", "") ?? "";
      expect(shown).toContain(`${isCut ? "…" : ""} · 26 Nov 09:00 to 27 Nov 09:00 UTC · `);
      expect(shown).toMatch(/1 milestone/);
      expect(shown.match(/\b1 [a-z]/g)).toHaveLength(
        new Set(kinds.map((kind) => TYPES[kind][0])).size,
      );
    }
  });
});

const digestOf = (how: Schedule) => ({
  ...{ title: how.title, maxItems: how.maxItems, whenEmpty: "nothing" as const, nextAtMs: () => 0 },
  ...(how.groupBy === undefined ? {} : { groupBy: how.groupBy }),
  ...(how.isSorted
    ? {
        sortBy: {
          name: "likes_count",
          of: ({ body }: Pick<OutboxEvent["event"], "body">) => body.tweet?.likes_count,
        },
      }
    : {}),
});

/**
 * Checks that the sections hold all alerts, the largest section first, and that listed places are
 * given to them in turn. Within a section, alerts keep their order.
 */
function expectSections(
  sections: readonly DigestSection[],
  {
    events,
    listed,
    isSorted,
  }: {
    readonly events: readonly OutboxEvent[];
    readonly listed: readonly OutboxEvent[];
    readonly isSorted: boolean;
  },
): void {
  const counts = sections.map(({ count }) => count);
  // The last section gathers the smallest ones, so it may be of any size.
  const sorted = sections.length === MAX_SECTIONS ? counts.slice(0, -1) : counts;
  expect(sorted).toEqual([...sorted].sort((a, b) => b - a));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(events.length);
  const given = sections.map(({ items }) => items.length);
  expect(given.reduce((sum, count) => sum + count, 0)).toBe(listed.length);
  for (const { items, count } of sections)
    if (items.length < count) expect(items.length).toBeGreaterThanOrEqual(Math.max(...given) - 1);
  const rankOf = ({ event }: OutboxEvent) => (isSorted ? (event.body.tweet?.likes_count ?? -1) : 0);
  for (const { items } of sections) {
    const places = items.map((event) => events.indexOf(event));
    const ranked = [...items].sort(
      (a, b) => rankOf(b) - rankOf(a) || events.indexOf(a) - events.indexOf(b),
    );
    expect(places).toEqual(ranked.map((event) => events.indexOf(event)));
  }
}

const listKey = ({ event }: OutboxEvent): string =>
  event.body.tweet === undefined ? `${event.type} ${event.labels["target"]}` : event.id;

/**
 * Checks that each section has its heading with its number, once. A list has it in its sentence.
 */
function expectHeadings(seen: string, sections: readonly DigestSection[]): void {
  for (const { title, isKind, items, count } of sections) {
    const isOneList = items.length === count && new Set(items.map(listKey)).size === 1;
    if (title === "" || items.length === 0) continue;
    if (isOneList && count > 1) {
      expect(seen).not.toContain(`${title} (${count})`);
      expect(seen).toMatch(new RegExp(`\\b${count} (?:new|accounts)`));
      if (!isKind)
        expect(seen).toMatch(new RegExp(`^.*\\b${count} .*${title}|${title}.*\\b${count} `, "m"));
      continue;
    }
    const shown = items.length === count ? "" : `, ${items.length} shown`;
    expect(seen).toContain(`${title} (${count}${shown})`);
  }
}

/**
 * Checks that links are in the order of the sections, and accounts of one list in the order of
 * their followers.
 */
function expectOrder(
  seen: string,
  {
    events,
    sections,
  }: { readonly events: readonly OutboxEvent[]; readonly sections: readonly DigestSection[] },
): void {
  const followersOf = ({ event }: OutboxEvent) => event.body.user?.followers_count ?? 0;
  const expected = sections.flatMap(({ items }) =>
    [...new Set(items.map(listKey))].flatMap((key) =>
      items.filter((item) => listKey(item) === key).sort((a, b) => followersOf(b) - followersOf(a)),
    ),
  );
  const places = expected
    .map((event) => seen.search(linksOf(event, events.indexOf(event))))
    .filter((place) => place >= 0);
  expect(places).toEqual([...places].sort((a, b) => a - b));
}

/**
 * Checks that the counts of the heading add up to all alerts, and that the rest is given as a
 * number.
 */
function expectSums(
  seen: string,
  events: readonly OutboxEvent[],
  unlisted: readonly OutboxEvent[],
): void {
  const heading = /27 Nov 09:00 UTC · ([^\n;*]*)/.exec(seen)?.[1] ?? "";
  const counts = [...heading.matchAll(/(\d+) [a-z]/g)].map(([, count]) => Number(count));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(events.length);
  const left = /Another (one is|([\d,]+) are) not listed here:/.exec(seen);
  expect(left === null ? 0 : Number(left[2] ?? 1)).toBe(unlisted.length);
}

interface Listed {
  readonly events: readonly OutboxEvent[];
  readonly listed: readonly OutboxEvent[];
  readonly isScheduled: boolean;
}

/**
 * Checks that each listed alert has one link. Of more than twenty accounts of one list, the others
 * are only counted.
 */
function expectLinks(seen: string, { events, listed, isScheduled }: Listed): void {
  const among = new Set(listed);
  let missing = 0;
  for (const [n, event] of events.entries()) {
    const count = [...seen.matchAll(linksOf(event, n))].length;
    if (!among.has(event)) expect(count).toBe(0);
    else if (count === 0) missing += 1;
    else expect(count).toBe(1);
  }
  const more = [...seen.matchAll(/^[\s\u200b]*\\?\+(\d+) more$/gm)].map(([, count]) =>
    Number(count),
  );
  expect(more.reduce((sum, count) => sum + count, 0)).toBe(missing);
  if (missing > 0) expect(isScheduled && listed.length > MAX_PEOPLE).toBe(true);
}
