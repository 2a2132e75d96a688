/** What Prometheus sees of a running daemon. */
import { describe, expect, it } from "vitest";
import { packageVersion } from "../../src/runtime/package-file.ts";
import { farResetDay, writeConfig } from "../support/daemon-process.ts";
import { sampleOf, samplesOf } from "../support/exposition.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, noted, createFixture } from "./fixture.ts";

cleanUpAfterwards();

const LAST_SUCCESS = "chirpwatch_watch_last_success_timestamp_seconds";
const RELOADED = "chirpwatch_config_last_reload_successful";
const nowS = () => Date.now() / 1_000;

describe.concurrent("the metrics of a running daemon", () => {
  it("say which build runs, how large its state is, when the quota period ends, and how the process is", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    const text = await daemon.get("/metrics");
    const value = (name: string) => sampleOf(text, name) ?? Number.NaN;
    expect(sampleOf(text, "chirpwatch_build_info", { version: packageVersion() })).toBe(1);
    expect(value("chirpwatch_state_bytes")).toBeGreaterThan(20_000);
    expect(value("chirpwatch_quota_period_end_timestamp_seconds")).toBeGreaterThan(nowS());
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(20_000_000);
    expect(value("nodejs_eventloop_lag_seconds")).toBeGreaterThanOrEqual(0);
    expect(Math.abs(nowS() - (sampleOf(text, LAST_SUCCESS, { watch: "w" }) ?? 0))).toBeLessThan(30);
    daemon.kill("SIGTERM");
    await daemon.gone;
    // The last success is known before the first poll of another process.
    fixture.api.fault((_endpoint, response) => (response.writeHead(500).end(), true));
    const again = await fixture.start();
    await until(
      "a failed poll",
      async () => (sampleOf(await again.get("/metrics"), "chirpwatch_polls_total", { outcome: "failed" }) ?? 0) > 0,
    );
    expect(sampleOf(await again.get("/metrics"), LAST_SUCCESS, { watch: "w" })).toBeLessThanOrEqual(nowS());
  });

  it("count what a sink answered by class", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    const errors = async (kind: string) =>
      sampleOf(await daemon.get("/metrics"), "chirpwatch_sink_errors_total", { sink: "hook", class: kind });
    fixture.hook.answer((_, response) => response.writeHead(503).end());
    fixture.api.post("search:acme", 1);
    await until("a failed attempt", async () => ((await errors("transient")) ?? 0) > 0, daemon.err);
    fixture.hook.answer((_, response) => response.writeHead(413).end());
    await until("a refused message", async () => (await errors("message")) === 1, daemon.err);
  });

  it("forget a watch and a sink that were removed, and keep the others", async () => {
    const fixture = await createFixture();
    const watch = (query: string) => ({ type: "search", query });
    fixture.configure({ watches: { kept: watch("acme"), gone: watch("other") } });
    const daemon = await fixture.start();
    await Promise.all([noted(daemon, "kept"), noted(daemon, "gone")]);
    for (const query of ["acme", "other"]) fixture.api.post(`search:${query}`, 1);
    await until("both alerts", () => fixture.hook.subjects().length >= 2);
    const watchesIn = async () => new Set(samplesOf(await daemon.get("/metrics")).flatMap(({ labels }) => labels["watch"] ?? []));
    expect([...(await watchesIn())].sort()).toEqual(["gone", "kept"]);
    fixture.configure({ watches: { kept: watch("acme") } });
    await daemon.post("/api/v1/reload");
    expect([...(await watchesIn())]).toEqual(["kept"]);
  });

  it("show a refused reload until the files and the active configuration agree again", async () => {
    const fixture = await createFixture();
    const good = { watches: { w: { type: "search", query: "acme" } } };
    fixture.configure(good);
    const daemon = await fixture.start();
    await noted(daemon, "w");
    const value = async (name: string) => sampleOf(await daemon.get("/metrics"), name);
    const hash = await value("chirpwatch_config_hash");
    const loadedAt = (await value("chirpwatch_config_last_reload_success_timestamp_seconds")) ?? 0;
    expect([await value(RELOADED), Number.isInteger(hash)]).toEqual([1, true]);
    writeConfig(fixture.folder, "watches: 5\n");
    expect((await daemon.post("/api/v1/reload")).status).toBe(422);
    expect([await value(RELOADED), await value("chirpwatch_config_hash")]).toEqual([0, hash]);
    expect(await value("chirpwatch_config_last_reload_success_timestamp_seconds")).toBe(loadedAt);
    fixture.configure(good);
    expect((await daemon.post("/api/v1/reload")).status).toBe(200);
    expect([await value(RELOADED), await value("chirpwatch_config_hash")]).toEqual([1, hash]);
    expect(await value("chirpwatch_config_last_reload_success_timestamp_seconds")).toBeGreaterThan(loadedAt);
    fixture.configure({ ...good, links: { host: "https://social.example" } });
    await daemon.post("/api/v1/reload");
    expect(await value("chirpwatch_config_hash")).not.toBe(hash);
  });

  it("count a watch that the service refuses as it is written", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { good: { type: "search", query: "acme" }, bad: { type: "community_tweets", community: "17" } } });
    fixture.api.fault((endpoint, response) => endpoint === "community-tweets" && (response.writeHead(400).end('{"message":"no"}'), true));
    const daemon = await fixture.start();
    await noted(daemon, "good");
    const states = async () =>
      samplesOf(await daemon.get("/metrics")).flatMap(({ name, labels, value }) =>
        name === "chirpwatch_watches" ? [[labels["state"], value]] : [],
      );
    await until("the refusal", async () =>
      (await daemon.status()).watches.some(({ targets }) => targets.some(({ status }) => status === "misconfigured")),
    );
    expect(Object.fromEntries(await states())).toEqual({ active: 1, paused: 0, misconfigured: 1 });
  });

  it.each([
    ["pause", "chirpwatch_quota_spent"],
    ["degrade", "chirpwatch_quota_stretch"],
  ] as const)("on_exhausted %s: reach what the alerts on a short quota wait for", async (on_exhausted, name) => {
    const fixture = await createFixture();
    fixture.configure({
      api: { base_url: fixture.api.url, key: fixture.api.key, quota: { monthly: 20, reset_day: farResetDay(), on_exhausted } },
      watches: { w: { type: "search", query: "acme", priority: "low" } },
    });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    const read = async () => {
      // The status asks the ledger now, which happens by itself once a minute.
      await daemon.status();
      const text = await daemon.get("/metrics");
      return (metric: string, labels = {}) => sampleOf(text, metric, labels) ?? Number.NaN;
    };
    const isReached = async () => {
      const value = await read();
      const line = value("chirpwatch_quota_line");
      return name === "chirpwatch_quota_spent" ? value(name) >= line : value(name, { priority: "low" }) > 2;
    };
    await until("the alert's condition", isReached, daemon.err);
    const value = await read();
    expect(value("chirpwatch_quota_forecast") / value("chirpwatch_quota_line")).toBeGreaterThan(1);
    expect(value("chirpwatch_quota_spent") / value("chirpwatch_quota_limit")).toBeLessThanOrEqual(0.9);
  });
});
