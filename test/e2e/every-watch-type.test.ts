/**
 * Runs one daemon with a watch of every type, in a process of its own that is killed meanwhile. The
 * world moves, and each type's event arrives once, whatever is killed.
 */
import { expect, it } from "vitest";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeFolder } from "../support/bin-process.ts";
import {
  baseConfig,
  type RunningDaemon,
  startDaemonHere,
  startDaemonProcess,
  writeConfig,
} from "../support/daemon-process.ts";
import { samplesOf } from "../support/exposition.ts";
import { type HookReceiver, startHookReceiver } from "../support/hook-receiver.ts";
import { startSandboxHere } from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, sorted } from "./fixture.ts";
import { type Move, prepareMoves } from "./watch-moves.ts";

cleanUpAfterwards();

type Moves = Readonly<Record<string, Move>>;

const RULES = {
  recheck: { every: "1m", until: "1h" },
  spike: { factor: 3, window: "1h", min: 10 },
  no_events: { for: "1h" },
};
/** Whether a number of series is small enough for one watch. */
const isFew = (series: number): boolean => series > 0 && series <= 12;

const watchesOf = (moves: Moves) =>
  Object.fromEntries(
    Object.entries(moves).map(([id, { settings }]) => [
      id,
      { ...settings, ...(settings.type === "search" ? RULES : {}) },
    ]),
  );

/**
 * Returns the event types that arrived for each watch. Each event counts once, however often its
 * message came.
 */
function arrived(hook: HookReceiver): Readonly<Record<string, readonly string[]>> {
  const byId = new Map(hook.events().map((event) => [event.data.id as string, event]));
  const byWatch: Record<string, string[]> = {};
  for (const { watch, type } of byId.values()) (byWatch[watch] ??= []).push(type);
  return Object.fromEntries(
    Object.entries(byWatch).map(([watch, types]) => [watch, sorted(types)]),
  );
}

/**
 * Returns whether nothing more is expected. Events that came too often show in the comparison at
 * the end.
 */
const isSettled = (seen: Readonly<Record<string, readonly string[]>>, moves: Moves): boolean =>
  Object.entries(moves).every(
    ([watch, { eventTypes }]) => (seen[watch] ?? []).length >= eventTypes.length,
  );

it("each watch type's event arrives exactly once, also across SIGKILL", async () => {
  const folder = makeFolder();
  const sandbox = keep(await startSandboxHere());
  const hook = keep(await startHookReceiver());
  const moves = await prepareMoves(sandbox);
  const types = new Set(Object.values(moves).map(({ settings }) => settings.type));
  expect([...types].sort()).toEqual(WATCH_TYPES.map(({ type }) => type).sort());
  writeConfig(folder, {
    ...baseConfig(sandbox.url),
    // A request that was in progress at a SIGKILL keeps its slot in the rate limit until its
    // timeout.
    api: { base_url: sandbox.url, keys: [{ key: sandbox.key, name: "main" }], timeout: "5s" },
    defaults: { watch: { schedule: "@every 4s" } },
    watches: watchesOf(moves),
    sinks: { hook: hookSink(hook), out: { type: "console" } },
    route: { sink: ["hook", "out"] },
    ops: { sink: "out" },
  });
  const seen = (daemon: RunningDaemon) => () =>
    `${JSON.stringify(arrived(hook), null, 1)}\n${daemon.err()}`;
  let daemon: RunningDaemon = await startDaemonProcess({ folder });
  await until(
    "every baseline",
    () => Object.keys(moves).every((id) => daemon.err().includes(`"${id}: `)),
    seen(daemon),
  );
  expect(hook.events()).toEqual([]);
  for (const { move } of Object.values(moves)) await move();
  for (const [share, startNext] of [
    [0.2, startDaemonProcess],
    [0.6, startDaemonHere],
  ] as const) {
    const some = Object.keys(moves).length * share;
    await until("some alerts", () => Object.keys(arrived(hook)).length >= some, seen(daemon));
    daemon.kill("SIGKILL");
    await daemon.gone;
    daemon = await startNext({ folder });
  }
  await until("every alert", () => isSettled(arrived(hook), moves), seen(daemon));
  const settledMs = Date.now();
  const isPolledAgain = ({ last_poll_at: at }: { readonly last_poll_at: string | null }) =>
    at !== null && Date.parse(at) > settledMs;
  await until(
    "one more poll of each",
    async () => (await daemon.status()).watches.every(isPolledAgain),
    daemon.err,
  );
  expect(arrived(hook)).toEqual(
    Object.fromEntries(Object.entries(moves).map(([watch, { eventTypes }]) => [watch, eventTypes])),
  );
  const facts = hook
    .events()
    .map(({ watch, type, subject, data }) => `${watch} ${type} ${subject} ${data.id}`);
  expect(new Set(facts.map((fact) => fact.slice(0, fact.lastIndexOf(" ")))).size).toBe(
    new Set(facts).size,
  );
  const samples = samplesOf(await daemon.get("/metrics"));
  const seriesOf = (id: string): number =>
    samples.filter(({ labels }) => labels["watch"] === id).length;
  for (const id of Object.keys(moves))
    expect([id, seriesOf(id)]).toEqual([id, expect.toSatisfy(isFew)]);
  expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  daemon.kill("SIGTERM");
  expect((await daemon.gone).code).toBe(0);
});
