/**
 * Tests names that every object has, such as `constructor`, at each place of a configuration that
 * takes a text. Each must be an ordinary name, or cause an ordinary error with its place.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { isScalar, parseDocument, visit } from "yaml";
import { loadText } from "./load-text.ts";

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"] as const;
const TEMPLATES = `
templates:
  short: { events: ["tweet.*"], title: "{{ tweet.user.username }}", body: "{{ labels.team }} {{ event.id | upcase }}" }
`;
const WATCHES = `
  rich:
    type: profile
    accounts: [acme]
    fields: [display_name]
    when: { followers_count: ">= 1000" }
    schedule: "@every 5m"
    labels: { region: north }
    enrich: { url: "https://e.example/x", labels: [mood] }
    moved_from: former
    sink: [chat, hook]
  trending: { type: trends, woeid: 1, tell: [entered], schedule: "@every 15m" }
`;
const SINKS = `
  chat:
    type: slack
    token: "\${SLACK_BOT_TOKEN}"
    channel: "#x"
    template: short
    dedupe: { key: [author, team], window: 1h }
    mention: [{ user: U12345678, when: 'labels.team == "x"' }]
    thread_by: conversation
    update: [deleted]
  hook: { type: webhook, url: "https://example.com/hook", headers: { accept: x }, secret: "\${WEBHOOK_SECRET}" }
`;
const whole = readFileSync(resolve(import.meta.dirname, "every-key.yaml"), "utf8")
  .replace("\nwatches:", `${TEMPLATES}\nwatches:`)
  .replace("\nroute:", `${WATCHES}\nroute:`)
  .replace("\nsinks:", `\nsinks:${SINKS}`)
  .replace(", { file: accounts/partners.txt }", "");
const env = {
  SLACK_BOT_TOKEN: "x",
  DISCORD_WEBHOOK_URL: "https://discord.com/api/webhooks/1/x",
  WEBHOOK_SECRET: "x".repeat(32),
};

/** Texts are replaced in several rounds, because one can hide another. */
const PARTS = 16;

/** Returns the configuration with every sixteenth of its texts replaced, keys and values alike. */
function withName(part: number, name: string): string {
  const document = parseDocument(whole);
  let at = 0;
  visit(document, {
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === "string" && at++ % PARTS === part)
        node.value = name;
    },
  });
  return document.toString();
}

it("is good where nothing is replaced", async () => {
  const loaded = await loadText(whole, { env });
  expect(loaded.ok ? [] : loaded.issues.map(({ message }) => message)).toEqual([]);
});

it.each(NAMES)("%s is taken, or refused with its place, wherever a text stands", async (name) => {
  for (let part = 0; part < PARTS; part += 1) {
    const text = withName(part, name);
    const loaded = await loadText(text, { env });
    const issues = loaded.ok ? loaded.config.warnings : loaded.issues;
    for (const { line, message } of issues) {
      expect(line).toBeGreaterThan(0);
      // If an inherited property of an object were used, the message would contain its code.
      expect(message).not.toMatch(/\[native code\]|\[object Object\]/);
    }
  }
});

const AS_NAMES = (name: string) => `
version: 1
api: { base_url: sandbox, key: sandbox }
time_intervals: { "${name}": [{ times: [{ start: "22:00", end: "07:00" }] }] }
templates: { "${name}": { events: ["tweet.*"], body: "{{ labels.${name} }}{{ labels['${name}'] }}" } }
watches: { "${name}": { type: search, query: "${name}", schedule: "@every 5m", labels: { "${name}": "${name}" }, where: 'labels["${name}"] == "x"' } }
sinks: { "${name}": { type: console, template: "${name}", mute_time_intervals: ["${name}"] } }
ops: { sink: "${name}" }
route: { sink: "${name}", group_by: ["${name}"], routes: [{ matchers: ['${name}="x"'], sink: "${name}", dedupe: { key: ["${name}"], window: 1h } }] }
`;

it("__proto__ is no key, and said to be none at each place where it stands", async () => {
  const loaded = await loadText(AS_NAMES("__proto__"));
  const found = loaded.ok
    ? []
    : loaded.issues
        .filter(({ rule }) => rule === "yaml-key")
        .map(({ line, message }) => `${line}: ${message}`);
  expect(found).toEqual(
    [4, 5, 6, 6, 7].map((line) => `${line}: \`__proto__\` cannot be a key: choose another name`),
  );
});

it.each(NAMES.filter((name) => name !== "__proto__"))(
  "%s names a watch, a label, a sink, a template and an interval",
  async (name) => {
    const loaded = await loadText(AS_NAMES(name));
    expect(
      loaded.ok ? [] : loaded.issues.map(({ line, message }) => `${line}: ${message}`),
    ).toEqual([]);
    if (!loaded.ok) return;
    const { watches, sinks, templates, route, watchPlaces } = loaded.config;
    expect(watches.map(({ id, labels }) => [id, Object.entries(labels)])).toEqual([
      [name, [[name, name]]],
    ]);
    expect([
      sinks.map((sink) => sink.name),
      templates.map((template) => template.name),
      Object.keys(watchPlaces),
    ]).toEqual([[name], [name], [name]]);
    expect(route?.groupBy).toEqual([name]);
  },
);

it.each(NAMES)("a where that names %s is refused with its place, or false", async (name) => {
  const wheres = [
    name,
    `${name} == 1`,
    `tweet.${name} == "x"`,
    `tweet.user.${name} > 1`,
    `labels.${name} == "x"`,
    `tweet.full_text.${name}()`,
    `${name}(1)`,
  ];
  for (const where of wheres) {
    const loaded = await loadText(
      `watches: { w: { type: search, query: a, schedule: "@every 5m", where: '${where}' } }\nsinks: { out: { type: console } }\nops: { sink: out }`,
    );
    if (loaded.ok)
      expect(loaded.config.watches[0]?.where?.matches({ tweet: {} as never })).toBe(false);
    else expect(loaded.issues[0]?.message).not.toMatch(/native code/);
  }
});
