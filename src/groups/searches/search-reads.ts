/** Carries out what a run of a group of searches reads: many at once and told apart by what their queries say, and members by themselves. */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import { isRefusal } from "../../model/upstream.ts";
import { packMembers, sizeOfPack } from "../../query/merging/merge.ts";
import { queryOf } from "./search-groups.ts";
import { type AskSearch, askSearch } from "../../polling/ask.ts";
import type { PollRun } from "../../polling/run/poll-run.ts";
import type { GroupMembers } from "../memory/group-members.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import { createHolds, type Holds } from "../memory/holds.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { type MergedAnswer, type MergedMember, planMembers, type PlannedMember, readMerged } from "../../polling/read/read-merged.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import { createBlindSpots, resolveDoubt } from "./search-doubts.ts";
import { afterAlone, afterShared, objectionTo, type ReadTimes } from "./search-memory-after.ts";
import { leaveAlone, type SearchScene } from "./search-scene.ts";
import { byItself, type SearchTask } from "./search-tasks.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";

export interface SearchReadsDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources">;
  readonly gate: RequestGate;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  readonly readiness: Pick<GroupMembers, "doubt">;
}

export interface SearchReads extends Pick<Holds, "isHeld"> {
  /** What kept a merged search from being read; its members wait for the next run. */
  readTogether(scene: SearchScene, tasks: readonly SearchTask[]): Promise<Error | undefined>;
  /** Outcomes of those whose read came to its end, by poll key. */
  readAlone(scene: SearchScene, tasks: readonly SearchTask[]): Promise<ReadonlyMap<string, PollOutcome>>;
}

/** Tweets a member that a proof is compared with. */
const MOST_TAKEN = 200;

export function createSearchReads(deps: SearchReadsDeps): SearchReads {
  const { serviceClock, log, readiness } = deps;
  const holds = createHolds(deps.clock);
  /** By poll key, what merged answers gave it since it was proved: id and time. */
  const taken = new Map<string, Map<string, number>>();
  const blindSpots = createBlindSpots();
  const toService = (localMs: number) => serviceClock.fromLocal(localMs);

  const timesOf = ({ startedAtMs, memory }: SearchScene): ReadTimes => ({
    startedAtMs,
    serviceMs: serviceClock.now(),
    fullPollEveryMs: memory.fullPollEveryMs,
  });

  /** The run of a member that was read by itself. */
  const settleAlone = (scene: SearchScene, task: SearchTask, run: PollRun): void => {
    const { key } = task.poll;
    const { outcome } = run;
    holds.note(key, run);
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
    if (objection !== undefined) leaveAlone(scene, task.poll, objection, log);
  };

  const readAlone = async (scene: SearchScene, tasks: readonly SearchTask[]): Promise<ReadonlyMap<string, PollOutcome>> => {
    const whole = new Map<string, PollOutcome>();
    await sideBySide(tasks, async (task) => {
      const run = await deps.runOne(task.poll, task.reach);
      settleAlone(scene, task, run);
      if (run.outcome?.shown !== undefined && run.outcome.error === undefined) whole.set(task.poll.key, run.outcome);
    });
    return whole;
  };

  const takeAnswer = async (scene: SearchScene, tasks: readonly SearchTask[], { observations, isBlind }: MergedAnswer): Promise<void> => {
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
    for (const { id, timeMs } of items) if (own.size < MOST_TAKEN) own.set(id, timeMs);
    taken.set(key, own);
  };

  /** Undefined when the answer was taken. @throws what has nothing to do with the query */
  const readPack = async (scene: SearchScene, ask: AskSearch, pack: readonly PlannedMember[], tasks: readonly SearchTask[]) => {
    const times = { startMs: toService(scene.startedAtMs), intervalMs: scene.group.intervalMs, nowMs: serviceClock.now };
    try {
      const answer = await readMerged(ask, pack, times);
      const fresh = answer.strays.map(({ id }) => id).filter((id) => !scene.memory.strays.includes(id));
      if (answer.isCut) return { tasks, strays: [], reason: "cut" } as const;
      if (fresh.length > 0) return { tasks: tasks.map((task) => provedNow(scene, task)), strays: fresh, reason: "strays" } as const;
      await takeAnswer(scene, tasks, answer);
      const missing = blindSpots.take(pack, answer.isBlind);
      const own = tasks.filter(({ poll }) => poll.key === missing?.member.poll.key);
      return own.length === 0 ? undefined : ({ tasks: own.map((task) => provedNow(scene, task)), strays: [], reason: "blind" } as const);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const size = error.kind === "bad_request" ? { size: sizeOfPack(pack.map(({ member }) => member.feed)) } : {};
      return { tasks, strays: [], reason: "refused", ...size } as const;
    }
  };

  /** Whoever a stray belongs to, other tweets of its may have passed unseen. */
  const provedNow = (scene: SearchScene, task: SearchTask): SearchTask => {
    const member = scene.members.get(task.poll.key);
    return member === undefined ? task : byItself(task.poll, { ...member, isUnproven: true }, { nowMs: scene.startedAtMs, toService });
  };

  const readTogether = async (scene: SearchScene, tasks: readonly SearchTask[]): Promise<Error | undefined> => {
    const byKey = new Map(tasks.map((task) => [task.poll.key, task]));
    const sources = await deps.store.loadSources(tasks.map(({ poll }) => poll.key));
    const readable = tasks.flatMap(({ poll, reach }, index): readonly MergedMember[] => {
      const [source, query] = [sources[index], queryOf(poll)];
      if (source === undefined || query === undefined) return [];
      return [{ poll, source, feed: { kind: "query", query }, ...(reach === undefined ? {} : { reach }) }];
    });
    const times = { startMs: toService(scene.startedAtMs), intervalMs: scene.group.intervalMs };
    const packs = packMembers(planMembers(readable, times), ({ member }) => member.feed, scene.memory.limits);
    let failure: Error | undefined;
    await sideBySide(packs, async (pack) => {
      const own = pack.flatMap(({ member }) => byKey.get(member.poll.key) ?? []);
      // One that fits in with nobody needs no telling apart.
      if (own.length === 1)
        return void (await readAlone(
          scene,
          own.map((task) => provedIfNot(scene, task)),
        ));
      try {
        const doubt = await readPack(scene, askSearch(deps.gate, scene.group), pack, own);
        if (doubt !== undefined) resolveDoubt(scene, doubt, await readAlone(scene, doubt.tasks), deps);
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
      }
    });
    return failure;
  };

  const provedIfNot = (scene: SearchScene, task: SearchTask): SearchTask =>
    scene.members.get(task.poll.key)?.isUnproven === true ? provedNow(scene, task) : task;

  return { readTogether, readAlone, isHeld: holds.isHeld };
}
