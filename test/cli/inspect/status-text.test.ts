/** Tests the exact text of `status`. waiting-text.test.ts covers why alerts wait. */
import { describe, expect, it } from "vitest";
import { formatStatus } from "../../../src/cli/inspect/status-text.ts";
import type { GapView, StatusView, StoppedView } from "../../../src/server/schema/status-view.ts";
import type { WatchView } from "../../../src/server/schema/watch-view.ts";
import {
  NOW_MS,
  silenceView,
  sinkView,
  statusView,
  watchView,
} from "../../server/daemon-stand-in.ts";

const textOf = (changes: Partial<StatusView> = {}): string =>
  formatStatus(statusView(changes), NOW_MS);
const headOf = (changes: Partial<StatusView>): readonly string[] =>
  textOf(changes).split("\n\n")[0]?.split("\n") ?? [];
const quota = statusView().quota;

it("shows state, quota, watches, sinks and the last alerts", () => {
  const sink = sinkView({ waiting: 3, dead: 2, oldest_at: "2026-03-10T13:50:00.000Z" });
  expect(textOf({ sinks: [sink] })).toBe(
    [
      "State: running (version 0.1.0, up 3d)",
      "Requests this period: 31,408 of 100,000, 90,000 expected until 2026-04-01; the schedules would take 92,400",
      "",
      "WATCH           TYPE    SCHEDULE   ITEMS  REQUESTS  LAST POLL  NEXT   TO",
      "brand-mentions  search  @every 5m    212     3,204  3m ago     in 2m  #brand",
      "",
      "SINK   TYPE   TO      WAITING  OLDEST  SENT  DEAD",
      "brand  slack  #brand        3  10m      418     2",
      "",
      "Archive: 1.0 MB of 12 polls since 2026-03-01",
      "",
      "LAST ALERTS  WATCH                                  RESULT",
      "3m ago       brand-mentions  Alice (@alice) posted  brand: delivered",
    ].join("\n"),
  );
});

it("keeps its rows within a terminal, however long an alert is", () => {
  const [event] = statusView().recent_events;
  const title = "Alerts of a sink reach some of its receivers and not others: ".repeat(4);
  const lines = textOf({
    recent_events: [{ ...(event as NonNullable<typeof event>), title }],
  }).split("\n");
  expect(lines.at(-1)).toMatch(
    /Alerts of a sink reach some of its receivers .*…  brand: delivered$/,
  );
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
});

it("shows a dash for what is not known, and says that there is no alert", () => {
  const text = textOf({
    watches: [watchView({ sink: "", last_poll_at: null, next_poll_at: null })],
    recent_events: [],
  });
  expect(text).toMatch(/^brand-mentions .* 3,204 {2}- {10}- {5}-$/m);
  expect(text).toMatch(/^brand .* 0 {2}- {8}418 {5}0$/m);
  expect(text).toMatch(/\n\nNo alerts yet\.$/);
});

it("names the replicas that make the polls that this one does not", () => {
  const polled_by = ["10.0.0.2", "10.0.0.3"];
  expect(textOf({ watches: [watchView({ next_poll_at: null, polled_by })] })).toContain(
    "  by 10.0.0.2, 10.0.0.3  ",
  );
  expect(textOf({ watches: [watchView({ polled_by })] })).toContain("  in 2m  ");
});

it("lists the last five alerts, the daemon's own under its name", () => {
  const [event] = statusView().recent_events;
  const events = Array.from({ length: 6 }, (_, i) => ({
    ...(event as NonNullable<typeof event>),
    watch: i === 0 ? "" : "w",
    title: `t${i}`,
  }));
  expect(textOf({ recent_events: events }).split("\n").slice(-5)).toEqual([
    expect.stringMatching(/^3m ago +chirpwatch +t0/),
    ...[1, 2, 3, 4].map((i) => expect.stringMatching(new RegExp(`^3m ago +w +t${i}`)) as string),
  ]);
});

describe("the head", () => {
  it("names reasons, gaps and what was wrong with a reload", () => {
    const failed_reload = {
      at: "2026-03-10T13:00:00.000Z",
      errors: ["watches.yaml:3:1: unknown key"],
    };
    expect(
      headOf({
        state: "degraded",
        reasons: ["why"],
        gaps: 1,
        config: { ...statusView().config, failed_reload },
      }).slice(0, -1),
    ).toEqual([
      "State: degraded (version 0.1.0, up 3d)",
      "  why",
      "  1 gap in the polled range, being filled",
      "  watches.yaml:3:1: unknown key",
    ]);
  });

  it("says how long the oldest gap has been open, and where the quota holds gaps back", () => {
    const times = { opened_at: "2026-03-10T13:50:00.000Z", shrunk_at: "2026-03-10T13:50:00.000Z" };
    const gap = { watches: ["brand"], ...times, polls: 3, cause: "depth", stuck: false } as const;
    const gaps = (...open_gaps: readonly GapView[]) => headOf({ gaps: 2, open_gaps })[1];
    expect(gaps(gap)).toBe(
      "  2 gaps in the polled range, being filled; the oldest has been open for 10m",
    );
    expect(gaps(gap, { ...gap, cause: "quota" })).toBe(
      "  2 gaps in the polled range, being filled; the oldest has been open for 10m, and the quota leaves no requests for more pages now",
    );
  });

  it("has a line for each daemon on a shared state", () => {
    const replica = {
      name: "10.0.0.1#aaaa",
      joined_at: "",
      leads: true,
      answers: true,
      shares: true,
      polls_percent: 25,
      destinations: 2,
    };
    const others = [
      { ...replica, name: "10.0.0.1#bbbb", leads: false, polls_percent: 75 },
      { ...replica, name: "10.0.0.3#cccc", leads: false, answers: false, shares: false },
    ];
    expect(headOf({ replicas: [replica, ...others] }).slice(1, 4)).toEqual([
      "  replica 10.0.0.1#aaaa (leads, this one): 25% of the polls, 2 destinations",
      "  replica 10.0.0.1#bbbb (this one): 75% of the polls, 2 destinations",
      "  replica 10.0.0.3#cccc: no share: its configuration or version differs",
    ]);
  });

  it("says what none of them does", () => {
    const unclaimed = { polls: 12, destinations: 1, oldest_poll_at: "2026-03-10T13:00:00.000Z" };
    expect(headOf({ unclaimed })[1]).toBe(
      "  not given to a replica yet: 12 polls (the least recent one was last polled 2026-03-10 13:00:00 UTC), 1 destination",
    );
    expect(headOf({ unclaimed: { ...unclaimed, oldest_poll_at: null } })[1]).toContain(
      "(none of them was ever polled)",
    );
    expect(headOf({ unclaimed: { ...unclaimed, polls: 0, oldest_poll_at: null } })[1]).toBe(
      "  not given to a replica yet: 0 polls, 1 destination",
    );
  });

  it.each([
    [
      { limit: null, expected: null, forecast: null },
      "31,408 of an unknown quota until 2026-04-01",
    ],
    [{ expected: 95_000 }, "31,408 of 100,000, 95,000 expected until 2026-04-01"],
    [{ expected: 92_400 }, "31,408 of 100,000, 92,400 expected until 2026-04-01"],
    [{ expected: null }, "31,408 of 100,000 until 2026-04-01"],
  ])("says of a quota with %j: %s", (changes, words) => {
    expect(headOf({ quota: { ...quota, ...changes } }).at(-1)).toBe(
      `Requests this period: ${words}`,
    );
  });

  it("has a line for each key, where there are several", () => {
    const keys = [
      { name: "main", spent: 1_000, limit: 2_000, aside: "" },
      { name: "spare", spent: 5, limit: null, aside: "401" },
    ];
    expect(headOf({ quota: { ...quota, keys } }).slice(2)).toEqual([
      "  main: 1,000 of 2,000",
      "  spare: 5, suspended: 401",
    ]);
    expect(headOf({ quota: { ...quota, keys: keys.slice(0, 1) } })).toHaveLength(2);
  });

  it("of a state without a daemon says so", () => {
    const { reasons, watches, sinks, silences, recent_events, archive } = statusView();
    const stopped: StoppedView = {
      state: "not_running",
      replicas: [],
      quota,
      reasons,
      watches,
      sinks,
      silences,
      recent_events,
      archive,
    };
    expect(formatStatus(stopped, NOW_MS)).toMatch(/^State: not running\nRequests this period: /);
  });
});

describe("a watch", () => {
  const wordsOf = (changes: Partial<WatchView>): string => {
    const row = textOf({ watches: [watchView(changes)] })
      .split("\n")
      .find((line) => line.startsWith("brand-mentions"));
    return row?.split("#brand")[1]?.trim() ?? "";
  };
  const list = {
    target: "@big",
    members: 5_000,
    first_read_members: 1_000,
    tells_newcomers: true,
    whole_read_every_seconds: 3_600,
  };

  it("says in its row what is wrong or not done", () => {
    expect(wordsOf({ paused: true, problem: "the service answered 500" })).toBe(
      "paused; the service answered 500",
    );
    const enriching = { waiting: 2, oldest_at: null, error: "503", failing_since: null };
    expect(wordsOf({ enriching })).toBe("2 events not enriched yet: 503");
    const unanswered = { ...enriching, waiting: 0, failing_since: "2026-03-10T13:50:00.000Z" };
    expect(wordsOf({ enriching: unanswered })).toBe(
      "events are sent without enrichment: 503, since 2026-03-10 13:50 UTC",
    );
  });

  it("says how far the first read of a long list is, and of the one that has most to come", () => {
    expect(wordsOf({ member_lists: [list] })).toBe("first read 1,000 of 5,000");
    expect(wordsOf({ member_lists: [{ ...list, members: null, tells_newcomers: false }] })).toBe(
      "first read 1,000 members, no alerts until it is complete",
    );
    const short = { ...list, target: "@small", members: 1_200 };
    expect(wordsOf({ member_lists: [short, list] })).toBe(
      "first read of @big 1,000 of 5,000, and 1 other list",
    );
    expect(wordsOf({ member_lists: [{ ...list, first_read_members: null }] })).toBe("");
  });

  it("has its lists that are never read whole in a table", () => {
    const never = { ...list, first_read_members: null, whole_read_every_seconds: null };
    expect(
      textOf({ watches: [watchView({ member_lists: [never, { ...list, target: "@other" }] })] }),
    ).toContain(
      [
        "",
        "WATCH           LIST OF  MEMBERS  READ IN FULL",
        "brand-mentions  @big       5,000  not every day: set full_read_every: 1d to change that",
        "",
        "SINK",
      ].join("\n"),
    );
  });

  it("has the accounts that need attention in a table, and no others", () => {
    const targets = [
      { name: "@a", status: "ok", reason: "" },
      { name: "@b", status: "pending", reason: "" },
      { name: "@c", status: "unavailable", reason: "suspended" },
    ] as const;
    expect(textOf({ watches: [watchView({ targets })] })).toContain(
      "\n\nWATCH           ACCOUNT  STATUS       WHY\nbrand-mentions  @c       unavailable  suspended\n\n",
    );
  });
});

it("lists the silences that hold alerts back now", () => {
  expect(textOf({ silences: [silenceView()] })).toMatch(
    /\n\nSILENCE .*\n +1 {2}watch="brand-mentions" {2}2026-03-10 15:00 UTC \(in 60m\) {2}alice {2}a planned launch +3\n\n/,
  );
});

it.each([
  [1, "1 alert is repeated while its value stays past the threshold"],
  [2, "2 alerts are repeated while their values stay past the threshold"],
])("says of %i alerts on values: %s", (count, words) => {
  const repeats = { count, next_at: "2026-03-10T15:00:00.000Z" };
  expect(textOf({ sinks: [sinkView({ repeats })] })).toContain(
    `brand: ${words}, next 15:00 UTC (in 60m)`,
  );
});

it.each([
  ["summarised", "counted in a digest, not listed"],
  ["duplicate", "duplicate, not sent"],
  ["silenced", "silenced"],
  ["published", "published"],
  ["not_published", "not published"],
  ["not_enriched", "sent without the enrichment"],
  ["sealed", "on its way"],
] as const)("says of an alert that is %s: %s", (state, words) => {
  const [event] = statusView().recent_events;
  const alert = {
    ...(event as NonNullable<typeof event>),
    deliveries: [{ sink: "brand", state, wait: null }],
  };
  expect(textOf({ recent_events: [alert] })).toMatch(new RegExp(`brand: ${words}$`));
});

it("says why an ops alert went nowhere", () => {
  const [event] = statusView().recent_events;
  const alert = { ...(event as NonNullable<typeof event>), type: "sink.failing", deliveries: [] };
  expect(textOf({ recent_events: [alert] })).toMatch(/not sent: no other sink takes ops alerts$/);
});

it("has the size of the archive, and why nothing is added to it", () => {
  const { archive } = statusView();
  const lineOf = (changes: Partial<StatusView["archive"]>) =>
    textOf({ archive: { ...archive, ...changes } })
      .split("\n")
      .find((line) => line.startsWith("Archive"));
  expect(lineOf({})).toBe("Archive: 1.0 MB of 12 polls since 2026-03-01");
  expect(lineOf({ reads: 0, bytes: 0, since: null })).toBe("Archive: empty");
  const off = "less than 1 GB is free on the volume of the state (700 MB)";
  expect(lineOf({ off })).toBe(`Archive: off, ${off}; 1.0 MB of 12 polls since 2026-03-01`);
});
