/**
 * Makes the changes that an operator asks for. Each change is first written into the state. Then a
 * running daemon carries it out or, if none runs, the next daemon that reads the state.
 */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Store } from "../../model/store.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { RouteEvaluated } from "../../polling/evaluate/verdicts.ts";
import { createServiceClock } from "../../requests/service-clock.ts";
import type {
  Actions,
  HoldAction,
  HoldAnswer,
  ReloadOutcome,
} from "../../server/contract/actions.ts";
import { backfillWatch } from "../backfill/commit-back.ts";
import { acknowledgeDeadLetters, resendDeadLetters } from "../alerts/dead-letters.ts";
import { muteAuthor, snoozeAlert } from "../alerts/silence-actions.ts";
import { markAlert } from "../alerts/mark-actions.ts";
import { replayAlerts } from "../alerts/replays.ts";
import { createSilence, endSilence, sendSilenced } from "../alerts/silence-actions.ts";
import { onReturnOf, pauseView } from "../pause.ts";

/**
 * Carries out changes that were written into the state. A running daemon does this with its own
 * parts. A command without a daemon leaves it to the next daemon that reads the state.
 */
export interface Effects {
  /**
   * Returns a text that says when the change takes effect and which daemons carry it out. `soon` is
   * the time in this text if a daemon runs, such as "now".
   */
  describe(soon: string): Promise<string>;
  watchChanged(watchId: string, paused: boolean): Promise<void>;
  silencesChanged(): Promise<void>;
  /** Called when alerts that were sent, dropped or held back before are due again. */
  alertsDue(): Promise<void>;
  /** Called when events were committed that no poll found, such as those of a backfill. */
  eventsCommitted(): Promise<void>;
  /**
   * Called when alerts were acknowledged or acknowledgements undone, because the messages about
   * these alerts may show that.
   */
  alertsMarked(): Promise<void>;
  /** Resolves to undefined if there is no sink of that name. */
  resumeSink(sink: string): Promise<{ readonly wasDisabled: boolean } | undefined>;
  reload(askedBy: string): Promise<ReloadOutcome>;
  /**
   * Returns the polls of a watch and the function that routes its events. There are no polls if the
   * watch is not polled.
   */
  feedsOf(
    watchId: string,
  ): Promise<{ readonly polls: readonly Poll[]; readonly route: RouteEvaluated }>;
}

export interface ActionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly config: () => Config;
  readonly effects: Effects;
}

const NOW = "now";
/**
 * The time in which a backfill reaches chats. They get the alerts of a backfill as one list, for
 * which alerts are gathered during this time.
 */
const WITHIN_A_MINUTE = "within a minute";

export const createActions = (deps: ActionsDeps): Actions => ({
  ...createAlertActions(deps),
  ...createOtherActions(deps),
});

type AlertActions = Pick<Actions, "acknowledge" | "markNotRelevant" | "snooze" | "muteAuthor">;

/** Creates what people do about alerts. */
function createAlertActions({ store, clock, hash, config, effects }: ActionsDeps): AlertActions {
  const holdBack = async (
    operation: typeof snoozeAlert,
    request: HoldAction,
  ): Promise<HoldAnswer> => {
    const result = await operation({ store, clock, config: config() }, request);
    if (!result.ok) return result;
    if (result.view.changed > 0) await effects.silencesChanged();
    return { ok: true, view: { ...result.view, effect: await effects.describe(NOW) } };
  };
  return {
    async acknowledge(request) {
      const marked = await markAlert(
        { store, clock, hash, config: config() },
        "acknowledged",
        request,
      );
      if (marked === undefined) return undefined;
      if (marked.changed > 0) await effects.alertsMarked();
      const { mark: acknowledged, ...counts } = marked;
      return { ...counts, acknowledged, effect: await effects.describe(NOW) };
    },
    async markNotRelevant(request) {
      const deps = { store, clock, hash, config: config() };
      const marked = await markAlert(deps, "not_relevant", request);
      if (marked === undefined) return undefined;
      const { mark, ...counts } = marked;
      return { ...counts, not_relevant: mark, effect: await effects.describe(NOW) };
    },
    snooze: (request) => holdBack(snoozeAlert, request),
    muteAuthor: (request) => holdBack(muteAuthor, request),
  };
}

const createOtherActions = ({
  store,
  clock,
  hash,
  config,
  effects,
}: ActionsDeps): Omit<Actions, keyof AlertActions> => ({
  reload: (askedBy) => effects.reload(askedBy),
  async setPaused(watchId, paused, change) {
    const before = await store.setPaused(watchId, paused, { atMs: clock.now(), ...change });
    if (before === undefined) return undefined;
    await effects.watchChanged(watchId, paused);
    const view = pauseView(
      watchId,
      paused,
      before,
      change.isFromNow ? "skip" : onReturnOf(config(), watchId),
    );
    return { ...view, effect: await effects.describe(NOW) };
  },
  async resumeSink(sink, by) {
    const resumed = await effects.resumeSink(sink);
    if (resumed !== undefined)
      await store.recordChange(clock.now(), "sink resume", { sink, by: by ?? null });
    return resumed === undefined
      ? undefined
      : { sink, was_disabled: resumed.wasDisabled, effect: await effects.describe(NOW) };
  },
  acknowledgeDead: (sink, by) => acknowledgeDeadLetters(store, sink, clock.now(), by),
  async backfill(request) {
    const { polls, route } = await effects.feedsOf(request.watchId);
    if (polls.length === 0) return undefined;
    const view = await backfillWatch(
      { store, clock, hash, route, serviceClock: createServiceClock(clock) },
      polls,
      request,
    );
    await effects.eventsCommitted();
    return { ...view, effect: await effects.describe(WITHIN_A_MINUTE) };
  },
  async addSilence(request) {
    const outcome = await createSilence(store, request, { config: config(), nowMs: clock.now() });
    if (!outcome.ok) return outcome;
    await effects.silencesChanged();
    return { ok: true, silence: { ...outcome.silence, effect: await effects.describe(NOW) } };
  },
  async expireSilence(id, by) {
    const view = await endSilence(store, id, clock.now(), by);
    await effects.silencesChanged();
    return view && { ...view, effect: await effects.describe(NOW) };
  },
  async resendDead(request) {
    const resent = await resendDeadLetters(store, config(), request, clock.now());
    await effects.alertsDue();
    return { ...resent, effect: await effects.describe(NOW) };
  },
  async replay(request) {
    const resent = await replayAlerts(store, config(), request, clock.now());
    await effects.alertsDue();
    return { ...resent, effect: await effects.describe(NOW) };
  },
  async resendSilenced(request) {
    const alerts = await sendSilenced(store, config(), request, clock.now());
    await effects.alertsDue();
    return { alerts, effect: await effects.describe(NOW) };
  },
});

/** Returns a text such as "now, by 10.0.0.3#k3x9 and 10.0.0.4#p0w2". */
export function effectText(when: string, replicas: readonly { readonly name: string }[]): string {
  const names = replicas.map(({ name }) => name);
  if (names.length === 0) return when;
  const last = names.length > NAMED ? `${names.length - NAMED + 1} others` : names.at(-1);
  const first = names.slice(0, Math.min(names.length, NAMED) - 1);
  return `${when}, by ${first.length === 0 ? "" : `${first.join(", ")} and `}${last}`;
}

const NAMED = 3;
