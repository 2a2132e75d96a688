/**
 * Tests the pages as a proxy serves them below a path: every link, form and redirect stays below
 * it.
 */
import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../../src/server/server.ts";
import { startLoopbackServer } from "../support/loopback-server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  eventEntry,
  NOW_MS,
  silenceView,
  silentLog,
  statusView,
  watchView,
} from "./daemon-stand-in.ts";

const PATH = "/ops/chirp";

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly type: string;
  readonly text: string;
}

function ask(url: string, method: string, body = ""): Promise<Answer> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    origin: new URL(url).origin,
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString("utf8");
      const { location, "content-type": type = "" } = answer.headers;
      resolve({ status: answer.statusCode ?? 0, location, type, text });
    });
    call.on("error", reject);
    call.end(body);
  });
}

/**
 * Starts the daemon behind a proxy that removes the path, as nginx does for `location /ops/chirp/ {
 * proxy_pass http://daemon/; }`.
 */
async function start() {
  const daemon = createDaemonStandIn();
  daemon.status = statusView({
    silences: [silenceView()],
    reasons: Array.from({ length: 60 }, (_, number) => `trouble ${number}`),
    watches: Array.from({ length: 201 }, (_, number) => watchView({ id: `w${number}` })),
  });
  daemon.events = { events: [eventEntry()], next: "1", searched_to: "2026-03-10T13:57:10.400Z" };
  daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 4 } };
  const clock = createVirtualClock(NOW_MS);
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    clock,
    log: silentLog,
    ...daemon,
  });
  const proxy = await startLoopbackServer(async ({ method, url, body }, response) => {
    if (!url.startsWith(`${PATH}/`)) return void response.writeHead(404).end();
    const answer = await ask(`${server.url}${url.slice(PATH.length)}`, method, body);
    const headers = {
      "content-type": answer.type,
      ...(answer.location === undefined ? {} : { location: answer.location }),
    };
    response.writeHead(answer.status, headers).end(answer.text);
  });
  onTestFinished(async () => {
    const closing = server.close();
    await clock.advance(2_000);
    await Promise.all([closing, proxy.close()]);
  });
  return { daemon, root: `${proxy.url}${PATH}/` };
}

const addressesOf = (attribute: string, { text }: Answer, at: string): readonly string[] =>
  [...text.matchAll(new RegExp(` ${attribute}="([^"]*)"`, "g"))]
    .map(([, address = ""]) => new URL(address.replaceAll("&amp;", "&"), at).href)
    .filter((address) => address.startsWith("http://127.0.0.1"));

it("every link leads to a page, and every form ends on one", async () => {
  const { daemon, root } = await start();
  const seen = new Set<string>();
  const forms = new Set<string>();
  const toVisit = [root, `${root}silences`, `${root}events`];
  for (let at = toVisit.pop(); at !== undefined; at = toVisit.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const answer = await ask(at, "GET");
    expect(answer.status, at).toBe(200);
    if (!answer.type.startsWith("text/html")) continue;
    // One watch is enough, so links to the others are left out.
    const links = addressesOf("href", answer, at).filter((to) => !/watches\/w[^0]/.test(to));
    toVisit.push(...links);
    for (const form of addressesOf("action", answer, at)) forms.add(form);
  }
  const below = [
    "",
    "silences",
    "events",
    "watches",
    "api/v1/status",
    "api/v1/watches",
    "api/v1/events",
    "metrics",
  ];
  expect([...seen]).toEqual(expect.arrayContaining(below.map((path) => `${root}${path}`)));
  const different = [...forms].sort();
  expect(different.map((form) => form.slice(root.length))).toEqual([
    "alerts",
    "alerts/e1/acknowledge",
    "alerts/e1/replay",
    "events",
    "reload",
    "silences",
    "silences/1/expire",
    "sinks/brand/test",
    "watches",
    "watches/w0/backfill",
    "watches/w0/pause",
    "watches/w0/test",
  ]);
  for (const form of different) {
    if (/(alerts|events|backfill|watches|\/test)$/.test(form) && !form.includes("sinks/")) continue;
    const { status, location = "" } = await ask(
      form,
      "POST",
      "matchers=watch%3D%22a%22&duration=1h&comment=c&author=a",
    );
    const lands = new URL(location, form);
    expect({ form, status }).toEqual({ form, status: 303 });
    expect((await ask(lands.href, "GET")).status, lands.href).toBe(200);
  }
  // The page of a missing silence is two levels further down.
  const gone = await ask(`${root}silences/9/expire`, "POST");
  expect(gone.status).toBe(404);
  expect(addressesOf("href", gone, `${root}silences/9/expire`)).toEqual([root, `${root}events`]);
  expect(addressesOf("action", gone, `${root}silences/9/expire`)).toEqual([`${root}silences`]);
  expect(daemon.asked).toContain("expire 1 by page");
});
