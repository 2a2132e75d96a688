import { readdirSync } from "node:fs";

/**
 * What is mutated, and which tests have to notice, the quick ones first. A survivor costs a run of all of them: what only slow tests
 * notice is a part of its own, and tests that start processes are left out.
 */
const inFolder = (folder, names) => names.map((name) => `${folder}/${name}.ts`);

const allOf = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);

/** What goes out together: plays of floods are long, and say nothing of the rest. */
const GATHERING = inFolder("src/deliver", ["digest", "group", "seal", "throttle"]);

/** What its own tests, without a pump, say all about. */
const APART = inFolder("src/deliver", ["attempt-log", "delays", "classify", "retry-schedule", "message-log"]);

export const FOLDERS = {
  route: [
    {
      mutate: allOf("src/route"),
      tests: inFolder("test/route", ["mute.test", "noise.test", "matcher.test", "time-interval.test", "route-event.test"]),
    },
  ],
  deliver: [
    {
      mutate: APART,
      tests: inFolder("test/deliver", ["retry-schedule.test", "classify.test", "attempt-log.test", "message-records.test"]),
    },
    {
      mutate: allOf("src/deliver").filter((file) => ![...APART, ...GATHERING, "src/deliver/crosspost.ts"].includes(file)),
      tests: inFolder("test/deliver", [
        "way-closes.test",
        "breaker-probes.test",
        "pump.test",
        "retrying.test",
        "stops.test",
        "breaker.test",
      ]),
    },
    {
      mutate: GATHERING,
      tests: inFolder("test/deliver", ["digest.test", "seal.test", "pump.test", "throttle.test", "retrying.test", "stops.test"]),
    },
    { mutate: ["src/deliver/crosspost.ts"], tests: ["test/deliver/crosspost.test.ts"] },
  ],
  // The operations of the outbox: what a poll writes for delivery, and what delivery reads and writes.
  state: [
    {
      mutate: inFolder("src/state", [
        "polls/commit-poll",
        "outbox/dead-letters",
        "outbox/due-work",
        "outbox/group-timers",
        "outbox/insert-deliveries",
        "items/insert-events",
        "outbox/next-due",
        "files/open-failures",
        "polls/quieten",
        "outbox/record",
        "outbox/resend-dead",
        "outbox/seal",
        "outbox/set-times-back",
        "ledger/settlements",
        "outbox/sink-health",
        "outbox/throttle",
        "outbox/wake-sink",
      ]),
      tests: inFolder("test/state", [
        "ledger/settlements.test",
        "outbox/dead-letters.test",
        "outbox/due-work.test",
        "sealing.test",
        "outbox/set-times-back.test",
        "outbox-migrations.test",
        "sqlite-store.test",
      ]),
    },
    { mutate: ["src/state/outbox/waiting.ts"], tests: ["test/state/waiting.test.ts"] },
    { mutate: ["src/state/outbox/crossposts.ts"], tests: inFolder("test/state", ["outbox/crossposts.test", "sqlite-store.test"]) },
  ],
  // The path of a reload: from the files that changed to what is polled and delivered afterwards.
  app: [
    {
      mutate: inFolder("src/app", [
        "changes/config-changes",
        "changes/memory-changes",
        "changes/renamed-watches",
        "daemon/registration",
        "reload/reload",
        "reload/watch-files",
      ]),
      tests: inFolder("test/app", [
        "reload/watch-files.test",
        "reload/reload.test",
        "reload-refused.test",
        "daemon/registration.test",
        "changes/config-changes.test",
        "changes/renamed-watches.test",
        "changes/memory-changes.test",
      ]),
    },
    {
      mutate: inFolder("src/app", ["delivering/active-watches", "delivering/delivering", "delivering/delivery"]),
      tests: inFolder("test/app", ["delivering/create-sink.test", "edits.test", "reload-under-way.test", "failing-sink.test"]),
    },
  ],
};
