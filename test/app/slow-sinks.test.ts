/**
 * Tests sinks beside one that is slow, refuses or asks to wait: the other sinks get their alerts as
 * fast as if they were alone.
 */
import "@slack/web-api";
import { expect, it, onTestFinished } from "vitest";
import { type Clock, sleep } from "../../src/model/clock.ts";
import type { Http, HttpRequest } from "../../src/model/http.ts";
import { HOOK_SECRET } from "../support/hook-receiver.ts";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";
import { json, type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const POSTS = 12;

interface Arrival {
  readonly where: string;
  readonly atMs: number;
  readonly body: string;
}

/** Records when each sink was called, and lets `where` take its time. */
function watchArrivals(
  whereOf: (request: HttpRequest) => string,
  slowMs: (where: string) => number,
) {
  const arrivals: Arrival[] = [];
  let clock: Clock | undefined;
  const httpFilter = (http: Http): Http => ({
    async request(request) {
      const where = whereOf(request);
      if (clock === undefined || where === "") return http.request(request);
      arrivals.push({ where, atMs: clock.now(), body: request.body ?? "" });
      await sleep(clock, slowMs(where), request.signal);
      return http.request(request);
    },
  });
  const use = (daemon: InnerDaemon) => {
    clock = daemon.clock;
  };
  return { arrivals, httpFilter, use };
}

async function post(daemon: InnerDaemon): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < POSTS; i += 1)
    ids.push(...(await daemon.control("tweets", { username: "loud_one", text: `zebra ${i}` })).ids);
  return ids;
}

const watches = () => ({ w: { type: "search", query: "zebra", schedule: "@every 10s" } });
const prepare = (ask: InnerDaemon["control"]) => ask("accounts", { username: "loud_one" });

it("fault 52: a slow sink delays nobody, and gets everything once", async () => {
  const server: LoopbackServer = await startLoopbackServer();
  onTestFinished(server.close);
  const { arrivals, httpFilter, use } = watchArrivals(
    ({ url }) => (url.startsWith(server.url) ? new URL(url).pathname.slice(1) : ""),
    (where) => (where === "slow" ? 12 * SECOND : 0),
  );
  const hook = (name: string) => ({
    type: "webhook",
    url: `${server.url}/${name}`,
    secret: HOOK_SECRET,
    allow_private: true,
  });
  const sinks = { slow: hook("slow"), quick: hook("quick"), ops: hook("ops") };
  const daemon = await startInnerDaemon({
    watches,
    prepare,
    httpFilter,
    more: { sinks, route: { sink: ["slow", "quick"] } },
  });
  use(daemon);
  await daemon.clock.advance(30 * SECOND);
  const ids = await post(daemon);
  await daemon.clock.advance(11 * SECOND);
  const to = (where: string) =>
    arrivals
      .filter((one) => one.where === where)
      .map((one) => ({ ...one, ...JSON.parse(one.body) }));
  expect(new Set(to("quick").map(({ data }) => data.tweet.id))).toEqual(new Set(ids));
  for (const { atMs, timestamp } of to("quick"))
    expect(atMs - Date.parse(timestamp)).toBeLessThan(SECOND / 2);
  expect(to("slow").length).toBeLessThan(POSTS);
  await daemon.clock.advance(5 * MINUTE);
  const late = to("slow").map(({ data }): string => data.tweet.id);
  expect(late.toSorted()).toEqual(ids.toSorted());
});

it.each([
  ["is as busy", 0, undefined],
  ["takes its time", 14 * SECOND, undefined],
  ["asks to wait", 0, json({ ok: false, error: "ratelimited" }, 429, { "retry-after": "30" })],
  ["is archived", 0, json({ ok: false, error: "is_archived" })],
])(
  "fault 41: channels of one workspace do not block each other while one of them %s",
  async (_, slowMs, refusal) => {
    const channelOf = (body = "") => new URLSearchParams(body).get("channel") ?? "";
    const slack = await startLoopbackServer((request, response) => {
      const answer =
        channelOf(request.body) === "#one" && refusal !== undefined
          ? refusal
          : json({ ok: true, ts: "1.2", channel: "C1" });
      answer(request, response);
    });
    onTestFinished(slack.close);
    const { arrivals, httpFilter, use } = watchArrivals(
      ({ url, body }) => (url.startsWith(slack.url) ? channelOf(body) : ""),
      (where) => (where === "#one" ? slowMs : 0),
    );
    const channel = (name: string) => ({
      type: "slack",
      token: "xoxb-1",
      channel: name,
      api_url: `${slack.url}/api/`,
      throttle: false,
    });
    const sinks = { one: channel("#one"), two: channel("#two"), ops: { type: "console" } };
    const daemon = await startInnerDaemon({
      watches,
      prepare,
      httpFilter,
      more: { sinks, route: { sink: ["one", "two"] } },
    });
    use(daemon);
    await daemon.clock.advance(30 * SECOND);
    const ids = await post(daemon);
    await daemon.clock.advance(40 * SECOND);
    const two = arrivals.filter(({ where }) => where === "#two");
    for (const id of ids)
      expect(
        two.filter(({ body }) => decodeURIComponent(body).includes(`/status/${id}`)),
      ).toHaveLength(1);
    // Slack takes one message a second and channel.
    const tookMs = (two.at(-1)?.atMs ?? 0) - (two[0]?.atMs ?? 0);
    expect(tookMs).toBeLessThan(POSTS * 1_020);
    const isTroubled = slowMs > 0 || refusal !== undefined;
    expect(arrivals.filter(({ where }) => where === "#one").length < POSTS).toBe(isTroubled);
  },
);
