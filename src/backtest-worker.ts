/**
 * Entry of the thread that replays the active configuration of a backtest.
 * app/backtest/replay-in-thread.ts starts it.
 */
import { loadActiveConfig } from "./app/backtest/active-config.ts";
import { type ActiveReplay, replayActive } from "./app/backtest/active-replay.ts";
import type { ReplayTask } from "./app/backtest/replay-in-thread.ts";
import { sha256 } from "./runtime/hash.ts";
import { createLogger } from "./runtime/logger.ts";
import { createSystemClock } from "./runtime/system-clock.ts";
import { createSystemRandom } from "./runtime/system-random.ts";
import { answerTask } from "./runtime/threads/answer-task.ts";
import { openState } from "./state/open-state.ts";

answerTask<ReplayTask, ActiveReplay>(async ({ state, config, facts }, onProgress) => {
  const store = await openState({
    ...state,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createLogger({ stream: process.stderr, level: "error" }),
    readonly: true,
  });
  try {
    const active = await loadActiveConfig(config);
    return await replayActive(active, facts, { store, hash: sha256, onProgress });
  } finally {
    await store.close();
  }
});
