/**
 * Tests escalations in the whole daemon: who is notified of an alert that nobody acknowledges,
 * when, and what the message says.
 */
import { expect, it } from "vitest";
import { type Control, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const SECOND = 1_000;

interface Received {
  readonly atMs: number;
  readonly message: string;
  readonly data: any;
}

/** Starts a watch whose alerts go to the hook and are escalated to the ops sink. */
async function startEscalating(steps: readonly object[], prepare = postOld) {
  let escalate: readonly object[] | false = steps;
  const daemon = await startInnerDaemon({
    watches: () => ({
      brand: {
        ...{ type: "timeline", accounts: ["one"], schedule: "@every 1m", sink: "hook" },
        labels: { team: "sales" },
      },
    }),
    sink: {
      get escalate() {
        return escalate;
      },
    },
    prepare,
  });
  const { clock, call, control, ops } = daemon;
  await clock.advance(5 * MINUTE);
  return {
    ...daemon,
    setSteps: (next: readonly object[] | false) => void (escalate = next),
    /**
     * Posts a tweet and lets its alert be sent. Returns the event and the time at which the hook
     * took it.
     */
    async alert(text: string) {
      const { ids } = await control("tweets", { username: "one", text });
      await clock.advance(90 * SECOND);
      const explain = async () => (await call(`explain/${ids[0]}`)).verdicts[0];
      const { event, deliveries } = await explain();
      const sentAtMs = Date.parse(deliveries[0].attempt_log.at(-1).at);
      return { id: String(event.id), deliveries, sentAtMs, explain };
    },
    advanceTo: (atMs: number) => clock.advance(atMs - clock.now()),
    escalated: (): readonly Received[] =>
      ops
        .events()
        .filter(({ type }) => type === "alert.escalated")
        .map(({ data }) => ({ atMs: Date.parse(data.occurred_at), message: data.message, data })),
  };
}

const postOld = (asked: Control) => asked("tweets", { username: "one", text: "old" });
const ack = (id: string) => `alerts/${id}/acknowledgement?by=Ada`;

it("notifies the next sink when nobody acknowledges an alert in time, each step once, also over a restart", async () => {
  const { alert, advanceTo, escalated, clock, stop, start, hook, status, page } =
    await startEscalating([
      { after: "15m", sink: "ops", when: 'labels.team == "sales"' },
      { after: "10m", sink: "ops", when: 'labels.team == "legal"' },
      { after: "30m", sink: "ops" },
    ]);
  const { id, sentAtMs, deliveries, explain } = await alert("news");
  const stepsNow = async () => (await explain()).deliveries[0].escalation.steps;
  const at = (minutes: number) => new Date(sentAtMs + minutes * MINUTE).toISOString();
  expect(await stepsNow()).toMatchObject([
    { sink: "ops", after: "15m", state: "planned", at: at(15) },
    { sink: "ops", after: "10m", state: "planned", at: at(25) },
    { sink: "ops", after: "30m", state: "planned", at: at(55) },
  ]);
  expect((await status()).sinks[0]?.escalations).toEqual([
    { to: "ops", count: 1, next_at: at(15) },
  ]);
  expect(await page()).toContain("to ops unless acknowledged");
  await advanceTo(sentAtMs + 15 * MINUTE - SECOND);
  expect(escalated()).toEqual([]);
  await advanceTo(sentAtMs + 15 * MINUTE + SECOND);
  expect(escalated()).toMatchObject([
    {
      message: expect.stringMatching(/^Not acknowledged for 15 minutes: /),
      data: {
        alerts: [{ id, type: "tweet.created" }],
        labels: { watch: "brand", team: "sales", event: "alert.escalated" },
        escalation: {
          ...{ reason: "unacknowledged", sink: "hook", step: 1 },
          message_id: deliveries[0].message_id,
        },
      },
    },
  ]);
  // The second step is passed over at its time, and the third counts from there. The daemon is not
  // running when the third is due, so it is sent right after the start.
  await advanceTo(sentAtMs + 50 * MINUTE);
  expect(escalated()).toHaveLength(1);
  expect(await stepsNow()).toMatchObject([
    { state: "sent", at: at(15), event: escalated()[0]?.data.id },
    { state: "passed", at: at(25), event: null },
    { state: "planned", at: at(55) },
  ]);
  await stop();
  await advanceTo(sentAtMs + 70 * MINUTE);
  await start();
  await clock.advance(SECOND);
  expect(escalated().map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Not acknowledged for 15 minutes: /),
    expect.stringMatching(/^Not acknowledged for 1 hour 10 minutes: /),
  ]);
  await clock.advance(120 * MINUTE);
  expect(escalated()).toHaveLength(2);
  expect(hook.events().filter(({ type }) => type === "alert.escalated")).toEqual([]);
});

it("escalates nothing that somebody acknowledged, and counts anew from an undo", async () => {
  const { alert, advanceTo, escalated, call, clock } = await startEscalating([
    { after: "15m", sink: "ops" },
    { after: "30m", sink: "ops" },
  ]);
  const { id, sentAtMs } = await alert("news");
  await call(ack(id), "POST");
  await advanceTo(sentAtMs + 20 * MINUTE);
  expect(escalated()).toEqual([]);
  const undoneAtMs = clock.now();
  await call(ack(id), "DELETE");
  await advanceTo(undoneAtMs + 15 * MINUTE - SECOND);
  expect(escalated()).toEqual([]);
  await advanceTo(undoneAtMs + 15 * MINUTE + SECOND);
  expect(escalated()).toMatchObject([{ atMs: undoneAtMs + 15 * MINUTE }]);
  await call(ack(id), "POST");
  const againAtMs = clock.now() + 5 * MINUTE;
  await advanceTo(againAtMs);
  await call(ack(id), "DELETE");
  await advanceTo(againAtMs + 30 * MINUTE - SECOND);
  expect(escalated()).toHaveLength(1);
  await advanceTo(againAtMs + 30 * MINUTE + SECOND);
  expect(escalated()).toMatchObject([{}, { atMs: againAtMs + 30 * MINUTE }]);
  await clock.advance(120 * MINUTE);
  expect(escalated()).toHaveLength(2);
});

it("drops a step that a reload removes, and escalates nothing that is silenced, snoozed or replayed", async () => {
  const { alert, advanceTo, escalated, call, clock, reload, setSteps } = await startEscalating([
    { after: "15m", sink: "ops" },
  ]);
  const first = await alert("first");
  const second = await alert("second");
  await call("silences", "POST", {
    ...{ matchers: ['watch="brand"'], duration: "1h", comment: "known", author: "Ada" },
  });
  await advanceTo(second.sentAtMs + 16 * MINUTE);
  expect(escalated()).toEqual([]);
  await clock.advance(60 * MINUTE);
  const third = await alert("third");
  await call(`replay?event=${third.id}`, "POST");
  const snoozed = await alert("snoozed");
  await call(`alerts/${snoozed.id}/snooze?for=1h&by=Ada`, "POST");
  const fourth = await alert("fourth");
  await advanceTo(fourth.sentAtMs + 16 * MINUTE);
  expect(escalated().map(({ data }) => data.alerts[0].id)).toEqual([fourth.id]);
  const fifth = await alert("fifth");
  setSteps(false);
  await reload();
  await clock.advance(MINUTE);
  setSteps([{ after: "15m", sink: "ops" }]);
  await reload();
  await advanceTo(fifth.sentAtMs + 16 * MINUTE);
  expect(escalated()).toHaveLength(1);
  const escalationOf = async ({ explain }: Pick<typeof first, "explain">) =>
    (await explain()).deliveries[0].escalation;
  expect((await escalationOf(fifth)).steps).toMatchObject([{ sink: "ops", state: "dropped" }]);
  expect(await escalationOf(first)).toMatchObject({ ended: "silenced", steps: [] });
  expect(await escalationOf(snoozed)).toMatchObject({ ended: "silenced", steps: [] });
  expect(await escalationOf(third)).toMatchObject({ ended: "replayed", steps: [] });
});

it("escalates at once what is given up, and what a sink does not take for the time", async () => {
  const { alert, advanceTo, escalated, clock, hook } = await startEscalating([
    { after: "15m", sink: "ops" },
  ]);
  hook.answer((_, response) => void response.writeHead(400).end("no"));
  const refused = await alert("refused");
  expect(escalated()).toMatchObject([
    {
      message: expect.stringMatching(/^Given up for hook \(.*400.*\): /),
      data: { alerts: [{ id: refused.id }], escalation: { reason: "dead" } },
    },
  ]);
  hook.answer((_, response) => void response.writeHead(503).end("down"));
  const failing = await alert("failing");
  const waiting = await alert("waiting");
  const failedAtMs = Date.parse((await failing.explain()).deliveries[0].attempt_log[0].at);
  await advanceTo(failedAtMs + 15 * MINUTE - SECOND);
  expect(escalated()).toHaveLength(1);
  await advanceTo(failedAtMs + 15 * MINUTE + SECOND);
  expect(escalated().slice(1)).toMatchObject([
    {
      message: expect.stringMatching(/^Not taken by hook for 15 minutes \(.*503.*\): /),
      data: { alerts: [{ id: failing.id }], escalation: { reason: "failing" } },
    },
  ]);
  await clock.advance(5 * MINUTE);
  expect(escalated().slice(2)).toMatchObject([{ data: { alerts: [{ id: waiting.id }] } }]);
});
