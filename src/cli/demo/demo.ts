/**
 * `chirpwatch demo`: runs sandbox, daemon and console in one process, in five chapters: silent
 * baseline, alerts, a restart without duplicate alerts, an acknowledgement, a digest and a report
 * with the totals. Its
 * deadlines are in demo-times.ts, its changes to the configuration in demo-config.ts.
 */
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { buildReport } from "../../operate/reports/build-report.ts";
import { createTeardown } from "../../app/daemon/teardown.ts";
import { sleep } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { CliContext } from "../terminal/context.ts";
import { acknowledgeAlert, WHO } from "./acknowledge-alert.ts";
import { ownCommand } from "./own-command.ts";
import {
  type DemoStore,
  hasBaseline,
  itemOf,
  notedWatches,
  countAll,
  sentAt,
  watchEvents,
} from "./demo-counts.ts";
import { type DemoFlags, type DemoRun, interrupted, startRun } from "./demo-run.ts";
import {
  acknowledgedText,
  baselineText,
  chapter,
  introText,
  outroText,
  pastText,
  repeatText,
  reportText,
  summaryText,
  tryText,
  pastWaitText,
} from "./demo-text.ts";
import { BASELINE_UNTIL_MS, demoTimes } from "./demo-times.ts";
import { PAST_DAYS } from "./live-past.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CHECK_EVERY_MS = 50;
/** How often every watch is polled again after the restart, if there is time. */
const ENCORE_POLLS = 3;
/**
 * Enough ms for one more poll of the slowest watch, and for a digest of the items that it finds.
 */
const LAST_ALERTS_MS = 7_000;

export function addDemo(program: Command, context: CliContext): void {
  program
    .command("demo")
    .description("show the daemon at work on an invented world: no key, no network")
    .option("-c, --config <file>", "configuration to run (default: the example of the package)")
    .option("--once", "end after the summary (the default)")
    .option(
      "--stay",
      "run through fourteen simulated days first, and keep running after the summary until a signal",
    )
    .addHelpText("after", "\nExample:\n  chirpwatch demo --stay")
    .action((flags: DemoFlags) => demo(context, flags));
}

async function demo(context: CliContext, flags: DemoFlags): Promise<void> {
  const log = context.logger("warn");
  const stop = new AbortController();
  const teardown = createTeardown(log);
  teardown.push(
    "signals",
    context.onSignals(["SIGINT", "SIGTERM"], () => stop.abort()),
  );
  teardown.push("http", () => context.http.close());
  try {
    const run = await startRun(context, flags, { log, signal: stop.signal, teardown }, () =>
      context.out(pastWaitText(PAST_DAYS)),
    );
    await play(run, flags);
  } finally {
    await teardown.drain();
    await log.flush();
  }
}

async function play(run: DemoRun, flags: DemoFlags): Promise<void> {
  const { context, config, store, screen } = run;
  const staying = flags.stay === true;
  const watches = config.watches.filter(({ enabled }) => enabled);
  const ids = watches.map(({ id }) => id);
  const types = new Set(watches.map(({ type }) => type));
  const say = context.out;

  await introduce(run, watches);
  const times = demoTimes(run.past?.tookMs ?? context.clock.monotonic() - run.startedAtMs);

  say(chapter(2, "The world moves", "posts, followers and scores, as they come"));
  screen.open();
  await waitFor(
    run,
    times.restartMs,
    async () => (await alertedTypes(store)).size > types.size / 2,
  );
  // A restart can only cause duplicates of alerts that were sent before it, so wait for one.
  await waitFor(run, times.alertsMs, async () => (await alertedTypes(store)).size > 0);

  const alertedBefore = await watchEvents(store);
  say(
    chapter(
      3,
      "The daemon stops and starts again",
      "same state; the service serves the same pages once more",
    ),
  );
  await run.restart();
  const isPolled = (times: number) => ids.every((id) => (run.polled.byWatch.get(id) ?? 0) >= times);
  await waitFor(run, times.alertsMs, async () => {
    const alerted = await alertedTypes(store);
    return isPolled(1) && [...types].every((type) => alerted.has(type));
  });
  await waitFor(run, times.encoreMs, async () => isPolled(ENCORE_POLLS));
  const servedAgain = () =>
    alertedBefore
      .map((event) => run.answers.served.get(itemOf(event)) ?? 0)
      .filter((served) => served > 0);
  await waitFor(run, times.alertsMs, async () => servedAgain().length > 0);
  const again = servedAgain();
  const served = again.reduce((sum, one) => sum + one, 0);
  say(
    `\n${repeatText({ alertedBefore: alertedBefore.length, servedAgain: again.length, times: served, duplicates: screen.repeats })}`,
  );

  await acknowledgeOne(run, alertedBefore);

  if (staying) say(chapter(5, "A report", "the numbers of the fourteen days"));
  else {
    say(
      chapter(
        5,
        "A digest and a report",
        "the last changes as one message, and the numbers of the whole demo",
      ),
    );
    await awaitLastAlerts(run, ids);
    say("");
    await run.end();
  }
  await sumUp(run, { ids, staying });
  // With `--stay` the demo continues, so the alerts that are still missing may come later.
  if (!staying) await checkOutcome(run, types, again.length);
  say(outroText(staying));
  if (staying) await untilAborted(run.signal);
}

/** Shows what becomes of a message when somebody acknowledges its alert: of a post, if there is one. */
async function acknowledgeOne(run: DemoRun, alerted: readonly ChirpEvent[]): Promise<void> {
  const event = alerted.find(({ type }) => type === "tweet.created") ?? alerted[0];
  if (event === undefined) return;
  run.context.out(chapter(4, "Somebody has it", `${WHO} acknowledges an alert`));
  run.context.out(acknowledgedText(await acknowledgeAlert(run, event)));
}

/** Shows the report and the totals. */
async function sumUp(
  run: DemoRun,
  { ids, staying }: { readonly ids: readonly string[]; readonly staying: boolean },
): Promise<void> {
  const { context, config, store, screen } = run;
  const nowMs = context.clock.now();
  const sinceMs = nowMs - (staying ? PAST_DAYS * DAY_MS : HOUR_MS);
  const asked = {
    name: null,
    title: "The demo",
    watches: ids,
    by: ["lang"],
    top: 3,
    timezone: "UTC",
  };
  const { linksHost, state } = config;
  const about = { ...asked, fromMs: sinceMs, toMs: nowMs, nowMs };
  context.out(
    reportText(await buildReport({ store, linksHost, retentionMs: state.retentionMs }, about)),
  );
  const billed = await run.billed();
  const counts = await countAll(store);
  context.out(
    summaryText({
      counts,
      polls: run.polled.count,
      billed,
      alerts: screen.count,
      statusUrl: run.url(),
      staying,
    }),
  );
}

/**
 * Explains the demo and shows its first chapter: the silent baseline or, with `--stay`, the days
 * before the demo.
 */
async function introduce(run: DemoRun, watches: DemoRun["config"]["watches"]): Promise<void> {
  const { context, config, sandbox, store, past } = run;
  context.out(
    introText({
      configFile: basename(run.configFile),
      watches,
      sinks: config.sinks.length,
      statePath: config.state.path,
      statusUrl: run.url(),
      token: config.server.token,
      serviceUrl: sandbox.url,
    }),
  );
  const ids = watches.map(({ id }) => id);
  if (past === undefined) {
    context.out(chapter(1, "A silent baseline", "existing items are recorded and raise no alert"));
    await waitFor(run, BASELINE_UNTIL_MS, () => hasBaseline(store, ids));
    context.out(baselineText(await notedWatches(store, ids)));
    return;
  }
  context.out(
    chapter(
      1,
      `${PAST_DAYS} days before now`,
      "the same daemon and the same world, on a clock that does not wait",
    ),
  );
  context.out(pastText(past, PAST_DAYS, watches));
  const { script, env } = context;
  context.out(
    tryText(ownCommand(script, { env, folder: resolve() }), run.ownConfigFile, past.latestItem),
  );
}

/**
 * Waits for the alerts on the last changes of the scenario, which the next polls find, so that they
 * are counted.
 */
async function awaitLastAlerts(run: DemoRun, ids: readonly string[]): Promise<void> {
  run.finishScenario();
  const polled = new Map(run.polled.byWatch);
  const isRead = () => ids.every((id) => (run.polled.byWatch.get(id) ?? 0) > (polled.get(id) ?? 0));
  const untilMs = run.context.clock.monotonic() - run.startedAtMs + LAST_ALERTS_MS;
  await waitFor(
    run,
    untilMs,
    async () => isRead() && (await run.store.outboxStats()).every(({ waiting }) => waiting === 0),
  );
}

/** Returns the types of the watches whose alerts were shown. */
async function alertedTypes(store: DemoStore): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  for (const event of await watchEvents(store))
    if (!types.has(event.watchType) && (await sentAt(store, event)) !== undefined)
      types.add(event.watchType);
  return types;
}

/**
 * Checks the result. @throws ExitError if a watch type raised no alert, an alert was sent twice, or
 * nothing was served again
 */
async function checkOutcome(
  { store, screen }: DemoRun,
  types: ReadonlySet<string>,
  servedAgain: number,
): Promise<void> {
  const alerted = new Set((await watchEvents(store)).map(({ watchType }) => watchType));
  const silent = [...types].filter((type) => !alerted.has(type));
  if (silent.length > 0) throw failed(`no alert came from ${silent.join(", ")} in time`);
  if (screen.repeats > 0) throw failed(`${screen.repeats} duplicate alerts were delivered`);
  if (servedAgain === 0) throw failed("the service served nothing again, so nothing was verified");
}

const failed = (message: string): ExitError =>
  new ExitError(EXIT.failed, "DEMO_FAILED", `the demo failed: ${message}`);

/**
 * Waits until the condition holds, or until `untilMs` after the start. @throws ExitError if a
 * signal interrupts the demo
 */
async function waitFor(
  { context, startedAtMs, signal }: DemoRun,
  untilMs: number,
  isSo: () => Promise<boolean>,
): Promise<void> {
  while (!(await isSo()) && context.clock.monotonic() - startedAtMs < untilMs) {
    await sleep(context.clock, CHECK_EVERY_MS, signal);
    if (signal.aborted) throw interrupted();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
