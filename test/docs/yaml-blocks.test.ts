import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { formatIssue } from "../../src/config/report.ts";
import { loadText } from "../config/load-text.ts";
import { PAGES, type Block } from "./pages.ts";
import { ROOT } from "./program.ts";

/** Values for every variable that the pages name. */
const ENV = {
  CHIRPWATCH_ALLOW_EXEC: "/usr/local/bin/on-alert",
  CHIRPWATCH_API_URL: "https://data.example.org",
  CHIRPWATCH_API_KEY: "a-key",
  SLACK_BOT_TOKEN: "xoxb-1-2-abc",
  SLACK_APP_TOKEN: "xapp-1-A0-1-abc",
  SLACK_WEBHOOK_URL: "https://hooks.slack.com/services/T0/B0/abc",
  DISCORD_WEBHOOK_URL: "https://discord.com/api/webhooks/1/abc",
  DISCORD_BOT_TOKEN: "a-bot-token",
  DISCORD_CHANNEL_ID: "1128374650192837465",
  TEAMS_WEBHOOK_URL: "https://teams.example/workflows/1",
  MATTERMOST_WEBHOOK_URL: "https://mattermost.example/hooks/1",
  SMTP_PASSWORD: "a-password",
  STATE_URL: "postgres://cw:a-password@db.example.com/cw",
  TELEGRAM_BOT_TOKEN: "123456:ABC-DEF",
  WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  WEBHOOK_SECRET_BEFORE: "whsec_b2xkIHNlY3JldCBvZiB0aGUgd2ViaG9vaw==",
  CHIRPWATCH_SERVER_TOKEN: "a-long-token",
  QUOTA: "100000",
};
const FILES = {
  "/etc/chirpwatch/accounts/partners.txt": "alice\nbob\n",
  "/etc/chirpwatch/accounts.txt": "alice\nbob\n",
  "/run/secrets/api_key": "a-key\n",
  "/run/secrets/slack_token": "xoxb-1-2-abc\n",
};

/** The sinks for blocks that leave them out. */
const SINKS = `sinks:
  terminal: { type: console }
  brand: { type: slack, token: "\${SLACK_BOT_TOKEN}", channel: "#brand" }
  news: { type: discord, webhook_url: "\${DISCORD_WEBHOOK_URL}" }
  hook: { type: webhook, url: "https://example.com/hook", secret: "\${WEBHOOK_SECRET}" }
`;
const WATCHES = "watches:\n  mentions: { type: search, query: acme }\n";

function completed(text: string): string {
  const sections = (parse(text) ?? {}) as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  const [firstSink = "terminal"] = Object.keys(sections["sinks"] ?? {});
  return [
    text,
    sections["watches"] === undefined ? WATCHES : "",
    sections["sinks"] === undefined ? SINKS : "",
    sections["route"] === undefined ? `route: { sink: ${firstSink} }\n` : "",
    sections["ops"] === undefined ? `ops: { sink: ${firstSink} }\n` : "",
  ].join("");
}

/**
 * Whether a block is not a configuration of chirpwatch. It has a marker, or keys that only a
 * compose file has.
 */
const isForeign = ({ marker, text }: Block): boolean =>
  ["compose", "prometheus", "kubernetes"].includes(marker) || /^services:/m.test(text);

/** Whether the block names the file that it shows. */
const isExample = ({ marker }: Block): boolean => marker.startsWith("examples/");

const blocks = PAGES.flatMap(({ path, blocks: own }) =>
  own
    .filter(({ language }) => language === "yaml" || language === "yml")
    .map((block) => ({ name: `${path}:${block.line}`, block })),
);

describe("YAML in the documentation", () => {
  it.each(
    blocks.filter(({ block }) => !isForeign(block) && (block.marker === "" || isExample(block))),
  )("is a good file: $name", async ({ block }) => {
    const loaded = await loadText(block.text, { env: ENV, files: FILES });
    const issues = loaded.ok ? loaded.config.warnings : loaded.issues;
    expect(issues.map(formatIssue)).toEqual([]);
  });

  it.each(blocks.filter(({ block }) => isExample(block)))(
    "is the example's file: $name",
    ({ block }) => {
      expect(block.text).toBe(readFileSync(join(ROOT, block.marker), "utf8"));
    },
  );

  it.each(blocks.filter(({ block }) => block.marker === "part"))(
    "is a part that fits into a good file: $name",
    async ({ block }) => {
      const loaded = await loadText(completed(block.text), { env: ENV, files: FILES });
      expect(
        loaded.ok
          ? []
          : loaded.issues.filter(({ severity }) => severity === "error").map(formatIssue),
      ).toEqual([]);
    },
  );

  it.each(blocks.filter(({ block }) => isForeign(block)))(
    "of other programs can be read: $name",
    ({ block }) => {
      expect(
        parseAllDocuments(block.text).flatMap(({ errors }) => errors.map(({ message }) => message)),
      ).toEqual([]);
    },
  );

  it("has no marker nobody knows", () => {
    const known = ["", "part", "compose", "prometheus", "kubernetes"];
    expect(
      blocks
        .filter(({ block }) => !known.includes(block.marker) && !isExample(block))
        .map(({ name }) => name),
    ).toEqual([]);
  });

  it("is there: the README shows the smallest file, and how to start in Discord and Docker", () => {
    const readme = blocks
      .filter(({ name }) => name.startsWith("README.md"))
      .map(({ block }) => block.text);
    expect(readme.some((text) => text.includes("type: slack"))).toBe(true);
    expect(PAGES[0]?.text).toContain("type: discord");
    expect(PAGES[0]?.text).toContain("docker");
  });
});
