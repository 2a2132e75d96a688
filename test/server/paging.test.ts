/** Tests the paging of the API's lists. */
import { describe, expect, it } from "vitest";
import { createRoutes } from "../../src/server/routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  NOW_MS,
  silenceView,
  silentLog,
  statusView,
  watchView,
} from "./daemon-stand-in.ts";

const IDS = ["a", "b", "c", "d", "e"];
const AT = "2026-03-10T13:57:10.000Z";

function setUp() {
  const daemon = createDaemonStandIn();
  daemon.status = statusView({
    watches: IDS.map((id) => watchView({ id })),
    silences: IDS.map((id) => silenceView({ id })),
  });
  const letter = { sink: "brand", cause: "expired", error: "", given_up_at: AT, attempts: 1 };
  daemon.dead = {
    groups: [],
    dead: IDS.map((id) => ({ ...letter, message_id: id, alerts: [] })),
    sinks: ["brand"],
  };
  daemon.views.replays = () =>
    Promise.resolve({
      replays: IDS.map((id) => ({ id, at: AT, action: "replay event", detail: {} })),
    });
  const routes = createRoutes(
    { clock: createVirtualClock(NOW_MS), log: silentLog, ...daemon },
    { kind: "socket" },
  );
  const ask = async (path: string) => {
    const answer = await routes.request(path);
    return { status: answer.status, body: (await answer.json()) as any };
  };
  return { daemon, ask };
}

describe.each([
  ["/api/v1/watches", "watches", "id"],
  ["/api/v1/silences", "silences", "id"],
  ["/api/v1/dead", "dead", "message_id"],
  ["/api/v1/replays", "replays", "id"],
])("%s", (path, list, id) => {
  it("is whole without a limit", async () => {
    const { body } = await setUp().ask(path);
    expect([body[list].map((one: any) => one[id]), body.next]).toEqual([IDS, null]);
  });

  it.each([1, 2, 3, 5, 9])("has each entry once in pages of %i", async (limit) => {
    const { ask } = setUp();
    const seen: string[][] = [];
    for (let next = ""; ; ) {
      const { body } = await ask(`${path}?limit=${limit}&cursor=${next}`);
      seen.push(body[list].map((one: any) => one[id]));
      if (body.next === null) break;
      next = body.next;
    }
    expect(seen.flat()).toEqual(IDS);
    expect(seen.length).toBe(Math.ceil(IDS.length / limit));
  });

  it.each([
    ["cursor=gone", "begin without it"],
    ["limit=0", 'limit must be a whole number from 1 to 1000, not "0"'],
    ["limit=1.5", "limit must be"],
  ])("answers %s with what to do", async (query, words) => {
    const { status, body } = await setUp().ask(`${path}?${query}`);
    expect([status, body.error.code]).toEqual([400, "SERVER_BAD_QUERY"]);
    expect(body.detail).toContain(words);
  });
});

it("passes the cursor of events on, under its old name too", async () => {
  const { daemon, ask } = setUp();
  await ask("/api/v1/events?cursor=7");
  await ask("/api/v1/events?before=7");
  expect(daemon.asked).toEqual([
    'events {"before":"7","limit":50}',
    'events {"before":"7","limit":50}',
  ]);
});
