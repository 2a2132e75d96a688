/**
 * Applies an operator's change, such as a pause or a silence, to this running daemon and announces
 * it to the other replicas that share its state.
 */
import type { Pump } from "../deliver/pump.ts";
import type { Engine } from "../engine/engine.ts";
import type { Share } from "../model/replicas.ts";
import type { RouteEvaluated } from "../polling/evaluate/verdicts.ts";
import type { OpenedStore } from "../state/open.ts";
import { type Effects, effectText } from "../operate/actions/actions.ts";
import { feedsOf } from "../operate/backfill/backfill-polls.ts";
import type { ActiveSilences } from "../operate/alerts/silences.ts";
import type { Polling } from "./polling/polling.ts";
import type { Reloader } from "./reload/reload.ts";

export interface DaemonEffectsDeps {
  readonly store: Pick<OpenedStore, "signals" | "connectedReplicas">;
  readonly share: Pick<Share, "announce" | "isAlone">;
  readonly silences: Pick<ActiveSilences, "load">;
  readonly engine: Pick<Engine, "watchesChanged" | "polls">;
  /**
   * The connection to the data service. When an operator resumes a watch, the waits that the
   * service asked for end, and the next request is sent without waiting.
   */
  readonly service: Pick<Polling, "tryAtOnce">;
  /** Decides which sinks an event goes to, by the active configuration. */
  readonly route: RouteEvaluated;
  readonly reloader: Pick<Reloader, "reload">;
  /**
   * Returns the active pump, which sends the messages. `probe` lets failing sinks try one message
   * without waiting for their next attempt.
   */
  readonly pump: () => Pick<Pump, "probe" | "resume" | "wake">;
  /** Called after people marked alerts or removed their marks. */
  onMarked(): void;
  /** Called after events of an operator's action were committed to the state. */
  onCommitted(): void;
}

export const createDaemonEffects = (deps: DaemonEffectsDeps): Effects => ({
  async describe(soon) {
    const { share, store } = deps;
    return effectText(soon, share.isAlone ? [] : await store.connectedReplicas());
  },
  async watchChanged(watchId, paused) {
    const { service, engine, share } = deps;
    if (!paused) service.tryAtOnce();
    await engine.watchesChanged([watchId]);
    await share.announce([watchId]);
  },
  async silencesChanged() {
    await deps.silences.load();
    await deps.share.announce([]);
  },
  async alertsDue() {
    await deps.pump().probe();
    await deps.share.announce([]);
  },
  async eventsCommitted() {
    deps.onCommitted();
    await deps.pump().probe();
    await deps.share.announce([]);
  },
  async alertsMarked() {
    deps.onCommitted();
    deps.onMarked();
    deps.pump().wake();
    await deps.share.announce([]);
  },
  async resumeSink(sink) {
    const resumed = await deps.pump().resume(sink);
    await deps.share.announce([]);
    return resumed;
  },
  async reload(askedBy) {
    await deps.store.signals.send("reload");
    return deps.reloader.reload(askedBy);
  },
  feedsOf: async (watchId) => ({ polls: feedsOf(deps.engine.polls, watchId), route: deps.route }),
});
