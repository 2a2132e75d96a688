/**
 * Creates the daemon's own events. They are stored like any other event, and delivered only to
 * `ops.sink` and to routes that name them.
 */
import { LearnedValues } from "../../groups/memory/learned-values.ts";
import { type ChirpEvent, eventId } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import { createInTurn } from "../../model/in-turn.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Condition, OpsAlert, OpsAlerts } from "../../model/ops-alerts.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { Share } from "../../model/replicas.ts";
import { type CommitDeps, commitEvents } from "../../polling/run/commit-events.ts";

/**
 * Stores an alert as an event and routes it. Calls with the same alert and `episode` store one
 * event only. @throws StoreError
 */
export type Publish = (alert: OpsAlert, episode: string) => Promise<void>;

export interface OpsAlertsDeps extends Pick<Ports, "clock" | "random" | "log"> {
  readonly store: LearnedStore;
  readonly share: Pick<Share, "isAlone">;
  readonly publish: Publish;
}

export const createOpsAlerts = (deps: OpsAlertsDeps): OpsAlerts => new RememberedAlerts(deps);

/** The stored row of a condition. A condition is a problem that is reported once while it lasts. */
interface Lasting {
  /**
   * How many times the condition was raised. The number is part of the event's id. If the daemon
   * crashes after an alert and before this row is written, the alert is raised again with the same
   * number, so its event is stored only once.
   */
  readonly times: number;
  readonly isRaised: boolean;
  readonly about: string;
  readonly endsAtMs?: number | undefined;
  /**
   * No replica clears the condition before this time (epoch ms), because another replica may still
   * observe the problem.
   */
  readonly seenUntilMs?: number;
}

/**
 * Remembers which conditions were raised. If there are several replicas, each reads a condition
 * from the state before it changes it, because all of them raise and clear the same conditions.
 */
class RememberedAlerts implements OpsAlerts {
  readonly #deps: OpsAlertsDeps;
  readonly #conditions: LearnedValues<Lasting>;
  /**
   * The keys of conditions that are raised now. They are few, while `#conditions` has every
   * condition that was ever raised.
   */
  readonly #raised = new Set<string>();
  /** The alerts that could not be stored yet, by type, subject and episode; oldest first. */
  readonly #unstored = new Map<string, { readonly alert: OpsAlert; readonly episode: string }>();
  readonly #inTurn = createInTurn();

  constructor(deps: OpsAlertsDeps) {
    const { store, clock } = deps;
    this.#deps = deps;
    const restore = (stored: unknown, key: string): Lasting => {
      if ((stored as Lasting).isRaised) this.#raised.add(key);
      else this.#raised.delete(key);
      return stored as Lasting;
    };
    this.#conditions = new LearnedValues<Lasting>({
      scope: "ops_alerts",
      store,
      clock,
      writeEveryMs: 0,
      restore,
    });
  }

  async raise(alert: OpsAlert): Promise<void> {
    const { once } = alert;
    if (once !== undefined) return this.#one(once.key, () => this.#raiseOnce(alert, once));
    await this.#publish(alert, alert.episode ?? this.#deps.random.id());
  }

  async clear(key: string, recovered?: OpsAlert): Promise<void> {
    await this.#one(key, async () => {
      const known = this.#conditions.get(key);
      if (
        known === undefined ||
        !this.#lasts(key) ||
        (known.seenUntilMs ?? 0) > this.#deps.clock.now()
      )
        return;
      if (recovered !== undefined && !(await this.#publish(recovered, `${key}#${known.times}`)))
        return;
      this.#conditions.put(key, { times: known.times, isRaised: false, about: "" });
      this.#raised.delete(key);
    });
  }

  async load(): Promise<void> {
    for (const { alert, episode } of [...this.#unstored.values()])
      if (alert.once === undefined) await this.#publish(alert, episode);
    return this.#deps.share.isAlone ? this.#conditions.load() : this.reload();
  }

  reload(): Promise<void> {
    return this.#inTurn(() => this.#conditions.reload());
  }

  lasting(prefix: string): ReadonlySet<string> {
    const keys = [...this.#raised].filter((key) => key.startsWith(prefix) && this.#lasts(key));
    return new Set(keys.map((key) => key.slice(prefix.length)));
  }

  async #raiseOnce(
    alert: OpsAlert,
    { key, about = "", endsAtMs, seenForMs }: Condition,
  ): Promise<void> {
    const { share, clock } = this.#deps;
    const known = this.#conditions.get(key);
    const seen =
      share.isAlone || seenForMs === undefined ? {} : { seenUntilMs: clock.now() + seenForMs };
    if (known !== undefined && this.#lasts(key) && known.about === about) {
      if (seen.seenUntilMs !== undefined) this.#conditions.put(key, { ...known, ...seen });
      return;
    }
    const times = (known?.times ?? 0) + 1;
    if (!(await this.#publish(alert, `${key}#${times}`))) return;
    this.#conditions.put(key, {
      times,
      isRaised: true,
      about,
      endsAtMs,
      ...seen,
    });
    this.#raised.add(key);
  }

  #lasts(key: string): boolean {
    const { endsAtMs = Number.POSITIVE_INFINITY } = this.#conditions.get(key) ?? {};
    return this.#raised.has(key) && this.#deps.clock.now() < endsAtMs;
  }

  /**
   * Changes conditions one at a time. If the ops alert of a change cannot be stored, the condition
   * is not changed either, and the code that observes the problem tries the change again at its
   * next check. If the condition itself cannot be stored, the change is in effect until the next
   * restart.
   */
  #one(key: string, change: () => Promise<void>): Promise<void> {
    const { share, log } = this.#deps;
    return this.#inTurn(async () => {
      await (share.isAlone ? this.#conditions.load() : this.#conditions.reload([key])).catch(
        () => undefined,
      );
      await change();
      await this.#conditions.flush();
    }).catch((error: unknown) => log.error("open ops alerts could not be stored", { error }));
  }

  /**
   * Logs an alert and stores it as an event. Returns whether it is stored. If it cannot be stored,
   * it is logged only once, however often storing it is tried again.
   */
  async #publish(alert: OpsAlert, episode: string): Promise<boolean> {
    const { log, publish } = this.#deps;
    const key = `${alert.type} ${alert.subject} ${episode}`;
    if (!this.#unstored.has(key)) logAlert(log, alert);
    try {
      await publish(alert, episode);
    } catch (error) {
      if (this.#unstored.has(key)) return false;
      log.error("ops alert could not be stored; it is tried again", { alert: alert.type, error });
      this.#keep(key, alert, episode);
      return false;
    }
    this.#unstored.delete(key);
    return true;
  }

  #keep(key: string, alert: OpsAlert, episode: string): void {
    for (const oldest of this.#unstored.keys()) {
      if (this.#unstored.size < MAX_UNSTORED) break;
      this.#unstored.delete(oldest);
    }
    this.#unstored.set(key, { alert, episode });
  }
}

/** The number of alerts that are kept to be tried again. Older ones are in the log only. */
const MAX_UNSTORED = 100;

function logAlert(log: Ports["log"], alert: OpsAlert): void {
  const fields = {
    alert: alert.type,
    subject: alert.subject,
    text: alert.message,
    ...alert.facts,
  };
  if (alert.severity === "info") log.info("ops alert", fields);
  else log.warn("ops alert", fields);
}

export interface PublisherDeps extends CommitDeps, Pick<Ports, "clock" | "hash"> {
  readonly route: (
    event: ChirpEvent,
    exceptSink: string | undefined,
    nowMs: number,
  ) => readonly NewDelivery[];
}

/** Creates a function that stores an alert as an event with its deliveries. */
export const createPublisher =
  (deps: PublisherDeps): Publish =>
  async (alert, episode) => {
    const { clock, hash, route } = deps;
    const nowMs = clock.now();
    const event = eventOf(alert, hash, episode, nowMs);
    const commit = {
      atMs: nowMs,
      targets: [],
      verdicts: [],
      events: [event],
      deliveries: route(event, alert.exceptSink, nowMs),
    };
    await commitEvents(deps, commit);
  };

function eventOf(alert: OpsAlert, hash: Hash, episode: string, nowMs: number): ChirpEvent {
  return {
    id: eventId(hash, "", { type: alert.type, subject: alert.subject, episode }),
    type: alert.type,
    watchKey: "",
    watch: alert.watch ?? "",
    watchType: "daemon",
    subject: alert.subject,
    labels: {
      watch: alert.watch ?? "",
      type: "daemon",
      event: alert.type,
      target: alert.subject,
      severity: alert.severity,
    },
    body: {
      message: alert.message,
      ...(alert.hint === undefined ? {} : { hint: alert.hint }),
      ...alert.facts,
    },
    occurredAtMs: nowMs,
    detectedAtMs: nowMs,
  };
}
