import { describe, expect, it } from "vitest";
import { createReloader, type ReloadDeps } from "../../../src/app/reload/reload.ts";
import type { Config } from "../../../src/config/config.ts";
import type { LoadResult } from "../../../src/config/load/load-config.ts";
import type { Files } from "../../../src/model/files.ts";
import { StoreError } from "../../../src/model/store-error.ts";
import { createMeter } from "../../../src/server/metrics/meter.ts";
import { CONFIG_PATH, loadText } from "../../config/load-text.ts";
import { until } from "../../support/until.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const textOf = (query: string) => `version: 1
api: { base_url: "http://127.0.0.1:1", key: k }
watches: { brand: { type: search, query: ${query} }, other: { type: search, query: other } }
sinks: { out: { type: console } }
`;

/**
 * Creates loads that end when the test says so. The files that they find are broken, so that
 * nothing becomes active.
 */
function slowLoads() {
  const loads: (() => void)[] = [];
  const load = () =>
    new Promise<LoadResult>((resolve) => loads.push(() => resolve({ ok: false, issues: [] })));
  return { loads, load };
}

/** Creates a reloader over files in memory that the test may edit. */
async function makeReloader(
  more: Partial<ReloadDeps["deps"]> = {},
  beside: Partial<ReloadDeps> = {},
) {
  const disk = { text: textOf("acme") };
  const files = {
    readText: async () => disk.text,
    exists: async () => false,
    isDirectory: async () => false,
  } as unknown as Files;
  const loaded = await loadText(disk.text);
  if (!loaded.ok) throw new Error("a broken fixture");
  let active: Config = {
    ...loaded.config,
    reads: loaded.config.reads.filter(({ path }) => path === CONFIG_PATH),
  };
  const did: string[] = [];
  const failures: Error[] = [];
  const whileFailing = { happens: () => {} };
  const lines: { readonly message: string; readonly fields: unknown }[] = [];
  const take = (message: string, fields?: unknown) => void lines.push({ message, fields });
  const reloader = createReloader({
    deps: {
      files,
      load: () => loadText(disk.text),
      log: { info: take, warn: take, error: take },
      hash: sha256,
      ...more,
    },
    opsAlerts: { raise: async () => undefined },
    clock: createVirtualClock(Date.UTC(2026, 0, 1)),
    meter: createMeter(),
    config: () => active,
    states: async () => [],
    onStoreError: () => undefined,
    revisions: { refusalOf: async () => undefined, propose: async () => undefined },
    renew: async () => void did.push("renew"),
    swap: async (next: Config) => {
      const failure = failures.shift();
      if (failure !== undefined) whileFailing.happens();
      if (failure !== undefined) throw failure;
      did.push("swap");
      active = next;
    },
    ...beside,
  } as unknown as ReloadDeps);
  return {
    reloader,
    disk,
    did,
    lines,
    failures,
    whileFailing,
    queryNow: () => active.watches[0]?.settings,
  };
}

describe("a reload", () => {
  it("reads the files once more for those that were asked for while another one was reading them, and names all who asked", async () => {
    const { loads, load } = slowLoads();
    const { reloader, disk, lines } = await makeReloader({ load });
    disk.text = textOf("changed");
    const first = reloader.reload("SIGHUP");
    await until("the first load", () => loads.length === 1);
    const others = [reloader.reload("API"), reloader.reload("file change"), reloader.reload("API")];
    loads[0]?.();
    await first;
    await until("the second load", () => loads.length === 2);
    loads[1]?.();
    expect(await Promise.all(others)).toEqual(others.map(() => ({ ok: false, errors: [] })));
    expect(loads.length).toBe(2);
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { asked_by: "SIGHUP" },
      { asked_by: "API, file change" },
    ]);
  });

  it("of unchanged files is refused while the state cannot be read, and done once it can", async () => {
    const broken = [new StoreError("STORE_UNREACHABLE", "nobody answers")];
    const did: string[] = [];
    const renew = async () => {
      const failure = broken.shift();
      if (failure !== undefined) throw failure;
      did.push("renew");
    };
    const { reloader } = await makeReloader({}, { renew });
    expect(await reloader.reload("SIGHUP")).toEqual({ ok: false, errors: ["nobody answers"] });
    reloader.storeRecovered();
    await until("the reload after it", () => did.length === 1);
  });

  it("of unchanged files loads nothing, logs one line that says who asked, and still renews sinks and key", async () => {
    const { reloader, did, lines } = await makeReloader();
    expect(await reloader.reload("SIGHUP")).toEqual({ ok: true, changed: false, memory: [] });
    expect(did).toEqual(["renew"]);
    expect(lines).toEqual([
      { message: "configuration unchanged", fields: { asked_by: "SIGHUP", watches: 2 } },
    ]);
  });

  it("of a changed file says in one line who asked and what changed", async () => {
    const { reloader, disk, did, lines } = await makeReloader();
    disk.text = textOf("edited");
    const change = {
      watch: "brand",
      part: "query",
      effect: "new_baseline",
      detail: "it is a different one; the memory of the old one is kept for 30 days",
    };
    expect(await reloader.reload("file change")).toEqual({
      ok: true,
      changed: true,
      memory: [change],
    });
    expect(did).toEqual(["swap"]);
    const memory = [
      "brand: query: new baseline (it is a different one; the memory of the old one is kept for 30 days)",
    ];
    const fields = {
      asked_by: "file change",
      watches: 2,
      files: ["watches.yaml"],
      watches_changed: ["brand"],
      memory,
    };
    expect(lines).toEqual([{ message: "configuration reloaded", fields }]);
    expect(reloader.lastReload()).toEqual({
      at: expect.any(String) as string,
      asked_by: "file change",
      memory,
      sends: [],
    });
    await reloader.reload("SIGHUP");
    expect(reloader.lastReload()).toMatchObject({ asked_by: "file change" });
  });

  it("that was refused is over once the files are again what is active", async () => {
    const { reloader, disk } = await makeReloader();
    disk.text = "watches: 5\n";
    expect(await reloader.reload("API")).toMatchObject({ ok: false });
    expect(reloader.lastRefusal()).not.toBeNull();
    disk.text = textOf("acme");
    expect(await reloader.reload("API")).toEqual({ ok: true, changed: false, memory: [] });
    expect(reloader.lastRefusal()).toBeNull();
  });

  it("that the state could not take is done, too, when the state recovers while what was prepared is given up", async () => {
    const { reloader, disk, did, failures, whileFailing } = await makeReloader();
    failures.push(new StoreError("STORE_FULL", "the disk is full"));
    whileFailing.happens = () => reloader.storeRecovered();
    disk.text = textOf("edited");
    expect(await reloader.reload("API")).toMatchObject({ ok: false });
    await until("the second attempt", () => did.includes("swap"));
  });

  it("that the state could not take is done when the state recovers, each time it fails, and once", async () => {
    const { reloader, disk, did, lines, failures, queryNow } = await makeReloader();
    const full = () => new StoreError("STORE_FULL", "the disk is full");
    failures.push(full(), full());
    disk.text = textOf("edited");
    expect(await reloader.reload("API")).toEqual({ ok: false, errors: ["the disk is full"] });
    expect(reloader.lastRefusal()).toMatchObject({ errors: ["the disk is full"] });
    reloader.storeRecovered();
    await until("the second refusal", () => lines.length === 2);
    expect(queryNow()).toMatchObject({ query: "acme" });
    reloader.storeRecovered();
    await until("the reload", () => did.length === 1);
    reloader.storeRecovered();
    expect(await reloader.reload("SIGHUP")).toMatchObject({ changed: false });
    expect(queryNow()).toMatchObject({ query: "edited" });
    expect(reloader.lastRefusal()).toBeNull();
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { asked_by: "API" },
      { asked_by: "recovered state" },
      { asked_by: "recovered state" },
      { asked_by: "SIGHUP" },
    ]);
  });

  it("that was refused for another reason is not repeated when the state recovers", async () => {
    const { reloader, disk, did, failures } = await makeReloader();
    failures.push(new Error("refusing to send invented tweets"));
    disk.text = textOf("edited");
    expect(await reloader.reload("API")).toMatchObject({ ok: false });
    reloader.storeRecovered();
    disk.text = textOf("acme");
    await reloader.reload("SIGHUP");
    expect(did).toEqual(["renew"]);
  });
});
