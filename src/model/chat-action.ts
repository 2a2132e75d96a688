/**
 * What people can do with an alert in a chat: the actions that a sink offers, and the ids of the
 * buttons below its messages. A button carries the id of its message in the state, so that it works
 * before the sink's own id is recorded, after a restart, and after the sink was renamed.
 */

/** The values of `actions` of a sink. */
export const CHAT_ACTIONS = ["acknowledge", "snooze", "mute_author", "not_relevant"] as const;
export type ChatAction = (typeof CHAT_ACTIONS)[number];

/** What a button asks for. Whoever may acknowledge may also undo that. */
export type ButtonVerb = ChatAction | "undo";

export interface Button {
  readonly verb: ButtonVerb;
  readonly messageId: string;
}

const PREFIX = "chirpwatch";
const VERBS: readonly string[] = [...CHAT_ACTIONS, "undo"] satisfies readonly ButtonVerb[];

/** Returns the id of a button: at most 60 characters, of which Discord takes 100. */
export const buttonId = ({ verb, messageId }: Button): string => `${PREFIX}:${verb}:${messageId}`;

/** Reads the id of a button; undefined if it is none of ours. */
export function readButtonId(text: string): Button | undefined {
  const { verb = "", messageId = "" } =
    /^chirpwatch:(?<verb>[a-z_]+):(?<messageId>[\w-]{1,40})$/.exec(text)?.groups ?? {};
  return VERBS.includes(verb) ? { verb: verb as ButtonVerb, messageId } : undefined;
}

/** How long a snooze lasts, as a menu offers it. */
export const SNOOZES = ["1h", "4h", "tomorrow", "1w"] as const;
export type Snooze = (typeof SNOOZES)[number];
