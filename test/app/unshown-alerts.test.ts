/**
 * Tests that nothing follows an alert that nobody was shown, for each reason why, and that a
 * follow-up about a post of several watches is sent once.
 */
import { describe, expect, it } from "vitest";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const refuse =
  (status: number): Parameters<InnerDaemon["hook"]["answer"]>[0] =>
  (_, response) =>
    response.writeHead(status).end("no");

/** A reason for which the next alert is not shown at the webhook, with a way to end it. */
interface Reason {
  readonly sink?: object;
  readonly more?: object;
  begin?(daemon: InnerDaemon): unknown;
  end?(daemon: InnerDaemon): unknown;
}

const REASONS: Readonly<Record<string, Reason>> = {
  "a silence": {
    begin: ({ call }) =>
      call("silences", "POST", {
        matchers: ['watch="w"'],
        duration: "2m",
        comment: "launch",
        author: "alice",
      }),
    end: ({ clock }) => clock.advance(2 * MINUTE),
  },
  "a mute that drops": {
    sink: { mute_time_intervals: ["early"], on_mute: "drop" },
    more: { time_intervals: { early: [{ times: [{ start: "13:39", end: "13:43" }] }] } },
    end: ({ clock }) => clock.advance(3 * MINUTE),
  },
  "a refusal": {
    begin: ({ hook }) => hook.answer(refuse(400)),
    end: ({ hook }) => hook.answer(refuse(204)),
  },
  "an alert on another post that is alike": { sink: { dedupe: { key: ["watch"], window: "1m" } } },
};

const WATCH = {
  type: "search",
  query: "zebra",
  schedule: "@every 10s",
  recheck: { every: "1m", until: "1h" },
};

const startWith = ({ sink = {}, more = {} }: Reason, options: Partial<InnerDaemonOptions> = {}) =>
  startInnerDaemon({
    watches: () => ({ w: WATCH }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    sink,
    more,
    ...options,
  });

const post = async ({ control, clock }: InnerDaemon, text = "a new zebra"): Promise<string> => {
  const { ids } = await control("tweets", { username: "loud_one", text });
  await clock.advance(20 * SECOND);
  return ids[0] as string;
};

/** Returns the state of each event about a post at its first sink. */
const statesOf = async ({ call }: InnerDaemon, id: string) =>
  (await call(`explain/${id}`)).verdicts.map(({ event, deliveries: [delivery] }: any) => [
    event.type,
    delivery?.state,
    delivery?.detail,
  ]);

describe.each(Object.entries(REASONS))("an alert that was not shown because of %s", (_, reason) => {
  it.each([
    [
      "tweet.deleted",
      (daemon: InnerDaemon, id: string) => daemon.control(`tweets/${id}`, undefined, "DELETE"),
    ],
    [
      "tweet.edited",
      (daemon: InnerDaemon, id: string) =>
        daemon.control(`tweets/${id}`, { full_text: "another zebra" }, "PATCH"),
    ],
  ])("is followed by no %s", async (type, change) => {
    const daemon = await startWith(reason);
    await daemon.clock.advance(30 * SECOND);
    if (reason.begin === undefined && reason.end === undefined)
      await post(daemon, "the first zebra");
    await reason.begin?.(daemon);
    const id = await post(daemon);
    await reason.end?.(daemon);
    const before = daemon.hook.messages().length;
    await change(daemon, id);
    await daemon.clock.advance(10 * MINUTE);
    const [, follows] = await statesOf(daemon, id);
    expect(follows).toEqual([type, "duplicate", "the alert that it follows was not sent"]);
    expect(daemon.hook.messages().slice(before)).toEqual([]);
  });
});

describe("a value whose alert was refused", () => {
  const setUp = async () => {
    let id = "";
    const daemon = await startWith(
      { sink: { send_resolved: true, repeat_interval: "10m" } },
      {
        watches: () => ({
          w: {
            type: "tweet",
            tweets: [id],
            when: { likes_count: ">= 1000" },
            schedule: "@every 1m",
          },
        }),
        prepare: async (ask) => {
          await ask("accounts", { username: "loud_one" });
          [id = ""] = (await ask("tweets", { username: "loud_one", text: "a tweet" })).ids;
        },
      },
    );
    const likes = async (count: number, minutes: number) => {
      await daemon.control(`tweets/${id}`, { likes_count: count }, "PATCH");
      await daemon.clock.advance(minutes * MINUTE);
    };
    await likes(10, 3);
    daemon.hook.answer(refuse(400));
    await likes(1_234, 3);
    daemon.hook.answer(refuse(204));
    return { daemon, likes, shown: () => daemon.hook.events().slice(1) };
  };

  it("is back without a message", async () => {
    const { likes, shown } = await setUp();
    await likes(10, 30);
    expect(shown()).toEqual([]);
  });

  it("is back with a message if a repeat of the alert was shown", async () => {
    const { likes, shown } = await setUp();
    await likes(1_300, 12);
    await likes(10, 30);
    expect(shown().map(({ data }) => [data.tweet.likes_count, data.repeat, data.resolved])).toEqual(
      [
        [1_300, 1, undefined],
        [10, undefined, ["likes_count"]],
      ],
    );
  });
});
