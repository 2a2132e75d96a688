/**
 * Simulates some hours of a group of follower lists: who joins and leaves, how counters and lists
 * show it, what goes wrong, and what the oracle objects to.
 */
import { sleep } from "../../src/model/clock.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import { type Upstream, UpstreamError } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import {
  createListsWorld,
  type ListsWorld,
  type WorldFollow,
  type WorldSubject,
} from "../support/lists-world.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export interface RosterScenario {
  readonly seed: number;
  readonly subjects: number;
  /** The list that is read. `left`: the whole list, with reports of leaves. */
  readonly list: "all" | "indexed" | "auto" | "left";
  readonly way: "auto" | "probe";
  /** The number of followers of each account at the start. */
  readonly followers: number;
  /**
   * Members in a page, and pages in a poll. The rest of a longer list is read after its newcomers.
   */
  readonly pageSize: number;
  readonly maxPages: number;
  readonly cursors: "offsets" | "entries";
  readonly frozen: readonly number[];
  readonly follows: readonly {
    readonly subject: number;
    readonly atMin: number;
    readonly count: number;
    readonly overSec: number;
    readonly listLagSec: number;
    /** The follow ends after this many minutes; 0: never. */
    readonly forMin: number;
    readonly isIndexed: boolean;
    readonly isUnlisted: boolean;
  }[];
  /** How many of those who were there at the start leave. */
  readonly leavers: readonly {
    readonly subject: number;
    readonly atMin: number;
    readonly count: number;
  }[];
  /** How many of those who were there at the start leave and come back, to the top of the list. */
  readonly returns: readonly {
    readonly subject: number;
    readonly atMin: number;
    readonly count: number;
    readonly forMin: number;
  }[];
  readonly flaps: readonly {
    readonly subject: number;
    readonly atMin: number;
    readonly forMin: number;
    readonly by: number;
  }[];
  readonly gone: readonly {
    readonly subject: number;
    readonly atMin: number;
    readonly forMin: number;
  }[];
  readonly faults: readonly {
    readonly atMin: number;
    readonly forSec: number;
    readonly endpoint: "info-batch" | "lists";
    readonly kind: "500" | "429" | "400";
  }[];
  readonly crashes: readonly {
    readonly atMin: number;
    readonly steps: number;
    readonly downMin: number;
  }[];
}

export interface RosterResult {
  /** What the oracle objects to; empty if all is well. */
  readonly objections: readonly string[];
  /** The longest time in minutes that a follower was listed before the alert. */
  readonly latestMin: number;
  readonly requests: number;
}

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const HOUR_MIN = 60;
const BUSY_MIN = 180;
const FULL_POLL_MIN = 30;
const AFTER_MIN = 200;
const DAY = 86_400_000;

export async function simulateRosters(scenario: RosterScenario): Promise<RosterResult> {
  const clock = createVirtualClock(START);
  const world = placeFollows(scenario);
  const latency = createSeededRandom(scenario.seed + 5);
  let calls = 0;
  const upstream: Upstream = {
    async call(request) {
      calls += 1;
      await sleep(clock, 20 + latency.float() * 200);
      const minute = (clock.now() - START) / MIN;
      const kind = request.endpoint === "info-batch" ? "info-batch" : "lists";
      const fault = scenario.faults.find(
        (one) =>
          one.endpoint === kind && minute >= one.atMin && minute < one.atMin + one.forSec / 60,
      );
      if (fault?.kind === "500") throw new UpstreamError("transient", "500", 500);
      if (fault?.kind === "429") throw new UpstreamError("rate_limited", "429", 429);
      if (fault?.kind === "400" && kind === "info-batch")
        throw new UpstreamError("bad_request", "400", 400);
      return {
        ...world.answer(request, clock.now()),
        serviceTimeMs: Math.floor(clock.now() / 1_000) * 1_000,
      };
    },
  };
  const rig = await startEngineHarness({
    clock,
    upstream,
    watches: [watchOf(scenario, world)],
    seed: scenario.seed,
  });
  try {
    for (const { atMin, steps, downMin } of [...scenario.crashes].sort(
      (a, b) => a.atMin - b.atMin,
    )) {
      await clock.advanceTo(START + atMin * MIN);
      rig.killSwitch.killAfter(steps);
      await clock.advance(Math.max(downMin * MIN, 500));
      await rig.crash();
    }
    await clock.advanceTo(START + (BUSY_MIN + AFTER_MIN) * MIN);
    const events = await rig.events();
    const { total } = await rig.store.spentSince(0);
    const objections = [
      ...objectToEvents(world, scenario, events),
      ...(total >= calls && total <= calls + 64 * scenario.crashes.length
        ? []
        : [`ledger says ${total}, the service ${calls}`]),
      ...rig.logged
        .filter(({ level }) => level === "error")
        .map(({ message, fields }) => `logged: ${message} ${JSON.stringify(fields)}`),
    ];
    return { objections, latestMin: latestOf(world, events), requests: calls };
  } finally {
    await rig.close();
  }
}

function watchOf({ list, way, maxPages }: RosterScenario, world: ListsWorld): Watch {
  const accounts = world.subjects.map(({ id }) => `id:${id}`);
  const changes: WatchChanges = {
    schedule: { kind: "every", intervalMs: 2 * MIN },
    maxAgeMs: 7 * DAY,
    maxPages,
    overlapMs: 40 * MIN,
    fullPollEveryMs: FULL_POLL_MIN * MIN,
    ...(way === "auto" ? {} : { strategy: way }),
  };
  return list === "left"
    ? makeWatch("w", "followers", { accounts }, changes)
    : makeWatch("w", "new_followers", { accounts, source: list }, changes);
}

function placeFollows(scenario: RosterScenario): ListsWorld {
  const world = createListsWorld(scenario);
  const at = (minutes: number) => START + minutes * MIN;
  const leavers = new Map<number, { readonly atMs: number; readonly backAtMs?: number }[]>();
  const leave = (
    subject: number,
    times: readonly { readonly atMs: number; readonly backAtMs?: number }[],
  ) =>
    leavers.set(subject % scenario.subjects, [
      ...(leavers.get(subject % scenario.subjects) ?? []),
      ...times,
    ]);
  for (const { subject, atMin, count } of scenario.leavers) {
    leave(
      subject,
      Array.from({ length: count }, () => ({ atMs: at(atMin) + 500 })),
    );
  }
  for (const { subject, atMin, count, forMin } of scenario.returns) {
    leave(
      subject,
      Array.from({ length: count }, (_, i) => ({
        atMs: at(atMin) + 700,
        backAtMs: at(atMin + forMin) + 700 + i,
      })),
    );
  }
  for (let index = 0; index < scenario.subjects; index += 1) {
    const subject = world.add();
    subject.isFrozen = scenario.frozen.includes(index);
    const times = leavers.get(index) ?? [];
    for (let i = 0; i < scenario.followers; i += 1) {
      const left = i > 0 ? times.shift() : undefined;
      const one = world.follow(
        subject,
        START - DAY - i * MIN,
        left === undefined ? {} : { untilMs: left.atMs },
      );
      if (left?.backAtMs !== undefined) world.follow(subject, left.backAtMs, { id: one.id });
    }
  }
  const of = (index: number) => world.subjects[index % scenario.subjects] as WorldSubject;
  for (const {
    subject,
    atMin,
    count,
    overSec,
    listLagSec,
    forMin,
    isIndexed,
    isUnlisted,
  } of scenario.follows) {
    for (let i = 0; i < count; i += 1) {
      const atMs = at(atMin) + 1_000 + Math.floor((i * overSec * 1_000) / count);
      const until = forMin === 0 ? {} : { untilMs: atMs + forMin * MIN };
      world.follow(of(subject), atMs, {
        listLagMs: listLagSec * 1_000,
        isIndexed,
        isUnlisted,
        ...until,
      });
    }
  }
  for (const { subject, atMin, forMin, by } of scenario.flaps)
    of(subject).flaps.push({ fromMs: at(atMin), untilMs: at(atMin + forMin), by });
  for (const { subject, atMin, forMin } of scenario.gone)
    of(subject).gone.push({ fromMs: at(atMin), untilMs: at(atMin + forMin) });
  return world;
}

const toldOf = (
  events: readonly ChirpEvent[],
  type: string,
): ReadonlyMap<string, readonly ChirpEvent[]> => {
  const told = new Map<string, ChirpEvent[]>();
  for (const event of events.filter((one) => one.type === type)) {
    const id = event.body.user?.id ?? "";
    told.set(id, [...(told.get(id) ?? []), event]);
  }
  return told;
};

function latestOf(world: ListsWorld, events: readonly ChirpEvent[]): number {
  const listed = new Map(
    world.subjects.flatMap(({ follows }) => follows.map(({ id, listedAtMs }) => [id, listedAtMs])),
  );
  const joined = events.filter(({ type }) => type === "follower.added");
  return Math.max(
    0,
    ...joined.map(
      ({ body, detectedAtMs }) => (detectedAtMs - (listed.get(body.user?.id ?? "") ?? 0)) / MIN,
    ),
  );
}

/**
 * Long enough for a full poll, a second one that confirms a leave, and an account that was
 * invisible for an hour.
 */
const SETTLED_MIN = 2 * FULL_POLL_MIN + HOUR_MIN + 10;

function objectToEvents(
  world: ListsWorld,
  scenario: RosterScenario,
  events: readonly ChirpEvent[],
): string[] {
  const added = toldOf(events, "follower.added");
  const removed = toldOf(events, "follower.removed");
  const endMs = START + (BUSY_MIN + AFTER_MIN) * MIN;
  const objections: string[] = [];
  const known = new Set<string>();
  const firstMs = new Map<string, number>();
  for (const { follows } of world.subjects)
    for (const { id, atMs } of follows) firstMs.set(id, Math.min(atMs, firstMs.get(id) ?? atMs));
  const say = (subject: WorldSubject, follow: WorldFollow, text: string) =>
    objections.push(
      `${text}: account ${subject.id}, follower ${follow.id} from ${minuteOf(follow.atMs)} to ${minuteOf(follow.untilMs)}`,
    );
  for (const subject of world.subjects) {
    for (const follow of subject.follows) {
      known.add(follow.id);
      const isShown =
        !follow.isUnlisted &&
        (follow.isIndexed || scenario.list === "all" || scenario.list === "left");
      // A return is reported where leaving is reported, but the absence may have been too short to
      // notice.
      if (
        follow.atMs !== firstMs.get(follow.id) ||
        (scenario.list === "left" && isBack(subject, follow))
      )
        continue;
      const isNews = follow.atMs > START;
      const isLasting = follow.untilMs === Number.POSITIVE_INFINITY;
      const times = added.get(follow.id)?.length ?? 0;
      const times_left = removed.get(follow.id)?.length ?? 0;
      if (times > 1) say(subject, follow, `told ${times} times`);
      if (!isNews && times > 0) say(subject, follow, "baseline was told");
      if (isNews && isLasting && isShown && times === 0) say(subject, follow, "missed");
      if (times_left > 1) say(subject, follow, `told ${times_left} times as gone`);
      if (isLasting && times_left > 0) say(subject, follow, "told as gone, and is there");
      const wasThere = !isNews || times > 0;
      if (
        scenario.list === "left" &&
        wasThere &&
        !isLasting &&
        follow.untilMs < endMs - SETTLED_MIN * MIN &&
        times_left === 0
      )
        say(subject, follow, "went unnoticed");
    }
  }
  for (const id of [...added.keys(), ...removed.keys()])
    if (!known.has(id)) objections.push(`told ${id}, whom nobody knows`);
  return objections.length > 8
    ? [...objections.slice(0, 8), `and ${objections.length - 8} more`]
    : objections;
}

const isBack = ({ follows }: WorldSubject, { id }: WorldFollow): boolean =>
  follows.filter((one) => one.id === id).length > 1;

const minuteOf = (ms: number): string =>
  Number.isFinite(ms) ? ((ms - START) / MIN).toFixed(1) : "ever";
