/**
 * The texts that `init` writes: the smallest useful configuration for each kind of sink, and the
 * variables that it needs. Pure.
 */
import { SAMPLE_VALUES } from "../../config/sample-values.ts";

/** The user's choices for the configuration that `init` writes. */
export interface StarterAnswers {
  /** A search query. If neither a search nor an account is given, an example query is written. */
  readonly search?: string | undefined;
  /** Handles without @. */
  readonly accounts: readonly string[];
  /** The channel, for Slack only. */
  readonly channel?: string | undefined;
}

export interface StarterFiles {
  readonly config: string;
  readonly env: string;
}

interface Starter {
  /** The name of the sink in the configuration. */
  readonly name: string;
  /** Returns the sink's settings in one line. */
  readonly yaml: (answers: StarterAnswers) => string;
  /** The variables that the sink needs, each with a comment. */
  readonly variables: readonly (readonly [comment: string, name: keyof typeof SAMPLE_VALUES])[];
}

const DEFAULT_CHANNEL = "#brand";

const STARTERS = {
  slack: {
    name: "brand",
    yaml: ({ channel = DEFAULT_CHANNEL }) =>
      `{ type: slack, token: "\${SLACK_BOT_TOKEN}", channel: ${quoted(channel)} }`,
    variables: [
      ["the bot token of your Slack app; invite the app to the channel", "SLACK_BOT_TOKEN"],
    ],
  },
  discord: {
    name: "feed",
    yaml: () => '{ type: discord, webhook_url: "${DISCORD_WEBHOOK_URL}" }',
    variables: [
      ["Discord: channel settings, Integrations, Webhooks, Copy URL", "DISCORD_WEBHOOK_URL"],
    ],
  },
  webhook: {
    name: "hook",
    yaml: () => '{ type: webhook, url: "${WEBHOOK_URL}", secret: "${WEBHOOK_SECRET}" }',
    variables: [
      ["where events are posted", "WEBHOOK_URL"],
      ["signs every message (Standard Webhooks); any text of yours", "WEBHOOK_SECRET"],
    ],
  },
  terminal: { name: "terminal", yaml: () => "{ type: console }", variables: [] },
} as const satisfies Record<string, Starter>;

export type StarterKind = keyof typeof STARTERS;

/**
 * The kinds of sink that `init` takes by name. `init docker` uses `slack` if a channel is given,
 * otherwise `terminal`, which writes to the container's output.
 */
export const SINK_KINDS = ["slack", "discord", "webhook"] as const satisfies readonly StarterKind[];

export const starterSink = (kind: StarterKind): string => STARTERS[kind].name;

/** Returns the names of the variables that the sink needs. */
export const starterVariables = (kind: StarterKind): readonly string[] =>
  STARTERS[kind].variables.map(([, name]) => name);

/**
 * Returns the texts of the files. `schemaPath` is where an editor finds the JSON Schema, relative
 * to the configuration.
 */
export function starterFiles(
  kind: StarterKind,
  answers: StarterAnswers,
  schemaPath: string,
): StarterFiles {
  const starter: Starter = STARTERS[kind];
  return { config: configText(starter, answers, schemaPath), env: envText(starter) };
}

const configText = (starter: Starter, answers: StarterAnswers, schemaPath: string): string =>
  `# yaml-language-server: $schema=${schemaPath}
version: 1

api:
  base_url: \${CHIRPWATCH_API_URL:?the https address of your data service}
  key: \${CHIRPWATCH_API_KEY:?your key}

watches:
${watchesText(answers, starter.name)}
sinks:
  ${starter.name}: ${starter.yaml(answers)}

ops: { sink: ${starter.name} } # where the daemon reports trouble of its own
`;

const EXAMPLE_WATCH = {
  query: `'("acme corp" OR @acme) -from:acme' # your name, without what you post yourself`,
  ignore: "\n    ignore: { authors: [acme_jobs], words: [giveaway] }",
};

function watchesText({ search, accounts }: StarterAnswers, sink: string): string {
  const example = search === undefined && accounts.length === 0;
  const query = example ? EXAMPLE_WATCH.query : search === undefined ? undefined : quoted(search);
  const watches = [
    ...(query === undefined
      ? []
      : [
          [
            "brand-mentions",
            "search",
            `query: ${query}`,
            `schedule: "@every 5m"${example ? EXAMPLE_WATCH.ignore : ""}`,
          ],
        ]),
    ...(accounts.length === 0
      ? []
      : [
          [
            "accounts",
            "timeline",
            `accounts: [${accounts.map(quoted).join(", ")}]`,
            'schedule: "@every 5m"',
          ],
        ]),
  ];
  return watches
    .map(
      ([id, type, what, when]) =>
        `  ${id}:\n    type: ${type}\n    ${what}\n    ${when}\n    sink: ${sink}\n`,
    )
    .join("\n");
}

/** Returns a text as a YAML string in which no variables are replaced. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll(/\$(?=[{$])/g, "$$$$");

const API_VARIABLES = [
  [
    "the https address of your data service, without /v3; or sandbox, the bundled one",
    "CHIRPWATCH_API_URL",
  ],
  ["your key for it; or sandbox", "CHIRPWATCH_API_KEY"],
] as const;

function envText({ variables }: Starter): string {
  const lines = [...API_VARIABLES, ...variables].map(
    ([comment, name]) => `# ${comment}\n${name}=${SAMPLE_VALUES[name]}\n`,
  );
  return `# Copy this to .env and fill it in. Keep .env out of version control.\n${lines.join("")}`;
}
