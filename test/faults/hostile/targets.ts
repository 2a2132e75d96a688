/** The parts of the daemon that read foreign data, each with inputs meant to break it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { ENDPOINTS, type EndpointName } from "../../../src/api/endpoints/index.ts";
import { createUpstream } from "../../../src/api/upstream.ts";
import { createWhereCompiler, type WhereCompiler } from "../../../src/config/where/where.ts";
import { variablesOf } from "../../../src/config/where/where-types.ts";
import { errorText } from "../../../src/model/errors.ts";
import type { EventBody } from "../../../src/model/event.ts";
import { UpstreamError } from "../../../src/model/upstream.ts";
import { queryDoubts } from "../../../src/query/doubts.ts";
import { evaluateQuery } from "../../../src/query/evaluate.ts";
import { parseQuery } from "../../../src/query/parse.ts";
import { printQuery } from "../../../src/query/print.ts";
import { QueryError } from "../../../src/query/query-error.ts";
import { withBounds } from "../../../src/query/with-bounds.ts";
import { checkTemplate, pathsRead } from "../../../src/render/templates/check-template.ts";
import { createTemplateRenderer } from "../../../src/render/templates/template-renderer.ts";
import { newFollowers } from "../../../src/watches/new-followers.ts";
import { scoreDelta } from "../../../src/watches/score-delta.ts";
import { search } from "../../../src/watches/search.ts";
import { loadText } from "../../config/load-text.ts";
import { makeTweet as makeQueryTweet } from "../../query/arbitrary-query.ts";
import { hostileText } from "../../render/hostile-text.ts";
import { API_SAMPLES } from "../../support/api-samples.ts";
import type { HostileTarget } from "./play-hostile.ts";
import { damaged, longText, nested, oddName, oddValue, shuffled } from "./texts.ts";

const root = resolve(import.meta.dirname, "../..");

const configTexts = (): readonly string[] => {
  const folder = join(root, "bad-configs");
  const bad = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const texts = bad.map((name) => readFileSync(join(folder, name), "utf8"));
  return texts.filter((text) => text.length > 20 && text.length < 4_000);
};

const YAML_SCRAPS = [
  "{",
  "}",
  "[",
  "]",
  ": ",
  "#",
  "- ",
  "&a ",
  "*a",
  "!",
  "!!binary ",
  "|",
  ">",
  '"',
  "'",
  "\t",
  "\n",
  "\n  ",
  "<<: ",
  "@",
  "? ",
  "---\n",
  "...\n",
  "%YAML 9\n",
];

/** Maps of any depth, with keys that the configuration language has and keys that it has not. */
const configTree = fc.letrec<{ value: unknown; map: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    oddValue,
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, [], {}),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("map"),
  ),
  map: fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        ...[
          "watches",
          "sinks",
          "route",
          "routes",
          "api",
          "state",
          "server",
          "ops",
          "defaults",
          "templates",
          "time_intervals",
          "type",
          "query",
        ],
        ...[
          "accounts",
          "schedule",
          "sink",
          "matchers",
          "digest",
          "throttle",
          "where",
          "when",
          "url",
          "token",
          "keys",
          "quota",
          "first_run",
        ],
      ),
      oddName,
    ),
    tie("value"),
    { maxKeys: 5 },
  ),
})).map;

export const configuration: HostileTarget<string> = {
  name: "a configuration",
  inputs: fc.oneof(
    {
      weight: 6,
      arbitrary: damaged(
        configTexts(),
        fc.oneof(fc.constantFrom(...YAML_SCRAPS), oddValue, oddName),
      ),
    },
    { weight: 3, arbitrary: configTree.map((tree) => JSON.stringify(tree)) },
    {
      weight: 1,
      arbitrary: shuffled(
        [...YAML_SCRAPS, "watches", "w", "type: search", "query: a"],
        ["", " ", "\n", ": "],
      ),
    },
    {
      weight: 1,
      arbitrary: nested(
        [
          ["[", "]"],
          ["{a: ", "}"],
          ["- ", ""],
          ["a:\n ", ""],
          ["&a [*a, ", "]"],
          ['"', '"'],
        ],
        oddValue,
      ),
    },
    { weight: 1, arbitrary: longText },
  ),
  async feed(text) {
    const loaded = await loadText(text, { env: { SLACK_BOT_TOKEN: "x" } });
    const issues = loaded.ok ? loaded.config.warnings : loaded.issues;
    const lines = text.split("\n");
    for (const { line, column, message } of issues) {
      const length = (lines[line - 1] ?? "").length;
      if (line > lines.length || column > length + 1)
        throw new Error(`${message} stands at ${line}:${column}, outside of the file`);
    }
    if (!loaded.ok && !issues.some(({ severity }) => severity === "error"))
      throw new Error("refused without an error");
    return issues.map(({ message }) => message);
  },
};

const QUERY_WORDS = [
  ...[
    "acme",
    "corp",
    "OR",
    "AND",
    "-",
    "(",
    ")",
    '"',
    "from:",
    "to:",
    "@a",
    "#tag",
    "$btc",
    "lang:de",
    "min_faves:",
    "min_retweets:5",
    "since:",
  ],
  ...[
    "until:2026-01-01",
    "since_time:",
    "max_id:",
    "since_id:",
    "filter:replies",
    "-filter:links",
    "filter:",
    "within_time:2d",
    "url:",
    "list:1",
  ],
  ...[
    "include:nativeretweets",
    "near:",
    "conversation_id:1",
    "place:",
    "NOT",
    "&&",
    "||",
    "title:",
    "site:",
    "*",
    "?",
  ],
];
const queryTweet = makeQueryTweet({
  full_text: "acme corp @a #tag $BTC (x)",
  lang: "de",
  likes_count: 3,
});

export const query: HostileTarget<string> = {
  name: "a query",
  inputs: fc.oneof(
    { weight: 6, arbitrary: shuffled(QUERY_WORDS, ["", " ", " ", ":", "\n"]) },
    { weight: 1, arbitrary: hostileText },
    {
      weight: 1,
      arbitrary: nested(
        [
          ["(", ")"],
          ["-", ""],
          ["-(", ")"],
          ["(a OR ", ")"],
          ['"', '"'],
          ["a ", ""],
        ],
        fc.constantFrom("a", "", "OR", "from:b"),
      ),
    },
    { weight: 1, arbitrary: longText },
  ),
  feed(text) {
    try {
      const parsed = parseQuery(text);
      const doubts = queryDoubts(text).map((doubt) => JSON.stringify(doubt));
      const printed = printQuery(parsed);
      if (printQuery(parseQuery(printed)) !== printed)
        throw new Error(`it is printed as ${printed}, which is read as another query`);
      evaluateQuery(parsed, queryTweet, { nowMs: 1_700_000_000_000 });
      return [...doubts, printed, withBounds(text, { untilTime: 1_700_000_000 } as never)];
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      if (error.position < 0 || error.position > text.length)
        throw new Error(`the mistake stands at ${error.position}`, { cause: error });
      return [error.message];
    }
  },
};

const LIST = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]";
const CEL_WORDS = [
  ...Object.keys(variablesOf(search.body)),
  ...[
    "tweet.full_text",
    "tweet.lang",
    "tweet.likes_count",
    "tweet.user.followers_count",
    "tweet.entities",
    "tweet.quoted_status",
    "labels.team",
  ],
  ...[
    "&&",
    "||",
    "!",
    "==",
    "!=",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "?",
    ":",
    "in",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
  ],
  ...[
    '"a"',
    "'b'",
    "r'\\d'",
    '"""c"""',
    'b"x"',
    "1",
    "-1",
    "9223372036854775807",
    "1u",
    "1.5",
    "true",
    "null",
    LIST,
  ],
  ...[
    "has(",
    "size(",
    "int(",
    "string(",
    "timestamp(",
    "duration(",
    "type(",
    ".exists(e, ",
    ".all(e, ",
    ".map(e, ",
    ".filter(e, ",
    ".re(",
  ],
  ...[
    '.matches("(a+)+")',
    '.contains("a")',
    '.startsWith("")',
    '.re("(a+)+$")',
    '.re("[")',
    ".getFullYear()",
    ".lowerAscii()",
    ".split(",
  ],
];
/** Valid conditions, from which broken ones are made. */
const CEL_TEXTS = [
  'tweet.lang == "en" && tweet.likes_count > 5',
  'tweet.entities.exists(e, e.type == "photo") || tweet.user.verified',
  'has(tweet.quoted_status) && tweet.quoted_status.full_text.re("(?i)acme|(b+)+")',
  'tweet.full_text.contains("a") ? tweet.likes_count % 2 == 0 : labels.team == "x"',
  'tweet.entities.filter(e, e.type != "").map(e, e.link).exists(l, l.startsWith("https://"))',
  "size(tweet.entities) * 3 + 1 > int(tweet.user.followers_count) - 7",
  `${LIST}.all(a, ${LIST}.exists(b, a == b))`,
];
const celEvent = {
  tweet: {
    ...{ id: "1", lang: "en", full_text: `${"a".repeat(2_000)}!`, likes_count: 7 },
    entities: Array.from({ length: 20 }, (_, n) => ({
      type: n % 2 === 0 ? "photo" : "video",
      link: "https://e.com",
      preview: "",
    })),
    user: { followers_count: 100, verified: true, username: "anna" },
  },
} as unknown as EventBody;
const BODIES = [search.body, newFollowers.body, scoreDelta.body];
let compiler: WhereCompiler = createWhereCompiler();
let compiled = 0;

export const condition: HostileTarget<readonly [string, number]> = {
  name: "a condition",
  inputs: fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: shuffled(CEL_WORDS, ["", " ", " "]) },
      {
        weight: 4,
        arbitrary: damaged(CEL_TEXTS, fc.oneof(fc.constantFrom(...CEL_WORDS), oddValue)),
      },
      {
        weight: 1,
        arbitrary: nested(
          [
            ["(", ")"],
            ["!", ""],
            ["[", "]"],
            ["size(", ")"],
            [`${LIST}.all(a, `, ")"],
            ["tweet.entities.map(e, ", ")"],
            ["true ? ", " : false"],
          ],
          fc.constantFrom("true", "1", "a", "e.type", ""),
        ),
      },
      { weight: 1, arbitrary: longText },
    ),
    fc.nat(BODIES.length - 1),
  ),
  feed([text, body]) {
    // The compiler caches what it has compiled, which is fine for the limited conditions of a
    // configuration. A new one keeps the memory small.
    if ((compiled += 1) % 500 === 0) compiler = createWhereCompiler();
    const where = compiler.compile(text, BODIES[body] ?? search.body);
    if (!("matches" in where)) return [where.message];
    where.matches(celEvent, { team: "x" });
    where.matches({} as EventBody, {});
    return [where.describeFalse(celEvent, { team: "x" }), where.describeFalse({} as EventBody, {})];
  },
};

const LIQUID_WORDS = [
  ...[
    "{{",
    "}}",
    "{%",
    "%}",
    "{{-",
    "-%}",
    "tweet.full_text",
    "tweet.user.username",
    "title",
    "labels.team",
    "watch",
    "forloop.index",
    "i",
  ],
  ...[
    "|",
    "| upcase",
    "| graphemes: 3",
    "| time: 'relative'",
    "| thousands",
    "| date: '%s'",
    "| split: ''",
    "| join",
    "| size",
    "| append: title",
  ],
  ...[
    "| replace: 'a', 'aaaaaaaa'",
    "| sort",
    "| map: 'a'",
    "| where: 'a'",
    "| slice: 0, 3",
    "| times: 1e9",
    "| divided_by: 0",
    "| round",
    "| default: 1",
  ],
  ...[
    "if",
    "endif",
    "elsif",
    "else",
    "unless",
    "endunless",
    "for i in (1..1000)",
    "endfor",
    "case",
    "when",
    "endcase",
    "assign a =",
    "capture a",
    "endcapture",
  ],
  ...[
    "increment a",
    "cycle 'a', 'b'",
    "tablerow",
    "comment",
    "endcomment",
    "raw",
    "include 'x'",
    "render 'x'",
    "liquid",
    "echo",
    "break",
    "#",
  ],
  ...[
    "==",
    "and",
    "or",
    "contains",
    "(1..99999999)",
    "'text'",
    "1",
    "-1",
    "nil",
    "blank",
    "[0]",
    ".first",
    ".__proto__",
  ],
];
const LIQUID_TEXTS = [
  "{{ title }}: {{ tweet.full_text | graphemes: 100 }}",
  "{% if tweet.likes_count > 5 %}{{ tweet.likes_count | thousands }}{% else %}few{% endif %}",
  "{% for i in (1..50) %}{% for j in (1..50) %}{{ i }}{{ j | append: title }}{% endfor %}{% endfor %}",
  "{% assign a = title | split: '' %}{% for c in a reversed %}{{ c }}{% endfor %}",
  "{% capture a %}{{ tweet.created_at | time: 'relative' }}{% endcapture %}{{ a | append: a | append: a }}",
  "{% case tweet.lang %}{% when 'en' %}English{% else %}{{ tweet.lang | upcase | default: '?' }}{% endcase %}",
];
const FIELDS = {
  title: {},
  watch: {},
  labels: {},
  tweet: { full_text: {}, lang: {}, likes_count: {}, created_at: {}, user: { username: {} } },
} as never;
const liquidData = fc.oneof(
  fc.constant(
    JSON.stringify({
      title: "Posted",
      watch: "w",
      labels: { team: "x" },
      tweet: { full_text: "a".repeat(3_000), lang: "en", likes_count: 7 },
    }),
  ),
  fc
    .record({
      title: hostileText,
      tweet: fc.record({ full_text: hostileText, lang: oddValue, likes_count: oddValue }),
    })
    .map((data) => JSON.stringify(data)),
);
/**
 * The thread's limit for rendering one text. template-worker.ts ends what liquidjs does not end
 * itself.
 */
const RENDER_LIMIT_MS = 500;

export const template: HostileTarget<readonly [string, string]> = {
  name: "a template",
  inputs: fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: shuffled(LIQUID_WORDS, ["", " ", " ", "\n"]) },
      {
        weight: 5,
        arbitrary: damaged(LIQUID_TEXTS, fc.oneof(fc.constantFrom(...LIQUID_WORDS), oddValue)),
      },
      {
        weight: 1,
        arbitrary: nested(
          [
            ["{% if true %}", "{% endif %}"],
            ["{% for i in (1..9) %}", "{% endfor %}"],
            ["{{ ", " }}"],
            ["{% capture a %}", "{% endcapture %}"],
            ["(", ")"],
          ],
          fc.constantFrom("a", "{{ title }}", ""),
        ),
      },
      { weight: 1, arbitrary: longText },
    ),
    liquidData,
  ),
  feed([text, data]) {
    const problems = checkTemplate(text, FIELDS).map(({ message }) => message);
    if (problems.length === 0) pathsRead(text);
    const render = createTemplateRenderer(
      [{ name: "t", events: ["*"], body: text }],
      RENDER_LIMIT_MS,
    );
    const result = render({
      template: "t",
      data,
      region: {},
      hasMoments: false,
      nowMs: 1_700_000_000_000,
    });
    // The author of a template decides what it prints, so only problems, which the daemon words,
    // are checked.
    return "problem" in result ? [...problems, result.problem] : problems;
  },
};

interface Answered {
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
let answered: Answered | undefined;
const upstream = createUpstream({
  http: {
    request: async () => ({
      status: answered?.status ?? 200,
      headers: answered?.headers ?? {},
      body: answered?.body ?? "",
    }),
  },
  baseUrl: "https://api.example.com",
  key: () => "K",
});
const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[];

function bodyOf(name: EndpointName): string {
  const { sent } = API_SAMPLES[name];
  return JSON.stringify(
    Array.isArray(sent)
      ? { [ENDPOINTS[name].answer.kind]: sent, next_cursor: "1" }
      : { ...(sent as object), next_cursor: "1" },
  );
}

const JSON_SCRAPS = [
  "null",
  "{}",
  "[]",
  '""',
  "0",
  "-1",
  "1e400",
  "true",
  '"NaN"',
  ",",
  "{",
  "}",
  "[",
  "]",
  '"',
  ":",
  "\\u0000",
  '"__proto__":',
  "9007199254740993",
  "<html>",
];
const answers = fc.constantFrom(...ENDPOINT_NAMES).chain((endpoint) =>
  fc.record({
    endpoint: fc.constant(endpoint),
    status: fc.oneof(
      { weight: 6, arbitrary: fc.constant(200) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          0,
          100,
          204,
          301,
          400,
          401,
          402,
          403,
          404,
          413,
          429,
          500,
          502,
          503,
          599,
          999,
        ),
      },
    ),
    headers: fc.dictionary(
      fc.constantFrom("retry-after", "date", "content-type", "x-ratelimit-reset", "__proto__"),
      oddValue,
      {
        maxKeys: 3,
      },
    ),
    body: fc.oneof(
      {
        weight: 6,
        arbitrary: damaged(
          [bodyOf(endpoint)],
          fc.oneof(
            fc.constantFrom(...JSON_SCRAPS),
            oddValue.map((value) => JSON.stringify(value)),
          ),
        ),
      },
      { weight: 2, arbitrary: fc.json({ maxDepth: 5 }) },
      {
        weight: 1,
        arbitrary: nested(
          [
            ["[", "]"],
            ['{"a":', "}"],
            ['{"data":', "}"],
            ['{"users":[', "]}"],
            ['{"tweets":[{"quoted_status":', "}]}"],
          ],
          fc.constantFrom("1", "", "null"),
        ),
      },
      { weight: 1, arbitrary: fc.oneof(longText, hostileText) },
    ),
  }),
);

export const answer: HostileTarget<Answered> = {
  name: "an answer of the service",
  inputs: answers,
  async feed(input) {
    answered = input;
    try {
      await upstream.call({ endpoint: input.endpoint, params: API_SAMPLES[input.endpoint].params });
      return [];
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return [errorText(error)];
    }
  },
};
