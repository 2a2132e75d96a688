/** Tests that only one of several replicas reports dead letters. */
import { expect, it } from "vitest";
import {
  createDeadReports,
  type DeadReportsDeps,
} from "../../../src/operate/alerts/dead-reports.ts";
import type { UnreportedDead } from "../../../src/model/dead-letters.ts";
import type { OpsAlert } from "../../../src/model/ops-alerts.ts";
import { goodConfig } from "../../config/load-text.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const text = JSON.stringify({
  watches: { w: { type: "search", query: "acme", sink: "out" } },
  sinks: { out: { type: "console" }, ops: { type: "console" } },
  api: { key: "k" },
  ops: { sink: "ops" },
});

it("reports what died of a sink in the replica that delivers to it, and in another one once that delivers to it", async () => {
  const [clock, config, alerted] = [
    createVirtualClock(0),
    await goodConfig(text),
    [] as OpsAlert[],
  ];
  let dead: readonly string[] = ["m1"];
  const group = (): UnreportedDead => ({
    sink: "out",
    cause: "expired",
    error: "503",
    messageIds: dead,
    alerts: 1,
    reportedAtMs: null,
  });
  const store = {
    loadSinkHealth: async () => [],
    unreportedDead: async () => (dead.length === 0 ? [] : [group()]),
    listDead: async () => [],
    markDeadReported: async () => void (dead = []),
  } as unknown as DeadReportsDeps["store"];
  const opsAlerts = {
    raise: async (alert: OpsAlert) => void alerted.push(alert),
  } as unknown as DeadReportsDeps["opsAlerts"];
  let holder = "nobody";
  const [first, second] = ["first", "second"].map((name) =>
    createDeadReports({
      store,
      clock,
      log: rememberingLog(),
      opsAlerts,
      config: () => config,
      isOwn: () => holder === name,
    }),
  );
  first?.wake();
  second?.wake();
  await clock.advance(10_000);
  expect(alerted).toEqual([]);
  holder = "second";
  await clock.advance(60_000);
  expect(alerted.map(({ type, subject }) => `${type} ${subject}`)).toEqual(["delivery.dead out"]);
  await Promise.all([first?.stop(), second?.stop()]);
});

it.each([1, 10, 11, 25, 1_000])(
  "reports %i messages that died of one cause once, and marks all of them",
  async (count) => {
    const [clock, config, alerted] = [
      createVirtualClock(0),
      await goodConfig(text),
      [] as OpsAlert[],
    ];
    const dead = new Set(Array.from({ length: count }, (_, index) => `m${index}`));
    const reported = new Map<string, number>();
    const store = {
      loadSinkHealth: async () => [],
      unreportedDead: async (): Promise<readonly UnreportedDead[]> => {
        const messageIds = [...dead].filter((id) => !reported.has(id));
        const times = [...reported.values()];
        const group = {
          sink: "out",
          cause: "expired",
          error: "503",
          messageIds,
          alerts: messageIds.length,
        } as const;
        return messageIds.length === 0
          ? []
          : [{ ...group, reportedAtMs: times.length === 0 ? null : Math.max(...times) }];
      },
      listDead: async () => [],
      markDeadReported: async (ids: readonly string[], atMs: number) =>
        ids.forEach((id) => reported.set(id, atMs)),
    } as unknown as DeadReportsDeps["store"];
    const opsAlerts = {
      raise: async (alert: OpsAlert) => void alerted.push(alert),
    } as unknown as DeadReportsDeps["opsAlerts"];
    const reports = createDeadReports({
      store,
      clock,
      log: rememberingLog(),
      opsAlerts,
      config: () => config,
      isOwn: () => true,
    });
    for (let hour = 0; hour < 3; hour += 1) {
      reports.wake();
      await clock.advance(3_600_000 + 60_000);
    }
    expect(alerted).toHaveLength(1);
    expect(alerted[0]?.message).toContain(count === 1 ? "1 alert" : `${count} alerts`);
    expect(reported.size).toBe(count);
    await reports.stop();
  },
);
