import { request } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startServer, type RunningServer, type ServerOptions } from "../../src/server/server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  eventEntry,
  NOW_MS,
  silentLog,
  silenceView,
  sinkView,
  statusView,
  watchView,
} from "./daemon-stand-in.ts";

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(options: Partial<ServerOptions> = {}) {
  const daemon = createDaemonStandIn();
  const clock = createVirtualClock(NOW_MS);
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    clock,
    log: silentLog,
    ...daemon,
    ...options,
  });
  running.push(server);
  return { daemon, clock, url: server.url, close: () => server.close() };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: () => unknown;
}

/** Sends a request over node:http, because fetch sets Host and Origin itself. */
function ask(
  url: string,
  headers: Record<string, string> = {},
  method = "GET",
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString("utf8");
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        text,
        json: () => JSON.parse(text),
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

const post = (url: string, headers: Record<string, string> = {}) => ask(url, headers, "POST");

it("names that reorder what stands around them reach neither the page nor the API", async () => {
  const { url, daemon } = await start();
  const name = "\u202egnp.eci\u2066la \u200fשלום";
  const calm = "gnp.ecila שלום";
  daemon.events = {
    events: [eventEntry({ title: name, data: { user: { display_name: name } } })],
    ...{ next: null, searched_to: null },
  };
  const [line] = daemon.status.recent_events;
  const target = { name, status: "unavailable", reason: `no account ${name}` } as const;
  daemon.status = statusView({
    recent_events: line === undefined ? [] : [{ ...line, title: name }],
    watches: [watchView({ targets: [target] })],
  });
  for (const path of [
    "/",
    "/api/v1/status",
    "/api/v1/watches",
    "/api/v1/events",
    "/events",
    `/api/v1/explain/${encodeURIComponent(name)}`,
  ]) {
    const { text } = await ask(`${url}${path}`);
    expect(text, path).toContain(calm);
    expect(text, path).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
  }
});

it.each([undefined, "secret-of-the-page"])(
  "visits a page by itself, with the token %s",
  async (token) => {
    const daemon = createDaemonStandIn();
    let asked = 0;
    const server = await startServer({
      ...{ host: "127.0.0.1", port: 0, clock: createVirtualClock(NOW_MS), log: silentLog, token },
      ...daemon,
      views: { ...daemon.views, status: async () => ((asked += 1), statusView()) },
    });
    running.push(server);
    await server.visit("/");
    expect(asked).toBe(1);
  },
);

it("answers with others than before from one request to the next", async () => {
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    clock: createVirtualClock(NOW_MS),
    idle: () => ({ reason: "it starts", isReady: false }),
  });
  running.push(server);
  const answers = async () => [
    (await ask(`${server.url}/readyz`)).status,
    (await ask(`${server.url}/api/v1/status`)).status,
  ];
  expect(await answers()).toEqual([503, 503]);
  server.answerWith({
    clock: createVirtualClock(NOW_MS),
    log: silentLog,
    ...createDaemonStandIn(),
  });
  expect(await answers()).toEqual([200, 200]);
  server.answerWith({
    clock: createVirtualClock(NOW_MS),
    idle: () => ({ reason: "it stops", isReady: false }),
  });
  expect((await ask(`${server.url}/healthz`)).json()).toEqual({ status: "ok", reason: "it stops" });
});

describe("health", () => {
  it("is good while the daemon progresses", async () => {
    const { url } = await start();
    const answer = await ask(`${url}/healthz`);
    expect([answer.status, answer.json()]).toEqual([200, { status: "ok", reason: "" }]);
    expect((await ask(`${url}/readyz`)).status).toBe(200);
  });

  it("fails with its reason when the store cannot write", async () => {
    const { url, daemon } = await start();
    daemon.health = () =>
      Promise.resolve({ live: false, ready: true, reason: "the store cannot write" });
    const answer = await ask(`${url}/healthz`);
    expect([answer.status, answer.json()]).toEqual([
      503,
      { status: "failing", reason: "the store cannot write" },
    ]);
    expect((await ask(`${url}/readyz`)).status).toBe(503);
  });

  it("is alive but not ready while it starts", async () => {
    const { url, daemon } = await start();
    daemon.health = () => Promise.resolve({ live: true, ready: false, reason: "starting" });
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    expect((await ask(`${url}/readyz`)).status).toBe(503);
  });

  it("fails when asking the daemon throws, without the error's own words being lost", async () => {
    const { url, daemon } = await start();
    daemon.health = () => Promise.reject(new Error("disk gone"));
    expect((await ask(`${url}/healthz`)).json()).toEqual({
      status: "failing",
      reason: "disk gone",
    });
  });

  it("fails within 2.5 s when the daemon gives no answer", async () => {
    const { url, daemon, clock } = await start();
    const asked = new Promise<void>((resolve) => {
      daemon.health = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const answer = ask(`${url}/healthz`);
    await asked;
    await clock.advance(2_500);
    expect((await answer).json()).toEqual({
      status: "failing",
      reason: "the daemon does not answer",
    });
  });

  it("asks the daemon once a second at most, however many probes come", async () => {
    const { url, daemon, clock } = await start();
    let asked = 0;
    daemon.health = () => Promise.resolve({ live: true, ready: true, reason: String(++asked) });
    await Promise.all([1, 2, 3].map(() => ask(`${url}/healthz`)));
    expect(asked).toBe(1);
    await clock.advance(1_000);
    await ask(`${url}/readyz`);
    expect(asked).toBe(2);
  });

  it("needs no token and no Host, on any address", async () => {
    const { url } = await start({ token: "s3cret" });
    for (const path of ["/healthz", "/readyz"])
      expect((await ask(url + path, { host: "probe.example" })).status).toBe(200);
  });
});

describe("who may ask", () => {
  const paths = [
    "/",
    "/metrics",
    "/api/v1/status",
    "/api/v1/watches",
    "/api/v1/events",
    "/api/v1/explain/1",
    "/nowhere",
  ];

  it.each(paths)("wants the token at %s", async (path) => {
    const { url } = await start({ token: "s3cret" });
    const refused = await ask(url + path);
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toContain("Basic");
    expect(refused.text).not.toContain("s3cret");
    expect((await ask(url + path, { authorization: "Bearer s3cret" })).status).not.toBe(401);
  });

  it("wants the token before it does anything", async () => {
    const { url, daemon } = await start({ token: "s3cret" });
    expect((await post(`${url}/api/v1/reload`)).status).toBe(401);
    expect((await post(`${url}/api/v1/watches/brand-mentions/pause`)).status).toBe(401);
    expect(daemon.asked).toEqual([]);
  });

  it("refuses a name that was re-pointed at loopback", async () => {
    const { url } = await start();
    expect((await ask(`${url}/api/v1/status`, { host: "evil.example" })).status).toBe(403);
  });

  it("refuses a change that another site's page asks for", async () => {
    const { url, daemon } = await start();
    expect((await post(`${url}/api/v1/reload`, { origin: "https://evil.example" })).status).toBe(
      403,
    );
    expect((await post(`${url}/api/v1/reload`, { "sec-fetch-site": "cross-site" })).status).toBe(
      403,
    );
    expect(daemon.asked).toEqual([]);
  });
});

describe("reading", () => {
  it("gives the status field for field, and never lets it be cached", async () => {
    const { url, daemon } = await start();
    const answer = await ask(`${url}/api/v1/status`);
    expect(answer.json()).toEqual(daemon.status);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect((await ask(`${url}/api/v1/watches`)).json()).toEqual({
      watches: daemon.status.watches,
      next: null,
    });
  });

  it("gives metrics in the text format", async () => {
    const { url } = await start();
    const answer = await ask(`${url}/metrics`);
    expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.text).toContain("chirpwatch_gaps 0\n");
  });

  it("gives events by what they are about, with what became of them", async () => {
    const { url, daemon } = await start();
    daemon.events = { events: [eventEntry()], next: "7", searched_to: "2026-03-10T13:57:10.400Z" };
    expect(
      (
        await ask(
          `${url}/api/v1/events?limit=5&watch=brand&since=2h&state=summarised&author=@Alice`,
        )
      ).json(),
    ).toEqual(daemon.events);
    const asked = {
      sinceMs: NOW_MS - 7_200_000,
      watches: ["brand"],
      author: "Alice",
      state: "summarised",
      limit: 5,
    };
    expect(daemon.asked).toEqual([`events ${JSON.stringify(asked)}`]);
  });

  it.each([
    ["limit=0", "limit must be a whole number from 1 to 1000"],
    ["limit=1.5", "limit must be"],
    ["limit=1001", "limit must be"],
    [
      "since=yesterday",
      "since must be a time like 2026-07-27T09:00:00Z or 2026-07-27, or how long ago, like 2h, not",
    ],
    ["until=2026-13-45", "until must be"],
    ["state=lost", "state must be one of waiting, held, sealed, sent, summarised"],
    ["author=no%20one", "author must be a handle"],
    ["before=x", "before must be"],
  ])("refuses events with %s, and says what to write", async (query, words) => {
    const { url } = await start();
    const answer = await ask(`${url}/api/v1/events?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
  });

  it("lists events on a page, with a link to the next", async () => {
    const { url, daemon } = await start();
    daemon.events = {
      events: [eventEntry({ title: "<b>", url: "javascript:alert(1)" })],
      ...{ next: "7", searched_to: "2026-03-10T13:57:10.400Z" },
    };
    const answer = await ask(`${url}/events?state=summarised&since=2026-03-10`);
    expect(answer.headers["content-security-policy"]).toMatch(/default-src 'none'/);
    expect(answer.text).toContain("&lt;b&gt;");
    expect(answer.text).not.toContain("javascript:");
    expect(answer.text).toContain("brand: summarised");
    expect(answer.text).toContain('href="?state=summarised&amp;since=2026-03-10&amp;before=7"');
    expect((await ask(`${url}/events?state=lost`)).text).toContain("state must be one of");
  });

  it("explains an item that is given as a link", async () => {
    const { url, daemon } = await start();
    const link = "https://x.com/alice/status/1899000000000000001";
    daemon.found = {
      itemId: "1899000000000000001",
      waits: new Map(),
      paths: new Map(),
      firstReads: [],
      unseen: null,
      histories: [
        {
          watch: "brand-mentions",
          target: "q",
          itemId: "1899000000000000001",
          verdict: "filtered",
          detail: "ignore.words: giveaway",
          occurredAtMs: NOW_MS,
          seenAtMs: NOW_MS,
          deliveries: [
            {
              ...{
                sink: "brand",
                state: "sent",
                messageId: "m",
                attempts: 1,
                sentAtMs: NOW_MS,
                ref: null,
                detail: "",
                wait: null,
              },
              ...{
                groupKey: "",
                throttleKey: null,
                silencedBy: null,
                replayedAtMs: null,
                joinedEventId: null,
                channel: null,
                failures: [],
                edit: null,
              },
              ...{ routed: null, thread: null, wording: null, repeat: null, escalation: null },
            },
          ],
        },
      ],
    };
    const answer = await ask(`${url}/api/v1/explain/${encodeURIComponent(link)}`);
    expect(daemon.asked).toEqual([`explain ${link}`]);
    expect(answer.json()).toMatchObject({
      item: link,
      item_id: "1899000000000000001",
      verdicts: [
        {
          verdict: "filtered",
          event: null,
          seen_at: "2026-03-10T14:00:00.000Z",
          deliveries: [{ state: "sent", message_id: "m" }],
        },
      ],
    });
  });

  it("says what failed in general words, and the rest to the log only", async () => {
    const errors: unknown[] = [];
    const log = {
      ...silentLog,
      error: (message: string, fields: unknown) => void errors.push([message, fields]),
    };
    const broken = createDaemonStandIn();
    const { url } = await start({
      log,
      views: { ...broken.views, status: () => Promise.reject(new Error("secret path /x")) },
    });
    const answer = await ask(`${url}/api/v1/status`);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("secret path");
    expect(errors).toHaveLength(1);
  });

  it("answers 404 in JSON at a path that does not exist", async () => {
    const { url } = await start();
    const answer = await ask(`${url}/api/v2/status`);
    expect([answer.status, answer.json()]).toMatchObject([
      404,
      { error: { code: "SERVER_NO_SUCH_PATH" } },
    ]);
  });
});

describe("acting", () => {
  it("reloads", async () => {
    const { url, daemon } = await start();
    expect((await post(`${url}/api/v1/reload`)).json()).toEqual({
      status: "reloaded",
      changed: true,
      memory: [],
    });
    expect(daemon.asked).toEqual(["reload by API"]);
  });

  it("says every error of a file that a reload refused", async () => {
    const { url, daemon } = await start();
    daemon.reload = { ok: false, errors: ["watches.yaml:3:1: unknown key"] };
    const answer = await post(`${url}/api/v1/reload`);
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { error: { code: "CONFIG_REFUSED", errors: ["watches.yaml:3:1: unknown key"] } },
    ]);
  });

  it("pauses and resumes a watch, and says when there is none", async () => {
    const { url, daemon } = await start();
    expect((await post(`${url}/api/v1/watches/brand-mentions/pause`)).json()).toMatchObject({
      watch: "brand-mentions",
      paused: true,
    });
    expect((await post(`${url}/api/v1/watches/brand-mentions/resume`)).json()).toMatchObject({
      watch: "brand-mentions",
      paused: false,
    });
    expect((await post(`${url}/api/v1/watches/brand-mentions/resume?from_now=true`)).status).toBe(
      409,
    );
    expect((await post(`${url}/api/v1/watches/nope/pause`)).status).toBe(404);
    expect(daemon.asked).toEqual([
      "pause brand-mentions",
      "resume brand-mentions",
      "resume brand-mentions from now",
      "pause nope",
    ]);
  });

  it("resumes a sink, and says when there is none", async () => {
    const { url, daemon } = await start();
    expect((await post(`${url}/api/v1/sinks/brand/resume`)).json()).toEqual({
      sink: "brand",
      was_disabled: true,
      effect: "now",
    });
    expect((await post(`${url}/api/v1/sinks/nope/resume`)).json()).toMatchObject({
      error: { code: "SINK_UNKNOWN" },
    });
    expect(daemon.asked).toEqual(["resume sink brand by API", "resume sink nope by API"]);
  });

  it("changes nothing on a GET", async () => {
    const { url, daemon } = await start();
    expect((await ask(`${url}/api/v1/reload`)).status).toBe(404);
    expect(daemon.asked).toEqual([]);
  });
});

describe("the page over HTTP", () => {
  it("comes with a policy that names its own style and script only", async () => {
    const { url, daemon } = await start();
    daemon.status = statusView({ sinks: [sinkView({ name: "<b>x</b>" })] });
    const answer = await ask(`${url}/`);
    expect(answer.headers["content-type"]).toContain("text/html");
    expect(answer.headers["content-security-policy"]).toMatch(
      /default-src 'none'.*script-src 'sha256-/,
    );
    expect(answer.text).toContain("&lt;b&gt;x&lt;/b&gt;");
  });
});

describe("listening", () => {
  it("refuses an address that others reach without a token", async () => {
    await expect(start({ host: "0.0.0.0" })).rejects.toMatchObject({
      code: "SERVER_TOKEN_WANTED",
      exitCode: 78,
    });
  });

  it("says an address that this machine can open when it listens on all", async () => {
    const { url } = await start({ host: "0.0.0.0", token: "t" });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask(`${url}/healthz`)).status).toBe(200);
  });

  it("says in one sentence that the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start({ port })).rejects.toMatchObject({
      code: "SERVER_CANNOT_LISTEN",
      exitCode: 73,
      message: `127.0.0.1:${port} is in use by another process`,
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it("closes within a second although an answer hangs", async () => {
    const { url, daemon, clock, close } = await start();
    const asked = new Promise<void>((resolve) => {
      daemon.health = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const answer = ask(`${url}/healthz`).catch((error: Error) => error);
    await asked;
    running.length = 0;
    const closed = close();
    await clock.advance(1_000);
    await closed;
    expect(await answer).toBeInstanceOf(Error);
  });
});

describe("a wrong token", () => {
  async function startLogging() {
    const lines: unknown[] = [];
    const log = {
      ...silentLog,
      warn: (message: string, fields: unknown) => void lines.push([message, fields]),
    };
    return { lines, ...(await start({ token: "s3cret", log })) };
  }

  it("is logged once a minute with its count and address, and never itself", async () => {
    const { url, clock, lines } = await startLogging();
    for (let tries = 0; tries < 20; tries += 1)
      await ask(`${url}/api/v1/status`, { authorization: "Bearer guess" });
    await ask(url, { authorization: `Basic ${Buffer.from("me:guess").toString("base64")}` });
    expect((await ask(url, { authorization: "Bearer s3cret" })).status).toBe(200);
    await clock.advance(60_000);
    await ask(url, { authorization: "Bearer guess" });
    await clock.advance(600_000);
    const line = "the server received wrong tokens";
    expect(lines).toEqual([
      [line, { count: 21, from: "127.0.0.1" }],
      [line, { count: 1, from: "127.0.0.1" }],
    ]);
  });

  it("is not what a browser sends that has none yet, and what is counted is logged at a stop", async () => {
    const { url, clock, lines, close } = await startLogging();
    expect((await ask(url)).status).toBe(401);
    await clock.advance(120_000);
    expect(lines).toEqual([]);
    await ask(url, { authorization: "Bearer guess" });
    running.length = 0;
    const closed = close();
    await clock.advance(1_000);
    await closed;
    expect(lines).toHaveLength(1);
  });
});

describe("silences", () => {
  const REQUEST = {
    matchers: ['watch="brand"'],
    duration: "1h",
    comment: "launch",
    author: "alice",
  };
  const add = (url: string, body: unknown, headers = {}) =>
    ask(
      `${url}/api/v1/silences`,
      headers,
      "POST",
      typeof body === "string" ? body : JSON.stringify(body),
    );

  it("are listed, with those that ended where asked", async () => {
    const { url, daemon } = await start();
    daemon.status = statusView({ silences: [silenceView()] });
    expect((await ask(`${url}/api/v1/silences`)).json()).toEqual({
      silences: [silenceView()],
      next: null,
    });
    await ask(`${url}/api/v1/silences?expired=true`);
    expect(daemon.asked).toEqual(["silences", "silences with expired"]);
  });

  it("are added as asked for, what is left out being empty", async () => {
    const { url, daemon } = await start();
    daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 4 } };
    const answer = await add(url, REQUEST);
    expect([answer.status, answer.json()]).toEqual([
      200,
      { ...silenceView(), matching_24h: 4, effect: "now" },
    ]);
    await add(url, {});
    const empty = { matchers: [], duration: "", comment: "", author: "" };
    expect(daemon.asked).toEqual(
      [REQUEST, empty].map(
        ({ matchers, duration, comment, author }) =>
          `silence ${JSON.stringify({ matchers, duration, comment, author })}`,
      ),
    );
  });

  it("are refused with every problem", async () => {
    const { url, daemon } = await start();
    daemon.added = { ok: false, errors: ["one", "two"] };
    const answer = await add(url, REQUEST);
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { error: { code: "SILENCE_INVALID", message: "one; two", errors: ["one", "two"] } },
    ]);
  });

  it.each([
    "",
    "no json",
    "[]",
    "null",
    '{"matchers":"a=b"}',
    '{"matchers":[1]}',
    '{"duration":60}',
    '{"until":"2027-01-01"}',
  ])("want a body of their shape, and %j is none", async (body) => {
    const { url, daemon } = await start();
    const answer = await add(url, body);
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { error: { code: "SERVER_BAD_BODY" } },
    ]);
    expect(daemon.asked).toEqual([]);
  });

  it("refuse a body that is far too long", async () => {
    const { url, daemon } = await start();
    expect((await add(url, { ...REQUEST, comment: "x".repeat(70_000) })).status).toBe(413);
    expect(daemon.asked).toEqual([]);
  });

  it("end by their id; what they hold back is sent by sink and silence, or all of it", async () => {
    const { url, daemon } = await start();
    daemon.status = statusView({ silences: [silenceView()] });
    const ended = await ask(`${url}/api/v1/silences/1`, {}, "DELETE");
    expect([ended.status, ended.json()]).toEqual([200, { ...silenceView(), effect: "now" }]);
    const unknown = await ask(`${url}/api/v1/silences/9`, {}, "DELETE");
    expect([unknown.status, unknown.json()]).toMatchObject([
      404,
      { error: { code: "SILENCE_UNKNOWN", message: 'there is no silence "9"' } },
    ]);
    expect((await post(`${url}/api/v1/silences/replay?sink=brand&silence=1`)).json()).toEqual({
      alerts: 2,
      effect: "now",
    });
    await post(`${url}/api/v1/silences/replay`);
    expect(daemon.asked.slice(2)).toEqual([
      "resend silenced brand 1 by API",
      "resend silenced all all by API",
    ]);
  });

  it("are changed by nobody without the token, and by no page of another site", async () => {
    const { url, daemon } = await start({ token: "s3cret" });
    const foreign = { authorization: "Bearer s3cret", origin: "https://evil.example" };
    expect((await add(url, REQUEST)).status).toBe(401);
    expect((await add(url, REQUEST, foreign)).status).toBe(403);
    expect((await ask(`${url}/api/v1/silences/1`, {}, "DELETE")).status).toBe(401);
    expect((await ask(`${url}/api/v1/silences/1`, foreign, "DELETE")).status).toBe(403);
    expect((await post(`${url}/api/v1/silences/replay`, foreign)).status).toBe(403);
    expect(daemon.asked).toEqual([]);
  });
});
