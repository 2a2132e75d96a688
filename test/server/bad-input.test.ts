/**
 * Tests bad input of every kind, on pages and in the API: each is answered in words, a page has a
 * link that leads on, and nothing is changed.
 */
import { expect, it } from "vitest";
import { createRoutes } from "../../src/server/routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { NOW_MS, silentLog } from "./daemon-stand-in.ts";
import { createTroubledDaemon, showUnseen } from "./troubled-daemon.ts";

interface Bad {
  readonly method?: "POST" | "DELETE";
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly words: string;
}

const TOKEN = { authorization: "Bearer secret" };
const FORM = { ...TOKEN, "content-type": "application/x-www-form-urlencoded" };
const LONG = `by=${"x".repeat(70_000)}`;
const POST = { method: "POST" } as const;
const WRONG = { authorization: "Bearer wrong" };
const READER = { authorization: "Bearer reader" };

const ALIKE: readonly (readonly [page: string, api: string, rest: Omit<Bad, "path">])[] = [
  ["/events?flavour=1", "/api/v1/events?flavour=1", { status: 400, words: "flavour" }],
  ["/events?since=soon", "/api/v1/events?since=soon", { status: 400, words: "since must be" }],
  ["/events?until=2026-13-40", "/api/v1/events?until=2026-13-40", { status: 400, words: "until" }],
  ["/events?state=odd", "/api/v1/events?state=odd", { status: 400, words: "state must be" }],
  ["/events?limit=0", "/api/v1/events?limit=0", { status: 400, words: "limit must be" }],
  [
    "/events?before=x",
    "/api/v1/events?cursor=x",
    { status: 400, words: "the `next` of an answer" },
  ],
  ["/events?watch=,", "/api/v1/events?watch=,", { status: 400, words: "watch must be" }],
  ["/nowhere", "/api/v1/nowhere", { status: 404, words: "nothing at this path" }],
  [
    "/watches/gone/pause",
    "/api/v1/watches/gone/pause",
    { ...POST, status: 404, words: "there is no watch" },
  ],
  [
    "/sinks/gone/resume",
    "/api/v1/sinks/gone/resume",
    { ...POST, status: 404, words: "there is no sink" },
  ],
  [
    "/silences/99/expire",
    "/api/v1/silences/99",
    { ...POST, status: 404, words: "there is no silence" },
  ],
  [
    "/alerts/gone/acknowledge",
    "/api/v1/alerts/gone/acknowledgement",
    { ...POST, status: 404, words: "no longer keeps it" },
  ],
  [
    "/alerts/gone/snooze",
    "/api/v1/alerts/gone/snooze?for=4h",
    { ...POST, body: "for=4h", status: 404, words: "no longer keeps it" },
  ],
  ["/silences", "/api/v1/silences", { ...POST, body: LONG, status: 413, words: "" }],
  ...["/", "/events", "/watches/slow", "/reload"].map(
    (path) => [path, "/api/v1/status", { headers: WRONG, status: 401, words: "token" }] as const,
  ),
  ["/", "/api/v1/status", { headers: {}, status: 401, words: "requires the token" }],
  [
    "/reload",
    "/api/v1/reload",
    { ...POST, headers: READER, status: 403, words: "server.read_token may only read" },
  ],
  [
    "/reload",
    "/api/v1/reload",
    {
      ...{ ...POST, headers: { ...FORM, origin: "https://evil.example" } },
      ...{ status: 403, words: "pages of other sites may not change anything" },
    },
  ],
];

/** Cases that only pages have. */
const PAGES: readonly Bad[] = [
  { path: "/watches/gone", status: 404, words: "it was renamed or removed" },
  { path: "/watches/gone/test", status: 404, words: "it was renamed or removed" },
  { path: "/watches/gone/backfill", status: 404, words: "it was renamed or removed" },
  { ...POST, path: "/watches/gone/backfill", status: 404, words: "it was renamed or removed" },
  { ...POST, path: "/watches/gone/test", status: 404, words: "it was renamed or removed" },
  { path: "/sinks/gone", status: 404, words: "it was renamed or removed" },
  { ...POST, path: "/sinks/gone/test", status: 404, words: "it was renamed or removed" },
  { path: "/alerts", status: 400, words: "write the link or the id of a post" },
  { path: "/alerts/AAAAAAAAAAAAAAAAAAAAAA", status: 404, words: "state.retention" },
  { path: "/alerts?item=%00%E2%80%AE", status: 404, words: "nothing of that name" },
  { path: "/watches/slow/backfill?since=soon", status: 400, words: "since must be" },
  { ...POST, path: "/watches/slow/backfill", status: 400, words: "since must be" },
  {
    ...POST,
    path: "/watches/slow/backfill",
    body: "since=7d&max_requests=1e9",
    status: 400,
    words: "whole number",
  },
  { ...POST, path: "/silences", status: 400, words: "Silence alerts" },
  {
    ...POST,
    path: "/silences",
    body: "{}",
    headers: { ...TOKEN, "content-type": "application/json" },
    status: 400,
    words: "Silence alerts",
  },
  { ...POST, path: "/alerts/e1/snooze", body: "for=soon", status: 400, words: "not a length" },
  ...[
    "/reload",
    "/watches/slow/pause",
    "/sinks/brand/test",
    "/alerts/e1/acknowledge",
    "/alerts/e1/replay",
    "/watches/slow/backfill",
  ].map((path) => ({ ...POST, path, body: LONG, status: 413, words: "the text is too long" })),
];

function setUp() {
  const daemon = createTroubledDaemon(NOW_MS);
  const clock = createVirtualClock(NOW_MS);
  const access = { kind: "tcp", token: "secret", readToken: "reader" } as const;
  const routes = createRoutes({ ...daemon, clock, log: silentLog }, access);
  return { daemon, routes };
}

async function ask(bad: Bad, accept: string) {
  const { daemon, routes } = setUp();
  daemon.added = { ok: false, errors: ["the duration is missing"] };
  if (bad.path.startsWith("/alerts") && bad.method === undefined) {
    showUnseen(daemon);
    daemon.found = { ...daemon.found, itemId: null, unseen: null };
    daemon.events = { events: [], next: null, searched_to: null };
  }
  const answer = await routes.request(bad.path, {
    method: bad.method ?? "GET",
    headers: { ...(bad.headers ?? FORM), accept },
    ...(bad.method === "POST" ? { body: bad.body ?? "" } : {}),
  });
  const changes = daemon.asked.filter((one) => !/^(events|explain|dead|silences)\b/.test(one));
  return { answer, text: await answer.text(), changes };
}

const CHANGES = /^(reload|pause|resume|test|backfill|replay|silence|resend)/;

it.for([...ALIKE.map(([path, , rest]) => ({ path, ...rest })), ...PAGES])(
  "the page $method $path says $status in words and leads on",
  async (bad) => {
    const { answer, text, changes } = await ask(bad, "text/html,*/*");
    expect(answer.status).toBe(bad.status);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const body = text.slice(text.indexOf("<body>"));
    const words = body.replace(/<script>.*<\/script>/s, "").replace(/<[^>]+>/g, " ");
    expect(words.toLowerCase()).toContain(bad.words.toLowerCase());
    expect(body).toMatch(/<main>.*(<a href=|<form )/s);
    expect(changes.filter((one) => CHANGES.test(one) && !/ gone| e9/.test(one))).toEqual(
      bad.path === "/silences" && bad.status === 400 ? [expect.stringContaining("silence ")] : [],
    );
    if (bad.status === 401) expect(answer.headers.get("www-authenticate")).toContain("Basic");
  },
);

it.for(ALIKE.map(([, path, rest]) => ({ path, ...rest })))(
  "the API $method $path says $status in a problem document",
  async (bad) => {
    const asked = bad.path.startsWith("/api/v1/silences/")
      ? { ...bad, method: "DELETE" as const }
      : bad;
    const { answer, text } = await ask(asked, "*/*");
    expect(answer.status).toBe(bad.status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    const { status, detail, error } = JSON.parse(text);
    expect([status, error.message]).toEqual([bad.status, detail]);
    expect(detail).toContain(bad.words);
  },
);

it.for([
  ["/alerts/e1/acknowledge", "", "acknowledged", "acknowledged_already"],
  ["/alerts/e1/not-relevant", "", "not_relevant", "not_relevant_already"],
  ["/alerts/e1/snooze", "for=4h", "snoozed", "snoozed_already"],
  ["/alerts/e1/mute-author", "", "author_muted", "author_muted_already"],
] as const)("the form %s that is sent twice says so", async ([path, body, first, second]) => {
  const { daemon, routes } = setUp();
  const send = async () => {
    const answer = await routes.request(path, { method: "POST", headers: FORM, body });
    return answer.headers.get("location");
  };
  expect(await send()).toBe(`../e1?done=${first}`);
  daemon.isChangedAlready = true;
  expect(await send()).toBe(`../e1?done=${second}`);
});

it("a silence whose form is sent twice is added once", async () => {
  const { daemon, routes } = setUp();
  const fields = { matchers: 'team="comms"', duration: "1h", comment: "launch", author: "" };
  const body = new URLSearchParams(fields).toString();
  const send = () => routes.request("/silences", { method: "POST", headers: FORM, body });
  expect((await send()).headers.get("location")).toBe(".?done=silence_added");
  const [silence] = daemon.status.silences;
  daemon.status = {
    ...daemon.status,
    silences: [
      {
        ...silence!,
        ...{ matchers: ['team="comms"'], comment: "launch", author: "page with server.token" },
        starts_at: new Date(NOW_MS).toISOString(),
      },
    ],
  };
  expect((await send()).headers.get("location")).toBe(".?done=silence_already");
  expect(daemon.asked.filter((one) => one.startsWith("silence "))).toHaveLength(1);
});
