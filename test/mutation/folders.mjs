import { readdirSync } from "node:fs";

/**
 * The files to mutate, with the tests that must notice, quick ones first. A surviving mutant costs
 * a run of all these tests. Files that only slow tests cover are therefore entries of their own,
 * and tests that start processes are left out.
 */
const allOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);

/** Finds files by their names, anywhere below one or several folders. */
const inFolder = (folder, names) =>
  names.map((name) => {
    const found = [folder]
      .flat()
      .flatMap(allOf)
      .filter((file) => file.endsWith(`/${name}.ts`));
    if (found.length !== 1)
      throw new Error(`${folder} has ${found.length} files called ${name}.ts`);
    return found[0];
  });

/** The folders of the running daemon and of what an operator reads and does. */
const DAEMON = ["src/app", "src/operate"];
const DAEMON_TESTS = ["test/app", "test/operate"];

/**
 * The parts that gather alerts into one message, and the worker that runs them. They are an entry
 * of their own because simulations of floods are slow and test nothing else.
 */
const GATHERING = inFolder("src/deliver", ["digest", "group", "seal", "throttle", "worker"]);

/** Files that their own tests cover completely, without a pump. */
const APART = inFolder("src/deliver", [
  "attempt-log",
  "delays",
  "classify",
  "retry-schedule",
  "message-log",
  "record-outcomes",
  "send",
]);

const PUBLISHING = inFolder("src/deliver", ["crosspost"]);

export const FOLDERS = {
  route: [
    {
      mutate: allOf("src/route"),
      tests: inFolder("test/route", [
        "mute.test",
        "noise.test",
        "matcher.test",
        "time-interval.test",
        "route-event.test",
      ]),
    },
  ],
  deliver: [
    {
      mutate: APART,
      tests: inFolder("test/deliver", [
        "retry-schedule.test",
        "classify.test",
        "attempt-log.test",
        "record-outcomes.test",
        "send.test",
        "message-records.test",
      ]),
    },
    {
      mutate: allOf("src/deliver").filter(
        (file) => ![...APART, ...GATHERING, ...PUBLISHING].includes(file),
      ),
      tests: inFolder("test/deliver", [
        "way-closes.test",
        "breaker-probes.test",
        "pump.test",
        "retrying.test",
        "stops.test",
        "breaker.test",
        "publishing.test",
      ]),
    },
    {
      mutate: GATHERING,
      tests: inFolder("test/deliver", [
        "digest.test",
        "silenced.test",
        "plan-throttle.test",
        "seal.test",
        "way-closes.test",
        "breaker-probes.test",
        "pump.test",
        "retrying.test",
        "stops.test",
        "publishing.test",
        "throttle.test",
        "breaker.test",
      ]),
    },
    { mutate: PUBLISHING, tests: inFolder("test/deliver", ["publishing.test"]) },
  ],
  // The operations of the outbox: what a poll writes for delivery, and what delivery reads and
  // writes.
  state: [
    {
      mutate: inFolder("src/state", [
        "commit-poll",
        "alert-ahead",
        "dead-letters",
        "digest-period",
        "digest-series",
        "due-work",
        "earlier-alerts",
        "edited-posts",
        "failed-attempts",
        "followed-alerts",
        "gone-posts",
        "group-timers",
        "holds",
        "insert-deliveries",
        "insert-events",
        "joined-dead",
        "level-steps",
        "next-due",
        "place-again",
        "read-groups",
        "release-waiting",
        "store-outcomes",
        "resend-dead",
        "seal",
        "set-times-back",
        "settlements",
        "sink-health",
        "split-message",
        "throttle",
        "wake-sink",
        "taken",
        "withhold",
      ]),
      tests: inFolder("test/state", [
        "settlements.test",
        "commit-poll.test",
        "dead-letters.test",
        "due-work.test",
        "sealing.test",
        "set-times-back.test",
        "outbox-migrations.test",
        "sqlite-store.test",
      ]),
    },
    {
      mutate: inFolder("src/state/outbox", [
        "begin-escalations",
        "escalations",
        "snoozed-deliveries",
        "snoozed-on",
      ]),
      tests: inFolder("test/state", ["sqlite-store.test"]),
    },
    { mutate: inFolder("src/state", ["waiting"]), tests: inFolder("test/state", ["waiting.test"]) },
    { mutate: inFolder("src/state", ["quieten"]), tests: inFolder("test/state", ["quieten.test"]) },
    {
      mutate: inFolder("src/state", ["dedupe-keys", "replace-held"]),
      tests: inFolder("test/state", ["dedupe-keys.test", "sqlite-store.test"]),
    },
    {
      mutate: inFolder("src/state", ["enrichments"]),
      tests: inFolder("test/state", ["enrichments.test"]),
    },
    {
      mutate: inFolder("src/state", ["mentions", "threads"]),
      tests: inFolder("test/state", ["mentions.test", "threads.test"]),
    },
    {
      mutate: inFolder("src/state", ["move-sink", "unseal"]),
      tests: inFolder("test/deliver", ["moved-sink.test"]),
    },
    {
      mutate: inFolder("src/state", ["audit"]),
      tests: inFolder("test/state", ["dead-letters.test"]),
    },
    {
      mutate: inFolder("src/state", ["silences", "silenced-deliveries"]),
      tests: inFolder("test/state", ["silences.test", "sqlite-store.test"]),
    },
    {
      mutate: inFolder("src/state", ["crossposts"]),
      tests: inFolder("test/state", ["crossposts.test", "sqlite-store.test"]),
    },
  ],
  // The path of a reload: from the files that changed to what is polled and delivered afterwards.
  app: [
    {
      mutate: inFolder(DAEMON, [
        "config-changes",
        "memory-changes",
        "sent-changes",
        "renamed-watches",
        "registration",
        "reload",
        "watch-files",
      ]),
      tests: inFolder(DAEMON_TESTS, [
        "watch-files.test",
        "reload.test",
        "reload-refused.test",
        "registration.test",
        "config-changes.test",
        "renamed-watches.test",
        "memory-changes.test",
      ]),
    },
    {
      mutate: inFolder(DAEMON, [
        "active-watches",
        "create-reader",
        "delivering",
        "delivery",
        "silences",
        "templates",
      ]),
      tests: inFolder(DAEMON_TESTS, [
        "silences.test",
        "templates.test",
        "create-sink.test",
        "reader.test",
        "delivering.test",
        "edits.test",
        "reload-under-way.test",
        "failing-sink.test",
        "words-about-health.test",
        "dead-letters.test",
      ]),
    },
    { mutate: inFolder(DAEMON, ["enriching"]), tests: inFolder(DAEMON_TESTS, ["enriching.test"]) },
    {
      mutate: inFolder(DAEMON, ["routing", "stranded", "swap"]),
      tests: inFolder(DAEMON_TESTS, ["stranded.test", "routing.test", "swap.test"]),
    },
  ],
};

/** Folders in which every file is mutated, or left out for a reason. */
export const WHOLE = [
  "src/route",
  "src/deliver",
  "src/state/outbox",
  "src/state/polls",
  "src/operate/changes",
  "src/app/delivering",
  "src/operate/alerts",
  "src/app/reload",
];

/** Files that are not mutated, by the reason. */
export const LEFT_OUT = {
  "The tests of registered watches say all about it.": inFolder("src/operate/changes", [
    "registration-of",
  ]),
  "A reload does not change it: it reads the active configuration each time, or serves a command.":
    inFolder(
      ["src/app/delivering", "src/operate/alerts"],
      [
        "create-sink",
        "dead-letters",
        "dead-reports",
        "dead-text",
        "escalation-event",
        "escalations",
        "fallback-notifier",
        "level-follow-ups",
        "levels",
        "listed-at",
        "mark-actions",
        "replays",
        "route-test",
        "send-sample",
        "silence-actions",
        "silence-request",
        "waiting",
      ],
    ),
};
