/**
 * Tests that each folder of examples/ runs: its own file, with short schedules and stand-ins
 * instead of the vendors' addresses, alerts on a new tweet.
 */
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { makeFolder } from "../support/bin-process.ts";
import { startDaemonHere, writeConfig } from "../support/daemon-process.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";
import { startSandboxHere } from "../support/sandbox-process.ts";
import { startSmtpStandIn } from "../support/smtp-stand-in.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, keep, noted } from "./fixture.ts";

cleanUpAfterwards();

const EXAMPLES = resolve("examples");

interface Receiver {
  /** Settings that redirect the example's sink to the receiver. */
  readonly settings: object;
  /** Returns everything that the receiver got. */
  text(): string;
}

const slack = async (): Promise<Receiver> => {
  const server = await startLoopbackServer(
    json({ ok: true, ts: "1700000000.000100", channel: "C1" }),
  ).then(keep);
  return { settings: { api_url: `${server.url}/api/` }, text: () => bodies(server.received) };
};

const discord = async (): Promise<Receiver> => {
  const server = await startLoopbackServer(
    json({ id: "1128374650192837465", channel_id: "1" }),
  ).then(keep);
  return { settings: { api_url: `${server.url}/api` }, text: () => bodies(server.received) };
};

const mail = async (): Promise<Receiver> => {
  const server = await startSmtpStandIn().then(keep);
  const digest = { schedule: "@every 2s", max_items: 50, sort_by: "likes_count" };
  const settings = { host: "127.0.0.1", port: server.port, security: "none", digest };
  return { settings, text: () => server.mails.map(({ source }) => source).join("\n") };
};

const bodies = (received: readonly { readonly body: string }[]): string =>
  received.map(({ body }) => decodeURIComponent(body.replaceAll("+", " "))).join("\n");

interface Run {
  readonly sink: string;
  readonly receiver: () => Promise<Receiver>;
  /** The text of a tweet posted by alice, who has half a million followers. */
  readonly tweet: string;
  /** A part of what must arrive. */
  readonly expected: string;
}

const RUNS: Readonly<Record<string, Run>> = {
  "slack-channel": {
    sink: "brand",
    receiver: slack,
    tweet: "hello @acme",
    expected: "S0123ABCDEF",
  },
  "discord-news-bot": {
    sink: "news",
    receiver: discord,
    tweet: "Breaking: a new release",
    expected: "<@&1128374650192837466>",
  },
  "daily-digest": {
    sink: "morning-mail",
    receiver: mail,
    tweet: "we like acme corp",
    expected: "we like acme corp",
  },
  "quiet-hours": {
    sink: "on-call",
    receiver: slack,
    tweet: "acme is down again",
    expected: "acme is down again",
  },
};

const ENV = {
  SLACK_BOT_TOKEN: "xoxb-1-2-abc",
  DISCORD_BOT_TOKEN: "bot.token",
  DISCORD_CHANNEL_ID: "1128374650192837465",
  SMTP_PASSWORD: "p",
};

type Section = Record<string, Record<string, unknown>>;

/**
 * Returns the example's file, in which whatever a test cannot wait for or must not reach is
 * replaced.
 */
function prepare(name: string, { sink }: Run, settings: object): string {
  const folder = makeFolder();
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  const written = parse(readFileSync(join(folder, "watches.yaml"), "utf8")) as {
    watches: Section;
    sinks: Section;
  };
  const watches = Object.entries(written.watches).map(([id, { freshness: _, ...watch }]) => [
    id,
    { ...watch, schedule: "@every 1s" },
  ]);
  const type = written.sinks[sink]?.["type"];
  const sinks = Object.entries(written.sinks).map(([id, one]) => [
    id,
    one["type"] === type ? { ...one, ...settings } : one,
  ]);
  const server = { listen: "127.0.0.1:0" };
  writeConfig(folder, {
    ...written,
    server,
    watches: Object.fromEntries(watches),
    sinks: Object.fromEntries(sinks),
  });
  return folder;
}

describe.concurrent("examples", () => {
  it("each folder is run by a test", () => {
    const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    // The example with a program of its own is run by enriching.test.ts.
    expect(folders.map(({ name }) => name).sort()).toEqual(
      [...Object.keys(RUNS), "enrich-sentiment"].sort(),
    );
  });

  it.each(Object.entries(RUNS))("%s alerts of a new tweet", async (name, run) => {
    const receiver = await run.receiver();
    const folder = prepare(name, run, receiver.settings);
    const sandbox = keep(await startSandboxHere());
    await sandbox.control("accounts", { username: "alice", followers_count: 500_000 });
    const env = { ...ENV, CHIRPWATCH_API_URL: sandbox.url, CHIRPWATCH_API_KEY: sandbox.key };
    const daemon = await startDaemonHere({ folder, env });
    const { watches } = parse(readFileSync(join(folder, "watches.yaml"), "utf8")) as {
      watches: Section;
    };
    await Promise.all(Object.keys(watches).map((id) => noted(daemon, id)));
    await sandbox.control("tweets", { username: "alice", text: run.tweet });
    await until("the alert", () => receiver.text().includes(run.expected), daemon.err);
    expect(receiver.text()).toContain(run.tweet);
  });
});
