/**
 * Renders docs/watches.md: every watch type with its keys, its events and what it can miss, then
 * the keys that all of them share.
 */
import { findEndpoint } from "../../src/api/endpoints/index.ts";
import { variablesOf } from "../../src/config/where/where-types.ts";
import { COMMON_WATCH_KEYS } from "../../src/config/schema/watch-schema.ts";
import type { Include } from "../../src/model/watch.ts";
import type { TargetState } from "../../src/model/watch-store.ts";
import { formatDuration } from "../../src/model/duration.ts";
import { isTweetFeed, type WatchType } from "../../src/watches/watch-type.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { parse } from "yaml";
import { keyTable, typesOf, typeTables } from "./key-table.ts";
import { code, fenced, GENERATED, page, sentence, table } from "./markdown.ts";

/** Returns a type's example as a whole entry under `watches`. */
const exampleOf = (type: WatchType<any>): string =>
  `watches:\n  my-${type.type.replaceAll("_", "-")}:\n${type.example.trimEnd().replace(/^/gm, "    ")}\n    sink: terminal`;

function settingsOf(type: WatchType<any>): unknown {
  const written = parse(type.example) as Record<string, unknown>;
  const own = Object.entries(written).filter(([key]) => Object.hasOwn(type.schema().shape, key));
  return type.schema().parse(Object.fromEntries(own));
}

function includeText(type: WatchType<any>): string {
  if (!isTweetFeed(type)) return "";
  const names: Readonly<Record<keyof Include, string>> = {
    reply: "replies",
    quote: "quotes",
    retweet: "retweets",
  };
  const included = (Object.keys(names) as (keyof Include)[])
    .filter((kind) => type.include[kind])
    .map((kind) => names[kind]);
  return `Without \`include\` it announces posts${
    included.length === 0
      ? " only"
      : `${included
          .slice(0, -1)
          .map((kind) => `, ${kind}`)
          .join("")} and ${included.at(-1)}`
  }.`;
}

/**
 * Returns whether a read takes several pages. Lists whose leaving is reported are read whole. A
 * list of 20 entries is one page anyway.
 */
function isReadInPages({ detection, endpoints }: WatchType<any>, settings: unknown): boolean {
  if (detection.detector !== "roster") return false;
  const { mode } = detection.rule(settings, { memory: {} } as TargetState);
  return mode === "whole" && endpoints.some((name) => findEndpoint(name)?.cursor !== undefined);
}

/** Returns how many targets share a request, or undefined if each has its own. */
function batchSize(type: WatchType<any>, settings: unknown): number | undefined {
  const [target] = type.targets(settings, "w", () => "f");
  return type.source(settings, {
    key: target?.key ?? "",
    userId: "1",
    username: "acme",
    memory: {},
  }).batch?.size;
}

/** Describes the requests of a poll that finds less than a page of news. */
function costText(type: WatchType<any>): string {
  const settings = settingsOf(type);
  const per =
    type.schema().shape["accounts"] !== undefined
      ? "account"
      : type.schema().shape["tweets"] !== undefined
        ? "tweet"
        : "watch";
  if (isReadInPages(type, settings)) return `1 a page of the list, per ${per}`;
  const size = batchSize(type, settings);
  return size === undefined
    ? `${type.costRequests(settings)} per ${per}`
    : `1 per ${size} ${per}s of all watches with the same schedule`;
}

const caveatsOf = (type: WatchType<any>): readonly string[] => type.caveats(settingsOf(type));

/** Limits that three types or more share, each with its types. They are described once. */
const SHARED_LIMITS: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(WATCH_TYPES.flatMap(caveatsOf))].flatMap((caveat) => {
    const types = WATCH_TYPES.filter((type) => caveatsOf(type).includes(caveat));
    return types.length < 3 ? [] : [[caveat, types.map(({ type }) => type)] as const];
  }),
);

function notesOf(type: WatchType<any>): readonly string[] {
  const settings = settingsOf(type);
  return [
    `- Events: ${type.events.map(code).join(", ")}.`,
    ...(includeText(type) === "" ? [] : [`- ${includeText(type)}`]),
    ...(type.dataIntervalMs === undefined
      ? []
      : [
          `- Its data change about every ${formatDuration(type.dataIntervalMs)}; a faster schedule causes a warning, not an error.`,
        ]),
    ...(type.needsIndex === undefined
      ? []
      : [
          type.withoutIndex?.(settings) === undefined
            ? "- It needs accounts that the service has indexed. One that is not has the status `not_indexed`, is requested again once an hour, and is not an error."
            : "- With `source: auto`, the whole list is read for an account that the service has not indexed.",
        ]),
    ...caveatsOf(type)
      .filter((caveat) => !SHARED_LIMITS.has(caveat))
      .map((caveat) => `- Limit: ${sentence(caveat)}`),
    ...(caveatsOf(type).some((caveat) => SHARED_LIMITS.has(caveat))
      ? ["- Limit: see [limits of several types](#limits-of-several-types)."]
      : []),
  ];
}

const schemaOf = (type: WatchType<any>) =>
  typesOf("watches").find((one) => one.properties?.["type"]?.const === type.type) ?? {};

const TABLES = typeTables(
  WATCH_TYPES.map((type) => ({
    schema: schemaOf(type),
    keys: Object.keys(schemaOf(type).properties ?? {}).filter((name) =>
      Object.hasOwn(type.schema().shape, name),
    ),
  })),
);

const section = (type: WatchType<any>): readonly string[] => [
  `## ${type.type}`,
  sentence(type.summary),
  fenced("yaml part", exampleOf(type)),
  notesOf(type).join("\n"),
  ...TABLES.own(schemaOf(type)),
];

type Fields = Readonly<Record<string, unknown>>;

function namesOf(fields: Fields, prefix = ""): readonly string[] {
  return Object.entries(fields).flatMap(([name, kind]) =>
    typeof kind === "string" ? [`${prefix}${name}`] : namesOf(kind as Fields, `${prefix}${name}.`),
  );
}

/** Groups the watch types whose events have the same fields. */
function byBody(): readonly (readonly WatchType<any>[])[] {
  const groups = new Map<string, WatchType<any>[]>();
  for (const type of WATCH_TYPES) {
    const key = JSON.stringify(type.body);
    groups.set(key, [...(groups.get(key) ?? []), type]);
  }
  return [...groups.values()];
}

const namesCell = (fields: Fields): string => namesOf(fields).map(code).join(" ");

/**
 * Lists the fields below `tweet` and `user`, which most bodies have, so that the rows need not
 * repeat them.
 */
function wholeNames(): readonly (readonly string[])[] {
  const { tweet = {}, user = {} } = variablesOf({ tweet: "tweet", user: "user" });
  const own = Object.entries(tweet).filter(([, kind]) => typeof kind === "string");
  return [
    ["a tweet", `${namesCell(Object.fromEntries(own))}, and an account as ${code("user")}`],
    ["an account", namesCell(user as Fields)],
  ];
}

/** Lists the fields of a body: `tweet.*` for a whole tweet, `user.*` for a whole account. */
const bodyCell = (body: WatchType<any>["body"]): string =>
  Object.entries(body)
    .map(([name, field]) =>
      field === "tweet" || field === "user"
        ? code(`${name}.*`)
        : namesCell(variablesOf({ [name]: field })),
    )
    .join(" ");

const whereTable = (): string =>
  table(
    ["Watch types", "Names"],
    byBody().map((types) => [
      types.map(({ type }) => code(type)).join(", "),
      bodyCell(types[0]?.body ?? {}),
    ]),
  );

export const watchesPage = (): string =>
  page(
    GENERATED,
    "# Watch types",
    `A watch says what to look for. Each entry under \`watches\` has an id of your choice and a \`type\`. [Polling](polling.md) says how polls find what is new.`,
    "The last column says how many requests a poll costs that finds less than a page of news.",
    table(
      ["Type", "Alerts about", "Requests a poll"],
      WATCH_TYPES.map((type) => [
        `[${type.type}](#${type.type})`,
        sentence(type.summary),
        costText(type),
      ]),
    ),
    ...WATCH_TYPES.map(section),
    "## Keys of several types",
    "A section names them after *also*.",
    TABLES.shared,
    "## Limits of several types",
    table(
      ["Limit", "Types"],
      [...SHARED_LIMITS].map(([caveat, types]) => [
        sentence(caveat.slice(0, 1).toUpperCase() + caveat.slice(1)),
        types.map(code).join(", "),
      ]),
    ),
    "## Keys of every watch",
    "`include` is for watches of tweets only. `defaults.watch` takes all of these except `moved_from`.",
    keyTable(
      typesOf("watches").find((one) => one.properties?.["type"]?.const === "search") ?? {},
      (name) => name !== "type" && COMMON_WATCH_KEYS.includes(name),
    ),
    "## Names in where",
    "`where` is a CEL expression over the event's own body. `labels` is available, too, as a map. A field that an item does not have makes the expression false. `text.re(\"pattern\")` matches a regular expression in linear time; CEL's `matches` is refused.",
    "`tweet.*` stands for the names of a tweet, as in `tweet.likes_count`. `user.*` and `target.*` stand for those of an account. `tweet.quoted_status` and `tweet.retweeted_status` are tweets, too.",
    table(["The names of", "Names"], wholeNames()),
    whereTable(),
  );
