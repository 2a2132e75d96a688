/**
 * What the daemon learns while it runs and can learn again: kept so that a restart does not begin
 * anew.
 */
import type { Json } from "./json.ts";

/** Values by scope and key. Scopes: `accounts`, `feeds`, `groups`, `counted_days`, `ops_alerts`. */
export interface LearnedStore {
  /** Of these keys, or all of the scope. A key that was never saved is absent. */
  loadLearned(scope: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Json>>;
  /** Writes all or none of them; null deletes. */
  saveLearned(scope: string, changes: ReadonlyMap<string, Json | null>): Promise<void>;
}
