/** Who joined, who left. */
/** How a roster is read: a sliding window of recent members, or the whole list. */
export interface RosterRule {
  readonly joined: string;
  /** A window's entries that disappear have not left. */
  readonly mode: "window" | "whole";
}
