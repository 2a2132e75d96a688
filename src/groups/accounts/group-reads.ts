/** Carries out what a run of a group reads: timelines one by one, searches many at once, and what both mean for the probes to come. */
import { joinOutcomes, type PollOutcome } from "../../polling/run/poll-outcome.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import { isBadRequest, UpstreamError } from "../../model/upstream.ts";
import { afterFirstRead, afterRead, afterRefusal, isGivenUp, isUnexplained, mayLag, type LagAllowance } from "../probing/discharge.ts";
import { type LearnedLimits, shrinkLimits, sizeOfPack } from "../../query/merging/merge.ts";
import { freeFloor } from "../queries/free-depth.ts";
import { packParts, type Part } from "../queries/packs.ts";
import { firstRate, learnPosts } from "../../plan/rates/rates.ts";
import { partOf } from "./account-part.ts";
import { type AskSearch, askSearch } from "../../polling/ask.ts";
import type { PollRun } from "../../polling/run/poll-run.ts";
import type { GroupMembers } from "../memory/group-members.ts";
import type { ReadTask } from "./group-tasks.ts";
import { createHolds, type Holds } from "../memory/holds.ts";
import { pacedSinceMs } from "./on-time.ts";
import { createPatience } from "../../requests/patience.ts";
import { type ProbeBook, worthOfRead } from "../probing/probe-book.ts";
import { type MergedMember, planMembers, type PlannedMember, readMerged } from "../../polling/read/read-merged.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupReads extends Pick<Holds, "isHeld" | "release"> {
  /** @throws RequestHeld, or an UpstreamError about the key: nothing can be asked at all. */
  read(query: ReadQuery): Promise<GroupNews>;
}

export interface ReadQuery {
  readonly group: Poll;
  readonly tasks: readonly ReadTask[];
  readonly limits: LearnedLimits;
  readonly startedAtMs: number;
  readonly allowance: LagAllowance;
  /** Since then the group was asked for in time; 0 where that is not known. */
  readonly onTimeSinceMs: number;
}

export interface GroupNews {
  readonly outcome: PollOutcome;
  /** When posts were posted, without those of first reads; our clock. */
  readonly postedMs: readonly number[];
  /** How long after that they were found, as far as it depends on how often is probed. */
  readonly delaysMs: readonly number[];
  /** Of each change that was given up because no post accounts for it: the last probe before it; our clock. */
  readonly changedMs: readonly number[];
  /** Searches and timelines. */
  readonly requests: number;
  /** What the service took, by what it refused. */
  readonly limits: LearnedLimits;
}

export interface GroupReadsDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources">;
  readonly gate: RequestGate;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  readonly book: ProbeBook;
  readonly readiness: GroupMembers;
}

/** A member of a search, and how deep a full poll of it would go. */
interface ReadPart extends Part {
  readonly planned: PlannedMember;
  readonly sweptMs: number;
}

/** One call of `read`, while it gathers. */
interface Scene {
  readonly startedAtMs: number;
  readonly allowance: LagAllowance;
  readonly onTimeSinceMs: number;
  readonly outcomes: PollOutcome[];
  readonly postedMs: number[];
  readonly delaysMs: number[];
  readonly changedMs: number[];
  requests: number;
}

/** Thousands of first reads take minutes: what they told is written this many at a time. */
const READS_KEPT_TOGETHER = 20;
/** A post this much older than the last probe should have been in its counters. */
const COUNTER_LAG_MS = 900_000;

/** As far as searches reach back, as a rule. */
const POSTS_KEPT_MS = 46_800_000;
const MOST_POSTS_KEPT = 200;

export function createGroupReads(deps: GroupReadsDeps): GroupReads {
  const { clock, serviceClock, book } = deps;
  const { note, isHeld, release } = createHolds(clock);
  /** Where even a search for one account is refused. */
  const patience = createPatience(clock);

  /** What a read of a member means for its probes and its rate. */
  const settle = (task: ReadTask, run: PollRun | undefined, scene: Scene, isBlindSearch = false): void => {
    const { poll, userId } = task.member;
    const isBlind = isBlindSearch || run?.outcome?.isBlind === true;
    const account = book.get(userId);
    if (account === undefined || (run !== undefined && (run.outcome === undefined || run.outcome.error !== undefined))) return;
    const nowMs = clock.now();
    const postedMs = run?.outcome?.postedMs ?? [];
    const isFirst = (run?.outcome?.baselined.length ?? 0) > 0;
    const probedMs = serviceClock.fromLocal(account.probe.probedAtMs);
    const newBeforeProbe = isFirst ? 0 : postedMs.filter((atMs) => atMs < probedMs - COUNTER_LAG_MS).length;
    // Older ones were counted before the change: what the counter moved for is another post, which nobody can see yet.
    const promisedMs = serviceClock.fromLocal(account.probe.open?.sinceMs ?? account.probe.probedAtMs) - poll.overlapMs;
    const newPosts = isFirst ? 0 : postedMs.filter((atMs) => atMs >= promisedMs).length;
    const isPatient = task.way === "search" && mayLag(account.probe, scene.allowance, nowMs);
    const { way, isFull } = task;
    const result = { way, isFull, isBlind, newPosts, newBeforeProbe, isPatient };
    const probe = afterRead(account.probe, result, nowMs);
    if (!isFirst && isGivenUp(account.probe, result)) scene.changedMs.push(account.probe.open?.calmMs ?? account.probe.probedAtMs);
    const serviceMs = serviceClock.now();
    // Who is asked for next is told by our clock.
    const localMs = postedMs.map((atMs) => atMs - (serviceMs - nowMs));
    const rate = isFirst ? firstRate(localMs, nowMs) : localMs.length === 0 ? account.rate : learnPosts(account.rate, localMs, nowMs);
    const settled = isFirst ? afterFirstRead(probe, postedMs.filter((atMs) => atMs > probedMs).length) : probe;
    // A search that comes with a probe is hardly older than it.
    const checkedAtMs = isBlind ? account.checkedAtMs : Math.max(scene.startedAtMs, Math.min(account.checkedAtMs, nowMs));
    const known = withPosts(account.postedMs, postedMs, serviceMs);
    book.put(userId, { ...account, ...known, probe: settled, rate, checkedAtMs }, worthOfRead(account.probe, settled));
    if (!isFirst) {
      const sinceMs = serviceClock.fromLocal(pacedSinceMs(account, scene.onTimeSinceMs));
      scene.postedMs.push(...localMs);
      scene.delaysMs.push(...postedMs.filter((atMs) => atMs >= sinceMs).map((atMs) => serviceMs - atMs));
    }
    if (task.way === "timeline") deps.readiness.doubt(poll.key);
    if (!isBlind) noteSearch(userId, scene.startedAtMs);
  };

  const noteSearch = (userId: string, searchedAtMs: number): void => {
    const account = book.get(userId);
    if (account?.probe.isBlind === true) book.put(userId, { ...account, searchedAtMs }, "later");
  };

  const readTimelines = async (tasks: readonly ReadTask[], scene: Scene): Promise<void> => {
    let settled = 0;
    await sideBySide(tasks, async (task) => {
      scene.requests += 1;
      const run = await deps.runOne(task.member.poll);
      note(task.member.poll.key, run);
      if (run.outcome !== undefined) scene.outcomes.push(run.outcome);
      settle(task, run, scene);
      if (isHeld(task.member.poll.key)) refuse(task.member.userId);
      settled += 1;
      if (settled % READS_KEPT_TOGETHER === 0) await book.flush();
    });
  };

  const refuse = (userId: string): void => {
    const account = book.get(userId);
    if (account !== undefined) book.put(userId, { ...account, probe: afterRefusal(account.probe, clock.now()) }, "later");
  };

  const isOwed = ({ member, way }: ReadTask, { allowance }: Scene): boolean => {
    const account = book.get(member.userId);
    return way === "search" && account !== undefined && isUnexplained(account.probe) && !mayLag(account.probe, allowance, clock.now());
  };

  const partsOf = (planned: PlannedMember): readonly ReadPart[] => {
    const { feed } = planned.member;
    const account = feed.kind === "from" ? book.get(feed.userId) : undefined;
    if (feed.kind !== "from" || account === undefined) return [];
    const sweptMs = serviceClock.fromLocal(account.probe.fullAtMs) - planned.member.poll.overlapMs;
    return [{ ...partOf(feed.userId, account, planned.plan.walk.floorMs, clock.now()), planned, sweptMs }];
  };

  /** What is known to have moved; the rest waits for a search. */
  const byTimelines = (tasks: readonly ReadTask[]): readonly ReadTask[] =>
    tasks.filter(({ member }) => book.get(member.userId)?.probe.open !== undefined).map((task) => ({ ...task, way: "timeline" as const }));

  const membersOf = async (tasks: readonly ReadTask[]): Promise<readonly MergedMember[]> => {
    const sources = await deps.store.loadSources(tasks.map(({ member }) => member.poll.key));
    return tasks.flatMap(({ member, reach }, index) => {
      const source = sources[index];
      const handle = book.get(member.userId)?.handle ?? "";
      const feed = { kind: "from", userId: member.userId, handle } as const;
      return source === undefined ? [] : [{ poll: member.poll, source, feed, ...(reach === undefined ? {} : { reach }) }];
    });
  };

  return {
    async read({ group, tasks, limits: firstLimits, startedAtMs, allowance, onTimeSinceMs }) {
      const scene: Scene = { startedAtMs, allowance, onTimeSinceMs, outcomes: [], postedMs: [], delaysMs: [], changedMs: [], requests: 0 };
      const byKey = new Map(tasks.map((task) => [task.member.poll.key, task]));
      const times = { startMs: serviceClock.fromLocal(startedAtMs), intervalMs: group.intervalMs, nowMs: serviceClock.now };
      const search = askSearch(deps.gate, group);
      const ask: AskSearch = (query, cursor) => {
        scene.requests += 1;
        return search(query, cursor);
      };
      let limits = firstLimits;
      let shortSearch: Promise<boolean> | undefined;
      /** Whether a search for one account is answered where one for many was refused: else it is not their number. Asked once a run. */
      const isShortTaken = (pack: readonly PlannedMember[]): Promise<boolean> =>
        (shortSearch ??= readMerged(ask, pack.slice(0, 1), times).then(
          () => true,
          (error: unknown) => {
            if (!isAboutSearch(error)) throw error;
            if (isBadRequest(error)) patience.holdMs(group);
            return false;
          },
        ));
      const alone: ReadTask[] = tasks.filter(({ way }) => way === "timeline");

      const readPack = async (pack: readonly PlannedMember[], floorMs: number): Promise<void> => {
        const own = pack.flatMap(({ member }) => byKey.get(member.poll.key) ?? []);
        try {
          const { observations, isCut, isBlind } = await readMerged(ask, pack, times, floorMs);
          if (isCut) return void alone.push(...own.map((task) => ({ ...task, way: "timeline" as const, isFull: true })));
          await sideBySide(own, async (task) => {
            const feed = observations.get(task.member.poll.key);
            const run = feed === undefined ? undefined : await deps.take(task.member.poll, feed);
            if (run?.outcome !== undefined) scene.outcomes.push(run.outcome);
            settle(task, run, scene, isBlind);
          });
        } catch (error) {
          if (!isAboutSearch(error)) throw error;
          if (isBadRequest(error) && pack.length > 1 && (await isShortTaken(pack))) {
            limits = shrinkLimits(limits, sizeOfPack(pack.map(({ member }) => member.feed)), clock.now());
            deps.log.info("a merged search was refused, asking for fewer accounts at once", { accounts: pack.length });
            return readPacks(pack);
          }
          // The search fails: what is known to have moved is read where it was posted.
          deps.log.warn("a merged search failed", { error: errorText(error) });
          alone.push(...byTimelines(own));
        }
      };
      const readPacks = async (planned: readonly PlannedMember[]): Promise<void> => {
        const packs = packParts(planned.flatMap(partsOf), limits);
        // As deep as costs nothing: what hid behind a deletion is found before the next full poll.
        const read = (pack: readonly ReadPart[]): Promise<void> => {
          const deepestMs = Math.min(...pack.map(({ sweptMs }) => sweptMs));
          return readPack(
            pack.map((part) => part.planned),
            freeFloor(pack, deepestMs),
          );
        };
        await Promise.all(packs.map(read));
      };

      const searched = tasks.filter(({ way }) => way === "search");
      if (patience.isHeld(group)) alone.push(...byTimelines(searched));
      else await readPacks(planMembers(await membersOf(searched), times));
      // What moved and is not in the search, which lags for seconds and now and then for minutes, is told no later than the rest, where that is worth it.
      alone.push(...tasks.filter((task) => isOwed(task, scene)).map(({ member }) => ({ member, way: "timeline" as const, isFull: true })));
      await readTimelines(alone, scene);
      const { postedMs, delaysMs, changedMs, requests } = scene;
      return { outcome: joinOutcomes(scene.outcomes), postedMs, delaysMs, changedMs, requests, limits };
    },
    isHeld,
    release,
  };
}

/** Nothing that would keep a timeline from being read too: no key, no quota, a store's error. */
const isAboutSearch = (error: unknown): boolean =>
  error instanceof RequestHeld
    ? error.reason === "backoff" || error.reason === "pace"
    : error instanceof UpstreamError && error.kind !== "unauthorized" && error.kind !== "billing";

/** With those found now; what is older than any search reaches back is forgotten. */
function withPosts(known: readonly number[] = [], found: readonly number[], nowMs: number): { readonly postedMs?: readonly number[] } {
  if (known.length === 0 && found.length === 0) return {};
  return { postedMs: [...known, ...found].filter((atMs) => atMs > nowMs - POSTS_KEPT_MS).slice(-MOST_POSTS_KEPT) };
}
