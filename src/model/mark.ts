/** A mark that a person puts on an alert: who set it, when and from where. */

export const MARK_KINDS = ["acknowledged", "not_relevant"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/** A mark on an event: who set it, when, and from where (`command line`, `API`, `page`). */
export interface Mark {
  readonly by: string;
  readonly from: string;
  readonly atMs: number;
}
