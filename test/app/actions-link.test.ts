/**
 * Tests the link from an alert to its page in the whole daemon: whoever follows it can act there.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

it("leads from a message to the page where the alert is acknowledged", async () => {
  const { clock, control, hook, submit, call } = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    sink: { actions_link: true },
    more: { server: { listen: "127.0.0.1:0", public_url: "https://ops.example.com/chirp/" } },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  await clock.advance(5 * MINUTE);
  const { ids } = await control("tweets", { username: "one", text: "news" });
  await clock.advance(2 * MINUTE);
  const url = String(hook.events()[0]?.data["actions_url"]);
  const [, path = ""] = /^https:\/\/ops\.example\.com\/chirp\/(alerts\/[^/]+)$/.exec(url) ?? [];
  expect(path).not.toBe("");
  await submit(`${path}/acknowledge`, { by: "Ada" });
  const { events } = await call("events?acknowledged=yes");
  expect(events).toMatchObject([{ acknowledged: { by: "Ada", from: "page" } }]);
  const rendered = await call(`render?event=${ids[0]}&sink=hook`);
  expect(JSON.stringify(rendered.payload)).toContain(url);
});
