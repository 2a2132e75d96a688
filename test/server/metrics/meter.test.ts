import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { METRICS, type MetricName, type MetricSpec } from "../../../src/model/meter.ts";
import { createMeter } from "../../../src/server/metrics/meter.ts";
import { promtool } from "../../support/promtool.ts";

const linesOf = (text: string, name: string) =>
  text.split("\n").filter((line) => line.startsWith(name));

/** Returns every metric with one series, as a scrape would see it. */
function filledMeter() {
  const meter = createMeter();
  for (const [name, spec] of Object.entries(METRICS) as [MetricName, MetricSpec][]) {
    const labels = Object.fromEntries(spec.labels.map((label) => [label, "x"]));
    if (spec.kind === "counter") meter.count(name, labels);
    else if (spec.kind === "gauge") meter.set(name, 1, labels);
    else meter.observe(name, 0.3, labels);
  }
  return meter;
}

describe("the meter", () => {
  it("adds counters up per label values, before the first scrape and after it", async () => {
    const meter = createMeter();
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" });
    meter.count("chirpwatch_dead_letters_total", { sink: "other" }, 0);
    await meter.render();
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" }, 2);
    expect(linesOf(await meter.render(), "chirpwatch_dead_letters_total")).toEqual([
      'chirpwatch_dead_letters_total{sink="brand"} 3',
      'chirpwatch_dead_letters_total{sink="other"} 0',
    ]);
  });

  it("loses nothing of what was recorded while nobody scraped, however much that is", async () => {
    const meter = createMeter();
    for (let i = 0; i < 25_000; i += 1)
      meter.observe("chirpwatch_delivery_delay_seconds", 1, { sink: "s" });
    for (let i = 0; i < 25_000; i += 1) meter.count("chirpwatch_dead_letters_total", { sink: "s" });
    const text = await meter.render();
    expect(text).toContain('chirpwatch_delivery_delay_seconds_count{sink="s"} 25000\n');
    expect(text).toContain('chirpwatch_dead_letters_total{sink="s"} 25000\n');
  });

  it("never lets a counter fall", async () => {
    const meter = createMeter();
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" }, 2);
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" }, -5);
    expect(await meter.render()).toContain('chirpwatch_dead_letters_total{sink="brand"} 2\n');
  });

  it("leaves a gauge out until it is set, and after it is cleared", async () => {
    const meter = createMeter();
    const values = async () => linesOf(await meter.render(), "chirpwatch_quota_limit");
    expect(await values()).toEqual([]);
    meter.set("chirpwatch_quota_limit", 100_000);
    expect(await values()).toEqual(["chirpwatch_quota_limit 100000"]);
    meter.clear("chirpwatch_quota_limit");
    expect(await values()).toEqual([]);
  });

  it("starts counters and histograms without labels at zero, so that a first step is seen as one", async () => {
    expect(await createMeter().render()).toContain("\nchirpwatch_poll_lateness_seconds_count 0\n");
  });

  it("puts an observation on a bound into that bound's bucket", async () => {
    const meter = createMeter();
    meter.observe("chirpwatch_delivery_delay_seconds", 0.5, { sink: "s" });
    const lines = linesOf(await meter.render(), "chirpwatch_delivery_delay_seconds_bucket");
    const valueAt = (bound: string) =>
      lines
        .find((line) => line.includes(`le="${bound}"`))
        ?.split(" ")
        .at(-1);
    expect(["0.25", "0.5", "+Inf"].map(valueAt)).toEqual(["0", "1", "1"]);
  });

  it("ignores what is not a number", async () => {
    const meter = createMeter();
    meter.observe("chirpwatch_delivery_delay_seconds", Number.NaN, { sink: "s" });
    meter.set("chirpwatch_gaps", Number.NaN);
    const text = await meter.render();
    expect([
      ...linesOf(text, "chirpwatch_delivery_delay"),
      ...linesOf(text, "chirpwatch_gaps"),
    ]).toEqual([]);
  });

  it("drops the series of labels that are out of use, of every kind, and keeps those without a value", async () => {
    const meter = createMeter();
    for (const watch of ["kept", "gone", ""]) {
      meter.count("chirpwatch_events_total", { watch, event: "tweet.created" });
      meter.set("chirpwatch_watch_last_success_timestamp_seconds", 1, { watch });
    }
    for (const sink of ["hook", "gone"])
      meter.observe("chirpwatch_added_delay_seconds", 1, { sink });
    const text = await meter.render({ watch: new Set(["kept"]), sink: new Set(["hook"]) });
    expect(text).not.toContain('"gone"');
    expect(linesOf(text, "chirpwatch_events_total")).toHaveLength(2);
    expect(linesOf(text, "chirpwatch_added_delay_seconds_count")).toEqual([
      'chirpwatch_added_delay_seconds_count{sink="hook"} 1',
    ]);
  });

  it("has the figures of the process beside its own, once", async () => {
    const text = await createMeter().render();
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "nodejs_eventloop_lag_p99_seconds",
    ])
      expect(linesOf(text, `${name} `)).toHaveLength(1);
  });

  it("keeps buckets cumulative, and the last one equal to the count", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }),
        async (values) => {
          const meter = createMeter();
          for (const value of values)
            meter.observe("chirpwatch_added_delay_seconds", value, { sink: "s" });
          const lines = linesOf(await meter.render(), "chirpwatch_added_delay_seconds_bucket");
          const counts = lines.map((line) => Number(line.split(" ").at(-1)));
          expect([...counts].sort((a, b) => a - b)).toEqual(counts);
          expect(counts.at(-1)).toBe(values.length);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("the exposition", () => {
  it("has every metric of the table, with its help and its kind", async () => {
    const text = await filledMeter().render();
    for (const [name, { kind, help }] of Object.entries(METRICS))
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`);
  });

  it("names metrics as the linter of Prometheus wants them", () => {
    for (const [name, spec] of Object.entries(METRICS) as [MetricName, MetricSpec][]) {
      expect(name).toMatch(/^chirpwatch_[a-z_]+$/);
      expect(name.endsWith("_total"), name).toBe(spec.kind === "counter");
      if (spec.kind === "histogram") expect(name).toMatch(/_seconds$/);
      expect(name).not.toMatch(/_(count|sum|bucket)$|milli|minutes|hours/);
      expect(spec.help).toMatch(/^[A-Z0-9].*\.$/);
      expect(spec.labels).not.toContain("le");
    }
  });

  it("names figures of the process so, too", async () => {
    const text = await filledMeter().render();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", kind]) => ({
      name,
      kind,
    }));
    expect(types.length).toBeGreaterThan(40);
    expect(
      types.filter(({ name, kind }) => name.endsWith("_total") !== (kind === "counter")),
    ).toEqual([]);
    expect(text).toMatch(/^nodejs_active_handles\{type=/m);
  });

  it("pleases promtool's own linter", async (context) => {
    expect(promtool(context, ["check", "metrics"], await filledMeter().render())).toEqual({
      status: 0,
      output: "",
    });
  });

  it("writes lines that any parser reads, whatever the labels hold", async () => {
    const sample = /^chirpwatch_[a-z_]+\{sink="(?:[^"\\\n]|\\[\\n"])*"\} [0-9.e+-]+$/;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (sink) => {
        const meter = createMeter();
        meter.count("chirpwatch_dead_letters_total", { sink });
        const [line] = linesOf(await meter.render(), "chirpwatch_dead_letters_total");
        expect(line).toMatch(sample);
        const written = /sink="(.*)"\}/s.exec(line ?? "")?.[1] ?? "";
        expect(written.replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign))).toBe(
          sink,
        );
      }),
      { numRuns: 50 },
    );
  });

  it("ends with a line feed", async () => {
    expect((await filledMeter().render()).endsWith("\n")).toBe(true);
  });
});
