/**
 * The control API under `/_sandbox/`: samples, keys, time, additions to the world, faults and the
 * log of requests. It is served on loopback only and needs no key. The body of every request is
 * checked against a schema, so that a misspelt name is refused and not ignored.
 */
import { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import { BILLING_TABLE } from "./calls/billing.ts";
import { OPERATIONS } from "./endpoints/table.ts";
import { FAULT_NAMES, FAULT_NUMBERS } from "./faults/kinds.ts";
import { inject } from "./orders/inject.ts";
import { describeService } from "./openapi.ts";
import { parseBody } from "./calls/params.ts";
import * as places from "./orders/place-orders.ts";
import { sample } from "./records/sample.ts";
import type { ServiceDeps, ServiceRequest } from "./service.ts";
import { badRequest, notFound, ServiceError } from "./calls/service-error.ts";
import * as tweets from "./orders/tweet-orders.ts";
import * as orders from "./orders/world-orders.ts";
import { ownValue } from "../model/own-value.ts";

export type ControlRequest = Pick<ServiceRequest, "method" | "url" | "body">;

export interface ControlReply {
  readonly status: number;
  readonly text: string;
}

interface Route {
  readonly body: z.ZodType;
  readonly follow: (deps: ServiceDeps, body: unknown, nowMs: number, segment: string) => JsonObject;
}

const NOTHING = z.strictObject({});

function order<T extends z.ZodType>(
  body: T,
  follow: (deps: ServiceDeps, body: z.output<T>, nowMs: number, segment: string) => JsonObject,
): Route {
  return {
    body,
    follow: (deps, given, nowMs, segment) => follow(deps, given as z.output<T>, nowMs, segment),
  };
}

const ask = (answer: (deps: ServiceDeps, nowMs: number) => JsonObject): Route =>
  order(NOTHING, (deps, _body, nowMs) => answer(deps, nowMs));

const KEY = z.strictObject({
  key: z.string().min(1).exactOptional(),
  quota: z.int().nonnegative().exactOptional(),
  expires: orders.time.exactOptional(),
  replaces: z.string().exactOptional(),
});

const ENDPOINT_NAMES = OPERATIONS.map(({ name }) => name);

const FAULT = z.strictObject({
  name: z.union([z.string(), z.number()]).exactOptional(),
  fault: z.union([z.string(), z.number()]).exactOptional(),
  number: z.number().exactOptional(),
  times: z.int().min(1).exactOptional(),
  for_ms: z.number().positive().exactOptional(),
  endpoint: z
    .enum(ENDPOINT_NAMES, `no such endpoint; known: ${ENDPOINT_NAMES.join(", ")}`)
    .exactOptional(),
  username: orders.handle.exactOptional(),
  text: z.string().exactOptional(),
});

const ROUTES: Readonly<Record<string, Route>> = {
  "GET sample": ask(({ world }, nowMs) => sample(world, nowMs)),
  "GET requests": ask(({ log }) => log.summary()),
  "DELETE requests": ask(({ log }) => (log.reset(), {})),
  "GET openapi.json": ask(() => describeService()),
  "GET billing": ask(() => ({ table: BILLING_TABLE })),
  "POST keys": order(KEY, putKey),
  "DELETE keys": order(NOTHING, ({ keys }, _body, _nowMs, key) => done(keys.remove(key), "key")),
  "GET clock": ask(clockOf),
  "POST clock": order(
    z.strictObject({ advance_ms: z.number().nonnegative() }),
    (deps, { advance_ms }) => {
      deps.clock.advance(advance_ms);
      return clockOf(deps);
    },
  ),
  "POST tweets": order(tweets.NEW_TWEETS, ({ world }, body, nowMs) => ({
    ids: inject(world, body, nowMs),
  })),
  "DELETE tweets": order(NOTHING, ({ world }, _body, _nowMs, tweet) =>
    done(world.tweets.remove(tweet), "tweet"),
  ),
  "PATCH tweets": order(tweets.TWEET_EDITS, ({ world }, body, _nowMs, tweet) =>
    tweets.editTweet(world, body, tweet),
  ),
  "POST restore": order(z.strictObject({ id: tweets.id }), ({ world }, { id: tweet }) => ({
    restored: world.tweets.restore(tweet),
  })),
  "POST articles": order(tweets.ARTICLE, ({ world }, body) => tweets.putArticle(world, body)),
  "POST follows": order(orders.FOLLOWS, ({ world }, body, nowMs) =>
    orders.addFollows(world, body, nowMs),
  ),
  "DELETE follows": order(orders.UNFOLLOW, ({ world }, body) => orders.removeFollow(world, body)),
  "POST scores": order(orders.SCORE, ({ world }, body, nowMs) =>
    orders.setScore(world, body, nowMs),
  ),
  "POST accounts": order(orders.ACCOUNT, ({ world }, body, nowMs) =>
    orders.changeAccount(world, body, nowMs),
  ),
  "POST spaces": order(places.SPACE, ({ world }, body, nowMs) =>
    places.putSpace(world, body, nowMs),
  ),
  "POST trends": order(places.TRENDS, ({ world }, body, nowMs) =>
    places.setTrends(world, body, nowMs),
  ),
  "POST lists": order(places.LIST, ({ world }, body, nowMs) => places.putList(world, body, nowMs)),
  "POST communities": order(places.COMMUNITY, ({ world }, body) =>
    places.describeCommunity(world, body),
  ),
  "POST members": order(places.MEMBER, ({ world }, body, nowMs) =>
    places.setMember(world, body, true, nowMs),
  ),
  "DELETE members": order(places.MEMBER, ({ world }, body, nowMs) =>
    places.setMember(world, body, false, nowMs),
  ),
  "GET faults": ask(({ faults }) => ({
    ...faults.active(),
    known: FAULT_NAMES,
    numbers: FAULT_NUMBERS,
  })),
  "POST faults": order(FAULT, ({ faults }, { name, fault, number, ...rest }) => {
    const wanted = name ?? fault ?? number;
    if (wanted === undefined) throw badRequest("name is required: a fault's name or number");
    return { fault: faults.arm({ fault: wanted, ...rest }) };
  }),
  "DELETE faults": ask(({ faults }) => (faults.clear(), {})),
};

/** Answers a control request as if it came at `atMs` (epoch ms), by default now. Never throws. */
export function answerControl(
  deps: ServiceDeps,
  { method, url, body: text }: ControlRequest,
  atMs?: number,
): ControlReply {
  try {
    const [name = "", segment = ""] = url.pathname.replace("/_sandbox/", "").split("/");
    const route = ownValue(ROUTES, `${method} ${name}`);
    if (route === undefined)
      throw new ServiceError(404, `known: ${Object.keys(ROUTES).join(", ")}`);
    const body = route.body.safeParse(text.trim() === "" ? {} : parseBody(text), {
      reportInput: true,
    });
    if (!body.success) throw badRequest(body.error.issues.map(issueText).join("; "));
    deps.faults.endExpired();
    return {
      status: 200,
      text: JSON.stringify(
        route.follow(deps, body.data, atMs ?? deps.clock.now(), decodeURIComponent(segment)),
      ),
    };
  } catch (error) {
    const known =
      error instanceof ServiceError
        ? error
        : new ServiceError(400, error instanceof Error ? error.message : String(error));
    return { status: known.status, text: JSON.stringify({ message: known.message }) };
  }
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `unknown: ${issue.keys.join(", ")}`;
  const name = issue.path.join(".");
  return issue.code === "invalid_type" && issue.input === undefined
    ? `${name} is required`
    : `${name}: ${issue.message}`;
}

function done(isDone: boolean, what: string): JsonObject {
  if (!isDone) throw notFound(what);
  return {};
}

function clockOf({ clock }: ServiceDeps): JsonObject {
  return { now: new Date(clock.now()).toISOString(), now_ms: clock.now() };
}

function putKey(
  { keys }: ServiceDeps,
  { key: given, replaces, ...options }: z.output<typeof KEY>,
  nowMs: number,
): JsonObject {
  const key = given ?? `sandbox-${Math.floor(nowMs).toString(36)}`;
  if (replaces !== undefined) done(keys.replace(replaces, key), "key");
  keys.put(key, options);
  return { key, ...keys.usage(key) };
}
