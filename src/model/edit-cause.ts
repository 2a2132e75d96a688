/** What a sink edits its messages for. */
export const EDIT_CAUSES = ["deleted", "edited", "counts"] as const;
export type EditCause = (typeof EDIT_CAUSES)[number];
