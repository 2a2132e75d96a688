/**
 * Measures the first day of a watch of new followers, by the length of the list and the quota: how
 * late newcomers are reported, and how many requests it takes.
 */
import { sleep } from "../../src/model/clock.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import { startEngineHarness } from "../../test/support/engine-harness.ts";
import { createLargeList } from "../../test/support/large-list.ts";
import { makeUser } from "../../test/support/make-event.ts";
import { makeWatch } from "../../test/support/make-watch.ts";
import { createSeededRandom } from "../../test/support/seeded-random.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { DAY_MS } from "./workload.ts";

const START_MS = Date.UTC(2026, 2, 2);
const MINUTE_MS = 60_000;
const LATENCY_MS = 60;
/** The longest time between two newcomers. */
const LONGEST_WAIT_MS = 40 * MINUTE_MS;

interface Case {
  readonly members: number;
  readonly monthly: number;
  readonly fullReadEvery?: string;
}

const CASES: readonly Case[] = [
  { members: 3_000_000, monthly: 10_000 },
  { members: 3_000_000, monthly: 100_000 },
  { members: 3_000_000, monthly: 100_000, fullReadEvery: "never" },
  { members: 30_000, monthly: 100_000 },
];

async function firstDay({ members, monthly, fullReadEvery }: Case): Promise<readonly string[]> {
  const clock = createVirtualClock(START_MS);
  const list = createLargeList(members);
  const requests = { newcomers: 0, rest: 0, profiles: 0 };
  const upstream: Upstream = {
    async call({ endpoint, cursor }) {
      requests[
        endpoint !== "followers" ? "profiles" : cursor === undefined ? "newcomers" : "rest"
      ] += 1;
      await sleep(clock, LATENCY_MS);
      return endpoint === "followers"
        ? list.page(cursor)
        : { users: [{ ...makeUser("7", "acme"), followers_count: list.size }] };
    },
  };
  const settings = {
    accounts: ["acme"],
    source: "all",
    ...(fullReadEvery === undefined ? {} : { full_read_every: fullReadEvery }),
  };
  const watch = makeWatch("w", "new_followers", settings, {
    schedule: { kind: "every", intervalMs: 5 * MINUTE_MS },
  });
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [watch],
    monthly,
    isGoverned: true,
  });
  const joinedAtMs = new Map<string, number>();
  const random = createSeededRandom(3);
  try {
    while (clock.now() < START_MS + DAY_MS - LONGEST_WAIT_MS) {
      await clock.advance(Math.floor(random.float() * LONGEST_WAIT_MS) + 1);
      joinedAtMs.set(list.join(), clock.now());
    }
    await clock.advanceTo(START_MS + DAY_MS);
    const delays = (await harness.events())
      .map(
        ({ body, detectedAtMs }) =>
          detectedAtMs - (joinedAtMs.get(body.user?.id ?? "") ?? Number.NaN),
      )
      .reverse();
    const minutes = (ms: number) => (ms / MINUTE_MS).toFixed(1);
    const counts = [
      requests.newcomers,
      requests.rest,
      requests.profiles,
      requests.newcomers + requests.rest + requests.profiles,
    ];
    return [
      `${joinedAtMs.size - delays.length} of ${joinedAtMs.size}`,
      minutes(delays[0] ?? Number.NaN),
      minutes(Math.max(...delays)),
      ...counts.map((count) => count.toLocaleString("en-US")),
    ];
  } finally {
    await harness.close();
  }
}

/** Prints a row for each case. */
export async function runMemberLists(): Promise<void> {
  console.log(
    "| Members | Quota a month | full_read_every | Missed | First reported after min | Latest after min | Requests for newcomers | For the rest | For profiles | All |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const one of CASES) {
    const { members, monthly, fullReadEvery = "" } = one;
    const cells = [
      members.toLocaleString("en-US"),
      monthly.toLocaleString("en-US"),
      fullReadEvery,
      ...(await firstDay(one)),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
