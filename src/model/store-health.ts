/** Tracks whether the state can be written. */
export interface StoreMonitor {
  /** Why the store does not work; undefined while it does. */
  readonly trouble: string | undefined;
  /** Evaluates any error. Returns true if it comes from the store and polling must stop. */
  recordError(error: unknown): boolean;
  /** Writes something. Returns why that failed; undefined if it succeeded. Never rejects. */
  prove(): Promise<string | undefined>;
  /**
   * Checks that this process can acquire the store's write lock, and releases it without writing. A
   * failure is passed to `recordError`. Never rejects.
   */
  proveUnlocked(): Promise<void>;
  stop(): void;
}
