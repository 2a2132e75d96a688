import { WHOLE } from "../src/model/replicas.ts";
/** Writes the state that a daemon would have after the first poll of every watch brought nothing. */
import { registerConfiguredWatches } from "../src/app/daemon/registration.ts";
import { loadConfig } from "../src/config/load/load-config.ts";
import { planPolls } from "../src/plan/polls/plan-polls.ts";
import { createFiles } from "../src/runtime/files.ts";
import { sha256 } from "../src/runtime/hash.ts";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { createTimetable } from "../src/schedule/timetable.ts";
import { SINK_TYPES } from "../src/sinks/registry.ts";
import { openStore } from "../src/state/open.ts";
import { WATCH_TYPES } from "../src/watches/registry.ts";
import { SILENT_LOG } from "./silent-log.ts";

export async function fillState(configPath: string): Promise<void> {
  const loaded = await loadConfig({ path: configPath, files: createFiles(), env: {}, watchTypes: WATCH_TYPES, sinkTypes: SINK_TYPES });
  if (!loaded.ok) throw new Error(loaded.issues.map(({ message }) => message).join("\n"));
  const { config } = loaded;
  const clock = createSystemClock();
  const store = await openStore({ path: config.state.path, clock, random: createSystemRandom(), log: SILENT_LOG });
  const nowMs = clock.now();
  const watches = await registerConfiguredWatches(config, { store, hash: sha256, clock, share: WHOLE });
  const planned = watches.map(({ watch, type, state }) => ({ watch, type, watchKey: state.key, paused: false, targets: state.targets }));
  const targets = new Map(planned.map((one) => [one.watchKey, one.targets]));
  for (const poll of planPolls(planned, { hash: sha256, timetable: createTimetable(), nowMs })) {
    await store.commitPoll({
      atMs: nowMs,
      source: { fingerprint: poll.key, expectedRevision: 0, polledAtMs: nowMs, ok: true, memory: { stretches: [] } },
      targets: poll.subscribers.flatMap(({ watchKey }) =>
        (targets.get(watchKey) ?? []).map((target) => ({
          watchKey,
          targetKey: target.key,
          expectedRevision: target.revision,
          baselineAtMs: nowMs,
          memory: { birth: "0", since_ms: nowMs },
        })),
      ),
      verdicts: [],
      events: [],
      deliveries: [],
    });
  }
  await store.close();
}
