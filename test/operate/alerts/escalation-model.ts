/**
 * A model of escalations. It is given events in order of time, and decides which steps must be
 * sent, and when.
 */

export interface ModelStep {
  readonly sink: string;
  readonly afterMs: number;
  /** Whether the step is skipped because its `when` is false. */
  readonly isPassed: boolean;
}

export interface Sent {
  readonly alert: string;
  readonly from: string;
  readonly to: string;
  readonly nth: number;
  readonly atMs: number;
}

interface Tracked {
  readonly alert: string;
  readonly sink: string;
  readonly message: string;
  baseMs: number;
  isAtOnce: boolean;
  /** The keys of the steps that are over. */
  readonly over: Set<string>;
  /** The keys of the steps that were to come when the leader last saw the configuration. */
  planned: readonly string[];
  isEnded: boolean;
}

type Steps = Readonly<Record<string, readonly ModelStep[]>>;

export class EscalationModel {
  readonly sent: Sent[] = [];
  readonly #all: Tracked[] = [];
  readonly #acknowledged = new Set<string>();
  readonly #silenced = new Map<string, number>();
  readonly #ofMessage = new Map<string, string[]>();
  /** Keys of the escalations that were sent, whichever sink the alert was escalated from. */
  readonly #reached = new Set<string>();
  #steps: Steps = {};
  #isUp = false;
  #nowMs = 0;

  begin(
    one: Pick<Tracked, "alert" | "sink" | "message"> & { atMs: number; isDead: boolean },
  ): void {
    this.advance(one.atMs);
    const { alert, sink, message, atMs, isDead } = one;
    this.#ofMessage.set(message, [...(this.#ofMessage.get(message) ?? []), alert]);
    const tracked: Tracked = {
      ...{ alert, sink, message, baseMs: atMs, isAtOnce: isDead, over: new Set(), planned: [] },
      isEnded: false,
    };
    this.#all.push(tracked);
    if (this.#isUp) this.#plan(tracked);
    this.advance(atMs);
  }

  mark(what: string, isUndo: boolean, atMs: number): void {
    this.advance(atMs);
    for (const alert of this.#ofMessage.get(what) ?? [what]) {
      if (isUndo !== this.#acknowledged.has(alert)) continue;
      if (!isUndo) this.#acknowledged.add(alert);
      else {
        this.#acknowledged.delete(alert);
        for (const one of this.#all.filter((other) => other.alert === alert)) {
          Object.assign(one, { baseMs: atMs, isAtOnce: false });
          if (this.#isUp) this.#plan(one);
        }
      }
    }
  }

  silence(alert: string, untilMs: number, atMs: number): void {
    this.advance(atMs);
    this.#silenced.set(alert, untilMs);
  }

  configure(steps: Steps, atMs: number): void {
    this.advance(atMs);
    this.#steps = steps;
    if (this.#isUp) for (const one of this.#all) this.#plan(one);
    this.advance(atMs);
  }

  up(atMs: number): void {
    this.advance(atMs);
    this.#isUp = true;
    for (const one of this.#all) this.#plan(one);
    this.advance(atMs);
  }

  down(atMs: number): void {
    this.advance(atMs);
    this.#isUp = false;
  }

  /** Sends the steps that fall due until then, in order. */
  advance(toMs: number): void {
    while (this.#isUp) {
      const [next] = this.#all
        .flatMap((one) => {
          const dueMs = this.#dueOf(one);
          return dueMs === undefined || dueMs > toMs ? [] : [{ one, dueMs }];
        })
        .sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      this.#take(next.one, Math.max(next.dueMs, this.#nowMs));
    }
    this.#nowMs = Math.max(this.#nowMs, toMs);
  }

  #stepsOf({ sink }: Pick<Tracked, "sink">): readonly (ModelStep & { key: string; nth: number })[] {
    const steps = this.#steps[sink] ?? [];
    return steps.map((step, index) => {
      const nth = steps.slice(0, index + 1).filter((other) => other.sink === step.sink).length;
      return { ...step, nth, key: `${step.sink} ${nth}` };
    });
  }

  /**
   * Plans the steps as the leader sees the configuration. A planned step that the configuration no
   * longer has is dropped for good.
   */
  #plan(one: Tracked): void {
    if (one.isEnded || this.#acknowledged.has(one.alert)) return;
    const steps = this.#stepsOf(one);
    for (const key of one.planned) if (!steps.some((step) => step.key === key)) one.over.add(key);
    one.planned = steps.map(({ key }) => key).filter((key) => !one.over.has(key));
    if (one.planned.length === 0) one.isEnded = true;
  }

  #nextOf(one: Tracked) {
    return this.#stepsOf(one).find(({ key }) => !one.over.has(key));
  }

  #dueOf(one: Tracked): number | undefined {
    if (one.isEnded || this.#acknowledged.has(one.alert)) return undefined;
    const step = this.#nextOf(one);
    return step === undefined ? undefined : one.baseMs + (one.isAtOnce ? 0 : step.afterMs);
  }

  #take(one: Tracked, atMs: number): void {
    const step = this.#nextOf(one);
    if (step === undefined) return;
    if ((this.#silenced.get(one.alert) ?? 0) > atMs) {
      one.isEnded = true;
      return;
    }
    const { alert, sink: from } = one;
    const reached = `${alert} ${step.key}`;
    if (!step.isPassed && !this.#reached.has(reached)) {
      this.sent.push({ alert, from, to: step.sink, nth: step.nth, atMs });
      this.#reached.add(reached);
    }
    one.over.add(step.key);
    Object.assign(one, { baseMs: atMs, isAtOnce: false });
    this.#plan(one);
  }
}
