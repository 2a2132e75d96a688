/**
 * Caches answers, so that events with the same text need only one question. The cache is kept in
 * memory, so each text is asked about again after a restart.
 */
import type { Clock } from "../model/clock.ts";
import type { ChirpEvent } from "../model/event.ts";
import { canonicalJson } from "../model/hash.ts";
import type { JsonObject } from "../model/json.ts";
import type { EnrichRule } from "../model/watch.ts";
import type { Enrichment } from "./read-enrichment.ts";

const MAX_ANSWERS = 10_000;

export interface AnswerCache {
  get(rule: EnrichRule, event: ChirpEvent): Enrichment | undefined;
  put(rule: EnrichRule, event: ChirpEvent, answer: Enrichment): void;
}

export function createAnswerCache(clock: Pick<Clock, "monotonic">): AnswerCache {
  /** The answers by the key of their question, the least recently used first. */
  const answers = new Map<string, { readonly answer: Enrichment; readonly untilMs: number }>();
  return {
    get(rule, event) {
      if (rule.cacheMs === 0) return undefined;
      const key = keyOf(rule, event);
      const found = answers.get(key);
      if (found === undefined) return undefined;
      answers.delete(key);
      if (found.untilMs <= clock.monotonic()) return undefined;
      answers.set(key, found);
      return found.answer;
    },
    put(rule, event, answer) {
      if (rule.cacheMs === 0) return;
      const key = keyOf(rule, event);
      answers.delete(key);
      answers.set(key, { answer, untilMs: clock.monotonic() + rule.cacheMs });
      const [oldest] = answers.keys();
      if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
    },
  };
}

/**
 * Returns the key of a question. Watches that ask the same question share the answers. For a tweet,
 * only the text and its language count; for other events, everything in the event.
 */
function keyOf({ via, labels }: EnrichRule, { type, subject, body }: ChirpEvent): string {
  const said =
    body.tweet === undefined
      ? [type, subject, body as JsonObject]
      : [body.tweet.lang, body.tweet.full_text];
  return canonicalJson([via, [...labels], said] as const);
}
