/**
 * Simulates some hours of a group of accounts: what they post, how counters and searches show it,
 * what goes wrong, and what the oracle objects to.
 */
import { sleep } from "../../src/model/clock.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import { type Upstream, UpstreamError } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import {
  type AccountsWorld,
  createAccountsWorld,
  type WorldAccount,
  type WorldPost,
} from "../support/accounts-world.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export interface GroupScenario {
  readonly seed: number;
  readonly accounts: number;
  readonly way: "auto" | "probe" | "mean" | "p95";
  /**
   * Which profiles another subscriber requests every minute: none, those of half of the accounts,
   * or those of other accounts.
   */
  readonly sharing: "none" | "half" | "others";
  readonly skewMin: number;
  readonly hidden: readonly number[];
  readonly frozen: readonly number[];
  readonly posts: readonly {
    readonly account: number;
    readonly atMin: number;
    readonly count: number;
    readonly overSec: number;
    readonly visibleLagSec: number;
    readonly searchLagSec: number;
    /** The post is deleted after this many minutes; 0: never. */
    readonly deletedAfterMin: number;
    readonly isRetweet: boolean;
  }[];
  readonly flaps: readonly {
    readonly account: number;
    readonly atMin: number;
    readonly forMin: number;
    readonly by: number;
  }[];
  readonly renames: readonly { readonly account: number; readonly atMin: number }[];
  readonly gone: readonly {
    readonly account: number;
    readonly atMin: number;
    readonly forMin: number;
  }[];
  readonly faults: readonly {
    readonly atMin: number;
    readonly forSec: number;
    readonly endpoint: string;
    readonly kind: "500" | "429" | "400";
  }[];
  readonly crashes: readonly {
    readonly atMin: number;
    readonly steps: number;
    readonly downMin: number;
  }[];
}

export interface GroupResult {
  /** What the oracle objects to; empty if all is well. */
  readonly objections: readonly string[];
  readonly events: number;
  /** The longest time in minutes that a post was visible before its alert. */
  readonly latestMin: number;
  readonly requests: number;
  readonly byEndpoint: Readonly<Record<string, number>>;
}

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const BUSY_MIN = 180;
const FULL_POLL_MIN = 30;

export async function simulateGroup(scenario: GroupScenario): Promise<GroupResult> {
  const clock = createVirtualClock(START);
  const skewMs = scenario.skewMin * MIN;
  const served = () => clock.now() + skewMs;
  const world = placePosts(scenario, START + skewMs);
  const latency = createSeededRandom(scenario.seed + 5);
  const byEndpoint: Record<string, number> = {};
  let calls = 0;
  const upstream: Upstream = {
    async call(request) {
      calls += 1;
      byEndpoint[request.endpoint] = (byEndpoint[request.endpoint] ?? 0) + 1;
      await sleep(clock, 20 + latency.float() * 200);
      const minute = (clock.now() - START) / MIN;
      const fault = scenario.faults.find(
        ({ atMin, forSec, endpoint }) =>
          endpoint === request.endpoint && minute >= atMin && minute < atMin + forSec / 60,
      );
      if (fault?.kind === "500") throw new UpstreamError("transient", "500", 500);
      if (fault?.kind === "429") throw new UpstreamError("rate_limited", "429", 429);
      if (fault?.kind === "400" && request.endpoint !== "user-tweets")
        throw new UpstreamError("bad_request", "400", 400);
      return {
        ...world.answer(request, served()),
        serviceTimeMs: Math.floor(served() / 1_000) * 1_000,
      };
    },
  };
  const watches = [watchOf(scenario, world), ...sharersOf(scenario, world)];
  const rig = await startEngineHarness({ clock, upstream, watches, seed: scenario.seed });
  try {
    for (const { atMin, steps, downMin } of [...scenario.crashes].sort(
      (a, b) => a.atMin - b.atMin,
    )) {
      await clock.advanceTo(START + atMin * MIN);
      rig.killSwitch.killAfter(steps);
      await clock.advance(Math.max(downMin * MIN, 500));
      await rig.crash();
    }
    await clock.advanceTo(START + (BUSY_MIN + 200) * MIN);
    const events = (await rig.events()).filter(({ watch }) => watch === "w");
    const { total } = await rig.store.spentSince(0);
    const objections = [
      ...objectToEvents(world, scenario, events, START + skewMs),
      ...(total >= calls && total <= calls + 64 * scenario.crashes.length
        ? []
        : [`ledger says ${total}, the service ${calls}`]),
      ...rig.logged
        .filter(({ level }) => level === "error")
        .map(
          ({ message, fields }) =>
            `logged: ${message} ${String((fields as { error?: unknown })?.error)}`,
        ),
      ...rig.opsAlerts.filter(({ type }) => type === "watch.gap").map(({ message }) => message),
    ];
    return {
      objections,
      events: events.length,
      latestMin: latestOf(world, events, skewMs),
      requests: calls,
      byEndpoint,
    };
  } finally {
    await rig.close();
  }
}

const WISHES: Readonly<Record<GroupScenario["way"], WatchChanges>> = {
  auto: {},
  probe: { strategy: "probe" },
  mean: { freshness: { kind: "mean", meanMs: MIN, maxMs: 10 * MIN } },
  p95: { freshness: { kind: "p95", p95Ms: 2 * MIN } },
};

function watchOf({ way }: GroupScenario, world: AccountsWorld): Watch {
  const accounts = idsOf(world);
  const changes: WatchChanges = {
    schedule: { kind: "every", intervalMs: 2 * MIN },
    include: { reply: true, quote: true, retweet: true },
    maxAgeMs: 7 * 86_400_000,
    fullPollEveryMs: FULL_POLL_MIN * MIN,
    ...WISHES[way],
  };
  return makeWatch("w", "timeline", { accounts }, changes);
}

const idsOf = (world: AccountsWorld): readonly string[] =>
  world.accounts.map(({ id }) => `id:${id}`);

function sharersOf({ accounts, sharing }: GroupScenario, world: AccountsWorld): readonly Watch[] {
  if (sharing === "none") return [];
  const all = idsOf(world).slice(0, accounts);
  const others = Array.from({ length: 5 }, (_, index) => `id:${world.add(`other_${index}`).id}`);
  return [
    makeWatch("sharing", "profile", {
      accounts: sharing === "half" ? all.slice(0, Math.ceil(accounts / 2)) : others,
    }),
  ];
}

function placePosts(scenario: GroupScenario, startMs: number): AccountsWorld {
  const world = createAccountsWorld();
  for (let index = 0; index < scenario.accounts; index += 1) {
    const account = world.add(`account_${index}`, {
      isHidden: scenario.hidden.includes(index),
      isFrozen: scenario.frozen.includes(index),
    });
    for (let hour = 1; hour <= 1 + ((scenario.seed + index) % 25); hour += 1)
      world.post(account, startMs - hour * 60 * MIN);
  }
  const of = (index: number) => world.accounts[index % scenario.accounts] as WorldAccount;
  const at = (minutes: number) => startMs + minutes * MIN;
  for (const {
    account,
    atMin,
    count,
    overSec,
    visibleLagSec,
    searchLagSec,
    deletedAfterMin,
    isRetweet,
  } of scenario.posts) {
    for (let i = 0; i < count; i += 1) {
      const atMs = at(atMin) + 1_000 + Math.floor((i * overSec * 1_000) / count);
      const deleted = deletedAfterMin === 0 ? {} : { deletedAtMs: atMs + deletedAfterMin * MIN };
      world.post(of(account), atMs, {
        visibleLagMs: visibleLagSec * 1_000,
        searchLagMs: searchLagSec * 1_000,
        isRetweet,
        ...deleted,
      });
    }
  }
  for (const { account, atMin, forMin, by } of scenario.flaps)
    of(account).flaps.push({ fromMs: at(atMin), untilMs: at(atMin + forMin), by });
  for (const [number, { account, atMin }] of scenario.renames.entries())
    world.rename(of(account), `renamed_${number}`, at(atMin));
  for (const { account, atMin, forMin } of scenario.gone)
    of(account).gone.push({ fromMs: at(atMin), untilMs: at(atMin + forMin) });
  for (const one of world.accounts) one.names.sort((a, b) => a.fromMs - b.fromMs);
  return world;
}

function latestOf(world: AccountsWorld, events: readonly ChirpEvent[], skewMs: number): number {
  const visible = new Map(
    world.accounts.flatMap(({ posts }) =>
      posts.map(({ id, visibleAtMs }) => [id, visibleAtMs - skewMs]),
    ),
  );
  return Math.max(
    0,
    ...events.map(
      ({ subject, detectedAtMs }) => (detectedAtMs - (visible.get(subject) ?? 0)) / MIN,
    ),
  );
}

function objectToEvents(
  world: AccountsWorld,
  { gone }: GroupScenario,
  events: readonly ChirpEvent[],
  bornMs: number,
): string[] {
  const told = new Map<string, number>();
  for (const { subject } of events) told.set(subject, (told.get(subject) ?? 0) + 1);
  const objections: string[] = [];
  const minutes = (ms: number) => `${((ms - bornMs) / MIN).toFixed(1)} min`;
  const say = (account: WorldAccount, post: WorldPost, text: string) =>
    objections.push(
      `${text}: account ${account.id}, posted ${minutes(post.atMs)}, visible ${minutes(post.visibleAtMs)}, ${post.id}`,
    );
  for (const account of world.accounts) {
    for (const post of account.posts) {
      const times = told.get(post.id) ?? 0;
      told.delete(post.id);
      const isNews = post.atMs > bornMs + 1_000;
      const isLasting = post.deletedAtMs === Number.POSITIVE_INFINITY;
      if (times > 1) say(account, post, `told ${times} times`);
      if (!isNews && times > 0 && gone.length === 0) say(account, post, "baseline was told");
      if (isNews && isLasting && times === 0) say(account, post, "missed");
    }
  }
  for (const id of told.keys()) objections.push(`told ${id}, which nobody posted`);
  return objections.length > 8
    ? [...objections.slice(0, 8), `and ${objections.length - 8} more`]
    : objections;
}
