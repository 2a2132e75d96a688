/** Tests a refused reload: what stays active, who is notified, and what a second reload does. */
import { expect, it } from "vitest";
import { createReloader, type ReloadDeps } from "../../src/app/reload/reload.ts";
import type { Config } from "../../src/config/config.ts";
import type { OpsAlert, OpsAlerts } from "../../src/model/ops-alerts.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { Files } from "../../src/model/files.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createMeter } from "../../src/server/metrics/meter.ts";
import { goodConfig, loadText } from "../config/load-text.ts";
import { createLearnedInMemory } from "../support/learned-store.ts";
import { createRecordedOpsAlerts } from "../support/recorded-ops-alerts.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const KEPT = {
  state: { path: "/data/state.db" },
  server: { listen: "127.0.0.1:9464", public_url: "https://cw.example.com", token: "t" },
  api: { base_url: "http://127.0.0.1:1", key: "k" },
};

const textOf = (more: object = {}) =>
  JSON.stringify({
    ...KEPT,
    watches: { w: { type: "search", query: "acme" } },
    sinks: { out: { type: "console" } },
    ...more,
  });

/** Creates a reloader whose file the test may edit. */
async function makeReloader(opsAlerts?: OpsAlerts) {
  const disk = { text: textOf() };
  const config = await goodConfig(disk.text);
  const active: Config[] = [
    { ...config, reads: config.reads.filter(({ operation }) => operation === "readText") },
  ];
  const alerted: OpsAlert[] = [];
  const askedBy: unknown[] = [];
  const noteAsker = (_message: string, fields: LogFields = {}) =>
    void askedBy.push(fields["asked_by"]);
  const clock = createVirtualClock(START_MS);
  const meter = createMeter();
  const reloader = createReloader({
    deps: {
      files: { readText: async () => disk.text } as unknown as Files,
      load: () => loadText(disk.text),
      log: { info: noteAsker, warn: noteAsker, error: noteAsker },
      hash: sha256,
    },
    opsAlerts: opsAlerts ?? { raise: async (alert: OpsAlert) => void alerted.push(alert) },
    clock,
    meter,
    config: () => active.at(-1),
    states: async () => [],
    onStoreError: () => undefined,
    revisions: { refusalOf: async () => undefined, propose: async () => undefined },
    renew: async () => undefined,
    swap: async (next: Config) => void active.push(next),
  } as unknown as ReloadDeps);
  const edit = (text: string) => {
    disk.text = text;
    return reloader.reload("API");
  };
  const counted = async (outcome: string) =>
    new RegExp(`^chirpwatch_reloads_total\\{outcome="${outcome}"\\} (\\d+)$`, "m").exec(
      await meter.render(),
    )?.[1];
  return { reloader, edit, alerted, askedBy, clock, active, counted };
}

it.each<[object, readonly string[]]>([
  [{ state: { path: "/data/other.db" } }, ["state.path"]],
  [{ api: { ...KEPT.api, base_url: "http://127.0.0.1:2" } }, ["api.base_url"]],
  [{ server: { ...KEPT.server, listen: "127.0.0.1:9465" } }, ["server.listen"]],
  [{ server: { ...KEPT.server, listen: "127.0.0.2:9464" } }, ["server.listen"]],
  [{ server: { ...KEPT.server, public_url: "https://other.example.com" } }, ["server.public_url"]],
  [
    { server: { ...KEPT.server, token: "another" }, state: { path: "/data/other.db" } },
    ["state.path", "server.token"],
  ],
])("%j needs a restart: nothing of the file becomes active", async (more, keys) => {
  const { edit, active } = await makeReloader();
  const errors = keys.map((key) => `${key} changed: restart the daemon to apply it`);
  expect(
    await edit(textOf({ ...more, watches: { w: { type: "search", query: "edited" } } })),
  ).toEqual({ ok: false, errors });
  expect(active).toHaveLength(1);
});

it("a bad file is reported to ops each time by its first error, shown with all of them, and counted; warnings are no errors", async () => {
  const { reloader, edit, alerted, clock, counted } = await makeReloader();
  const bad = {
    watches: { w: { type: "search" } },
    sinks: { out: { type: "consol" }, hook: { type: "webhook", url: "https://example.com/hook" } },
  };
  await clock.advance(MINUTE);
  const refused = await edit(textOf(bad));
  if (refused.ok) throw new Error("it was accepted");
  expect(refused.errors.length).toBeGreaterThan(1);
  expect(refused.errors.filter((line) => line.includes("warning"))).toEqual([]);
  expect(reloader.lastRefusal()).toEqual({
    at: new Date(START_MS + MINUTE).toISOString(),
    errors: refused.errors,
  });
  const alert = {
    type: "config.refused",
    severity: "warning",
    message: `The new configuration was refused and the old one stays active: ${refused.errors[0]}`,
    facts: { errors: refused.errors.length },
  };
  expect(alerted).toMatchObject([alert]);
  await clock.advance(MINUTE);
  await edit(textOf(bad));
  expect(alerted).toMatchObject([alert, alert]);
  expect(reloader.lastRefusal()?.at).toBe(new Date(START_MS + 2 * MINUTE).toISOString());
  expect(reloader.loadedAtMs()).toBe(START_MS);
  expect(await counted("refused")).toBe("2");
  await edit(textOf({ watches: { w: { type: "search", query: "edited" } } }));
  expect(reloader.loadedAtMs()).toBe(START_MS + 2 * MINUTE);
  expect([await counted("ok"), await counted("refused")]).toEqual(["1", "2"]);
});

it("a file that every replica refuses for the same reason is reported once", async () => {
  const store = createLearnedInMemory();
  const alerted: OpsAlert[] = [];
  const clock = createVirtualClock(START_MS);
  for (let replica = 0; replica < 3; replica += 1) {
    const { edit } = await makeReloader(
      createRecordedOpsAlerts(store, clock, (alert) => void alerted.push(alert)),
    );
    await edit(textOf({ sinks: { out: { type: "consol" } } }));
    if (replica === 2) await edit(textOf({ watches: { w: { type: "search" } } }));
  }
  expect(alerted.map(({ type }) => type)).toEqual(["config.refused", "config.refused"]);
});

it("a recovered state repeats no reload that was refused because of its file, and starts none by itself", async () => {
  const { reloader, edit, alerted, askedBy, counted } = await makeReloader();
  reloader.storeRecovered();
  await edit("watches: 5\n");
  reloader.storeRecovered();
  await edit(textOf());
  expect(alerted).toHaveLength(1);
  expect(askedBy).toEqual(["API", "API"]);
  expect([await counted("ok"), await counted("refused")]).toEqual(["1", "1"]);
});
