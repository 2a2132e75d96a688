import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { METRICS, type MetricName, type MetricSpec } from "../../src/model/meter.ts";
import { createMeter } from "../../src/server/meter.ts";

const linesOf = (text: string, name: string) => text.split("\n").filter((line) => line.startsWith(name));

/** Every metric with one series, as a scrape would see it. */
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
  it("adds counters up per label values", () => {
    const meter = createMeter();
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" });
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" }, 2);
    meter.count("chirpwatch_dead_letters_total", { sink: "other" }, 0);
    expect(linesOf(meter.render(), "chirpwatch_dead_letters_total")).toEqual([
      'chirpwatch_dead_letters_total{sink="brand"} 3',
      'chirpwatch_dead_letters_total{sink="other"} 0',
    ]);
  });

  it("never lets a counter fall", () => {
    const meter = createMeter();
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" }, 2);
    meter.count("chirpwatch_dead_letters_total", { sink: "brand" }, -5);
    expect(meter.render()).toContain('chirpwatch_dead_letters_total{sink="brand"} 2\n');
  });

  it("leaves a gauge out until it is set, and after it is cleared", () => {
    const meter = createMeter();
    expect(meter.render()).not.toContain("chirpwatch_quota_limit");
    meter.set("chirpwatch_quota_limit", 100_000);
    expect(meter.render()).toContain("\nchirpwatch_quota_limit 100000\n");
    meter.clear("chirpwatch_quota_limit");
    expect(meter.render()).not.toContain("chirpwatch_quota_limit");
  });

  it("starts counters and histograms without labels at zero, so that a first step is seen as one", () => {
    expect(createMeter().render()).toContain("\nchirpwatch_poll_lateness_seconds_count 0\n");
  });

  it("puts an observation on a bound into that bound's bucket", () => {
    const meter = createMeter();
    meter.observe("chirpwatch_delivery_delay_seconds", 0.5, { sink: "s" });
    const text = meter.render();
    expect(text).toContain('chirpwatch_delivery_delay_seconds_bucket{sink="s",le="0.25"} 0\n');
    expect(text).toContain('chirpwatch_delivery_delay_seconds_bucket{sink="s",le="0.5"} 1\n');
    expect(text).toContain('chirpwatch_delivery_delay_seconds_bucket{sink="s",le="+Inf"} 1\n');
  });

  it("ignores what is not a number", () => {
    const meter = createMeter();
    meter.observe("chirpwatch_delivery_delay_seconds", Number.NaN, { sink: "s" });
    meter.set("chirpwatch_gaps", Number.NaN);
    expect(meter.render()).not.toMatch(/NaN|delivery_delay|chirpwatch_gaps/);
  });

  it("keeps buckets cumulative, and the last one equal to the count", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (values) => {
        const meter = createMeter();
        for (const value of values) meter.observe("chirpwatch_added_delay_seconds", value, { sink: "s" });
        const counts = linesOf(meter.render(), "chirpwatch_added_delay_seconds_bucket").map((line) => Number(line.split(" ").at(-1)));
        expect([...counts].sort((a, b) => a - b)).toEqual(counts);
        expect(counts.at(-1)).toBe(values.length);
      }),
    );
  });
});

describe("the exposition", () => {
  it("says HELP and TYPE once per metric, directly before its samples", () => {
    const lines = filledMeter().render().trimEnd().split("\n");
    let current = "";
    const described = new Set<string>();
    for (const [index, line] of lines.entries()) {
      const help = /^# HELP (\S+) \S/.exec(line);
      if (help?.[1] === undefined) {
        if (!line.startsWith("# TYPE")) expect(line.startsWith(current)).toBe(true);
        continue;
      }
      current = help[1];
      expect(described.has(current)).toBe(false);
      described.add(current);
      expect(lines[index + 1]).toMatch(new RegExp(`^# TYPE ${current} (counter|gauge|histogram)$`));
    }
    expect([...described]).toEqual(Object.keys(METRICS));
  });

  it("names metrics as the linter of Prometheus wants them", () => {
    for (const [name, spec] of Object.entries(METRICS) as [MetricName, MetricSpec][]) {
      expect(name).toMatch(/^chirpwatch_[a-z_]+$/);
      expect(name.endsWith("_total"), name).toBe(spec.kind === "counter");
      if (spec.kind === "histogram") expect(name).toMatch(/_seconds$/);
      expect(name).not.toMatch(/_(count|sum|bucket|info)$|milli|minutes|hours/);
      expect(spec.help).toMatch(/^[A-Z0-9].*\.$/);
      expect(spec.labels).not.toContain("le");
    }
  });

  it("writes lines that any parser reads, whatever the labels hold", () => {
    const sample = /^chirpwatch_[a-z_]+\{sink="(?:[^"\\\n]|\\[\\n"])*"\} [0-9.e+-]+$/;
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (sink) => {
        const meter = createMeter();
        meter.count("chirpwatch_dead_letters_total", { sink });
        const [line] = meter
          .render()
          .split("\n")
          .filter((text) => text.startsWith("chirpwatch_dead_letters_total"));
        expect(line).toMatch(sample);
        const written = /sink="(.*)"\}/s.exec(line ?? "")?.[1] ?? "";
        expect(written.replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign))).toBe(sink);
      }),
    );
  });

  it("ends with a line feed", () => {
    expect(filledMeter().render().endsWith("\n")).toBe(true);
  });
});
