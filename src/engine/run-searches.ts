/**
 * One run of a group of keyword searches: those that can share a query are read together and told apart by what their queries say; each is
 * read by itself now and then as a proof, and at once where the service seems to understand a query otherwise. Owns the order of these
 * steps and who is read which way next; what a tweet means is the poll runner's.
 */
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { PollStore, WatchStore } from "../model/store.ts";
import { UpstreamError } from "../model/upstream.ts";
import { packMembers, shrinkLimits, sizeOfPack } from "../plan/merge.ts";
import { chooseSearchStrategy, queryOf, searchGroupOf } from "../plan/search-groups.ts";
import type { PollRun } from "./attempt-poll.ts";
import { createGroupMembers } from "./group-members.ts";
import { joinOutcomes, sideBySide } from "./group-reads.ts";
import type { PollOutcome } from "./poll-outcome.ts";
import { type AskQuery, type MergedAnswer, type MergedMember, planMembers, type PlannedMember, readMerged } from "./read-merged.ts";
import type { RequestGate } from "./request-gate.ts";
import type { RunMember } from "./run-group.ts";
import { afterAlone, afterShared, objectionTo, type ReadTimes, weighed } from "./search-memory-after.ts";
import { createSearchMemories, type SearchGroupMemory, type SearchMemory, takeTrouble } from "./search-memory.ts";
import { byItself, type SearchTask, searchTasks } from "./search-tasks.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { Poll } from "./watch-poll.ts";

export interface SearchesDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll"> & Pick<WatchStore, "loadTargets">;
  readonly gate: RequestGate;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
}

export interface SearchesRunner {
  /** @throws what kept a merged search from being read; the other members are read all the same */
  run(group: Poll): Promise<PollOutcome>;
}

const CHOOSE_EVERY_MS = 600_000;
/** Strays that are remembered as looked into, and tweets a member that a proof is compared with. */
const MOST_REMEMBERED = 200;
/** A moment is over by then. */
const BLIND_RUNS = 3;
/** Refusals of the query as such. */
const REFUSED = new Set(["bad_request", "forbidden", "not_found"]);

/** One run, while it gathers. */
interface Scene {
  readonly group: Poll;
  memory: SearchGroupMemory;
  readonly members: Map<string, SearchMemory>;
  readonly startedAtMs: number;
  readonly outcomes: PollOutcome[];
  /** What was learned must not be lost by a crash. */
  isWorthWriting: boolean;
}

/** A merged answer that was no use: its members are read by themselves at once. */
interface Doubt {
  readonly tasks: readonly SearchTask[];
  readonly strays: readonly string[];
  readonly reason: "strays" | "cut" | "refused" | "blind";
  /** Of a query that was refused for what it is. */
  readonly size?: ReturnType<typeof sizeOfPack>;
}

export function createSearchesRunner(deps: SearchesDeps): SearchesRunner {
  const { clock, serviceClock, log } = deps;
  const memories = createSearchMemories(deps.store);
  const readiness = createGroupMembers(deps.store);
  const heldUntilMs = new Map<string, number>();
  const taken = new Map<string, Map<string, number>>();
  /** How often in a row a merged answer lacked the newest tweet that is known: by its owner's poll key and its time. */
  const blindRuns = new Map<string, number>();
  const toService = (localMs: number) => serviceClock.fromLocal(localMs);

  const timesOf = ({ startedAtMs, memory }: Scene): ReadTimes => ({
    startedAtMs,
    serviceMs: serviceClock.now(),
    fullPollEveryMs: memory.fullPollEveryMs,
  });

  const open = async (group: Poll): Promise<Scene> => {
    const startedAtMs = clock.now();
    const memory = await memories.get(group);
    const keys = new Set(group.group?.members.map(({ key }) => key));
    const members = new Map(Object.entries(memory.members).filter(([key]) => keys.has(key)));
    const scene: Scene = { group, memory, members, startedAtMs, outcomes: [], isWorthWriting: false };
    if (startedAtMs - memory.chosenAtMs >= CHOOSE_EVERY_MS) chooseAgain(scene);
    return scene;
  };

  const chooseAgain = (scene: Scene): void => {
    const { group, members, memory, startedAtMs } = scene;
    if (group.group?.wish !== "merge") for (const [key, member] of members) members.set(key, weighed(member, group.intervalMs));
    const all = group.group?.members ?? [];
    const sharing = all.filter(({ key }) => members.get(key)?.isAlone !== true && members.get(key)?.isBusy !== true);
    const asked = searchGroupOf(group, sharing, memory.limits, group.group?.fullPollEveryMs, all.length - sharing.length);
    const current = memory.chosenAtMs === 0 ? undefined : memory.strategy;
    const { strategy } = chooseSearchStrategy(asked, current, group.group?.wish ?? "auto");
    scene.memory = { ...memory, strategy, fullPollEveryMs: asked.fullPollEveryMs, chosenAtMs: startedAtMs };
  };

  /** The run of a member that was read by itself. */
  const settleAlone = (scene: Scene, task: SearchTask, { aftermath, outcome }: PollRun): void => {
    const { key } = task.poll;
    const untilMs = Math.max(aftermath.retryAtMs ?? 0, aftermath.notBeforeMs ?? 0);
    if (untilMs > clock.now()) heldUntilMs.set(key, untilMs);
    else heldUntilMs.delete(key);
    readiness.doubt(key);
    if (outcome === undefined) return;
    scene.outcomes.push(outcome);
    if (outcome.error !== undefined) return;
    const before = scene.members.get(key);
    const after = afterAlone(before, task, outcome, timesOf(scene));
    if (after === undefined) return;
    scene.members.set(key, after);
    if (before === undefined) scene.isWorthWriting = true;
    if (before === undefined || !task.isProof || outcome.shown === undefined) return;
    const lagMs = Math.min(task.poll.overlapMs, scene.memory.fullPollEveryMs / 2);
    const objection = objectionTo(task, outcome, taken.get(key) ?? new Map(), toService(before.sweptAtMs) - lagMs);
    taken.delete(key);
    if (objection !== undefined) leaveAlone(scene, task.poll, objection);
  };

  const leaveAlone = (scene: Scene, { key, subscribers }: Poll, reason: string): void => {
    const member = scene.members.get(key);
    if (member === undefined || member.isAlone === true) return;
    scene.members.set(key, { ...member, isAlone: true });
    scene.isWorthWriting = true;
    log.info("the service reads a search otherwise than we do: it is asked by itself from now on", {
      watch: subscribers[0]?.watch.id,
      reason,
    });
  };

  const readAlone = async (scene: Scene, tasks: readonly SearchTask[]): Promise<ReadonlyMap<string, PollOutcome>> => {
    const whole = new Map<string, PollOutcome>();
    await sideBySide(tasks, async (task) => {
      const run = await deps.runOne(task.poll, task.reach);
      settleAlone(scene, task, run);
      if (run.outcome?.shown !== undefined && run.outcome.error === undefined) whole.set(task.poll.key, run.outcome);
    });
    return whole;
  };

  const takeAnswer = async (scene: Scene, tasks: readonly SearchTask[], { observations, isBlind }: MergedAnswer): Promise<void> => {
    await sideBySide(tasks, async (task) => {
      const { key } = task.poll;
      const member = scene.members.get(key);
      const feed = observations.get(key);
      const run = feed === undefined ? undefined : await deps.take(task.poll, feed);
      if (run?.outcome !== undefined) scene.outcomes.push(run.outcome);
      if (member === undefined || (run !== undefined && run.outcome === undefined)) return;
      if (isBlind) return void scene.members.set(key, { ...member, triedAtMs: scene.startedAtMs });
      scene.members.set(key, afterShared(member, task, run?.outcome, timesOf(scene)));
      remember(key, feed?.items ?? []);
    });
  };

  const remember = (key: string, items: readonly { readonly id: string; readonly timeMs: number }[]): void => {
    const own = taken.get(key) ?? new Map<string, number>();
    for (const { id, timeMs } of items) if (own.size < MOST_REMEMBERED) own.set(id, timeMs);
    taken.set(key, own);
  };

  /** Undefined when the answer was taken. @throws what has nothing to do with the query */
  const readPack = async (scene: Scene, ask: AskQuery, pack: readonly PlannedMember[], tasks: readonly SearchTask[]) => {
    const times = { startMs: toService(scene.startedAtMs), intervalMs: scene.group.intervalMs };
    try {
      const answer = await readMerged(ask, pack, times);
      const fresh = answer.strays.map(({ id }) => id).filter((id) => !scene.memory.strays.includes(id));
      if (answer.isCut) return { tasks, strays: [], reason: "cut" } as const;
      if (fresh.length > 0) return { tasks: tasks.map((task) => provedNow(scene, task)), strays: fresh, reason: "strays" } as const;
      await takeAnswer(scene, tasks, answer);
      return answer.isBlind ? blindness(scene, pack, tasks) : undefined;
    } catch (error) {
      if (!(error instanceof UpstreamError) || !REFUSED.has(error.kind)) throw error;
      const size = error.kind === "bad_request" ? { size: sizeOfPack(pack.map(({ member }) => member.feed)) } : {};
      return { tasks, strays: [], reason: "refused", ...size } as const;
    }
  };

  /** An answer without the newest tweet that is known: deleted, a blind moment, or its search finds more by itself than together with others. */
  const blindness = (scene: Scene, pack: readonly PlannedMember[], tasks: readonly SearchTask[]): Doubt | undefined => {
    const newestOf = (one: PlannedMember) => one.memory.newestItemMs ?? 0;
    const owner = pack.reduce((best, one) => (newestOf(one) > newestOf(best) ? one : best));
    const name = `${owner.member.poll.key}\n${newestOf(owner)}`;
    const runs = (blindRuns.get(name) ?? 0) + 1;
    blindRuns.set(name, runs);
    if (runs !== BLIND_RUNS) return undefined;
    const own = tasks.filter(({ poll }) => poll.key === owner.member.poll.key);
    return { tasks: own.map((task) => provedNow(scene, task)), strays: [], reason: "blind" };
  };

  /** Whoever a stray belongs to, other tweets of its may have passed unseen. */
  const provedNow = (scene: Scene, task: SearchTask): SearchTask => {
    const member = scene.members.get(task.poll.key);
    return member === undefined ? task : byItself(task.poll, { ...member, isUnproven: true }, { nowMs: scene.startedAtMs, toService });
  };

  const readTogether = async (scene: Scene, tasks: readonly SearchTask[]): Promise<unknown> => {
    const byKey = new Map(tasks.map((task) => [task.poll.key, task]));
    const sources = await deps.store.loadSources(tasks.map(({ poll }) => poll.key));
    const readable = tasks.flatMap(({ poll, reach }, index): readonly MergedMember[] => {
      const [source, query] = [sources[index], queryOf(poll)];
      if (source === undefined || query === undefined) return [];
      return [{ poll, source, feed: { kind: "query", query }, ...(reach === undefined ? {} : { reach }) }];
    });
    const times = { startMs: toService(scene.startedAtMs), intervalMs: scene.group.intervalMs };
    const packs = packMembers(planMembers(readable, times), ({ member }) => member.feed, scene.memory.limits);
    let failure: unknown;
    await sideBySide(packs, async (pack) => {
      const own = pack.flatMap(({ member }) => byKey.get(member.poll.key) ?? []);
      // One that fits in with nobody needs no telling apart.
      if (own.length === 1)
        return void (await readAlone(
          scene,
          own.map((task) => provedIfNot(scene, task)),
        ));
      try {
        const doubt = await readPack(scene, askFor(scene.group, pack), pack, own);
        if (doubt !== undefined) await resolve(scene, doubt);
      } catch (error) {
        failure ??= error;
      }
    });
    return failure;
  };

  const provedIfNot = (scene: Scene, task: SearchTask): SearchTask =>
    scene.members.get(task.poll.key)?.isUnproven === true ? provedNow(scene, task) : task;

  const askFor =
    (group: Poll, [first]: readonly PlannedMember[]): AskQuery =>
    (query, cursor) =>
      deps.gate.request({
        endpoint: "search-tweets",
        params: { query, order: "latest" },
        source: `${group.key}:search`,
        watch: first?.member.poll.subscribers[0]?.watch.id ?? "",
        priority: group.priority,
        purpose: "poll",
        ...(cursor === undefined ? {} : { cursor }),
      });

  /** Reads the members of a useless answer by themselves, and finds out whose it is that it was no use. */
  const resolve = async (scene: Scene, { tasks, strays, reason, size }: Doubt): Promise<void> => {
    const outcomes = await readAlone(scene, tasks);
    if (reason === "refused" && size !== undefined) {
      // A query that the service refuses by itself too makes no other one too long.
      if (outcomes.size === tasks.length) {
        scene.memory = { ...scene.memory, limits: shrinkLimits(scene.memory.limits, size) };
        scene.isWorthWriting = true;
        log.info("a merged search was refused, asking for fewer searches at once", { searches: tasks.length });
      }
      return;
    }
    if (reason === "blind") {
      for (const { poll } of tasks) if ((outcomes.get(poll.key)?.shown?.size ?? 0) > 0) leaveAlone(scene, poll, reason);
      return;
    }
    const unexplained = strays.filter((id) => {
      const owners = tasks.filter(({ poll }) => outcomes.get(poll.key)?.shown?.has(id) === true);
      for (const { poll } of owners) leaveAlone(scene, poll, "stray");
      return owners.length === 0;
    });
    if (outcomes.size === tasks.length)
      scene.memory = { ...scene.memory, strays: [...scene.memory.strays, ...strays].slice(-MOST_REMEMBERED) };
    if (reason === "strays" && unexplained.length === 0) return;
    const trouble = takeTrouble(scene.memory.trouble, clock.now());
    scene.memory = { ...scene.memory, trouble };
    if (trouble.restUntilMs > clock.now()) {
      scene.isWorthWriting = true;
      log.warn("merged searches are no use here, asking for each by itself for a day", { reason, searches: tasks.length });
    }
  };

  return {
    async run(group) {
      const scene = await open(group);
      const members = group.group?.members ?? [];
      const unready = await readiness.unready(members.map((poll) => ({ poll, userId: "" })));
      const isHeld = (key: string) => (heldUntilMs.get(key) ?? 0) > clock.now();
      const { together, alone } = searchTasks({ members, unready, isHeld, memory: memoryOf(scene), nowMs: scene.startedAtMs, toService });
      const [failure] = await Promise.all([readTogether(scene, together), readAlone(scene, alone)]);
      memories.put(group, memoryOf(scene), scene.isWorthWriting);
      await memories.save(group, scene.startedAtMs, clock.now());
      if (failure !== undefined) throw failure;
      return joinOutcomes(scene.outcomes);
    },
  };
}

const memoryOf = ({ memory, members }: Scene): SearchGroupMemory => ({ ...memory, members: Object.fromEntries(members) });
