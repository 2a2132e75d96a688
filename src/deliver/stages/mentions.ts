/**
 * Decides whom a message mentions. This is decided when it is sealed, because a sealed message is
 * resent unchanged.
 */
import type { DueMember, Outbox } from "../../model/outbox.ts";
import type { SinkMention } from "../../model/sink.ts";
import { isAfterAlert } from "../../route/follow-up.ts";

/** Returns the mentions of a message with these events, if it is sealed at `atMs` (epoch ms). */
export type ChooseMentions = (members: readonly DueMember[], atMs: number) => readonly string[];

/**
 * Creates a function that chooses mentions for messages of one sink that are sealed together. If
 * one message contains a mention, the others do not repeat it within its interval. Alerts that an
 * operator sent again mention nobody, because the channel was notified before or the alerts are
 * old. Follow-ups mention nobody either.
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
