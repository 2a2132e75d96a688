/**
 * Writes the state that a daemon would have after polls of every watch found nothing. Each watch is
 * a search of its own.
 */
import { registerConfiguredWatches } from "../src/app/daemon/registration.ts";
import { loadConfig } from "../src/config/load/load-config.ts";
import { WHOLE } from "../src/model/replicas.ts";
import { createFiles } from "../src/runtime/files.ts";
import { sha256 } from "../src/runtime/hash.ts";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { SINK_TYPES } from "../src/sinks/registry.ts";
import { openHandle } from "../src/state/db/sqlite.ts";
import { openState } from "../src/state/open-state.ts";
import { WATCH_TYPES } from "../src/watches/registry.ts";
import { SILENT_LOG } from "./silent-log.ts";

/** Returns the time of the last poll of a watch, by the number of the watch; epoch ms. */
export interface LastPolls {
  readonly firstMs: number;
  readonly stepMs: number;
}

/** `run`: statements on the database; by default on the file that the configuration names. */
export async function fillState(
  configPath: string,
  polls: LastPolls,
  run?: (text: string) => Promise<unknown>,
): Promise<void> {
  const loaded = await loadConfig({
    path: configPath,
    files: createFiles(),
    env: {},
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
  });
  if (!loaded.ok) throw new Error(loaded.issues.map(({ message }) => message).join("\n"));
  const { config } = loaded;
  const clock = createSystemClock();
  const store = await openState({
    ...config.state,
    clock,
    random: createSystemRandom(),
    log: SILENT_LOG,
  });
  await registerConfiguredWatches(config, {
    store,
    hash: sha256,
    clock,
    log: SILENT_LOG,
    share: WHOLE,
  });
  await store.close();
  for (const text of statements(polls)) await (run ?? inFile(config.state.path))(text);
}

/** The target of a search has the same name as the search's poll. */
const statements = ({ firstMs, stepMs }: LastPolls): readonly string[] => [
  `insert into sources (fingerprint, memory, revision, last_poll_at, last_ok_at)
   select t.key, '${JSON.stringify({ stretches: [] })}', 1, ${firstMs} + ${stepMs} * w.position, ${firstMs} + ${stepMs} * w.position
   from targets t join watches w on w.key = t.watch_key`,
  `update targets set baseline_at = ${firstMs}, memory = '${JSON.stringify({ birth: "0", since_ms: firstMs })}', revision = 1, status = 'ok'`,
];

const inFile = (path: string) => async (text: string) => {
  const handle = openHandle(path, { readonly: false, mustExist: true });
  handle.exec(text);
  handle.close();
};
