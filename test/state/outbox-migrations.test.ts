/**
 * Outboxes of older releases: what they hold keeps its meaning, and nothing is reported or sent
 * again.
 */
import { expect, test } from "vitest";
import { loadDriver } from "../../src/state/db/driver.ts";
import { MIGRATIONS } from "../../src/state/migrations/migrate.ts";
import { openTemp, tempStatePath } from "./temp-state.ts";

const Database = loadDriver();

/**
 * A state as the release whose last migration comes before `next` left it, with these rows in it.
 */
async function stateBefore(next: string, rows: string): Promise<string> {
  const path = tempStatePath();
  const then = Object.fromEntries(
    Object.entries(MIGRATIONS).filter(([name]) => name < next),
  ) as typeof MIGRATIONS;
  await (await openTemp(path, { migrations: then })).close();
  const file = new Database(path);
  file.exec(rows);
  file.close();
  return path;
}

test("a breaker that was open is one that the operator knows of", async () => {
  const path = await stateBefore(
    "0006",
    `insert into sink_health (sink, breaker, reason, opened_at, probe_at) values ('gone', 'open', '404', 5, 9), ('good', 'closed', '', null, null)`,
  );
  const none = {
    hint: "",
    openedAtMs: null,
    probeAtMs: null,
    isReported: false,
    reportedAtMs: null,
    goneFrom: null,
  };
  expect(await (await openTemp(path)).loadSinkHealth()).toEqual([
    {
      ...none,
      sink: "gone",
      breaker: "open",
      cause: "destination",
      reason: "404",
      openedAtMs: 5,
      probeAtMs: 9,
      isReported: true,
      reportedAtMs: 5,
    },
    { ...none, sink: "good", breaker: "closed", cause: "transient", reason: "" },
  ]);
});

test("what was sealed or put off before digests had several messages goes out as it was", async () => {
  const event = (id: string, seq: number) =>
    `insert into events (id, seq, type, watch_key, watch, watch_type, subject, labels, occurred_at, detected_at, body)
       values ('${id}', ${seq}, 'tweet.created', 'k', 'w', 'search', '${id}', '{}', 1, 1, '{}');`;
  const columns =
    "id, event_id, sink, group_key, grouped, not_before, throttle_key, state, detail, due_at, created_at, message_id";
  const path = await stateBefore(
    "0007",
    `${["e1", "e2", "e3"].map(event).join("")}
     insert into messages (id, seq, sink, group_key, throttle_key, sealed_at, state, attempts, next_attempt_at, error, body)
       values ('m', 1, 'chat', 'digest\nsink:chat', 'sink:chat', 5, 'open', 1, 9, '503', '{"old":true}');
     insert into deliveries (${columns}) values (1, 'e1', 'chat', 'e1', 0, 1, 'sink:chat', 'sealed', '', 1, 1, 'm');
     insert into deliveries (${columns}) values (2, 'e2', 'chat', 'e2', 0, 1, 'sink:chat', 'sealed', '', 1, 1, 'm');
     insert into deliveries (${columns}) values (3, 'e3', 'chat', 'e3', 0, 1, 'sink:chat', 'waiting', '', 20, 1, null);`,
  );
  const store = await openTemp(path);
  const due = (nowMs: number) =>
    store.dueWork({ nowMs, sinks: ["chat"], busy: new Set(), limit: 10 });
  expect(await due(10)).toMatchObject({
    groups: [],
    messages: [{ id: "m", body: { old: true }, attempts: 1 }],
  });
  expect((await due(20)).groups).toMatchObject([
    { groupKey: "e3", members: [{ event: { id: "e3" } }] },
  ]);
  await store.record([{ messageId: "m", kind: "sent", atMs: 10 }]);
  expect(await due(10)).toEqual({ groups: [], messages: [] });
});

test("dead letters of older releases keep their reason, show in the list and are not reported again", async () => {
  const errors = ["given up after retry_for: the webhook answered 503", "400: no such field"];
  const rows = errors.map(
    (error, n) => `
      insert into events (id, seq, type, watch_key, watch, watch_type, subject, labels, occurred_at, detected_at, body)
        values ('e${n}', ${n}, 'tweet.created', 'k', 'w', 'search', '${n}', '{}', 1, 1, '{}');
      insert into messages (id, seq, sink, group_key, sealed_at, state, attempts, next_attempt_at, done_at, error, body)
        values ('m${n}', ${n}, 'hook', 'e${n}', 1, 'dead', 3, 2, 2, '${error}', '"x"');
      insert into deliveries (id, event_id, sink, group_key, grouped, not_before, state, detail, due_at, created_at, message_id)
        values (${n}, 'e${n}', 'hook', 'e${n}', 0, 1, 'sealed', '', 1, 1, 'm${n}');`,
  );
  const store = await openTemp(await stateBefore("0009", rows.join("")));
  expect(await store.listDead({}, 10)).toMatchObject([
    { messageId: "m0", cause: "expired", error: "the webhook answered 503", attempts: 3 },
    { messageId: "m1", cause: "refused content", error: "400: no such field" },
  ]);
  expect(await store.unreportedDead()).toEqual([]);
});

test("messages of older releases that a sink can edit say who acknowledged their alerts", async () => {
  const rows = [
    { state: "sent", ref: "'r0'" },
    { state: "sent", ref: "null" },
    { state: "open", ref: "null" },
  ].map(
    ({ state, ref }, n) => `
      insert into events (id, seq, type, watch_key, watch, watch_type, subject, labels, occurred_at, detected_at, body)
        values ('e${n}', ${n}, 'tweet.created', 'k', 'w', 'search', '${n}', '{}', 1, 1, '{}');
      insert into messages (id, seq, sink, group_key, sealed_at, state, attempts, next_attempt_at, error, body, ref)
        values ('m${n}', ${n}, 'chat', 'e${n}', 1, '${state}', 1, 2, '', '"x"', ${ref});
      insert into deliveries (id, event_id, sink, group_key, grouped, not_before, state, detail, due_at, created_at, message_id)
        values (${n}, 'e${n}', 'chat', 'e${n}', 0, 1, 'sealed', '', 1, 1, 'm${n}');`,
  );
  const path = await stateBefore("0042", rows.join(""));
  const store = await openTemp(path);
  for (const what of ["e0", "e1", "e2"])
    await store.mark({
      ...{ kind: "acknowledged", what, isUndo: false },
      ...{ atMs: 5, by: "Ada", from: "page" },
    });
  const file = new Database(path, { readonly: true });
  expect(file.prepare("select message_id from message_footers order by 1").pluck().all()).toEqual([
    "m0",
    "m2",
  ]);
  file.close();
});
