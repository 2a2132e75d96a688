/**
 * Tests a thread whose first message somebody deleted, at a Slack that silently ignores the dead
 * `thread_ts`: one message is posted in the channel, and the next ones below it.
 */
import { expect, it, onTestFinished } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";

const MINUTE = 60_000;

it("the message that could not stand in the thread begins a new one", async () => {
  const posted = new Map<string, string>();
  let count = 900;
  const slack = await startLoopbackServer((request, response) => {
    if (request.url.endsWith("auth.test")) return json({ ok: true })(request, response);
    const asked = new URLSearchParams(request.body).get("thread_ts") ?? "";
    const thread = posted.has(asked) ? { thread_ts: asked } : {};
    const ts = `1.${count++}`;
    posted.set(ts, thread.thread_ts ?? "");
    json({ ok: true, ts, channel: "C1", message: { ts, ...thread } })(request, response);
  });
  onTestFinished(() => slack.close());
  const chat = {
    type: "slack",
    token: "xoxb-1",
    channel: "#brand",
    api_url: `${slack.url}/api/`,
    thread_by: "watch",
  };
  const daemon = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 10s" } }),
    prepare: (ask) => ask("accounts", { username: "anna" }),
    more: { sinks: { chat }, route: { sink: "chat" }, ops: undefined },
  });
  await daemon.clock.advance(MINUTE);
  const post = async () => {
    await daemon.control("tweets", { username: "anna", text: "one zebra" });
    await daemon.clock.advance(MINUTE);
  };
  await post();
  await post();
  expect([...posted]).toEqual([
    ["1.900", ""],
    ["1.901", "1.900"],
  ]);
  posted.delete("1.900");
  for (const _time of [1, 2, 3]) await post();
  expect([...posted.values()].slice(1)).toEqual(["", "1.902", "1.902"]);
});
