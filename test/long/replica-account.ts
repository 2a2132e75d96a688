/** Checks what a fault did to three replicas, and what does not come to rest once it is over. */
import { setTimeout as pause } from "node:timers/promises";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import { type Account, arrivalsOf, type Ledger, seconds, writeAccount } from "./account.ts";
import { REPLICAS, type ReplicaTrial } from "./replica-trial.ts";

/** Once the fault is over, everything must have arrived and be at rest within this time. */
const REST_WITHIN_MS = 90_000;
const CHECK_EVERY_MS = 500;
/** The longest delay that a timer may have. */
const LATE_MS = 5_000;
/**
 * The number of ops alerts of one type that a fault may cause: one when it begins and one when it
 * ends.
 */
const MAX_OPS_ALERTS = 2;

/** Plays a fault while posts go on, and summarises it. `cause` resolves once the fault is over. */
export async function accountOf(
  trial: ReplicaTrial,
  name: string,
  cause: (trial: ReplicaTrial) => Promise<void>,
): Promise<Account> {
  const fromMs = Date.now();
  const [posts, messages, ends] = [
    trial.posts.length,
    trial.hook.messages().length,
    trial.ends.length,
  ];
  const before = await requestsOf(trial);
  trial.billedBefore += ((await trial.sandbox.control("requests")) as { billed: number }).billed;
  await trial.sandbox.control("requests", {}, "DELETE");
  if (trial.isRead) trial.postSteadily();
  await cause(trial);
  const endMs = Date.now();
  if (trial.isRead) await pause(3_000);
  await trial.stopPosting();
  const unrest = await waitForRest(trial);
  const all = trial.hook.messages();
  const { line, wrong } = await writeAccount({
    ...{ name, fromMs, endMs, sandbox: trial.sandbox, allPosts: trial.posts, allMessages: all },
    ...{
      posts: trial.posts.slice(posts),
      messages: all.slice(messages),
      readLedger: (billed) => readLedger(trial, before, billed),
    },
    more: [
      `at rest after ${seconds(Date.now() - endMs)}`,
      ...trial.ends.slice(ends).map((end) => `ended ${end}`),
    ],
  });
  const ops = all
    .slice(messages)
    .flatMap(({ events }) =>
      events.map(({ type }) => type).filter((type) => !type.startsWith("tweet.")),
    );
  const noisy = [...new Set(ops)].filter(
    (type) => ops.filter((one) => one === type).length > MAX_OPS_ALERTS,
  );
  return {
    line,
    wrong: [...wrong, ...noisy.map((type) => `more than ${MAX_OPS_ALERTS} ${type}`), ...unrest],
  };
}

/**
 * Compares what the service billed with what the ledger has since the trial began. Polls go on
 * between two faults, so requests are in progress whenever one begins.
 */
async function readLedger(trial: ReplicaTrial, before: number, billed: number): Promise<Ledger> {
  const requests = await requestsOf(trial);
  const missing = Math.max(trial.missing, trial.billedBefore + billed - requests);
  const added = missing - trial.missing;
  trial.missing = missing;
  return { counted: requests - before, missing: added };
}

/** Returns the requests in the ledger. Before its tables exist there were none. */
async function requestsOf({ server, database }: ReplicaTrial): Promise<number> {
  const [row] = await server
    .ask(database, "select coalesce(sum(requests), 0) as sum from spent_hours")
    .catch(() => []);
  return Number(row?.["sum"] ?? 0);
}

/** Waits until everything is at rest and returns what still is not in the end. */
async function waitForRest(trial: ReplicaTrial): Promise<readonly string[]> {
  const untilMs = Date.now() + REST_WITHIN_MS;
  for (;;) {
    const unrest = await findUnrest(trial);
    if (unrest.length === 0 || Date.now() > untilMs) return unrest;
    await pause(CHECK_EVERY_MS);
  }
}

async function findUnrest(trial: ReplicaTrial): Promise<readonly string[]> {
  const arrived = arrivalsOf(trial.hook.messages());
  const missing = trial.posts.filter(({ id }) => !arrived.has(id)).length;
  const stuck = await stuckInState(trial).catch((error: unknown) => [
    `the state cannot be read: ${String(error)}`,
  ]);
  const statuses = await Promise.all(trial.replicas.map((replica) => trial.statusOf(replica)));
  return [
    ...(missing > 0 ? [`${missing} posts have not arrived`] : []),
    ...stuck,
    ...statuses.flatMap((status, n) =>
      status === undefined
        ? [`replica ${n} does not answer`]
        : unrestOf(status).map((text) => `replica ${n}: ${text}`),
    ),
  ];
}

/** Reads from the shared tables what has not come to rest. */
async function stuckInState({ server, database }: ReplicaTrial): Promise<readonly string[]> {
  const lateMs = Date.now() - LATE_MS;
  const questions: Readonly<Record<string, string>> = {
    "claims are not where they are wanted":
      "select count(*) from claims where replica is null or replica <> wanted or replica not in (select id from replicas)",
    "deliveries are due": `select count(*) from deliveries where state = 'waiting' and due_at < ${lateMs}`,
    "messages are due": `select count(*) from messages where state = 'open' and next_attempt_at < ${lateMs}`,
    "timers of groups lie in the past": `select count(*) from groups where due_at < ${lateMs}`,
  };
  const answers = await Promise.all(
    Object.entries(questions).map(async ([what, text]) => ({
      what,
      count: Number((await server.ask(database, text))[0]?.["count"] ?? 0),
    })),
  );
  return answers.flatMap(({ what, count }) => (count > 0 ? [`${count} ${what}`] : []));
}

/** Reads from the status of one replica what has not come to rest. */
function unrestOf({
  state,
  reasons,
  replicas,
  unclaimed,
  gaps,
  sinks,
}: StatusView): readonly string[] {
  const views = replicas ?? [];
  const percents = views.map(({ polls_percent: percent }) => percent);
  return [
    ...(state === "running" ? [] : [`${state}: ${reasons.join(" ")}`]),
    ...(views.length === REPLICAS ? [] : [`${views.length} replicas`]),
    ...(views.every(({ shares }) => shares) && Math.max(...percents) - Math.min(...percents) < 10
      ? []
      : [`shares of ${percents.join(", ")}%`]),
    ...(unclaimed === null ? [] : [`unclaimed: ${JSON.stringify(unclaimed)}`]),
    ...(gaps === 0 ? [] : [`${gaps} gaps`]),
    ...sinks.flatMap(({ name, breaker, waiting, dead }) =>
      breaker === "closed" && waiting + dead === 0
        ? []
        : [`${name} ${breaker}, ${waiting} waiting, ${dead} dead`],
    ),
  ];
}
