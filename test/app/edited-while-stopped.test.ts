/**
 * Tests a query that is edited while the daemon is stopped: everything posted since its last poll
 * is announced, and nothing from before it.
 */
import { describe, expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const AUTHOR = "fresh_one";

type Watches = Readonly<Record<string, object>>;

const search = (query: string, more: object = {}) => ({
  ...{ type: "search", query, schedule: "@every 5m", ...more },
});

/**
 * The ways in which edited queries are read: alone, with other queries, and with others that are
 * edited too.
 */
const WAYS: Readonly<
  Record<string, { readonly before: Watches; readonly after: Watches; readonly edited: string }>
> = {
  "read by itself": {
    before: { w: search("zebra", { strategy: "single" }) },
    after: { w: search("okapi", { strategy: "single" }) },
    edited: "w",
  },
  "read with others": {
    before: { w: search("zebra"), other: search("lynx"), third: search("puma") },
    after: { w: search("okapi"), other: search("lynx"), third: search("puma") },
    edited: "w",
  },
  "read with others that are edited as well": {
    before: { w: search("zebra"), other: search("lynx"), third: search("puma") },
    after: { w: search("okapi"), other: search("ocelot"), third: search("puma") },
    edited: "w",
  },
  renamed: {
    before: { old: search("zebra"), other: search("lynx") },
    after: { w: search("okapi", { moved_from: "old" }), other: search("lynx") },
    edited: "w",
  },
};

async function setUp(before: Watches) {
  let watches = before;
  const daemon = await startInnerDaemon({
    watches: () => watches,
    prepare: (control) => control("accounts", { username: AUTHOR }),
  });
  const post = async (text: string, count = 1): Promise<readonly string[]> =>
    (await daemon.control("tweets", { username: AUTHOR, text, count })).ids;
  /** Restarts with the next configuration. `stopped` runs while the daemon is down. */
  const restart = async (next: Watches, stopped: () => Promise<unknown>) => {
    await daemon.stop();
    await stopped();
    watches = next;
    await daemon.start();
  };
  const reload = async (next: Watches) => {
    watches = next;
    await daemon.reload();
  };
  return { daemon, post, restart, reload };
}

describe.each(Object.entries(WAYS))("a query that is %s", (_, { before, after, edited }) => {
  it("begins where the old one was read last", async () => {
    const { daemon, post, restart } = await setUp(before);
    const { clock, hook } = daemon;
    await clock.advance(20 * MINUTE);
    await post("an old okapi");
    const known = await post("a zebra");
    await clock.advance(31 * MINUTE);
    const since = await post("an okapi before the stop");
    await clock.advance(MINUTE);
    let meanwhile: readonly string[] = [];
    await restart(after, async () => {
      // There is more than a page to read.
      meanwhile = await post("an okapi meanwhile", 50);
      await clock.advance(20 * MINUTE);
    });
    await clock.advance(10 * MINUTE);
    const later = await post("an okapi after the start");
    await clock.advance(10 * MINUTE);
    const [first, ...others] = hook.events();
    expect(first?.subject).toBe(known[0]);
    expect(others.map(({ watch }) => watch)).toEqual(others.map(() => edited));
    const expected = [...since, ...meanwhile, ...later];
    expect([...others.map(({ subject }) => subject)].sort()).toEqual([...expected].sort());
  });

  it.each(["at a start", "by a reload"])(
    "begins there too where it is edited %s before the service answered",
    async (how) => {
      const { daemon, post, restart, reload } = await setUp(before);
      const { clock, hook, control } = daemon;
      await clock.advance(31 * MINUTE);
      let meanwhile: readonly string[] = [];
      await restart(after, async () => {
        meanwhile = await post("a tapir and an okapi");
        await control("faults", { name: "server_error", for_ms: 600 * MINUTE });
      });
      await clock.advance(10 * MINUTE);
      const again = { ...after, [edited]: { ...after[edited], query: "tapir" } };
      if (how === "by a reload") await reload(again);
      else await restart(again, () => clock.advance(10 * MINUTE));
      await control("faults", undefined, "DELETE");
      await clock.advance(20 * MINUTE);
      expect(hook.subjects()).toEqual(meanwhile);
    },
  );
});
