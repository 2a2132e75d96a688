/** Whether the state can be written. */
export interface StoreWatch {
  /** Undefined while the store works; else why it does not. */
  readonly trouble: string | undefined;
  /** Takes any error; true when it is the store's and polling has to stop. */
  takeError(error: unknown): boolean;
  /** Writes something. Answers why that failed, undefined when it did not. Never rejects. */
  prove(): Promise<string | undefined>;
  /** Takes what a write takes first, and writes nothing. Never rejects. */
  proveUnlocked(): Promise<void>;
  stop(): void;
}
