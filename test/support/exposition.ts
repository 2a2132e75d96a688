/** Reads Prometheus text as a scraper would: each line is a sample of a metric with labels. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const samplesOf = (text: string): readonly Sample[] =>
  text.split("\n").flatMap((line) => {
    const [, name, inside = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const labels = Object.fromEntries(
      [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", text = ""]) => [
        key,
        text,
      ]),
    );
    return [{ name, labels, value: Number(value) }];
  });

/** Returns the value of one series, or undefined if there is none. */
export const sampleOf = (
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined =>
  samplesOf(text).find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;
