/** The texts that `init` writes: the smallest useful configuration of each kind, and the variables it wants. Pure. */
import { SAMPLE_VALUES } from "../../config/sample-values.ts";

export interface StarterFiles {
  readonly config: string;
  readonly env: string;
}

interface Starter {
  /** The sink's name and its YAML, one line. */
  readonly name: string;
  readonly yaml: string;
  /** What the sink needs: comment and variable. */
  readonly variables: readonly (readonly [comment: string, name: keyof typeof SAMPLE_VALUES])[];
}

const STARTERS = {
  slack: {
    name: "brand",
    yaml: '{ type: slack, token: "${SLACK_BOT_TOKEN}", channel: "#brand" }',
    variables: [["the bot token of your Slack app; invite the app to the channel", "SLACK_BOT_TOKEN"]],
  },
  discord: {
    name: "feed",
    yaml: '{ type: discord, webhook_url: "${DISCORD_WEBHOOK_URL}" }',
    variables: [["Discord: channel settings, Integrations, Webhooks, Copy URL", "DISCORD_WEBHOOK_URL"]],
  },
  webhook: {
    name: "hook",
    yaml: '{ type: webhook, url: "${WEBHOOK_URL}", secret: "${WEBHOOK_SECRET}" }',
    variables: [
      ["where events are posted", "WEBHOOK_URL"],
      ["signs every message (Standard Webhooks); any text of yours", "WEBHOOK_SECRET"],
    ],
  },
} as const satisfies Record<string, Starter>;

export type StarterKind = keyof typeof STARTERS;

export const STARTER_KINDS = Object.keys(STARTERS) as readonly StarterKind[];

/** `schemaPath`: where an editor finds the JSON Schema, as seen from the file. */
export function starterFiles(kind: StarterKind, schemaPath: string): StarterFiles {
  const starter: Starter = STARTERS[kind];
  return { config: configText(starter, schemaPath), env: envText(starter) };
}

const configText = ({ name, yaml }: Starter, schemaPath: string): string => `# yaml-language-server: $schema=${schemaPath}
version: 1

api:
  base_url: \${CHIRPWATCH_API_URL:?the https address of your data service}
  key: \${CHIRPWATCH_API_KEY:?your key}

watches:
  brand-mentions:
    type: search
    query: '("acme corp" OR @acme) -from:acme' # your name, without what you post yourself
    schedule: "@every 5m"
    ignore: { authors: [acme_jobs], words: [giveaway] }
    sink: ${name}

sinks:
  ${name}: ${yaml}

ops: { sink: ${name} } # where the daemon reports trouble of its own
`;

function envText({ variables }: Starter): string {
  const all = [
    ["the https address of your data service, without /v3; or sandbox, the bundled one", "CHIRPWATCH_API_URL"],
    ["your key for it; or sandbox", "CHIRPWATCH_API_KEY"],
    ...variables,
  ] as const;
  const lines = all.map(([comment, name]) => `# ${comment}\n${name}=${SAMPLE_VALUES[name]}\n`);
  return `# Copy this to .env and fill it in. Keep .env out of version control.\n${lines.join("")}`;
}
