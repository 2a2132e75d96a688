/** The control API under `/_sandbox/`: samples, keys, time, things put into the world, faults, and what was asked. Loopback only, no key. */
import type { Json, JsonObject } from "../model/json.ts";
import { OPERATIONS } from "./endpoints/table.ts";
import { FAULT_NAMES, FAULT_NUMBERS } from "./faults/kinds.ts";
import { inject, type TweetOrder } from "./inject.ts";
import { describeService } from "./openapi.ts";
import { parseBody } from "./params.ts";
import { sample } from "./sample.ts";
import type { ServiceDeps } from "./service.ts";
import { badRequest, notFound, ServiceError } from "./service-error.ts";
import { BILLING_TABLE } from "./billing.ts";

export interface ControlReply {
  readonly status: number;
  readonly text: string;
}

const ENDPOINT_NAMES: readonly string[] = OPERATIONS.map(({ name }) => name);

type Body = Readonly<Record<string, unknown>>;
type Route = (deps: ServiceDeps, body: Body, segment: string) => JsonObject;

const ROUTES: Readonly<Record<string, Route>> = {
  "GET sample": (deps) => sample(deps.world, deps.clock.now()),
  "GET requests": (deps) => deps.log.summary(),
  "DELETE requests": (deps) => (deps.log.reset(), {}),
  "GET openapi.json": () => describeService(),
  "GET billing": () => ({ table: BILLING_TABLE }),
  "POST keys": putKey,
  "DELETE keys": (deps, _body, segment) => {
    if (!deps.keys.remove(segment)) throw notFound("key");
    return {};
  },
  "GET clock": (deps) => clockOf(deps),
  "POST clock": (deps, body) => (deps.clock.advance(number(body, "advance_ms") ?? 0), clockOf(deps)),
  "POST tweets": (deps, body) => ({ ids: inject(deps.world, body as unknown as TweetOrder, deps.clock.now()) }),
  "DELETE tweets": (deps, _body, segment) => {
    if (!deps.world.tweets.remove(segment)) throw notFound("tweet");
    return {};
  },
  "POST restore": (deps, body) => ({ restored: deps.world.tweets.restore(text(body, "id") ?? "") }),
  "POST follows": addFollows,
  "DELETE follows": removeFollow,
  "POST scores": setScore,
  "POST accounts": changeAccount,
  "GET faults": (deps) => ({ ...deps.faults.active(), known: FAULT_NAMES, numbers: FAULT_NUMBERS }),
  "POST faults": armFault,
  "DELETE faults": (deps) => (deps.faults.clear(), {}),
};

/** Answers a control request; never throws. */
export function answerControl(deps: ServiceDeps, method: string, url: URL, bodyText: string): ControlReply {
  try {
    const [name = "", segment = ""] = url.pathname.replace("/_sandbox/", "").split("/");
    const route = ROUTES[`${method} ${name}`];
    if (route === undefined) throw new ServiceError(404, `known: ${Object.keys(ROUTES).join(", ")}`);
    deps.faults.settle();
    const body = bodyText.trim() === "" ? {} : parseBody(bodyText);
    return { status: 200, text: JSON.stringify(route(deps, body, decodeURIComponent(segment))) };
  } catch (error) {
    const known = error instanceof ServiceError ? error : new ServiceError(400, error instanceof Error ? error.message : String(error));
    return { status: known.status, text: JSON.stringify({ message: known.message }) };
  }
}

function text(body: Body, name: string): string | undefined {
  const value = body[name];
  if (value !== undefined && typeof value !== "string") throw badRequest(`${name} must be a string`);
  return value;
}

function number(body: Body, name: string): number | undefined {
  const value = body[name];
  if (value === null) return undefined;
  if (value !== undefined && typeof value !== "number") throw badRequest(`${name} must be a number`);
  return value;
}

const clockOf = (deps: ServiceDeps): JsonObject => ({ now: new Date(deps.clock.now()).toISOString(), now_ms: deps.clock.now() });

function putKey(deps: ServiceDeps, body: Body): JsonObject {
  const key = text(body, "key") ?? `sandbox-${Math.floor(deps.clock.now()).toString(36)}`;
  const quota = number(body, "quota");
  const expires = text(body, "expires");
  if (expires !== undefined && Number.isNaN(Date.parse(expires))) throw badRequest("expires must be ISO 8601");
  const replaced = text(body, "replaces");
  if (replaced !== undefined && !deps.keys.replace(replaced, key)) throw notFound("key");
  deps.keys.put(key, { ...(quota === undefined ? {} : { quota }), ...(expires === undefined ? {} : { expires }) });
  return { key, ...deps.keys.usage(key) };
}

function keyOf(deps: ServiceDeps, username: string | undefined, name: string): number {
  if (username === undefined) throw badRequest(`${name} is required`);
  return deps.world.people.ensure(username.replace(/^@/, ""));
}

/** `follower` by handle, or else `count` people of the crowd nobody has seen follow before. */
function addFollows(deps: ServiceDeps, body: Body): JsonObject {
  const target = keyOf(deps, text(body, "target"), "target");
  const nowMs = deps.clock.now();
  const follower = text(body, "follower");
  const atMs = Date.parse(text(body, "at") ?? new Date(nowMs).toISOString());
  const added: Json[] = [];
  for (let i = 0; i < (number(body, "count") ?? 1); i += 1) {
    const key = follower === undefined ? deps.world.follows.stranger(target, nowMs) : keyOf(deps, follower, "follower");
    deps.world.follows.add(target, key, atMs, nowMs);
    added.push({ id: deps.world.people.idOf(key), username: deps.world.people.usernameOf(key) });
  }
  return { followers: added };
}

function removeFollow(deps: ServiceDeps, body: Body): JsonObject {
  deps.world.follows.remove(keyOf(deps, text(body, "target"), "target"), keyOf(deps, text(body, "follower"), "follower"));
  return {};
}

function setScore(deps: ServiceDeps, body: Body): JsonObject {
  const key = keyOf(deps, text(body, "username"), "username");
  if (deps.world.people.isCrowd(key)) throw badRequest("only accounts of the world have scores");
  const before = deps.world.scores.changes(key, deps.clock.now());
  const change = {
    week_delta: number(body, "week_delta") ?? before.week_delta,
    month_delta: number(body, "month_delta") ?? before.month_delta,
  };
  deps.world.scores.set(key, change);
  if (typeof body["indexed"] === "boolean") deps.world.people.setIndexed(key, body["indexed"]);
  return { ...change, indexed: deps.world.people.isIndexed(key) };
}

/** Makes the account when there is none; then renames or hides it, shows it again, or fakes its follower count (null: the real one). */
function changeAccount(deps: ServiceDeps, body: Body): JsonObject {
  const key = keyOf(deps, text(body, "username"), "username");
  const state = deps.world.people.state(key);
  if (state === undefined) throw badRequest("people of the crowd cannot be changed");
  for (const flag of ["protected", "suspended", "deleted"] as const) if (typeof body[flag] === "boolean") state[flag] = body[flag];
  if (typeof body["indexed"] === "boolean") deps.world.people.setIndexed(key, body["indexed"]);
  const followers = number(body, "followers_count");
  if (followers !== undefined) state.followersShown = followers;
  else if (body["followers_count"] === null) delete state.followersShown;
  const renameTo = text(body, "rename_to");
  if (renameTo !== undefined) deps.world.people.rename(key, renameTo, deps.clock.now());
  const { username, protected: isProtected, suspended, deleted } = state;
  return { id: deps.world.people.idOf(key), username, protected: isProtected, suspended, deleted };
}

function armFault(deps: ServiceDeps, body: Body): JsonObject {
  const wanted = body["name"] ?? body["fault"] ?? body["number"];
  if (typeof wanted !== "string" && typeof wanted !== "number") throw badRequest("name is required: a fault's name or number");
  const endpoint = text(body, "endpoint");
  if (endpoint !== undefined && !ENDPOINT_NAMES.includes(endpoint))
    throw badRequest(`no endpoint ${endpoint}; known: ${ENDPOINT_NAMES.join(", ")}`);
  const given = {
    times: number(body, "times"),
    for_ms: number(body, "for_ms"),
    endpoint,
    username: text(body, "username"),
    text: text(body, "text"),
  };
  return { fault: deps.faults.arm({ fault: wanted, ...given }) };
}
