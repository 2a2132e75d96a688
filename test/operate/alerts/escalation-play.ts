/**
 * Plays escalations from a seed: alerts, acknowledgements, undos, silences, reloads, and leaders
 * that are killed around a commit, replaced, or two at once. A model that shares no code with the
 * daemon decides which steps must be sent and when. No other step may be sent.
 */
import type { Config } from "../../../src/config/config.ts";
import type { ChirpEvent } from "../../../src/model/event.ts";
import type { EscalationStore } from "../../../src/model/escalation.ts";
import type { Store } from "../../../src/model/store.ts";
import { type Escalations, startEscalations } from "../../../src/operate/alerts/escalations.ts";
import { createRouting } from "../../../src/operate/alerts/routing.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { makeEvent } from "../../support/make-event.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import { EscalationModel, type ModelStep, type Sent } from "./escalation-model.ts";

const SINKS = ["chat", "other"] as const;
const SLOT_MS = 10_000;
const MINUTE = 60_000;

export interface Scene {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly seed: number;
  /** Loads a configuration with these steps, by the sink that has them. */
  readonly load: (steps: Readonly<Record<string, readonly ModelStep[]>>) => Promise<Config>;
}

export interface PlayedEscalations {
  readonly expected: readonly Sent[];
  readonly sent: readonly Sent[];
  /** Steps of one message at one moment that were sent as more than one event. */
  readonly divided: readonly string[];
  readonly errors: readonly string[];
}

export async function playEscalations(scene: Scene): Promise<PlayedEscalations> {
  const play = new Play(scene);
  await play.reload();
  play.lead();
  for (let slot = 0; slot < 150; slot += 1) await play.slot();
  // At the end one leader works, and enough time passes for everything due to be sent.
  play.end();
  play.lead();
  await scene.clock.advance(60 * MINUTE);
  play.model.advance(scene.clock.now());
  play.end();
  return play.result();
}

class Play {
  readonly #scene: Scene;
  readonly #random: ReturnType<typeof createSeededRandom>;
  readonly model = new EscalationModel();
  readonly #alerts: ChirpEvent[] = [];
  readonly #messages: string[] = [];
  readonly #errors: string[] = [];
  readonly #silenced = new Map<string, number>();
  #leaders: { readonly escalations: Escalations; readonly run: LeaderRun }[] = [];
  #config: Config | undefined;
  #count = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#random = createSeededRandom(scene.seed);
  }

  #chance(share: number): boolean {
    return this.#random.float() < share;
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random.float() * from.length)];
  }

  async slot(): Promise<void> {
    const { clock } = this.#scene;
    const startMs = clock.now();
    if (this.#chance(0.08)) await this.reload();
    await clock.advanceTo(startMs + 1_700);
    if (this.#chance(0.25)) await this.#mark();
    await clock.advanceTo(startMs + 3_137);
    if (this.#chance(0.3)) await this.#alert();
    await clock.advanceTo(startMs + 5_000);
    if (this.#chance(0.1)) this.#silence();
    if (this.#chance(0.08)) this.#kill();
    await clock.advanceTo(startMs + 7_911);
    this.#forgetEnded();
    if (this.#leaders.length === 0 ? this.#chance(0.6) : this.#chance(0.03)) this.lead();
    if (this.#leaders.length > 1 && this.#chance(0.5)) this.#leaders.shift()?.run.end();
    await clock.advanceTo(startMs + SLOT_MS);
  }

  async reload(): Promise<void> {
    const stepsOf = (): readonly ModelStep[] =>
      Array.from({ length: Math.floor(this.#random.float() * 4) }, () => ({
        sink: this.#pick(["pager", "phone"]) ?? "pager",
        afterMs: Math.ceil(this.#random.float() * 6) * MINUTE,
        isPassed: this.#chance(0.2),
      }));
    const steps = { chat: stepsOf(), other: stepsOf() };
    this.#config = await this.#scene.load(steps);
    this.model.configure(steps, this.#scene.clock.now());
    for (const { escalations } of this.#leaders) escalations.wake("replan");
  }

  async #alert(): Promise<void> {
    const { store, clock } = this.#scene;
    const nowMs = clock.now();
    const events = Array.from({ length: this.#pick([1, 1, 2, 3]) ?? 1 }, () =>
      makeEvent(`${(this.#count += 1)}`, { labels: { conversation: `${this.#count}` } }),
    );
    const sinks = SINKS.filter((sink) => sink === "chat" || this.#chance(0.3));
    const group = `group ${this.#count}`;
    const place = { groupKey: group, groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: nowMs };
    await store.commitPoll({
      ...{ atMs: nowMs, targets: [], verdicts: [], events },
      deliveries: events.flatMap(({ id: eventId }) =>
        sinks.map((sink) => ({ ...place, eventId, sink, routed: { by: "watch" } as const })),
      ),
    });
    this.#alerts.push(...events);
    for (const sink of sinks) {
      const query = { nowMs, sinks: [sink], busy: new Set<string>(), limit: 99 };
      const { groups } = await store.dueWork(query);
      const messageId = `${sink} ${group}`;
      const members = groups.flatMap((one) => one.members);
      await store.seal([
        {
          ...{ id: messageId, sink, groupKey: group, sealedAtMs: nowMs, body: {} },
          ...{ deliveryIds: members.map(({ deliveryId }) => deliveryId), throttleKey: null },
        },
      ]);
      const isDead = this.#chance(0.15);
      const dead = {
        kind: "dead",
        error: "400",
        cause: "refused 400",
        countAttempt: true,
      } as const;
      const result = { messageId, atMs: nowMs };
      await store.record(
        [isDead ? { ...result, ...dead } : { ...result, kind: "sent" }],
        new Set(SINKS),
      );
      this.#messages.push(messageId);
      for (const { id } of events)
        this.model.begin({ alert: id, sink, message: messageId, atMs: nowMs, isDead });
      for (const { escalations } of this.#leaders) escalations.wake();
    }
  }

  async #mark(): Promise<void> {
    const { store, clock } = this.#scene;
    const what = this.#chance(0.5) ? this.#pick(this.#alerts)?.id : this.#pick(this.#messages);
    if (what === undefined) return;
    const isUndo = this.#chance(0.5);
    const atMs = clock.now();
    await store.mark({ kind: "acknowledged", what, isUndo, by: "Ada", from: "page", atMs });
    this.model.mark(what, isUndo, atMs);
    for (const { escalations } of this.#leaders) escalations.wake();
  }

  #silence(): void {
    const alert = this.#pick(this.#alerts);
    if (alert === undefined) return;
    const untilMs = this.#scene.clock.now() + 2 * MINUTE;
    this.#silenced.set(alert.subject, untilMs);
    this.model.silence(alert.id, untilMs, this.#scene.clock.now());
  }

  /** Cuts the leaders before or after their next commits, or at once. */
  #kill(): void {
    const cut = this.#pick(["now", "before", "after"] as const) ?? "now";
    for (const { run } of this.#leaders) run.cutAt(cut);
    if (cut === "now") this.#forgetEnded();
  }

  #forgetEnded(): void {
    this.#leaders = this.#leaders.filter(({ run }) => !run.isOver);
  }

  lead(): void {
    const { store, clock } = this.#scene;
    const run = new LeaderRun(store, (isBefore) => {
      this.#forgetEnded();
      // A step that a leader was about to commit is left to the next one.
      if (this.#leaders.length === 0) this.model.down(clock.now() - (isBefore ? 1 : 0));
    });
    const routing = () => createRouting(this.#config as Config, () => []);
    const escalations = startEscalations({
      ...{ store: run.store, clock: run.clockOf(clock), hash: sha256, routing },
      log: {
        ...{ debug: () => undefined, info: () => undefined, warn: () => undefined },
        error: (message, fields) => this.#errors.push(`${message} ${JSON.stringify(fields)}`),
        child: () => {
          throw new Error("no child");
        },
      },
      config: () => this.#config as Config,
      active: { watchOf: () => undefined },
      silences: {
        isHeld: ({ labels }) =>
          (this.#silenced.get(labels["conversation"] ?? "") ?? 0) > clock.now(),
      },
      wakeDelivery: () => undefined,
    });
    if (this.#leaders.length === 0) this.model.up(clock.now());
    this.#leaders.push({ escalations, run });
  }

  end(): void {
    for (const { run } of this.#leaders) run.end();
    this.#forgetEnded();
  }

  async result(): Promise<PlayedEscalations> {
    const { store } = this.#scene;
    const { events } = await store.findEvents({ limit: 10_000 });
    const escalated = events
      .map(({ event }) => event)
      .filter(({ type }) => type === "alert.escalated");
    const sent = escalated.flatMap(({ body, occurredAtMs }): Sent[] => {
      const { sink, step, to } = body["escalation"] as any;
      return (body["alerts"] as any[]).map(({ id }) => ({
        ...{ alert: String(id), from: String(sink), to: String(to), nth: Number(step) },
        atMs: occurredAtMs,
      }));
    });
    const parts = escalated.map(({ body, occurredAtMs }) => {
      const { sink, step, to, message_id: id } = body["escalation"] as any;
      return JSON.stringify([sink, to, step, id, occurredAtMs]);
    });
    const divided = parts.filter((part, index) => parts.indexOf(part) < index);
    return { expected: this.model.sent, sent, divided, errors: this.#errors };
  }
}

/** A run of a leader. After its end none of its calls is answered. */
class LeaderRun {
  readonly store: EscalationStore;
  readonly #onOver: (isBefore: boolean) => void;
  #cut: "now" | "before" | "after" | undefined;
  isOver = false;

  constructor(store: EscalationStore, onOver: (isBefore: boolean) => void) {
    this.#onOver = onOver;
    const never = () => new Promise<never>(() => undefined);
    const read =
      <Args extends readonly unknown[], T>(ask: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> =>
        this.isOver ? never() : ask(...args);
    this.store = {
      escalationOutlook: read(store.escalationOutlook),
      nextEscalationAt: read(store.nextEscalationAt),
      dueEscalations: read(store.dueEscalations),
      trackFailing: read(store.trackFailing),
      replanEscalations: read(store.replanEscalations),
      commitEscalations: async (commit) => {
        if (this.#cut === "before") this.end(true);
        if (this.isOver) return never();
        const answer = await store.commitEscalations(commit);
        if (this.#cut === "after" && answer && commit.events.length > 0) this.end();
        return this.isOver ? never() : answer;
      },
    };
  }

  clockOf(clock: VirtualClock) {
    return {
      ...{ now: clock.now, monotonic: clock.monotonic },
      after: (ms: number, fn: () => void) =>
        clock.after(ms, () => (this.isOver ? undefined : fn())),
    };
  }

  cutAt(cut: "now" | "before" | "after"): void {
    if (cut === "now") this.end();
    else this.#cut = cut;
  }

  end(isBefore = false): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#onOver(isBefore);
  }
}
