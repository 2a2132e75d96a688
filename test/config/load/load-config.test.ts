import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load/load-config.ts";
import { createFiles } from "../../../src/runtime/files.ts";
import { SINK_TYPES } from "../../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { goodConfig, issuesOf, loadText, oneWatch } from "../load-text.ts";
import { exampleValue, variablesIn } from "../../support/example-values.ts";

const SMALLEST = `# yaml-language-server: $schema=./config/watches.schema.json
version: 1
api:
  base_url: \${CHIRPWATCH_API_URL:?the https address of your data service}
  key: \${CHIRPWATCH_API_KEY:?your key}
watches:
  brand-mentions:
    type: search
    query: '("acme corp" OR @acme) -from:acme'
    schedule: "@every 5m"
    ignore: { authors: [acme_jobs], words: [giveaway] }
    sink: brand
sinks:
  brand: { type: slack, token: "\${SLACK_BOT_TOKEN}", channel: "#brand" }
ops: { sink: brand }
`;
const ENV = {
  CHIRPWATCH_API_URL: "https://data.example.com/v3/",
  CHIRPWATCH_API_KEY: "k",
  SLACK_BOT_TOKEN: "xoxb-1",
};

const LARGE = readFileSync(resolve(import.meta.dirname, "../every-key.yaml"), "utf8");
const LARGE_OPTIONS = {
  env: {
    SLACK_BOT_TOKEN: "xoxb-1",
    DISCORD_WEBHOOK_URL: "https://discord.com/api/webhooks/1/x",
    WEBHOOK_SECRET: "0123456789abcdef0123456789abcdef",
  },
  files: {
    "/etc/chirpwatch/accounts/partners.txt":
      "# partners\n carol  # our first\n\n@dave\nhttps://x.com/erin\n",
  },
};

describe("loading", () => {
  it("lets other work run between the steps of a large configuration", async () => {
    const watches = (from: number) =>
      `watches:\n${Array.from({ length: 1_000 }, (_, at) => `  w${from + at}: { type: search, query: acme }\n`).join("")}`;
    let [turns, isLoading] = [0, true];
    const count = () => {
      turns += 1;
      if (isLoading) setImmediate(count);
    };
    setImmediate(count);
    const files = {
      "/etc/chirpwatch/a.yaml": watches(0),
      "/etc/chirpwatch/b.yaml": watches(1_000),
    };
    const config = await goodConfig(SMALLEST.replace("brand-mentions", "brand"), {
      env: ENV,
      path: "/etc/chirpwatch",
      files,
    });
    isLoading = false;
    expect({ watches: config.watches.length, turns }).toEqual({ watches: 2_001, turns: 28 });
  });

  it("takes the smallest useful file", async () => {
    const config = await goodConfig(SMALLEST, { env: ENV });
    expect(config.api).toMatchObject({
      baseUrl: "https://data.example.com",
      key: "k",
      timeoutMs: 30_000,
      rate: { count: 20, intervalMs: 1_000 },
    });
    expect(config.watches[0]).toMatchObject({
      id: "brand-mentions",
      sinks: ["brand"],
      ignore: { authors: ["acme_jobs"], words: ["giveaway"] },
    });
    expect(config.sinks[0]).toMatchObject({
      name: "brand",
      retryForMs: 86_400_000,
      throttle: { limit: 30, intervalMs: 600_000 },
    });
    expect(config.route).toMatchObject({ path: "0", sinks: ["brand"] });
    expect(config.warnings).toEqual([]);
  });

  it("takes most of the language at once", async () => {
    const config = await goodConfig(LARGE, LARGE_OPTIONS);
    expect(config.watches.map((watch) => watch.type)).toEqual([
      "search",
      "timeline",
      "new_followers",
      "score_delta",
      "community_tweets",
      "search",
    ]);
    expect(config.watches[1]?.settings).toMatchObject({
      accounts: [{ name: "alice" }, {}, {}, { name: "carol" }, { name: "dave" }, {}],
    });
    expect(config.watches[3]?.timing).toEqual({
      kind: "schedule",
      schedule: { kind: "cron", pattern: "15 6 * * *", timezone: "Europe/Berlin" },
    });
    expect(config.api.quota).toEqual({
      monthly: 100_000,
      resetDay: 1,
      timezone: "UTC",
      reserve: 0.1,
      onExhausted: "degrade",
    });
    expect(config.route?.routes[0]).toMatchObject({
      path: "0.0",
      sinks: ["slack-brand"],
      groupBy: ["watch"],
      groupWaitMs: 10_000,
      onMute: "hold",
    });
    expect(config.route?.routes[1]?.sinks).toEqual(["discord-feed", "fallback"]);
    expect(config.files).toContain("/etc/chirpwatch/accounts/partners.txt");
    expect(config.warnings.map((issue) => issue.rule)).toEqual([]);
  });

  it("takes several keys, written out, from the environment or from files", async () => {
    const text = oneWatch(
      "",
      'api: { keys: ["${A}", { key_file: secrets/b, monthly: 5000 }, { key: "${C}", name: spare }] }\n',
    );
    const config = await goodConfig(text, {
      env: { A: "aaa", C: "ccc" },
      files: { "/etc/chirpwatch/secrets/b": "bbb\n" },
    });
    expect(config.api.keys).toEqual([
      { key: "aaa" },
      { key: "bbb", keyFile: "/etc/chirpwatch/secrets/b", monthly: 5_000 },
      { key: "ccc", name: "spare" },
    ]);
    expect(config.api.key).toBe("aaa");
    expect(config.files).toContain("/etc/chirpwatch/secrets/b");
    expect(config.warnings).toEqual([]);
  });

  it("reads a price, in dollars unless another sign is written", async () => {
    const priced = (price: string) =>
      goodConfig(oneWatch("", `api: { quota: { price: ${price} } }\n`));
    expect((await priced("{ per_request: 0.0049 }")).api.quota.price).toEqual({
      perRequest: 0.0049,
      currency: "$",
    });
    expect((await priced('{ per_request: 0.002, currency: "€" }')).api.quota.price).toEqual({
      perRequest: 0.002,
      currency: "€",
    });
  });

  it("finds the example good in an empty environment, with the watches people begin with", async () => {
    const path = resolve(import.meta.dirname, "../../../watches.example.yaml");
    const loaded = await loadConfig({
      path,
      files: createFiles(),
      env: {},
      watchTypes: WATCH_TYPES,
      sinkTypes: SINK_TYPES,
    });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
    const types = loaded.config.watches.map((watch) => watch.type);
    expect(types).toEqual([
      "search",
      "timeline",
      "new_followers",
      "score_delta",
      "community_tweets",
    ]);
    expect(loaded.config.api.baseUrl).toBe("sandbox");
    expect(loaded.config.warnings).toEqual([]);
  });

  it("takes the example of every watch type and of every sink type", async () => {
    const indent = (text: string) => text.trim().replace(/^/gm, "    ");
    const watches = WATCH_TYPES.map(
      (type, index) => `  w${index}:\n${indent(type.example)}\n    sink: s0`,
    ).join("\n");
    const sinks = SINK_TYPES.map((type, index) => `  s${index}:\n${indent(type.example)}`).join(
      "\n",
    );
    const variables = Object.fromEntries(
      variablesIn(sinks).map((name) => [name, exampleValue(name)]),
    );
    const env = { ...variables, CHIRPWATCH_ALLOW_EXEC: "/usr/local/bin/on-alert" };
    const config = await goodConfig(`watches:\n${watches}\nsinks:\n${sinks}\n`, { env });
    expect(config.sinks).toHaveLength(SINK_TYPES.length);
  });

  it("freezes what it gives", async () => {
    const config = await goodConfig(LARGE, LARGE_OPTIONS);
    expect(() => Object.assign(config.watches[0] ?? {}, { id: "other" })).toThrow(TypeError);
    expect(() => Object.assign(config.route?.routes[0] ?? {}, { path: "x" })).toThrow(TypeError);
  });

  it("reads a folder as one configuration, in order of name", async () => {
    const files = {
      "/etc/conf.d/20-b.yaml": "watches: { b: { type: search, query: b } }",
      "/etc/conf.d/10-a.yaml":
        "watches: { a: { type: search, query: a } }\nsinks: { terminal: { type: console } }\nops: { sink: terminal }",
      "/etc/conf.d/notes.txt": "not read",
      "/etc/conf.d/.env": "UNUSED=1",
    };
    const config = await goodConfig("", { files, path: "/etc/conf.d" });
    expect(config.watches.map((watch) => watch.id)).toEqual(["a", "b"]);
    expect(config.files).toEqual([
      "/etc/conf.d/10-a.yaml",
      "/etc/conf.d/20-b.yaml",
      "/etc/conf.d/.env",
    ]);
    expect(config.state.path).toBe("/etc/conf.d/data/chirpwatch.db");
  });

  it("puts a relative state under CHIRPWATCH_DATA_DIR, else beside the file", async () => {
    const text = oneWatch("", "state: { path: x.db }");
    expect((await goodConfig(text)).state.path).toBe("/etc/chirpwatch/x.db");
    expect((await goodConfig(text, { env: { CHIRPWATCH_DATA_DIR: "/data" } })).state.path).toBe(
      "/data/x.db",
    );
    expect(
      (
        await goodConfig(oneWatch("", "state: { path: /x.db }"), {
          env: { CHIRPWATCH_DATA_DIR: "/data" },
        })
      ).state.path,
    ).toBe("/x.db");
  });

  it("finds all errors at once, in file order", async () => {
    const issues = await issuesOf(
      oneWatch(
        "priority: hihg\nwhere: tweet.x\nschedule: 5m\nsink: nope",
        "api: { timeout: 3 }\nfoo: 1",
      ),
    );
    expect(issues.map((issue) => `${issue.line} ${issue.rule}`)).toEqual([
      "5 not-allowed",
      "6 where-unknown",
      "7 schedule",
      "8 unknown-sink",
      "11 duration",
      "12 unknown-key",
    ]);
  });
});

describe("values", () => {
  it("keeps ids beyond 2^53 whole, quoted or not", async () => {
    const text =
      "watches: { c: { type: community_tweets, community: 1493446837214187523 } }\nsinks: { terminal: { type: console } }";
    expect((await goodConfig(text)).watches[0]?.settings).toEqual({
      community: "1493446837214187523",
    });
  });

  it("takes numbers and switches from the environment", async () => {
    const text = oneWatch(
      "enabled: ${ON}\nmax_pages: ${PAGES:-3}",
      "api: { quota: { monthly: ${QUOTA} } }".replace("${QUOTA}", '"${QUOTA}"'),
    );
    const config = await goodConfig(text, { env: { ON: "false", QUOTA: "5000" } });
    expect(config.watches[0]).toMatchObject({ enabled: false, maxPages: 3 });
    expect(config.api.quota.monthly).toBe(5_000);
  });

  it("keeps text that looks like a number as it is written", async () => {
    const config = await goodConfig(
      oneWatch("labels: { version: 007, big: 12345678901234567890 }"),
    );
    expect(config.watches[0]?.labels).toEqual({ version: "007", big: "12345678901234567890" });
  });

  it("merges defaults under watches: labels and include key by key, the rest whole", async () => {
    const defaults =
      "defaults: { watch: { priority: low, labels: { team: a, tier: one }, include: { replies: false }, max_age: 2d } }";
    const config = await goodConfig(
      oneWatch("labels: { team: b }\ninclude: { retweets: true }", defaults),
    );
    expect(config.watches[0]).toMatchObject({
      priority: "low",
      labels: { team: "b", tier: "one" },
      maxAgeMs: 172_800_000,
    });
    expect(config.watches[0]?.include).toEqual({ reply: false, retweet: true, quote: true });
  });

  it("merges sink defaults by type, but not a second way to prove itself", async () => {
    const sinks =
      'sinks:\n  bot: { type: slack, channel: "#a" }\n  hook: { type: slack, webhook_url: "${HOOK}" }\ndefaults: { sink: { slack: { token: "${TOKEN}" } } }';
    const text = `watches: { w: { type: search, query: a, sink: [bot, hook] } }\n${sinks}`;
    const config = await goodConfig(text, {
      env: { TOKEN: "xoxb", HOOK: "https://hooks.slack.com/services/T/B/x" },
    });
    expect(config.sinks.map((sink) => sink.settings)).toMatchObject([
      { token: "xoxb", channel: "#a" },
      { webhook_url: expect.any(String) },
    ]);
    expect(config.sinks[1]?.settings).not.toHaveProperty("token");
  });

  it("signs with the default secret, also beside an address of its own, unless a sink has another", async () => {
    const sinks =
      'sinks:\n  a: { type: webhook, url: "https://a.example/" }\n  b: { type: webhook, url: "https://b.example/", secret_file: /run/b }\ndefaults: { sink: { webhook: { secret: "${SECRET}" } } }';
    const text = `watches: { w: { type: search, query: a, sink: [a, b] } }\n${sinks}`;
    const config = await goodConfig(text, {
      env: { SECRET: "of all of them" },
      files: { "/run/b": "of b alone" },
    });
    expect(config.sinks.map((sink) => sink.settings)).toMatchObject([
      { secret: "of all of them" },
      { secret: "of b alone" },
    ]);
  });

  it("keeps request headers whose names begin with x-, and fills in their variables", async () => {
    const sinks =
      'sinks: { a: { type: webhook, url: "https://a.example/", headers: { x-team: comms, X-Api-Key: "${KEY}", x-token: "${KEY}" } } }';
    const config = await goodConfig(`watches: { w: { type: search, query: a } }\n${sinks}`, {
      env: { KEY: "k1" },
    });
    expect(config.sinks[0]?.settings).toMatchObject({
      headers: { "x-team": "comms", "X-Api-Key": "k1", "x-token": "k1" },
    });
  });

  it("lengthens the unwritten max_age of a slow schedule", async () => {
    expect((await goodConfig(oneWatch('schedule: "0 6 * * 1"'))).watches[0]?.maxAgeMs).toBe(
      14 * 86_400_000,
    );
    expect((await goodConfig(oneWatch('schedule: "@every 5m"'))).watches[0]?.maxAgeMs).toBe(
      86_400_000,
    );
  });

  it("reads first_run in each of its forms", async () => {
    const firstRun = async (text: string) =>
      (await goodConfig(oneWatch(`first_run: ${text}`))).watches[0]?.firstRun;
    expect(await firstRun("baseline")).toEqual({ kind: "baseline" });
    expect(await firstRun("{ latest: 3 }")).toEqual({ kind: "latest", count: 3 });
    expect(await firstRun("{ since: 24h }")).toEqual({ kind: "since", ageMs: 86_400_000 });
    expect(await firstRun("'latest: 3'")).toEqual({ kind: "latest", count: 3 });
  });

  it("allows x- keys, anchors and merge keys", async () => {
    const text =
      "x-base: &base { type: search, schedule: '@every 1m' }\nwatches:\n  a: { <<: *base, query: a, x-note: mine }\n  b: { <<: *base, query: b, schedule: '@every 2m' }\nsinks: { t: { type: console } }";
    const config = await goodConfig(text);
    expect(config.watches.map(({ timing }) => timing)).toEqual([
      { kind: "schedule", schedule: { kind: "every", intervalMs: 60_000 } },
      { kind: "schedule", schedule: { kind: "every", intervalMs: 120_000 } },
    ]);
  });

  it("has a route for the only sink, and none when every watch names its own", async () => {
    expect((await goodConfig(oneWatch(""))).route?.sinks).toEqual(["terminal"]);
    const own =
      "watches: { a: { type: search, query: a, sink: x } }\nsinks: { x: { type: console }, y: { type: console } }";
    expect((await goodConfig(own)).route).toBeUndefined();
  });

  it("hands a route's grouping down to its children, its mutes not", async () => {
    const tree =
      "route: { sink: terminal, group_by: [watch], group_wait: 5s, mute_time_intervals: [nights], routes: [{ matchers: ['kind=reply'] }] }";
    const nights =
      'time_intervals: { nights: [{ times: [{ start: "22:00", end: "07:00" }], weekdays: ["monday:friday"] }] }';
    const route = (await goodConfig(oneWatch("", `${tree}\n${nights}`))).route;
    expect(route?.mutes?.map((mute) => mute.name)).toEqual(["nights"]);
    expect(route?.routes[0]).toMatchObject({ groupBy: ["watch"], groupWaitMs: 5_000, sinks: [] });
    expect(route?.routes[0]?.mutes).toBeUndefined();
    // A window that begins on Monday at 23:00 ends on Tuesday at 07:00.
    expect(route?.mutes?.[0]?.endsAt(Date.UTC(2024, 0, 1, 23))).toBe(Date.UTC(2024, 0, 2, 7));
  });
});

describe("variables and secrets", () => {
  it("replaces variables in scalars, keeps $NAME and turns $$ into one dollar", async () => {
    const query = async (text: string, env = {}) =>
      (
        await goodConfig(
          oneWatch("").replace("query: acme", () => `query: ${text}`),
          { env },
        )
      ).watches[0]?.settings;
    expect(await query("$BTC OR ${COIN}", { COIN: "$ETH" })).toMatchObject({
      query: "$BTC OR $ETH",
    });
    expect(await query("'$${COIN} ${NONE:-a:-b}'")).toMatchObject({ query: "${COIN} a:-b" });
  });

  it("reads .env beside the file; the real environment wins", async () => {
    const files = { "/etc/chirpwatch/.env": "A=from-file\nB=from-file" };
    const text = oneWatch("labels: { a: '${A}', b: '${B}' }");
    expect((await goodConfig(text, { files, env: { B: "real" } })).watches[0]?.labels).toEqual({
      a: "from-file",
      b: "real",
    });
  });

  it("never shows a value of the environment", async () => {
    const issues = await issuesOf(oneWatch("priority: x"), { env: { TOKEN: "s3cret" } });
    const hook =
      "watches: { a: { type: search, query: a } }\nsinks: { h: { type: webhook, url: 'https://x.com/${TOKEN', secret: '${TOKEN}-${OTHER}' } }";
    const more = await issuesOf(hook, { env: { TOKEN: "s3cret" } });
    expect(JSON.stringify([...issues, ...more])).not.toContain("s3cret");
    expect(more.map((issue) => issue.rule)).toContain("variable-unset");
  });

  it("takes every secret from a file, and says which file the key came from", async () => {
    const text = oneWatch(
      "",
      "api: { base_url: 'https://d.example.com', key_file: secrets/key }\nserver: { listen: '0.0.0.0:9464', token_file: /run/token }",
    );
    const config = await goodConfig(text, {
      files: { "/etc/chirpwatch/secrets/key": "abc\n", "/run/token": "t" },
    });
    expect(config.api).toMatchObject({ key: "abc", keyFile: "/etc/chirpwatch/secrets/key" });
    expect(config.server).toEqual({ host: "0.0.0.0", port: 9_464, token: "t" });
    expect(config.files).toEqual(
      expect.arrayContaining(["/etc/chirpwatch/secrets/key", "/run/token"]),
    );
    expect(config.warnings).toEqual([]);
  });

  it("lets the demo load sinks without their secrets", async () => {
    const text =
      'watches: { a: { type: search, query: a } }\nsinks: { brand: { type: slack, token: "${SLACK_BOT_TOKEN}", channel: "#brand" } }\nops: { sink: brand }';
    expect((await issuesOf(text)).map((issue) => issue.rule)).toEqual(["variable-unset"]);
    const config = await goodConfig(text, { lenientSecrets: true });
    expect(config.sinks[0]).toMatchObject({ name: "brand", type: "slack", settings: undefined });
    expect(
      (await loadText(text.replace("query: a", "query: '${X}'"), { lenientSecrets: true })).ok,
    ).toBe(false);
  });

  it("compiles a sink's own condition over any event's body", async () => {
    const text = (when: string) =>
      `watches: { a: { type: search, query: a } }\nsinks: { d: { type: discord, webhook_url: "\${H}", mention: { role: "1", when: '${when}' } } }`;
    const env = { H: "https://discord.com/api/webhooks/1/x" };
    const settings = (await goodConfig(text("tweet.likes_count > 5"), { env })).sinks[0]
      ?.settings as {
      mention: { matches(body: unknown): boolean };
    };
    expect(
      [{ tweet: { likes_count: 6 } }, { tweet: { likes_count: 5 } }, { user: {} }].map((body) =>
        settings.mention.matches(body),
      ),
    ).toEqual([true, false, false]);
    expect(
      (await issuesOf(text("tweet.lieks_count > 5"), { env })).map((issue) => issue.rule),
    ).toContain("where-unknown");
  });
});

it("takes ten thousand accounts on lines of their own, and says so where they stand on one", async () => {
  const accounts = Array.from({ length: 10_000 }, (_, index) => `"id:${index + 1}"`);
  const text = (between: string) =>
    `watches: { w: { type: timeline, accounts: [${accounts.join(between)}], schedule: "@every 10m" } }\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`;
  expect((await goodConfig(text(",\n  "))).watches).toHaveLength(1);
  await expect(goodConfig(text(", "))).rejects.toThrow(
    /watches\.yaml:1:\d+ {2}the line is too long: put its items on lines of their own/,
  );
});

it("takes `strategy: merge` of a timeline as `auto`, with a warning, and of a search as it is", async () => {
  const config = await goodConfig(`
watches:
  t: { type: timeline, accounts: [alice, bob], strategy: merge }
  s: { type: search, query: acme, strategy: merge }
ops: { sink: c }
sinks: { c: { type: console } }`);
  expect(config.watches.map(({ strategy }) => strategy)).toEqual([undefined, "merge"]);
  expect(config.warnings).toMatchObject([
    { rule: "no-effect", message: expect.stringContaining("`strategy: merge` of accounts") },
  ]);
});

describe("a webhook's address", () => {
  const sinksOf = (sink: string) =>
    `watches: { a: { type: search, query: acme } }\nops: { sink: hook }\nsinks: { hook: { ${sink}, secret: "\${S}" } }`;

  it("comes from a file like every other secret", async () => {
    const files = { "/run/secrets/hook": "https://hooks.example.com/catch/1/abc\n" };
    const config = await goodConfig(sinksOf("type: webhook, url_file: /run/secrets/hook"), {
      files,
      env: { S: "shh-shh" },
    });
    expect(config.sinks[0]?.settings).toMatchObject({
      url: "https://hooks.example.com/catch/1/abc",
    });
    expect(config.warnings).toEqual([]);
    expect(config.files).toContain("/run/secrets/hook");
  });

  it("may be written out, where that of a chat earns a warning", async () => {
    const env = { S: "shh-shh" };
    expect(
      (await goodConfig(sinksOf("type: webhook, url: 'https://example.com/hook'"), { env }))
        .warnings,
    ).toEqual([]);
    const chat =
      "watches: { a: { type: search, query: acme } }\nops: { sink: c }\nsinks: { c: { type: discord, webhook_url: 'https://discord.com/api/webhooks/1/t' } }";
    expect((await goodConfig(chat)).warnings.map(({ rule }) => rule)).toEqual(["literal-secret"]);
  });
});
