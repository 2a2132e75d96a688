/** What the operator can ask of a running daemon: reload, pause, resume, silence, and what becomes of alerts that were held back or given up. */
import type { Config } from "../config/config.ts";
import type { Pump } from "../deliver/pump.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../model/clock.ts";
import type { Hash } from "../model/hash.ts";
import type { Share } from "../model/replicas.ts";
import type { Signals } from "../model/signals.ts";
import type { Store } from "../model/store.ts";
import type { RouteEvaluated } from "../polling/evaluate/verdicts.ts";
import { createServiceClock } from "../requests/service-clock.ts";
import type { Actions } from "../server/words/actions.ts";
import { feedsOf } from "./backfill/backfill-polls.ts";
import { backfillWatch } from "./backfill/commit-back.ts";
import { acknowledgeDeadLetters, resendDeadLetters } from "./delivering/dead-letters.ts";
import { replayAlerts } from "./delivering/replays.ts";
import { createSilence, endSilence, sendSilenced } from "./delivering/silence-actions.ts";
import type { ActiveSilences } from "./delivering/silences.ts";
import { pauseView } from "./daemon/pause.ts";
import { onReturnOf } from "./daemon/registration.ts";
import type { Polling } from "./polling/polling.ts";
import type { Reloader } from "./reload/reload.ts";

export interface ActionsDeps {
  readonly store: Store;
  readonly share: Pick<Share, "announce">;
  readonly signals: Pick<Signals, "send">;
  readonly silences: Pick<ActiveSilences, "load">;
  readonly engine: Engine;
  /** The data service: what it asked to wait ends where somebody resumes a watch. */
  readonly service: Pick<Polling, "tryAtOnce">;
  readonly clock: Clock;
  readonly hash: Hash;
  /** Which sinks an event goes to, by the active configuration. */
  readonly route: RouteEvaluated;
  readonly reloader: Reloader;
  readonly config: () => Config;
  /** The active one, whose sinks that fail are tried at once. */
  readonly pump: () => Pick<Pump, "probe" | "resume">;
  /** Events are in the state. */
  onCommitted(): void;
}

export const createActions = ({
  store,
  share,
  signals,
  silences,
  engine,
  service,
  clock,
  hash,
  route,
  reloader,
  config,
  pump,
  onCommitted,
}: ActionsDeps): Actions => ({
  async reload(askedBy) {
    await signals.send("reload");
    return reloader.reload(askedBy);
  },
  async setPaused(watchId, paused, change) {
    const before = await store.setPaused(watchId, paused, { atMs: clock.now(), ...change });
    if (before === undefined) return undefined;
    if (!paused) service.tryAtOnce();
    await engine.watchesChanged([watchId]);
    await share.announce([watchId]);
    return pauseView(watchId, paused, before, change.isFromNow ? "skip" : onReturnOf(config(), watchId));
  },
  async resumeSink(sink) {
    const resumed = await pump().resume(sink);
    await share.announce([]);
    return resumed === undefined ? undefined : { sink, was_disabled: resumed.wasDisabled };
  },
  acknowledgeDead: (sink) => acknowledgeDeadLetters(store, sink, clock.now()),
  async backfill(request) {
    const polls = feedsOf(engine.polls, request.watchId);
    if (polls.length === 0) return undefined;
    const view = await backfillWatch({ store, clock, hash, route, serviceClock: createServiceClock(clock) }, polls, request);
    onCommitted();
    pump().probe();
    return view;
  },
  ...silenceActions({ store, share, silences, clock, config }),
  ...resendActions({ store, share, clock, config, pump }),
});

function resendActions({
  store,
  share,
  clock,
  config,
  pump,
}: Pick<ActionsDeps, "store" | "share" | "clock" | "config" | "pump">): Pick<Actions, "resendDead" | "replay" | "resendSilenced"> {
  return {
    async resendDead(request) {
      const resent = await resendDeadLetters(store, config(), request, clock.now());
      pump().probe();
      await share.announce([]);
      return resent;
    },
    async replay(request) {
      const resent = await replayAlerts(store, config(), request, clock.now());
      pump().probe();
      await share.announce([]);
      return resent;
    },
    async resendSilenced(request) {
      const alerts = await sendSilenced(store, config(), request, clock.now());
      pump().probe();
      await share.announce([]);
      return { alerts };
    },
  };
}

function silenceActions({
  store,
  share,
  silences,
  clock,
  config,
}: Pick<ActionsDeps, "store" | "share" | "silences" | "clock" | "config">): Pick<Actions, "addSilence" | "expireSilence"> {
  const changed = async () => {
    await silences.load();
    await share.announce([]);
  };
  return {
    async addSilence(request) {
      const outcome = await createSilence(store, request, { config: config(), nowMs: clock.now() });
      if (outcome.ok) await changed();
      return outcome;
    },
    async expireSilence(id) {
      const view = await endSilence(store, id, clock.now());
      await changed();
      return view;
    },
  };
}
