/**
 * Tests the one connection to a chat that replicas share. Another replica takes it over when the
 * leader is stopped, killed or frozen, and the frozen one does not carry out clicks any more.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { type BinProcess, makeFolder, startBin } from "../support/bin-process.ts";
import { baseConfig, writeConfig } from "../support/daemon-process.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { startSandboxHere } from "../support/sandbox-process.ts";
import { APP_TOKEN, startSlackSocketStandIn } from "../support/slack-socket-stand-in.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, keep } from "./fixture.ts";

cleanUpAfterwards();

const SECOND = 1_000;
/** The time after which others replace a replica that is silent. */
const LEASE_MS = 15 * SECOND;
const TAKEN_OVER_MS = 5 * SECOND;
const ADA = { id: "U1", name: "Ada" };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

it("is taken over in time from a replica that stops, is killed or freezes, and by nobody else", {
  timeout: 240_000,
}, async () => {
  const slack = keep(await startSlackSocketStandIn(createSystemClock()));
  const sandbox = keep(await startSandboxHere());
  await sandbox.control("tweets", { username: "one", text: "old" });
  const stateUrl = await server.url();
  let up: BinProcess[] = [];
  const add = async () => {
    const folder = makeFolder();
    writeConfig(folder, {
      ...baseConfig(sandbox.url, sandbox.key),
      state: { url: stateUrl },
      watches: { brand: { type: "timeline", accounts: ["one"], schedule: "@every 1s" } },
      sinks: {
        brand: {
          ...{ type: "slack", token: "xoxb-1", channel: "#brand", api_url: slack.apiUrl },
          actions: ["acknowledge"],
        },
      },
      chat: { slack: { app_token: APP_TOKEN } },
    });
    const replica = startBin(["run", "-c", "watches.yaml"], { cwd: folder });
    up.push(replica);
    await replica.logged("joined the replicas on this state");
  };
  const said = () => up.map((one) => one.err().slice(-4_000)).join("\n\n");
  /** Returns the replica that was the last to log that it listens. */
  const listener = () =>
    up.find((one) => one.log().some(({ msg }) => msg === "listening for clicks in a chat"));
  for (let count = 0; count < 3; count += 1) await add();
  const leader = () => until("a listener", listener, said);
  await until("one socket", () => slack.sockets() === 1, said);
  await sandbox.control("tweets", { username: "one", text: "news" });
  await until("a message", () => slack.messages.length === 1, said);
  const ts = slack.messages[0]?.id ?? "";
  const shown = () => slack.messages[0]?.shown ?? "";
  const buttons = () => slack.buttons(ts);
  const clicked = async (verb: string) => {
    await until(`a button ${verb}`, () => buttons()[verb], shown);
    return slack.click({ person: ADA, ts, actionId: buttons()[verb] ?? "" });
  };

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const former = await leader();
    const opened = slack.opened();
    up = up.filter((one) => one !== former);
    const fromMs = performance.now();
    former.kill(signal);
    await until("another socket", () => slack.opened() > opened && slack.sockets() === 1, said);
    expect(performance.now() - fromMs, signal).toBeLessThan(TAKEN_OVER_MS);
    expect(slack.opened()).toBe(opened + 1);
    await former.gone;
    await add();
    expect(await clicked("acknowledge")).toBe("acknowledged");
    await until("the line", () => shown().includes("Acknowledged by Ada"), said);
    expect(await clicked("undo")).toBe("acknowledged");
    await until("no line", () => !shown().includes("Acknowledged by"), said);
  }

  const frozen = await leader();
  const opened = slack.opened();
  up = up.filter((one) => one !== frozen);
  const fromMs = performance.now();
  frozen.kill("SIGSTOP");
  // The socket of the frozen replica is open, but nobody answers on it.
  const lost = clicked("acknowledge");
  await until("another socket", () => slack.opened() > opened && slack.sockets() === 2, said);
  expect(performance.now() - fromMs).toBeLessThan(LEASE_MS + TAKEN_OVER_MS);
  frozen.kill("SIGCONT");
  await until("the end of its socket", () => slack.sockets() === 1, frozen.err);
  expect(await frozen.gone).toMatchObject({ code: 75 });
  await lost;
  const state = async () => {
    const { url } = await (await leader()).logged("status page is up");
    const answer = await fetch(`${String(url)}/api/v1/events?acknowledged=yes`);
    return ((await answer.json()) as { readonly events: readonly unknown[] }).events.length;
  };
  expect(await state()).toBe(0);
  expect(shown()).not.toContain("Acknowledged by");
  expect(await clicked("acknowledge")).toBe("acknowledged");
  await until("the line", () => shown().includes("Acknowledged by Ada"), said);
  expect(await state()).toBe(1);
});
