/** Whom a message calls. Decided when it is sealed, because what is sealed is resent as it is. */
import type { DueMember, Outbox } from "../../model/outbox.ts";
import type { SinkMention } from "../../model/sink.ts";
import { isAfterAlert } from "../../route/follow-up.ts";

/** Whom a message of these events calls, which is sealed at that time. */
export type ChooseMentions = (members: readonly DueMember[], atMs: number) => readonly string[];

/**
 * For the messages of one sink that are sealed together: the first that calls somebody counts for
 * the others. What an operator has sent again calls nobody: the people in the channel have been
 * called for it, or it is long past. Nor does what follows up on an alert.
 */
export async function createMentionChoice(
  store: Pick<Outbox, "lastMentions">,
  sink: string,
  mentions: readonly SinkMention[] = [],
): Promise<ChooseMentions> {
  if (mentions.length === 0) return () => [];
  const last = new Map(
    mentions.some(({ minIntervalMs }) => minIntervalMs > 0) ? await store.lastMentions(sink) : [],
  );
  return (members, atMs) => {
    const fresh = members.filter(({ isReplay, event }) => !isReplay && !isAfterAlert(event));
    const isDue = ({ text, minIntervalMs }: SinkMention) =>
      atMs - (last.get(text) ?? Number.NEGATIVE_INFINITY) >= minIntervalMs;
    const chosen = mentions.filter(
      (mention) =>
        isDue(mention) && fresh.some(({ event }) => mention.matches(event.body, event.labels)),
    );
    const texts = [...new Set(chosen.map(({ text }) => text))];
    for (const text of texts) last.set(text, atMs);
    return texts;
  };
}
