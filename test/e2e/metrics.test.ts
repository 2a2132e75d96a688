/**
 * Tests the metrics of a running daemon and its process. Metrics of what happens to it:
 * test/app/metrics.test.ts.
 */
import { describe, expect, it } from "vitest";
import { packageVersion } from "../../src/runtime/package-file.ts";
import { writeConfig } from "../support/daemon-process.ts";
import { sampleOf } from "../support/exposition.ts";
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
    for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#")))
      expect(line).toMatch(/^(chirpwatch|process|nodejs)_/);
    expect(sampleOf(text, "chirpwatch_build_info", { version: packageVersion() })).toBe(1);
    expect(value("chirpwatch_state_bytes")).toBeGreaterThan(20_000);
    expect(value("chirpwatch_quota_period_end_timestamp_seconds")).toBeGreaterThan(nowS());
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(20_000_000);
    expect(value("nodejs_eventloop_lag_seconds")).toBeGreaterThanOrEqual(0);
    expect(Math.abs(nowS() - (sampleOf(text, LAST_SUCCESS, { watch: "w" }) ?? 0))).toBeLessThan(30);
    daemon.kill("SIGTERM");
    await daemon.gone;
    // The last success is known before the first poll of the next process.
    fixture.api.fault((_endpoint, response) => (response.writeHead(500).end(), true));
    const again = await fixture.start();
    await until(
      "a failed poll",
      async () =>
        (sampleOf(await again.get("/metrics"), "chirpwatch_polls_total", { outcome: "failed" }) ??
          0) > 0,
    );
    expect(sampleOf(await again.get("/metrics"), LAST_SUCCESS, { watch: "w" })).toBeLessThanOrEqual(
      nowS(),
    );
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
    expect(await value("chirpwatch_config_last_reload_success_timestamp_seconds")).toBeGreaterThan(
      loadedAt,
    );
    fixture.configure({ ...good, links: { host: "https://social.example" } });
    await daemon.post("/api/v1/reload");
    expect(await value("chirpwatch_config_hash")).not.toBe(hash);
  });
});
