/** Whether the state can be written. */
export interface StoreWatch {
  /** Undefined while the store works; else why it does not. */
  readonly trouble: string | undefined;
  /** Takes any error; true when it is the store's and polling has to stop. */
  takeError(error: unknown): boolean;
  /** Writes something. Never rejects. */
  prove(): Promise<void>;
  stop(): void;
}
