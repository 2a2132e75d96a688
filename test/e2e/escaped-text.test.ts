/**
 * Tests texts that the service escapes. Everything that reads a text gets what its author wrote,
 * and an escaped text in an old state is not taken for a change.
 */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { loadDriver } from "../../src/state/db/driver.ts";
import { MIGRATIONS } from "../../src/state/migrations/migrate.ts";
import { makeFolder } from "../support/bin-process.ts";
import {
  baseConfig,
  type RunningDaemon,
  startDaemonHere,
  writeConfig,
} from "../support/daemon-process.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import { runCommand } from "../support/run-command.ts";
import { startSandboxHere } from "../support/sandbox-process.ts";
import { startSlackStandIn } from "../support/slack-stand-in.ts";
import { until } from "../support/until.ts";
import { openTemp } from "../state/temp-state.ts";
import { cleanUpAfterwards, hookSink, keep, noted, sorted } from "./fixture.ts";

cleanUpAfterwards();

const Database = loadDriver();
const WRITTEN = "R&D and P&L <x> &lt;";
const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

it("fault 95: filters, routes, templates, searches, commands and sinks have one text, and each sink escapes it for itself", async () => {
  const folder = makeFolder();
  const sandbox = keep(await startSandboxHere());
  const hook = keep(await startHookReceiver());
  const slack = keep(await startSlackStandIn(createSystemClock()));
  await sandbox.control("accounts", {
    username: "e_author",
    display_name: escape("Marks & <Sparks>"),
    description: "before",
  });
  const accounts = ["e_author"];
  writeConfig(folder, {
    ...baseConfig(sandbox.url),
    defaults: { watch: { schedule: "@every 1s" } },
    templates: {
      short: {
        events: ["tweet.*"],
        title: "{{ tweet.user.display_name }}",
        body: "{{ tweet.full_text }}",
      },
    },
    watches: {
      chosen: {
        type: "timeline",
        accounts,
        where: 'tweet.full_text.contains("P&L <x>") && !tweet.full_text.contains("&amp;")',
      },
      ignored: { type: "timeline", accounts, ignore: { words: ["R&D"] } },
      searched: { type: "search", query: '"R&D" from:e_author' },
      profile: { type: "profile", accounts },
    },
    sinks: {
      hook: hookSink(hook),
      chat: {
        type: "slack",
        token: "xoxb-1",
        channel: "#brand",
        api_url: slack.apiUrl,
        template: "short",
      },
      out: { type: "console" },
    },
    route: {
      sink: "out",
      routes: [
        {
          matchers: ['event="tweet.created"'],
          where: 'tweet.full_text.contains("R&D")',
          sink: ["hook", "chat"],
        },
        {
          matchers: ['event="profile.changed"'],
          where: 'user.description == "A & B"',
          sink: ["hook", "out"],
        },
      ],
    },
  });
  const daemon = await startDaemonHere({ folder });
  for (const watch of ["chosen", "ignored", "searched", "profile"]) await noted(daemon, watch);
  await sandbox.control("tweets", { username: "e_author", text: escape(WRITTEN) });
  await sandbox.control("accounts", { username: "e_author", description: escape("A & B") });
  const seen = () =>
    `${JSON.stringify(hook.events().map(({ watch, data }) => [watch, data]))}\n${daemon.err()}`;
  await until("the alerts", () => hook.events().length >= 3 && slack.messages.length > 0, seen);
  await polledAgain(daemon);
  expect(sorted(hook.events().map(({ watch }) => watch))).toEqual([
    "chosen",
    "profile",
    "searched",
  ]);
  for (const { data } of hook.events().filter(({ type }) => type === "tweet.created"))
    expect([data.tweet.full_text, data.tweet.user.display_name]).toEqual([
      WRITTEN,
      "Marks & <Sparks>",
    ]);
  expect(slack.messages).toHaveLength(1);
  // Rich text has no markup, but Slack's own text format has.
  expect(slack.messages[0]?.shown).toContain(`{"type":"text","text":"${WRITTEN}"}`);
  expect(slack.messages[0]?.shown).toContain(escape("Marks & <Sparks>"));
  expect(slack.messages[0]?.shown).not.toContain("&amp;amp;");
  expect(daemon.out()).toContain("A & B");
  const listed = await runCommand(
    ["events", "-c", "watches.yaml", "--text", "P&L <x> &lt;", "--json"],
    { cwd: folder },
  );
  expect(JSON.parse(listed.out).events).toHaveLength(2);
});

it("what an older release kept escaped is no edit, no changed profile and no new trend", async () => {
  const folder = makeFolder();
  const sandbox = keep(await startSandboxHere());
  const hook = keep(await startHookReceiver());
  const { community_ids: communities, article_ids: articles } = await sandbox.control("sample");
  const text = escape(WRITTEN);
  await sandbox.control("accounts", {
    username: "e_author",
    display_name: text,
    description: text,
    location: text,
    country: text,
  });
  await sandbox.control("articles", { tweet_id: articles[0], full_text: text, preview_text: text });
  const { id: space } = await sandbox.control("spaces", {
    title: text,
    host: "acme",
    ends_at: "2100-01-01T00:00:00Z",
  });
  await sandbox.control("trends", { woeid: 1, names: [text, "two"] });
  await sandbox.control("communities", { id: communities[0], name: text, description: text });
  const accounts = ["e_author"];
  const watches = {
    posts: { type: "timeline", accounts, recheck: { every: "1m", until: "24h" } },
    profile: { type: "profile", accounts, fields: ["display_name", "description", "location"] },
    about: { type: "about", accounts },
    article: { type: "article", tweet: articles[0] },
    space: { type: "space", space },
    trends: { type: "trends", woeid: 1 },
    community: { type: "community_info", community: communities[0] },
  };
  writeConfig(folder, {
    ...baseConfig(sandbox.url),
    defaults: { watch: { schedule: "@every 1s" } },
    watches,
    sinks: { hook: hookSink(hook) },
  });
  const first = await startDaemonHere({ folder });
  await until(
    "every baseline",
    () => Object.keys(watches).every((id) => first.err().includes(`"${id}: `)),
    first.err,
  );
  await sandbox.control("tweets", { username: "e_author", text });
  await until("the alert", () => hook.events().length > 0, first.err);
  await polledAgain(first);
  first.kill("SIGTERM");
  await first.gone;
  const path = join(folder, "data/state.db");
  await asBefore("0034", path);
  const second = await startDaemonHere({ folder });
  await polledAgain(second);
  const state = new Database(path, { readonly: true });
  const versions = () =>
    (state.prepare("select versions from rechecks").get() as { versions: string }).versions;
  await until("the recheck", () => versions() !== "", second.err);
  state.close();
  await polledAgain(second);
  expect(hook.events().map(({ type }) => type)).toEqual(["tweet.created"]);
  const found = await runCommand(
    ["events", "-c", "watches.yaml", "--text", "P&L <x> &lt;", "--json"],
    { cwd: folder },
  );
  expect(JSON.parse(found.out).events).toHaveLength(1);
  await sandbox.control("accounts", { username: "e_author", description: escape("A & B") });
  await until("the change", () => hook.events().length > 1, second.err);
  expect(hook.events()[1]?.data).toMatchObject({
    user: { description: "A & B" },
    previous: { description: WRITTEN },
    changed: ["description"],
  });
});

async function polledAgain(daemon: RunningDaemon): Promise<void> {
  const sinceMs = Date.now();
  const isPolled = ({ last_poll_at: at }: { readonly last_poll_at: string | null }) =>
    at !== null && Date.parse(at) > sinceMs + 1_000;
  await until(
    "one more poll of each",
    async () => (await daemon.status()).watches.every(isPolled),
    daemon.err,
  );
}

const TEXTS: readonly (readonly [string, string])[] = [
  ["events", "body"],
  ["targets", "memory"],
  ["members", "display_name"],
  ["deliveries", "once_key"],
];

/**
 * Turns the state into one of the release before this migration: its schema, texts as the service
 * sent them, and a recheck that is due.
 */
async function asBefore(next: string, path: string): Promise<void> {
  const now = `${path}.now`;
  renameSync(path, now);
  const then = Object.fromEntries(
    Object.entries(MIGRATIONS).filter(([name]) => name < next),
  ) as typeof MIGRATIONS;
  await (await openTemp(path, { migrations: then })).close();
  const state = new Database(path);
  state.pragma("foreign_keys = off");
  state.prepare("attach ? as now").run(now);
  const columnsOf = (of: string, table: string) =>
    (
      state.prepare(`select name from pragma_table_info(?, ?)`).all(table, of) as { name: string }[]
    ).map(({ name }) => name);
  const tables = state
    .prepare(
      "select name from main.sqlite_master where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'",
    )
    .all() as { name: string }[];
  for (const { name } of tables) {
    const kept = columnsOf("now", name);
    const columns = columnsOf("main", name).filter((column) => kept.includes(column));
    state.exec(
      `delete from main.${name}; insert into main.${name} (${columns.join()}) select ${columns.join()} from now.${name}`,
    );
  }
  for (const [table, column] of TEXTS)
    state.exec(
      `update main.${table} set ${column} = replace(replace(replace(${column}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`,
    );
  state.exec("update main.rechecks set versions = '', due_at = 0");
  state.close();
}
