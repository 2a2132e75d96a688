/**
 * Tests gaps that do not shrink: the operator is notified of them and of their end, and every
 * replica's status has them.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { makeInnerReplicas } from "../support/inner-replicas.ts";

const MINUTE = 60_000;
const WORDS = ["zebra", "giraffe"] as const;
const search = (query: string) => ({
  type: "search",
  query,
  schedule: "@every 30s",
  strategy: "single",
  max_pages: 3,
});
const searches = Object.fromEntries(WORDS.map((word) => [word, search(word)]));

/** A quota that leaves no further pages but the first few. */
const SCARCE = 10_000;
/** More posts than those few pages hold. */
const BURST = 500;

const quotaOf = (monthly: number) => ({ quota: { monthly } });

it("a gap that the quota holds open is reported once, and again when it is closed", {
  timeout: 60_000,
}, async () => {
  const { clock, control, status, hook, ops, reload } = await startInnerDaemon({
    watches: () => searches,
    api: quotaOf(SCARCE),
    prepare: (ask) => ask("accounts", { username: "anna" }),
  });
  const reported = () =>
    ops
      .events()
      .flatMap(({ type, data }) =>
        type.startsWith("watch.") ? [[type, data.watch, data.reason, data.cause]] : [],
      );
  await clock.advance(MINUTE);
  await control("tweets", { username: "anna", text: "one zebra", count: BURST });
  await clock.advance(9 * MINUTE);
  expect(reported()).toEqual([]);
  const [gap] = (await status()).open_gaps;
  expect(gap).toMatchObject({ watches: ["zebra"], cause: "quota", stuck: false });
  await clock.advance(4 * MINUTE);
  expect(reported()).toEqual([["watch.gap", "zebra", "open", "quota"]]);
  const { state, reasons } = await status();
  expect([state, reasons.filter((reason) => reason.includes("zebra"))]).toEqual([
    "degraded",
    [
      expect.stringMatching(
        /^zebra: a gap in what was read, open since .*, has not shrunk for 1\dm and \d+ polls: the quota leaves no/,
      ),
    ],
  ]);
  await clock.advance(20 * MINUTE);
  expect(reported()).toHaveLength(1);
  await reload(quotaOf(10_000_000));
  await clock.advance(6 * MINUTE);
  expect(reported().slice(1)).toEqual([["watch.recovered", "zebra", "closed", undefined]]);
  expect(await status()).toMatchObject({ gaps: 0, open_gaps: [] });
  expect(new Set(hook.events().map(({ subject }) => subject)).size).toBe(BURST);
});

it("a gap of a follower stands in the status of all replicas, and counts at the one that fills it", {
  timeout: 60_000,
}, async () => {
  const { clock, control, add, hook } = await makeInnerReplicas(searches, { monthly: SCARCE });
  await control("accounts", { username: "anna" });
  const replicas = [await add(), await add()];
  const read = async (path: string) =>
    Promise.all(
      replicas.map(async ({ url }) => (await fetch(`${url.replace(/\/$/, "")}/${path}`)).text()),
    );
  const gaps = async () =>
    (await read("api/v1/status")).map((text) =>
      JSON.parse(text).open_gaps.map((gap: any) => [gap.watches, gap.stuck]),
    );
  await clock.advance(MINUTE);
  expect(await gaps()).toEqual([[], []]);
  for (const word of WORDS)
    await control("tweets", { username: "anna", text: `one ${word}`, count: BURST });
  await clock.advance(14 * MINUTE);
  const both = expect.arrayContaining(WORDS.map((word) => [[word], true]));
  expect(await gaps()).toEqual([both, both]);
  const counted = (await read("metrics")).map((text) =>
    Number(/^chirpwatch_gaps (\d+)$/m.exec(text)?.[1]),
  );
  expect(counted).toEqual([1, 1]);
  const alerts = hook.events().filter(({ type }) => type === "watch.gap");
  expect(
    alerts
      .map(({ data }) => data.watch)
      .toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
  ).toEqual([...WORDS].toSorted());
});
