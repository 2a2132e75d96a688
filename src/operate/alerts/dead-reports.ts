/**
 * Notifies ops about alerts that were given up: once per sink and cause, at most once an hour. If
 * the failed sink is the only sink of ops, the report waits until the sink accepts messages again.
 * If no other delivery would test that sink, the report itself is sent as a test.
 */
import type { Config } from "../../config/config.ts";
import type { OpsAlert, OpsAlerts } from "../../model/ops-alerts.ts";
import { type Cancel, type Clock, passedMs } from "../../model/clock.ts";
import type { DeadLetter, DeadLetters, UnreportedDead } from "../../model/dead-letters.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Log } from "../../model/log.ts";
import type { Outbox, SinkHealth } from "../../model/outbox.ts";
import { deadSentence } from "./dead-text.ts";
import { createReader } from "../create-reader.ts";

export interface DeadReportsDeps {
  readonly store: DeadLetters & Pick<Outbox, "loadSinkHealth" | "nextDueAt">;
  readonly clock: Clock;
  readonly log: Log;
  readonly opsAlerts: OpsAlerts;
  /** Whether this replica reports the dead letters of a sink. */
  readonly isOwn: (sink: string) => boolean;
  readonly config: () => Config;
}

export interface DeadReports {
  /**
   * Called when messages were given up, when a sink works again, or when this replica has become
   * responsible for reports about more sinks. Reports that are due are sent `GATHER_MS` later.
   */
  wake(): void;
  stop(): Promise<void>;
}

/** Messages that are given up within this time share one report. */
const GATHER_MS = 5_000;
const ONCE_IN_MS = 3_600_000;
/** A report that cannot be sent yet is checked again after this time. */
const AGAIN_MS = 60_000;
const SHOWN = 10;

export function createDeadReports(deps: DeadReportsDeps): DeadReports {
  const { clock, log } = deps;
  let timer: { readonly cancel: Cancel; readonly dueAtMs: number } | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;

  const runIn = (ms: number) => {
    const dueAtMs = clock.monotonic() + ms;
    if (isStopped || (timer !== undefined && timer.dueAtMs <= dueAtMs)) return;
    timer?.cancel();
    const cancel = clock.after(ms, () => {
      timer = undefined;
      running = running.then(run).catch((error: unknown) => {
        log.error("dead letters could not be reported", { error });
        runIn(AGAIN_MS);
      });
    });
    timer = { cancel, dueAtMs };
  };
  const run = async () => {
    const open = new Map(
      (await deps.store.loadSinkHealth())
        .filter(({ breaker }) => breaker === "open")
        .map((one) => [one.sink, one]),
    );
    let isLeft = false;
    for (const group of await deps.store.unreportedDead()) {
      if (deps.isOwn(group.sink) && (await isDue(group, deps, open.get(group.sink))))
        await report(deps, group);
      else isLeft = true;
    }
    if (isLeft) runIn(AGAIN_MS);
  };
  return {
    wake: () => runIn(GATHER_MS),
    stop() {
      isStopped = true;
      timer?.cancel();
      return running;
    },
  };
}

/** Returns the sinks of ops except the sink that a report is about. */
const othersOf = (config: Config, sink: string): readonly string[] =>
  config.ops.sinks.filter((name) => name !== sink);

async function isDue(
  { sink, reportedAtMs }: UnreportedDead,
  deps: DeadReportsDeps,
  open: SinkHealth | undefined,
): Promise<boolean> {
  const { config, clock, store } = deps;
  const isOnlyOfOps = config().ops.sinks.includes(sink) && othersOf(config(), sink).length === 0;
  if (isOnlyOfOps && open !== undefined) {
    // A delivery that is due will test the sink, so the report waits for the result. Nothing tests
    // a sink that is disabled.
    const isTried = ((await store.nextDueAt([sink])) ?? Number.POSITIVE_INFINITY) <= clock.now();
    return !isTried && open.goneFrom === null;
  }
  return reportedAtMs === null || passedMs(reportedAtMs, clock.now()) >= ONCE_IN_MS;
}

async function report(deps: DeadReportsDeps, group: UnreportedDead): Promise<void> {
  const { store, config, clock, opsAlerts } = deps;
  const letters = await store.listDead({ messageIds: group.messageIds.slice(0, SHOWN) }, SHOWN);
  const hasOther = othersOf(config(), group.sink).length > 0;
  const events = letters.flatMap((letter) => letter.events);
  const isOfReports =
    !hasOther && events.length > 0 && events.every(({ type }) => type === DEAD_REPORT);
  if (!isOfReports) await opsAlerts.raise(opsAlertOf(config(), group, letters, hasOther));
  // A report that no sink accepted is raised again. The only sink of ops may have refused it because
  // it refused everything at that time. `isDue` lets an hour pass between two reports.
  else {
    for (const event of events) await opsAlerts.raise(alertAgain(event, group.sink));
    await store.acknowledgeDead({ messageIds: group.messageIds }, clock.now());
  }
  await store.markDeadReported(group.messageIds, clock.now());
}

const DEAD_REPORT = "delivery.dead";

function alertAgain({ body }: ChirpEvent, sink: string): OpsAlert {
  const { message, hint, ...facts } = body;
  return {
    ...{
      type: DEAD_REPORT,
      subject: sink,
      severity: "critical",
      message: typeof message === "string" ? message : "",
    },
    ...(typeof hint === "string" ? { hint } : {}),
    facts: facts as NonNullable<OpsAlert["facts"]>,
  };
}

function opsAlertOf(
  config: Config,
  group: UnreportedDead,
  letters: readonly DeadLetter[],
  hasOther: boolean,
): OpsAlert {
  const { sink, alerts, messageIds } = group;
  const read = createReader(config.linksHost);
  const events = letters.flatMap((letter) => letter.events).slice(0, SHOWN);
  const links = events.map((event) => read({ event, watches: [event.watch] }).url ?? event.id);
  const more = alerts > links.length ? [`and ${alerts - links.length} more`] : [];
  const what = `chirpwatch dead list shows them, chirpwatch replay --dead --sink ${sink} sends them again, chirpwatch dead ack --sink ${sink} accepts the loss.`;
  return {
    type: DEAD_REPORT,
    subject: sink,
    severity: "critical",
    message: deadSentence(group, config.sinks.find(({ name }) => name === sink)?.retryForMs),
    hint: [...links, ...more, what].join("\n"),
    facts: {
      message_ids: [...messageIds.slice(0, SHOWN)],
      event_ids: events.map(({ id }) => id),
      links,
    },
    ...(hasOther ? { exceptSink: sink } : {}),
  };
}
