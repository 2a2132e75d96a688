/** Which messages wait for a line that says who acknowledged their alerts. */
import { expect, it } from "vitest";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, tempStatePath } from "../temp-state.ts";

const Database = loadDriver();

it("are those that can be edited, or may be once they are sent", async () => {
  const path = tempStatePath();
  const store = await openTemp(path);
  const event = makeEvent("1");
  const sinks = ["editing", "mail", "slow"];
  const place = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
  await store.commitPoll({
    ...{ atMs: T0, targets: [], verdicts: [], events: [event] },
    deliveries: sinks.map((sink) => ({ eventId: event.id, sink, groupKey: sink, ...place })),
  });
  const { groups } = await store.dueWork({ nowMs: T0, sinks, busy: new Set(), limit: 9 });
  await store.seal(
    groups.map(({ groupKey, members }) => ({
      ...{ id: `m-${groupKey}`, sink: groupKey, groupKey, sealedAtMs: T0, body: {} },
      ...{ throttleKey: null, deliveryIds: members.map(({ deliveryId }) => deliveryId) },
    })),
  );
  await store.record([
    { messageId: "m-editing", kind: "sent", atMs: T0, ref: "1" },
    { messageId: "m-mail", kind: "sent", atMs: T0 },
  ]);
  await store.mark({
    ...{ kind: "acknowledged", what: event.id, isUndo: false },
    ...{ by: "Ada", from: "page", atMs: T0 },
  });
  const file = new Database(path, { readonly: true });
  const rows = file.prepare("select message_id from message_footers order by 1").all();
  file.close();
  expect(rows).toEqual([{ message_id: "m-editing" }, { message_id: "m-slow" }]);
});
