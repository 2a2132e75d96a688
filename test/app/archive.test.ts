/** Tests what the polls of a whole daemon leave in the archive. */
import { expect, it } from "vitest";
import type { ArchivedRead } from "../../src/model/archive.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import { type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

async function setUp(options: Partial<InnerDaemonOptions> = {}) {
  let store: OpenedStore | undefined;
  const daemon = await startInnerDaemon({
    watches: () => ({
      all: { type: "search", query: "zebra", schedule: "@every 10s" },
      few: {
        ...{ type: "search", query: "zebra", schedule: "@every 10s" },
        ...{ where: "tweet.likes_count > 1000000", recheck: { every: "1m", until: "1h" } },
      },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    storeFilter: (opened) => (store = opened),
    ...options,
  });
  await daemon.clock.advance(30 * SECOND);
  const reads = async (): Promise<readonly ArchivedRead[]> =>
    (await store?.archivedReads({ atMs: 0, id: "" }, Number.MAX_SAFE_INTEGER, 1_000))?.reads ?? [];
  const post = async (): Promise<string> => {
    const sent = { username: "loud_one", text: "a new zebra" };
    return (await daemon.control("tweets", sent)).ids[0] as string;
  };
  return { ...daemon, reads, post };
}

/** Returns what each poll found about a subject, in the order of the polls. */
const foundIn = (reads: readonly ArchivedRead[], subject: string) =>
  reads.flatMap(({ source, facts }) =>
    facts
      .filter((fact) => fact.subject === subject)
      .map(({ found, type }) => [source === "recheck" ? "recheck" : "poll", found, type]),
  );

it("has what a poll found for each watch before `where`, once a poll, and nothing of a poll without news", async () => {
  const { clock, post, reads, hook, status } = await setUp();
  const id = await post();
  await clock.advance(20 * SECOND);
  expect(hook.events().map(({ subject, watch }) => [subject, watch])).toEqual([[id, "all"]]);
  const found = ["poll", "news", "tweet.created"];
  expect(foundIn(await reads(), id)).toEqual([found, found]);
  const before = (await reads()).length;
  const { archive } = await status();
  expect(archive).toMatchObject({ off: "", reads: before });
  expect(archive.bytes).toBeGreaterThan(100);
  await clock.advance(30 * SECOND);
  expect(await reads()).toHaveLength(before);
});

it("has the numbers of a recheck only where they have changed", async () => {
  const { clock, control, post, reads } = await setUp();
  const id = await post();
  await clock.advance(5 * 60 * SECOND);
  await control(`tweets/${id}`, { likes_count: 7 }, "PATCH");
  await clock.advance(5 * 60 * SECOND);
  const facts = (await reads()).flatMap((read) =>
    read.facts.flatMap((fact) => (fact.subject === id ? [{ ...fact, source: read.source }] : [])),
  );
  const key = facts.find(({ source }) => source === "recheck")?.watchKey;
  expect(key).toBeDefined();
  const numbers = facts.flatMap(({ watchKey, body: { tweet } }) =>
    watchKey === key ? [[tweet?.likes_count, tweet?.view_count].join()] : [],
  );
  expect(numbers).toEqual(["0,1", "7,1"]);
});

it("has the ids of those who were on a list when its watch began, and profiles of who joined", async () => {
  const { clock, control, reads } = await setUp({
    watches: () => ({
      fans: { type: "followers", accounts: ["loud_one"], schedule: "@every 10s" },
    }),
    prepare: async (ask) => {
      for (const username of ["loud_one", "old_fan", "new_fan"])
        await ask("accounts", { username });
      await ask("follows", { target: "loud_one", follower: "old_fan" });
    },
  });
  await control("follows", { target: "loud_one", follower: "new_fan" });
  await clock.advance(60 * SECOND);
  const found = await reads();
  const baselines = found.flatMap((read) => read.baselines ?? []);
  expect(baselines).toMatchObject([{ targetName: "loud_one", ids: [expect.any(String)] }]);
  expect(found.flatMap(({ facts }) => facts.map(({ body }) => body.user?.username))).toEqual([
    "new_fan",
  ]);
});

it("is empty and says so where it is off, and is emptied where it was on", async () => {
  const { clock, post, reads, status } = await setUp({ state: { archive: "off" } });
  await post();
  await clock.advance(20 * SECOND);
  expect(await reads()).toEqual([]);
  expect((await status()).archive).toEqual({
    ...{ off: "state.archive is off", reads: 0, bytes: 0, since: null },
  });
});

it("keeps as long as `keep` says", async () => {
  const { clock, post, reads } = await setUp({ state: { archive: { keep: "1h" } } });
  const id = await post();
  await clock.advance(HOUR / 2);
  expect(foundIn(await reads(), id)).not.toEqual([]);
  await clock.advance(2 * HOUR);
  expect(foundIn(await reads(), id)).toEqual([]);
});

it("is off while less than 1 GB is free on the volume, and on again", async () => {
  let freeBytes = 1_000_000_000;
  const { clock, post, reads, status, logged } = await setUp({
    files: { freeBytes: async () => freeBytes },
  });
  const first = await post();
  await clock.advance(20 * SECOND);
  expect(foundIn(await reads(), first)).toEqual([]);
  expect((await status()).archive.off).toBe(
    "less than 1 GB is free on the volume of the state (953 MB)",
  );
  const said = "what polls find is not archived, because the volume is nearly full";
  expect(logged.filter(({ message }) => message === said)).toHaveLength(1);
  freeBytes = 2_000_000_000;
  await clock.advance(700 * SECOND);
  const second = await post();
  await clock.advance(20 * SECOND);
  expect(foundIn(await reads(), second)).not.toEqual([]);
  expect(logged.filter(({ message }) => message === said)).toHaveLength(1);
});
