/**
 * Makes one real poll of a watch, for `chirpwatch test`: looks accounts up, requests the first page
 * of each target, and evaluates the answers. Commits and sends nothing. The cost is known before
 * the first request.
 */
import type { RequestGate } from "../../requests/request-gate.ts";
import { createServiceClock } from "../../requests/service-clock.ts";
import type { Subscriber } from "../../polling/watch-poll.ts";
import { batchesOf } from "../../model/batch.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TargetState, WatchState } from "../../model/watch-store.ts";
import { type UpstreamAnswer, UpstreamError } from "../../model/upstream.ts";
import type { User } from "../../model/user.ts";
import type { Watch } from "../../model/watch.ts";
import { assumeTargets, isAssumed } from "../../forecast/forecast.ts";
import { targetsOf } from "../../plan/polls/plan-polls.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { watchTypeOf } from "../../watches/registry.ts";
import { evaluateAnswer, type TriedItem } from "./try-items.ts";

export interface TriedTarget {
  /** The target as it is written in the YAML. */
  readonly name: string;
  readonly items: readonly TriedItem[];
  /** Why the target could not be read; empty if it could be read. */
  readonly problem: string;
}

export interface Trial {
  /** How many requests `run` makes. An account that is not indexed can take one more. */
  readonly costRequests: number;
  readonly lookups: number;
  /** The names of the targets that are polled, and of those that are left out. */
  readonly polled: readonly string[];
  readonly leftOut: readonly string[];
  run(): Promise<readonly TriedTarget[]>;
}

type Gate = Pick<RequestGate, "request">;

export interface TrialDeps {
  readonly gate: Gate;
  readonly clock: Clock;
  readonly hash: Hash;
  /** The watch as the state knows it. */
  readonly state: WatchState | undefined;
  readonly mostTargets: number;
}

/** Plans the poll. Nothing is requested before `run`. */
export function planTrial(watch: Watch, deps: TrialDeps): Trial {
  const type = watchTypeOf(watch);
  const all = assumeTargets(
    deps.state?.key ?? watch.id,
    targetsOf(deps.hash, watch, type),
    deps.state?.targets ?? [],
  );
  const targets = all.slice(0, deps.mostTargets);
  const handles = targets.filter(isAssumed);
  // Only messages about values need the account's profile. Some watch types also need its current
  // handle for their requests.
  const needsProfile = type.detection.detector === "reading" || type.needsHandle === true;
  const ids = needsProfile
    ? targets.filter((target) => target.userId !== null && !isAssumed(target))
    : [];
  const lookups = batchesOf(handles).length + batchesOf(ids).length;
  return {
    costRequests: lookups + countReads(watch, type, targets) * type.costRequests(watch.settings),
    lookups,
    polled: targets.map(({ name }) => name),
    leftOut: all.slice(deps.mostTargets).map(({ name }) => name),
    async run() {
      const users = await lookUp(watch, deps.gate, handles, ids);
      const gate = sharing(deps.gate);
      const tried: TriedTarget[] = [];
      for (const target of targets)
        tried.push(
          await tryTarget({ watch, type }, target, users, {
            gate,
            clock: deps.clock,
            hash: deps.hash,
          }),
        );
      return tried;
    },
  };
}

/**
 * Counts the requests for first pages. Accounts on a public list are read with one request for the
 * list.
 */
function countReads(watch: Watch, type: WatchType<any>, targets: readonly TargetState[]): number {
  const listed =
    type.viaList?.(watch.settings) === undefined
      ? []
      : targets.filter(({ memory }) => memory["list"] !== "out");
  return targets.length - Math.max(0, listed.length - 1);
}

/** Returns a gate that makes each request once, even if two targets need the same one. */
function sharing(gate: Gate): Gate {
  const answers = new Map<string, ReturnType<Gate["request"]>>();
  return {
    request(asked) {
      const key = JSON.stringify([asked.endpoint, asked.params]);
      const answer = answers.get(key) ?? gate.request(asked);
      answers.set(key, answer);
      return answer;
    },
  };
}

async function lookUp(
  watch: Watch,
  gate: Gate,
  handles: readonly TargetState[],
  ids: readonly TargetState[],
): Promise<readonly User[]> {
  const users: User[] = [];
  const ask = async (params: JsonObject) => {
    const source = `test:${watch.id}`;
    const answer = await gate.request({
      endpoint: "info-batch",
      params,
      source,
      watch: watch.id,
      priority: "high",
      purpose: "command",
    });
    users.push(...(answer.users ?? []));
  };
  for (const batch of batchesOf(handles))
    await ask({ usernames: batch.map(({ key }) => key.slice(1)) });
  for (const batch of batchesOf(ids))
    await ask({ user_ids: batch.map(({ userId }) => userId ?? "") });
  return users;
}

async function tryTarget(
  { watch, type }: { readonly watch: Watch; readonly type: WatchType<any> },
  assumed: TargetState,
  users: readonly User[],
  deps: Pick<TrialDeps, "gate" | "clock" | "hash">,
): Promise<TriedTarget> {
  const { name } = assumed;
  const profile = users.find(
    (user) => user.id === assumed.userId || `@${user.username.toLowerCase()}` === assumed.key,
  );
  if (isAssumed(assumed) && profile === undefined)
    return { name, items: [], problem: "the service does not know an account with that handle" };
  const target = {
    ...assumed,
    userId: profile?.id ?? assumed.userId,
    username: profile?.username ?? assumed.username,
  };
  const read = await readFirstPage(watch, type, target, deps.gate);
  if ("problem" in read) return { name, items: [], problem: read.problem };
  const { author, batch } = type.source(watch.settings, read.target);
  const base = { watch, type, watchKey: target.watchKey, targetKey: target.key, targetName: name };
  const subscriber: Subscriber = batch === undefined ? base : { ...base, entry: batch.value };
  const context = {
    hash: deps.hash,
    serviceClock: createServiceClock(deps.clock),
    detectedAtMs: deps.clock.now(),
    profile,
  };
  return {
    name,
    items: evaluateAnswer(subscriber, read.target, ownPart(read.answer, author), context),
    problem: "",
  };
}

/**
 * Returns the part of an answer that belongs to one account, because a public list contains tweets
 * of all of its members.
 */
const ownPart = (answer: UpstreamAnswer, author: string | undefined): UpstreamAnswer =>
  author === undefined
    ? answer
    : { ...answer, tweets: (answer.tweets ?? []).filter(({ user }) => user.id === author) };

type FirstPage =
  | { readonly target: TargetState; readonly answer: UpstreamAnswer }
  | { readonly problem: string };

/**
 * Reads the first page of a target. If the service has not indexed the account, the target is read
 * without the index, if the watch type can do that. An error about the key or the whole service
 * ends the test.
 */
async function readFirstPage(
  watch: Watch,
  type: WatchType<any>,
  target: TargetState,
  gate: Gate,
): Promise<FirstPage> {
  const { endpoint, params: shared, batch } = type.source(watch.settings, target);
  const params = batch === undefined ? shared : { ...shared, [batch.param]: [batch.value] };
  try {
    const source = `test:${watch.id}:${target.key}`;
    const answer = await gate.request({
      endpoint,
      params,
      source,
      watch: watch.id,
      priority: "high",
      purpose: "command",
    });
    return { target, answer };
  } catch (error) {
    if (
      !(error instanceof UpstreamError) ||
      !["not_found", "forbidden", "bad_request"].includes(error.kind)
    )
      throw error;
    const needsIndex =
      error.kind === "not_found" && type.needsIndex?.(watch.settings, target) === true;
    const other = needsIndex ? type.withoutIndex?.(watch.settings) : undefined;
    if (other !== undefined)
      return readFirstPage(
        watch,
        type,
        { ...target, memory: { ...target.memory, ...other } },
        gate,
      );
    return {
      problem: needsIndex
        ? `the service has not indexed this account (${error.message})`
        : error.message,
    };
  }
}
