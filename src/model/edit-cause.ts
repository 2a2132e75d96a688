/**
 * Why a sink edits its messages, the states of an edit, and when a follow-up is sent in addition to
 * an edit.
 */
export const EDIT_CAUSES = ["deleted", "edited", "counts"] as const;
export type EditCause = (typeof EDIT_CAUSES)[number];

/**
 * The state of an edit.
 * - `waiting`: the edit is still to be made.
 * - `done`: the edit was made.
 * - `dropped`: the edit was given up; a later change of the tweet causes another one.
 * - `refused`: the message can never be edited.
 */
export type EditState = "waiting" | "done" | "dropped" | "refused";

/**
 * When a follow-up is sent in addition to the edit of its alert: only if the edit was dropped or
 * refused, or always.
 */
export const FOLLOW_UPS = ["unedited", "always"] as const;
export type FollowUp = (typeof FOLLOW_UPS)[number];
