/** What the operator can ask of a running daemon: reload, pause, resume, and what becomes of dead letters. */
import type { Config } from "../config/config.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../model/clock.ts";
import type { Store } from "../model/store.ts";
import type { Actions } from "../server/words/views.ts";
import { acknowledgeDeadLetters, resendDeadLetters } from "./delivering/dead-letters.ts";
import { pauseView } from "./daemon/pause.ts";
import { onReturnOf } from "./daemon/registration.ts";
import type { Reloader } from "./reload/reload.ts";

export interface ActionsDeps {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly reloader: Reloader;
  readonly config: () => Config;
  /** What waits is due; sinks that fail are tried at once. */
  readonly probeSinks: () => void;
}

export const createActions = ({ store, engine, clock, reloader, config, probeSinks }: ActionsDeps): Actions => ({
  reload: reloader.reload,
  async setPaused(watchId, paused, isFromNow = false) {
    const before = await store.setPaused(watchId, paused, { atMs: clock.now(), isFromNow });
    if (before === undefined) return undefined;
    await engine.setPaused(watchId, paused);
    return pauseView(watchId, paused, before, isFromNow ? "skip" : onReturnOf(config(), watchId));
  },
  acknowledgeDead: (sink) => acknowledgeDeadLetters(store, sink, clock.now()),
  async resendDead(sink) {
    const resent = await resendDeadLetters(store, config(), sink, clock.now());
    probeSinks();
    return resent;
  },
});
