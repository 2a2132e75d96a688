/** The name under which a snooze holds deliveries and messages back. */

/** Returns the name that stands as `held_by` in deliveries and messages, such as `snooze 7`. */
export const snoozeName = (silenceId: string): string => `snooze ${silenceId}`;
