/**
 * The fixture of tests of upstream faults: one author with four watches, and the alerts that must
 * be raised.
 */
import { expect } from "vitest";
import { type InnerDaemonOptions, ONE_KEY, startInnerDaemon } from "../support/inner-daemon.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const AUTHOR = "fresh_one";

export type FaultFixture = Awaited<ReturnType<typeof createFixture>>;

/**
 * Creates a fixture after the baseline, which raised no alert. Other watches are added to the four.
 */
export async function createFixture(
  more: Partial<InnerDaemonOptions> & { readonly schedule?: string } = {},
) {
  const { schedule = "@every 2m", watches, prepare, ...rest } = more;
  const expected = { tweets: [] as string[], followers: [] as string[] };
  const daemon = await startInnerDaemon({
    ...rest,
    api: { ...ONE_KEY, ...rest.api },
    watches: () => ({
      search: { type: "search", query: "zebra", schedule },
      timeline: { type: "timeline", accounts: [AUTHOR], schedule },
      followers: { type: "new_followers", accounts: [AUTHOR], source: "indexed", schedule },
      score: { type: "score_delta", accounts: [AUTHOR], when: { week_delta: ">= 900" }, schedule },
      ...watches?.(),
    }),
    prepare: async (control) => {
      await control("accounts", { username: AUTHOR, indexed: true });
      await control("scores", { username: AUTHOR, week_delta: 1, month_delta: 1 });
      await control("tweets", { username: AUTHOR, text: "an old zebra", count: 3 });
      await control("follows", { target: AUTHOR, count: 4 });
      await prepare?.(control);
    },
  });
  await daemon.clock.advance(2 * MINUTE);
  expect(daemon.hook.events()).toEqual([]);

  /** Returns the events of a watch. A message sent twice under one id counts once. */
  const eventsOf = (watch: string) => {
    const messages = new Map(daemon.hook.messages().map((message) => [message.id, message]));
    return [...messages.values()]
      .flatMap(({ events }) => events)
      .filter((event) => event.watch === watch);
  };
  const alerted = (watch: string): readonly string[] =>
    eventsOf(watch).map(({ subject }) => subject);
  const opsAlerts = () => daemon.opsAlerts().map(({ type }) => type);

  return {
    ...daemon,
    author: AUTHOR,
    alerted,
    eventsOf,
    /** Types of the ops alerts. */
    opsAlertTypes: opsAlerts,
    /** Types of the ops alerts about the data service as a whole. */
    upstreamAlerts: () => opsAlerts().filter((type) => type.startsWith("upstream.")),
    /** Switches a fault on by its number. */
    fault: (number: number, order: object = {}) => daemon.control("faults", { number, ...order }),
    off: () => daemon.control("faults", undefined, "DELETE"),
    requests: async (endpoint: string) =>
      (await daemon.control("requests")).requests.filter(
        (request: { endpoint: string }) => request.endpoint === endpoint,
      ) as readonly {
        readonly at: string;
        readonly status: number;
        readonly billed: number;
      }[],
    /** Creates tweets of the author, which two of the watches must report, and a new follower. */
    async news(count = 2): Promise<readonly string[]> {
      const { ids } = await daemon.control("tweets", {
        username: AUTHOR,
        text: "a new zebra",
        count,
      });
      const { followers } = await daemon.control("follows", { target: AUTHOR, count: 1 });
      expected.tweets.push(...ids);
      expected.followers.push(followers[0].id);
      return ids;
    },
    /** Checks that these watches lost nothing and sent no duplicate alert. */
    expectAllAlerted(watches: readonly string[] = ["search", "timeline", "followers"]): void {
      for (const watch of watches) {
        const wanted = watch === "followers" ? expected.followers : expected.tweets;
        expect([watch, [...alerted(watch)].sort()]).toEqual([watch, [...wanted].sort()]);
      }
      expect(alerted("score")).toEqual([]);
    },
  };
}

/**
 * Plays the fault with news before, during and after it, and checks that everything was reported
 * once.
 */
export async function live(
  fixture: FaultFixture,
  number: number,
  order: object = {},
  duringMs = 3 * MINUTE,
): Promise<void> {
  await fixture.news();
  await fixture.clock.advance(2 * MINUTE);
  await fixture.fault(number, order);
  await fixture.news();
  await fixture.clock.advance(duringMs);
  await fixture.off();
  await fixture.clock.advance(MINUTE);
  await fixture.news();
}
