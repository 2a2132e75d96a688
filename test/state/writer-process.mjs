/**
 * A process that writes polls, requests and messages to a state file until it is killed. Prints one
 * line when it has begun, or why the state cannot be opened. Its first argument is
 * process-parts.ts, bundled. With a third argument `nobody`, a process of root's gives up its
 * rights first, once it has read everything it runs.
 */
const [parts, path, user] = process.argv.slice(2);
const { createSeededRandom, createVirtualClock, loadDriver, makeEvent, openStore } = await import(
  parts
);

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
const clock = createVirtualClock(Date.UTC(2026, 0, 15));
const now = clock.now();

loadDriver();
if (user === "nobody") {
  process.setgroups([]);
  process.setgid(65_534);
  process.setuid(65_534);
}
try {
  const store = await openStore({ path, clock, random: createSeededRandom(1), log });
  const [watch] = await store.registerWatches(
    [{ id: "w", type: "search", targets: [{ key: "q", name: "q" }] }],
    now,
  );
  const target = { watchKey: watch.key, targetKey: "q" };
  process.stdout.write("writing\n");
  for (let round = 0; ; round += 1) await writeRound(store, target, round);
} catch (error) {
  process.stdout.write(
    `${JSON.stringify({ code: error.code, exitCode: error.exitCode, message: error.message, hint: error.hint })}\n`,
  );
  process.exitCode = error.exitCode ?? 1;
}

/** One poll of 20 items, one message for each, half of them sent. */
async function writeRound(store, target, round) {
  const events = Array.from({ length: 20 }, (_, i) => makeEvent(`${round}-${i}`));
  const [source] = await store.loadSources(["s"]);
  await store.commitPoll({
    atMs: now,
    source: {
      fingerprint: "s",
      expectedRevision: source.revision,
      memory: { round },
      polledAtMs: now,
      ok: true,
    },
    targets: [],
    verdicts: events.map((event) => ({
      ...target,
      itemId: event.subject,
      itemKind: "tweet",
      verdict: "event",
      detail: "",
      occurredAtMs: now,
      eventId: event.id,
    })),
    events,
    deliveries: events.map((event) => ({
      eventId: event.id,
      sink: "hook",
      groupKey: event.id,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs: 0,
    })),
  });
  const { groups } = await store.dueWork({
    nowMs: now,
    sinks: ["hook"],
    busy: new Set(),
    limit: 20,
  });
  const messages = groups.map((group) => ({
    id: `m-${group.members[0].deliveryId}`,
    sink: "hook",
    groupKey: group.groupKey,
    throttleKey: null,
    sealedAtMs: now,
    body: {},
    deliveryIds: group.members.map((member) => member.deliveryId),
  }));
  await store.seal(messages);
  await store.record(
    messages.slice(0, 10).map((message) => ({ messageId: message.id, kind: "sent", atMs: now })),
  );
}
