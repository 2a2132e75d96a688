/**
 * Renders docs/sinks.md: every sink type with its keys and behaviour, then the keys that all of
 * them share.
 */
import { DEFAULTS } from "../../src/config/defaults.ts";
import { COMMON_SINK_KEYS } from "../../src/config/schema/sink-schema.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import type { AnswerMeaning } from "../../src/sinks/kind/meant-answer.ts";
import type { SinkType } from "../../src/sinks/kind/sink-type.ts";
import { keyTable, typesOf, typeTables } from "./key-table.ts";
import { code, fenced, GENERATED, page, sentence, table } from "./markdown.ts";

const schemaOf = (type: SinkType<any>) =>
  typesOf("sinks").find((one) => one.properties?.["type"]?.const === type.type) ?? {};

const exampleOf = (type: SinkType<any>): string =>
  `sinks:\n  my-${type.type}:\n${type.example.trimEnd().replace(/^/gm, "    ")}\nops: { sink: my-${type.type} }`;

function notesOf(type: SinkType<any>): readonly string[] {
  const secrets = type.secrets.map(code).join(", ");
  const files = type.secrets.map((key) => code(`${key}_file`)).join(", ");
  return [
    type.concurrency === 1
      ? "- One message at a time, in order."
      : `- Up to ${type.concurrency} messages at a time; order is kept per group.`,
    ...(secrets === ""
      ? []
      : [`- Secrets: ${secrets}. Set each by a variable, or name a file that holds it: ${files}.`]),
    ...(type.check === undefined
      ? []
      : ["- Its credentials are checked at the start, by a call that posts nothing."]),
  ];
}

/** Renders the differences between sinks for people and sinks for programs. */
function kindsTable(): string {
  const { limit, interval } = DEFAULTS.chatSink.throttle;
  const typesWhere = (chat: boolean): string =>
    SINK_TYPES.filter((type) => type.chat === chat)
      .map(({ type }) => code(type))
      .join(", ");
  return table(
    ["Kind", "Types", "Unless the configuration says otherwise"],
    [
      [
        "chat",
        typesWhere(true),
        `At most ${limit} messages in ${interval}, the rest as a digest every two minutes; one tweet once in 24 h, naming every watch that matched; new followers of one account in one poll as one message. A message is tried for ${DEFAULTS.chatSink.retry_for} from its first attempt.`,
      ],
      [
        "program",
        typesWhere(false),
        `Every event is a message of its own, unless a route groups them. Nothing is throttled. A message is tried for ${DEFAULTS.sink.retry_for}.`,
      ],
    ],
  );
}

const TABLES = typeTables(
  SINK_TYPES.map((type) => ({
    schema: schemaOf(type),
    keys: Object.keys(schemaOf(type).properties ?? {}).filter(
      (name) =>
        name !== "type" &&
        !COMMON_SINK_KEYS.includes(name) &&
        !type.secrets.some((key) => name === `${key}_file`),
    ),
  })),
);

const section = (type: SinkType<any>): readonly string[] => [
  `## ${type.type}`,
  sentence(type.summary),
  fenced("yaml part", exampleOf(type)),
  notesOf(type).join("\n"),
  ...TABLES.own(schemaOf(type)),
];

const MEANINGS: Readonly<
  Record<AnswerMeaning, readonly [means: string, repeated: string, ops: string]>
> = {
  sent: ["taken", "no", "none"],
  part: [
    "some of its receivers took it",
    "only for those who refused it for now",
    "`delivery.partial`, once a day for the same receivers",
  ],
  too_large: [
    "too large",
    "in halves, down to single alerts",
    "`delivery.dead` for what is refused alone",
  ],
  refused: ["this message is refused", "no: dead letter", "`delivery.dead`"],
  closed: [
    "no message can be posted there",
    "with each trial of the breaker",
    "`sink.failing` at once",
  ],
  gone: [
    "gone for good: the sink is disabled",
    "no, until its address changes or `resume --sink`",
    "`sink.failing` at once, `delivery.dead`",
  ],
  wait: ["not now", "after the wait that was asked for", "`sink.failing` where it goes on"],
  passing: [
    "may pass",
    "by the retry schedule, as long as `retry_for`",
    "`sink.failing` after two minutes",
  ],
};

/** Returns a row for each type, with its answers by what they mean. */
const answerRows = ({ type, answers }: SinkType<any>): readonly (readonly string[])[] =>
  (Object.keys(MEANINGS) as AnswerMeaning[]).flatMap((meaning) => {
    const own = answers.filter(({ means }) => means === meaning).map(({ answer }) => answer);
    return own.length === 0 ? [] : [[code(type), MEANINGS[meaning][0], own.join("; ")]];
  });

export const sinksPage = (): string =>
  page(
    GENERATED,
    "# Sink types",
    "A sink says where alerts go. Each entry under `sinks` has a name of your choice and a `type`. [Delivery](delivery.md) says what is guaranteed, [webhook](webhook.md) documents the body of a webhook.",
    table(
      ["Type", "Purpose"],
      SINK_TYPES.map((type) => [`[${type.type}](#${type.type})`, sentence(type.summary)]),
    ),
    "There are two kinds of sinks:",
    kindsTable(),
    ...SINK_TYPES.map(section),
    "## Keys of several types",
    "A section names them after *also*.",
    TABLES.shared,
    "## What answers mean",
    "Over HTTP the status counts. The body of a 2xx counts only where the vendor documents that it may speak of a failure. Without an answer a message is tried again. [Delivery](delivery.md#when-a-sink-does-not-take-a-message) has more about failures.",
    table(["An answer means", "The message is sent again", "Ops alert"], Object.values(MEANINGS)),
    table(["Sink", "Means", "Answer"], SINK_TYPES.flatMap(answerRows)),
    "## Keys of every sink",
    "`defaults.sink` holds keys of one type for all its sinks, by the type's name.",
    keyTable(
      typesOf("sinks").find((one) => one.properties?.["type"]?.const === "console") ?? {},
      (name) => COMMON_SINK_KEYS.includes(name),
    ),
  );
