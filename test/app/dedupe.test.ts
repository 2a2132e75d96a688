/**
 * Tests `dedupe` when the first of several like alerts is given up: nobody received it, so no later
 * alert is a duplicate of it.
 */
import { expect, it } from "vitest";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * Starts two watches that find the same posts. The webhook treats alerts about one author as
 * duplicates for an hour.
 */
async function setUp(more: Partial<InnerDaemonOptions> = {}) {
  const daemon = await startInnerDaemon({
    watches: () => ({
      v: { type: "search", query: "zebra", schedule: "@every 10s" },
      w: { type: "search", query: "zebra", schedule: "@every 10s" },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    sink: { dedupe: { key: ["author"], window: "1h" } },
    ...more,
  });
  await daemon.clock.advance(30 * SECOND);
  return daemon;
}

async function post({ control, clock }: InnerDaemon): Promise<string> {
  const { ids } = await control("tweets", { username: "loud_one", text: "a new zebra" });
  await clock.advance(20 * SECOND);
  return ids[0] as string;
}

/** Returns the verdict and the deliveries of each watch, as `explain` shows them for an item. */
const explained = async ({ call }: InnerDaemon, id: string) =>
  (await call(`explain/${id}`)).verdicts.map(({ watch, verdict, deliveries }: any) => [
    watch,
    verdict,
    ...deliveries.map(({ state, detail }: any) => `${state}: ${detail}`),
  ]);

it("fault 105: the first alert after one that was refused for good is the first of its window", async () => {
  const daemon = await setUp();
  const { hook } = daemon;
  hook.answer((_, response) => response.writeHead(400).end("no"));
  const refused = await post(daemon);
  hook.answer((_, response) => response.writeHead(204).end());
  const before = hook.messages().length;
  const [next, third] = [await post(daemon), await post(daemon)];
  const sent = hook.events().slice(before);
  expect(sent.map(({ subject, watch }) => [subject, watch])).toEqual([[next, "v"]]);
  expect(await explained(daemon, refused)).toEqual([
    ["v", "dead", "dead: the webhook answered 400: no"],
    ["w", "dead", "dead: it belongs to an alert that was given up; the webhook answered 400: no"],
  ]);
  expect(await explained(daemon, third)).toEqual(
    ["v", "w"].map((watch) => [
      watch,
      "event",
      "duplicate: delivered already, with the same author",
    ]),
  );
});

it("what joined an alert that is refused for good is counted, listed and sent again with it", async () => {
  const daemon = await setUp();
  const { hook, call, clock, opsAlerts } = daemon;
  // The first alert is tried again and again while the second post is found.
  hook.answer((_, response) => response.writeHead(503).end("later"));
  const [first, second] = [await post(daemon), await post(daemon)];
  hook.answer((_, response) => response.writeHead(400).end("no"));
  await clock.advance(2 * MINUTE);
  hook.answer((_, response) => response.writeHead(204).end());
  const { groups, dead } = await call("dead");
  expect(groups).toMatchObject([{ messages: 1, alerts: 4 }]);
  expect(dead[0].alerts.map(({ watch, url }: any) => [watch, url.split("/").at(-1)])).toEqual([
    ["v", first],
    ["w", first],
    ["v", second],
    ["w", second],
  ]);
  expect(opsAlerts().map(({ type }) => type)).toEqual(["delivery.dead"]);
  expect(opsAlerts()[0]?.message).toContain("4 alerts for hook were refused for good");
  expect((await explained(daemon, second)).map(([, verdict]: any) => verdict)).toEqual([
    "dead",
    "dead",
  ]);
  const before = hook.messages().length;
  expect(await call("dead/replay", "POST", {})).toMatchObject({ messages: 1, alerts: 4 });
  await clock.advance(MINUTE);
  expect(
    hook
      .events()
      .slice(before)
      .map(({ subject }) => subject),
  ).toEqual([first]);
  for (const id of [first, second])
    expect((await explained(daemon, id)).map(([, verdict]: any) => verdict)).toEqual([
      "event",
      "event",
    ]);
  expect((await explained(daemon, second)).map(([, , delivery]: any) => delivery)).toEqual([
    "sent: delivered together with another alert, with the same author",
    "sent: delivered together with another alert, with the same author",
  ]);
  const third = await post(daemon);
  expect(
    (await explained(daemon, third)).map(([, , delivery]: any) => delivery.split(":")[0]),
  ).toEqual(["duplicate", "duplicate"]);
});
