/** Tests a thousand watches that are due at the same second, in the whole daemon. */
import { expect, it } from "vitest";
import { ONE_KEY, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const WATCHES = 1_000;
/** The rate limit of the configuration, in requests per second. */
const RATE = 20;

it("fault 78: a thousand watches with one cron are all polled at its time, never above the rate, and the longest wait is shown", async () => {
  const askedAtMs = new Map<string, number[]>();
  let now = () => 0;
  const { clock, metric } = await startInnerDaemon({
    // Searches for users share no requests.
    watches: () =>
      Object.fromEntries(
        Array.from({ length: WATCHES }, (_, n) => [
          `w${n}`,
          { type: "user_search", query: `zebra${n}`, schedule: "*/5 * * * *" },
        ]),
      ),
    api: { ...ONE_KEY, rate_limit: { count: RATE, interval: "1s" } },
    httpFilter: (http) => ({
      ...http,
      request: (request) => {
        const [query] = /zebra\d+/.exec(request.body ?? "") ?? [];
        if (query !== undefined) askedAtMs.set(query, [...(askedAtMs.get(query) ?? []), now()]);
        return http.request(request);
      },
    }),
  });
  now = clock.monotonic;
  await clock.advance(9 * MINUTE);
  const fromMs = now() - (clock.now() - Date.UTC(2026, 2, 6, 13, 45));
  const since = [...askedAtMs.values()].map((times) => times.filter((atMs) => atMs >= fromMs));
  expect(since.map(({ length }) => length)).toEqual(Array.from({ length: WATCHES }, () => 1));
  const times = since.flat().toSorted((one, other) => one - other);
  const tooSoon = times.filter((atMs, n) => atMs - (times[n - RATE] ?? -1_000) < 1_000);
  expect(tooSoon).toEqual([]);
  const within = (seconds: number) =>
    metric("chirpwatch_poll_lateness_seconds_bucket", `le="${seconds}"`);
  expect(await within(5)).not.toBe(await within(120));
  expect(await within(120)).toBe(await metric("chirpwatch_poll_lateness_seconds_count"));
});
