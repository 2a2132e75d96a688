/**
 * Summarises in one line what real processes did under a fault: what was posted, what arrived, how
 * often and how late, and what it cost.
 */
import type { HookMessage } from "../support/hook-receiver.ts";
import type { SandboxProcess } from "../support/sandbox-process.ts";

/** The rate limit of the service, in requests per second. */
const RATE = 20;

export interface Post {
  readonly id: string;
  readonly atMs: number;
}

export interface Arrival {
  readonly firstMs: number;
  readonly eventIds: Set<string>;
  readonly messageIds: Set<string>;
}

/** Returns the arrivals of each post, by tweet id. */
export function arrivalsOf(messages: readonly HookMessage[]): ReadonlyMap<string, Arrival> {
  const arrivals = new Map<string, Arrival>();
  for (const { id, atMs, events } of messages)
    for (const { type, subject, data } of events) {
      if (type !== "tweet.created") continue;
      const known = arrivals.get(subject) ?? {
        firstMs: atMs,
        eventIds: new Set<string>(),
        messageIds: new Set<string>(),
      };
      known.eventIds.add(data.id as string);
      known.messageIds.add(id);
      arrivals.set(subject, known);
    }
  return arrivals;
}

export interface Seen {
  readonly name: string;
  /** The beginning and the end of the fault. */
  readonly fromMs: number;
  readonly endMs: number;
  /** Posts since the beginning of this span, and all posts. */
  readonly posts: readonly Post[];
  readonly allPosts: readonly Post[];
  /** Messages since the beginning of this span, and all messages. */
  readonly messages: readonly HookMessage[];
  readonly allMessages: readonly HookMessage[];
  /**
   * Reads how many requests the ledger counted meanwhile, and how many were billed but never
   * counted. The service is read before the ledger, because the ledger has a request before it is
   * sent.
   */
  readonly readLedger: (billed: number) => Promise<Ledger>;
  readonly sandbox: SandboxProcess;
  readonly more: readonly string[];
}

export interface Ledger {
  readonly counted: number;
  readonly missing: number;
}

export interface Account {
  readonly line: string;
  /** Everything that is wrong; empty if all is well. */
  readonly wrong: readonly string[];
}

/**
 * Summarises a fault. The service counts from the last reset of its requests, which is the
 * beginning of the fault.
 */
export async function writeAccount(seen: Seen): Promise<Account> {
  const { name, fromMs, endMs, posts, messages } = seen;
  const arrivals = arrivalsOf(seen.allMessages);
  const { max_in_one_second: busiest, billed } = await seen.sandbox.control("requests");
  const ledger = await seen.readLedger(billed as number);
  const lost = posts.filter(({ id }) => !arrivals.has(id)).length;
  const delaysMs = (sinceMs: (atMs: number) => number) =>
    posts.map(({ id, atMs }) => (arrivals.get(id)?.firstMs ?? 0) - sinceMs(atMs));
  const doubled = [...arrivals.values()].filter(
    ({ eventIds, messageIds }) => eventIds.size > 1 || messageIds.size > 1,
  ).length;
  const known = new Set(seen.allPosts.map(({ id }) => id));
  const old = [...arrivals.keys()].filter((id) => !known.has(id)).length;
  const ids = messages.map(({ id }) => id);
  const ops = messages
    .flatMap(({ events }) => events.map(({ type }) => type))
    .filter((type) => !type.startsWith("tweet."));
  const opsTypes = [...new Set(ops)]
    .map((type) => `${ops.filter((one) => one === type).length} ${type}`)
    .join(", ");
  const parts = [
    `${posts.length} posts, ${posts.length - lost} arrived, ${ids.length - new Set(ids).size} copies`,
    `${billed} requests billed, ${ledger.counted} in the ledger, at most ${busiest} in a second`,
    `longest delay ${seconds(Math.max(0, ...delaysMs((atMs) => atMs)))}`,
    `${seconds(Math.max(0, ...delaysMs((atMs) => Math.max(atMs, endMs))))} of it after the end`,
    `ops alerts: ${opsTypes === "" ? "none" : opsTypes}`,
    ...seen.more,
  ];
  const wrong = [
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(doubled > 0 ? [`${doubled} became two`] : []),
    ...(old > 0 ? [`${old} of the baseline`] : []),
    ...(busiest > RATE ? [`${busiest} requests in a second`] : []),
    ...(ledger.missing > 0 ? [`${ledger.missing} requests that the ledger does not have`] : []),
  ];
  return { line: `${name}, ${seconds(endMs - fromMs)}: ${parts.join("; ")}`, wrong };
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
