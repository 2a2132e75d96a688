/** Which messages wait for a line that says who acknowledged their alerts, and until when. */
import { expect, it } from "vitest";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, tempStatePath } from "../temp-state.ts";

const Database = loadDriver();

/** Seals one alert for each of these sinks, which edit their messages unless they are mail. */
async function sealedFor(sinks: readonly string[]) {
  const path = tempStatePath();
  const store = await openTemp(path);
  const event = makeEvent("1");
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
      ...(groupKey.includes("mail") ? {} : { footer: "" }),
    })),
  );
  const mark = (isUndo: boolean) =>
    store.mark({
      ...{ kind: "acknowledged", what: event.id, isUndo },
      ...{ by: "Ada", from: "page", atMs: T0 },
    });
  return { path, store, mark };
}

it("are those that their sinks can edit, whether they were sent yet or not", async () => {
  const { path, store, mark } = await sealedFor(["editing", "mail", "slow", "slow mail"]);
  await store.record([
    { messageId: "m-editing", kind: "sent", atMs: T0, ref: "1" },
    { messageId: "m-mail", kind: "sent", atMs: T0 },
  ]);
  await mark(false);
  const file = new Database(path, { readonly: true });
  const rows = file.prepare("select message_id from message_footers order by 1").all();
  file.close();
  expect(rows).toEqual([{ message_id: "m-editing" }, { message_id: "m-slow" }]);
});

it("wait again after an undo during the edit that shows the acknowledgement", async () => {
  const { store, mark } = await sealedFor(["chat"]);
  await store.record([{ messageId: "m-chat", kind: "sent", atMs: T0, ref: "1" }]);
  const due = async () => {
    const found = await store.dueFooter("chat", T0);
    if (found === undefined) throw new Error("no edit is due");
    return found;
  };
  await mark(false);
  const first = await due();
  expect(first).toMatchObject({ shown: "", marks: [{ by: "Ada" }] });
  await mark(true);
  await store.recordFooter(first, { kind: "shown", atMs: T0, footer: "by Ada" });
  const second = await due();
  expect(second).toMatchObject({ shown: "by Ada", marks: [] });
  await store.recordFooter(second, { kind: "shown", atMs: T0, footer: "" });
  expect(await store.nextFooterAt("chat")).toBeNull();
});
