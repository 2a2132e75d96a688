/**
 * The storage port for data that the daemon learns while it runs and could learn again. The data is
 * stored so that a restart need not learn it again.
 */
import type { Json } from "./json.ts";

/** Values by scope and key. Scopes: `accounts`, `feeds`, `groups`, `counted_days`, `ops_alerts`. */
export interface LearnedStore {
  /**
   * Returns the values of these keys, or all of the scope. A key that was never saved is absent.
   */
  loadLearned(scope: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Json>>;
  /** Writes all changes or none; null deletes a value. */
  saveLearned(scope: string, changes: ReadonlyMap<string, Json | null>): Promise<void>;
}
