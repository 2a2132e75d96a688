/**
 * Tests an orderly stop, by the clock: work in progress gets its time, but no more than the process
 * that stops the daemon allows.
 */
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { Http, HttpRequest } from "../../src/model/http.ts";
import { HttpError } from "../../src/model/http.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const AUTHOR = "fresh_one";

const aborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) =>
    signal?.addEventListener("abort", () => reject(new HttpError("HTTP_ABORTED", "aborted", true))),
  );

/**
 * Starts a daemon with a message in progress. From that message on, `hold` can delay its requests
 * to the network.
 */
async function withNews(hold: (request: HttpRequest) => Promise<unknown> | undefined) {
  let isHolding = false;
  const httpFilter = (http: Http): Http => ({
    async request(request) {
      if (isHolding) await hold(request);
      return http.request(request);
    },
  });
  const daemon = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 1m" } }),
    prepare: async (control) => {
      await control("accounts", { username: AUTHOR });
      await control("tweets", { username: AUTHOR, text: "an old zebra" });
    },
    httpFilter,
  });
  await daemon.clock.advance(2 * MINUTE);
  const { ids } = await daemon.control("tweets", { username: AUTHOR, text: "a new zebra" });
  const isHook = ({ url }: HttpRequest) => url === daemon.hook.url;
  return { ...daemon, ids: ids as readonly string[], isHook, hold: () => (isHolding = true) };
}

it("lets a send under way finish, waits for nothing else, and sends it no second time", async () => {
  let sends = 0;
  const fixture = await withNews((request) => {
    if (!fixture.isHook(request)) return undefined;
    sends += 1;
    return sleep(fixture.clock, 2 * SECOND);
  });
  fixture.hold();
  while (sends === 0) await fixture.clock.advance(SECOND / 10);
  const begunMs = fixture.clock.monotonic();
  await fixture.stop();
  expect(fixture.clock.monotonic() - begunMs).toBeLessThan(8 * SECOND);
  expect(fixture.hook.subjects()).toEqual(fixture.ids);
  await fixture.start();
  await fixture.clock.advance(2 * MINUTE);
  expect(fixture.hook.messages()).toHaveLength(1);
});

it("leaves a receiver that hangs after 8 s, however long the data service hangs too", async () => {
  const abortedMs: number[] = [];
  let [sends, polls] = [0, 0];
  const fixture = await withNews(async (request) => {
    if (fixture.isHook(request)) {
      sends += 1;
      await aborted(request.signal).finally(() => abortedMs.push(fixture.clock.monotonic()));
    } else if (sends > 0) {
      polls += 1;
      await aborted(request.signal);
    }
  });
  fixture.hold();
  while (sends === 0 || polls === 0) await fixture.clock.advance(SECOND / 10);
  const begunMs = fixture.clock.monotonic();
  await fixture.stop();
  expect(abortedMs.map((atMs) => atMs - begunMs)).toEqual([8 * SECOND]);
});
