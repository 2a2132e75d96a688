/** The counts of each sink's messages are those of the table, however they were counted. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openHandle } from "../../../src/state/db/sqlite.ts";
import { openTemp, memoryStatePath } from "../temp-state.ts";

const message = fc.record({
  sink: fc.constantFrom("a", "b", "c"),
  state: fc.constantFrom("open", "sent", "sent", "dead"),
});

test("the messages of each sink are counted by state, whichever sink has the newest", async () => {
  const path = memoryStatePath();
  const store = await openTemp(path);
  const handle = openHandle(path, { readonly: false, mustExist: true });
  const insert = handle.prepare(
    `insert into messages (id, seq, sink, group_key, sealed_at, state, attempts, next_attempt_at,
       done_at, error, body) values (?, ?, ?, '', 0, ?, 1, 0, 0, '', '{}')`,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
      handle.exec("delete from messages");
      messages.forEach(({ sink, state }, at) => insert.run(`m${at}`, at, sink, state));
      const counted = (await store.outboxStats()).map(({ sink, waiting, sent, dead }) => ({
        ...{ sink, open: waiting, sent, dead },
      }));
      const count = (sink: string, state: string) =>
        messages.filter((one) => one.sink === sink && one.state === state).length;
      const sinks = [...new Set(messages.map(({ sink }) => sink))].sort();
      expect(counted).toEqual(
        sinks.map((sink) => ({
          ...{ sink, open: count(sink, "open"), sent: count(sink, "sent") },
          dead: count(sink, "dead"),
        })),
      );
    }),
    { numRuns: 50 },
  );
  handle.close();
});
