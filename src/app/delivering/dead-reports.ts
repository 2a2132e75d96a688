/** Notifies ops of alerts that were given up: once per sink and cause, at most once an hour, never through a sink that takes nothing. */
import type { Config } from "../../config/config.ts";
import type { OpsAlert, OpsAlerts } from "../../model/ops-alerts.ts";
import { type Cancel, type Clock, passedMs } from "../../model/clock.ts";
import type { DeadLetter, DeadLetters, UnreportedDead } from "../../model/dead-letters.ts";
import type { Log } from "../../model/log.ts";
import type { Outbox } from "../../model/outbox.ts";
import { deadSentence } from "./dead-text.ts";
import { createReader } from "../daemon/create-reader.ts";

export interface DeadReportsDeps {
  readonly store: DeadLetters & Pick<Outbox, "loadSinkHealth">;
  readonly clock: Clock;
  readonly log: Log;
  readonly opsAlerts: OpsAlerts;
  /** Whether it is this replica that reports what died of a sink. */
  readonly isOwn: (sink: string) => boolean;
  readonly config: () => Config;
}

export interface DeadReports {
  /** Messages were given up, a sink works again, or there are more of which this one reports: reports what is due in a moment. */
  wake(): void;
  stop(): Promise<void>;
}

/** What dies together is one report. */
const GATHER_MS = 5_000;
const ONCE_IN_MS = 3_600_000;
/** What may not be reported yet is checked again. */
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
    const open = new Set((await deps.store.loadSinkHealth()).filter(({ breaker }) => breaker === "open").map(({ sink }) => sink));
    let isLeft = false;
    for (const group of await deps.store.unreportedDead()) {
      if (deps.isOwn(group.sink) && isDue(group, deps, open)) await report(deps, group);
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

/** The sinks of ops that are not the one it is about. */
const othersOf = (config: Config, sink: string): readonly string[] => config.ops.sinks.filter((name) => name !== sink);

function isDue({ sink, reportedAtMs }: UnreportedDead, { config, clock }: DeadReportsDeps, open: ReadonlySet<string>): boolean {
  if (reportedAtMs !== null && passedMs(reportedAtMs, clock.now()) < ONCE_IN_MS) return false;
  // Where ops has no other sink it hears of it through this one, once it takes messages again.
  return !(config().ops.sinks.includes(sink) && othersOf(config(), sink).length === 0 && open.has(sink));
}

async function report(deps: DeadReportsDeps, group: UnreportedDead): Promise<void> {
  const { store, config, clock } = deps;
  const letters = await store.listDead({ messageIds: group.messageIds.slice(0, SHOWN) }, SHOWN);
  const hasOther = othersOf(config(), group.sink).length > 0;
  const isOwn = letters.every(({ events }) => events.every(({ watchType }) => watchType === "daemon"));
  // Ops alerts that no sink of ops takes cannot be reported through one.
  if (hasOther || !isOwn) await deps.opsAlerts.raise(opsAlertOf(config(), group, letters, hasOther));
  await store.markDeadReported(group.messageIds, clock.now());
}

function opsAlertOf(config: Config, group: UnreportedDead, letters: readonly DeadLetter[], hasOther: boolean): OpsAlert {
  const { sink, alerts, messageIds } = group;
  const read = createReader(config.linksHost);
  const events = letters.flatMap((letter) => letter.events).slice(0, SHOWN);
  const links = events.map((event) => read({ event, watches: [event.watch] }).url ?? event.id);
  const more = alerts > links.length ? [`and ${alerts - links.length} more`] : [];
  const what = `chirpwatch dead list shows them, chirpwatch replay --dead --sink ${sink} sends them again, chirpwatch dead ack --sink ${sink} accepts the loss.`;
  return {
    type: "delivery.dead",
    subject: sink,
    severity: "critical",
    message: deadSentence(group, config.sinks.find(({ name }) => name === sink)?.retryForMs),
    hint: [...links, ...more, what].join("\n"),
    facts: { message_ids: [...messageIds.slice(0, SHOWN)], event_ids: events.map(({ id }) => id), links },
    ...(hasOther ? { exceptSink: sink } : {}),
  };
}
