/**
 * Replays the active configuration in a thread of its own, while this one replays the tried one. A
 * configuration contains functions, so the thread loads it from its text.
 */
import type { StateAddress } from "../../model/postgres-address.ts";
import { packageFile } from "../../runtime/package-file.ts";
import { runInThread, type ThreadWatch } from "../../runtime/threads/run-in-thread.ts";
import type { ActiveReplay } from "./active-replay.ts";
import type { ReplayFacts } from "./replay-archive.ts";

/** The data with which `backtest-worker.ts` is started. */
export interface ReplayTask {
  readonly state: StateAddress;
  /** The text of the active configuration, as the state has it. */
  readonly config: string | undefined;
  readonly facts: ReplayFacts;
}

export const replayInThread = (task: ReplayTask, watch: ThreadWatch): Promise<ActiveReplay> =>
  runInThread<ActiveReplay>(packageFile("dist/backtest-worker.js"), task, watch);
