/**
 * Tests that each form of the pages, sent to a whole daemon, leaves one audit record that names the
 * person.
 */
import { expect, it } from "vitest";
import type { OpenedStore } from "../../src/state/open.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

async function start() {
  let store: OpenedStore | undefined;
  const daemon = await startInnerDaemon({
    watches: () => ({
      brand: { type: "timeline", accounts: ["one"], schedule: "@every 1h" },
    }),
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
    storeFilter: (opened) => (store = opened),
  });
  await daemon.clock.advance(5 * MINUTE);
  await daemon.control("tweets", { username: "one", text: "new" });
  await daemon.clock.advance(61 * MINUTE);
  const [alert] = (await daemon.call("events")).events;
  const audit = async () =>
    (await store!.auditRecords(100))
      .map(({ action, detail }) => [action, (detail as { by?: string }).by])
      .reverse();
  return { ...daemon, alert: alert.data.id as string, audit };
}

it("each form leaves an audit record with a name", async () => {
  const { submit, alert, audit, status } = await start();
  const sink = (await status()).sinks[0]?.name ?? "";
  const before = (await audit()).length;
  const forms: readonly (readonly [path: string, fields: object, action: string])[] = [
    ["watches/brand/pause", {}, "pause"],
    ["watches/brand/resume", {}, "resume"],
    ["watches/brand/test", {}, "watch test"],
    ["watches/brand/backfill", { since: "1h", max_requests: "1" }, "backfill"],
    [`sinks/${sink}/test`, {}, "sink test"],
    [`sinks/${sink}/resume`, {}, "sink resume"],
    [`alerts/${alert}/acknowledge`, {}, "acknowledge"],
    [`alerts/${alert}/unacknowledge`, {}, "acknowledge undo"],
    [`alerts/${alert}/not-relevant`, {}, "not relevant"],
    [`alerts/${alert}/relevant`, {}, "not relevant undo"],
    [`alerts/${alert}/snooze`, { for: "4h" }, "snooze"],
    [`alerts/${alert}/mute-author`, {}, "mute author"],
    [`alerts/${alert}/replay`, { sink }, "replay event"],
  ];
  for (const [path, fields] of forms) await submit(path, { by: "Ada", ...fields });
  expect((await audit()).slice(before)).toEqual(forms.map(([, , action]) => [action, "Ada"]));
});

it("silences name who added them and who ended them, or the page where nobody gave a name", async () => {
  const { submit, audit, status } = await start();
  const fields = { matchers: 'watch="brand"', duration: "1h", comment: "launch", author: "" };
  const before = (await audit()).length;
  expect(await submit("silences", fields)).toContain("The silence holds alerts back from now on.");
  expect(await submit("silences", fields)).toContain("The same silence was added a moment ago");
  expect((await status()).silences.map(({ author }) => author)).toEqual(["page"]);
  const end = `silences/${(await status()).silences[0]?.id}/expire`;
  expect(await submit(end)).toContain("The silence has ended: alerts go out again.");
  expect((await audit()).slice(before)).toEqual([
    ["silence add", undefined],
    ["silence expire", "page"],
  ]);
});
