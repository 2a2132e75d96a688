/**
 * Lists dead letters, acknowledges them and sends them again for an operator. A running daemon uses
 * this code, and so does a command if no daemon runs.
 */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import type {
  DeadGroup,
  DeadLetter,
  DeadLetters,
  DeadSelection,
} from "../../model/dead-letters.ts";
import type { DeadView } from "../../server/schema/dead-view.ts";
import { deadSentence } from "./dead-text.ts";
import { createReader } from "../create-reader.ts";

type Sinks = Pick<Config, "sinks" | "linksHost">;

const SHOWN = 500;
/** Dead letters older than this are no longer reported as a reason for attention. */
const REASON_FOR_MS = 7 * 86_400_000;

/** Reads the dead letters of one sink, or of all sinks if `sink` is undefined. */
export async function readDead(
  store: DeadLetters,
  config: Sinks,
  sink?: string,
): Promise<DeadView> {
  const groups = (await store.groupDead(0)).filter(
    (group) => sink === undefined || group.sink === sink,
  );
  const letters = await store.listDead(selectionOf(sink), SHOWN);
  return {
    groups: groups.map((group) => groupView(group, config)),
    dead: letters.map((letter) => letterView(letter, config)),
    sinks: config.sinks.map(({ name }) => name),
  };
}

const groupView = (group: DeadGroup, config: Sinks): DeadView["groups"][number] => ({
  sink: group.sink,
  cause: group.cause,
  messages: group.messageIds.length,
  alerts: group.alerts,
  text: sentence(group, config),
  configured: config.sinks.some(({ name }) => name === group.sink),
});

const letterView = (letter: DeadLetter, { linksHost }: Sinks): DeadView["dead"][number] => ({
  message_id: letter.messageId,
  sink: letter.sink,
  cause: letter.cause,
  error: letter.error,
  given_up_at: isoTime(letter.deadAtMs),
  attempts: letter.attempts,
  alerts: letter.events.map((event) => {
    const { title, url = null } = createReader(linksHost)({ event, watches: [event.watch] });
    return { id: event.id, type: event.type, watch: event.watch, title, url };
  }),
});

const sentence = (group: DeadGroup, { sinks }: Pick<Config, "sinks">): string =>
  deadSentence(group, sinks.find(({ name }) => name === group.sink)?.retryForMs);

const selectionOf = (sink: string | undefined): DeadSelection =>
  sink === undefined ? {} : { sinks: [sink] };

/** Returns one sentence for each sink and cause of dead letters from the last seven days. */
export const deadReasons = async (
  store: DeadLetters,
  config: Pick<Config, "sinks">,
  nowMs: number,
): Promise<readonly string[]> =>
  (await store.groupDead(nowMs - REASON_FOR_MS)).map(
    (group) => `${sentence(group, config)} (chirpwatch dead list)`,
  );

/** Returns how many dead letters each sink has. Sinks without any are left out. */
export async function countDead(
  store: Pick<DeadLetters, "groupDead">,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { sink, messageIds } of await store.groupDead(0))
    counts.set(sink, (counts.get(sink) ?? 0) + messageIds.length);
  return counts;
}

export const acknowledgeDeadLetters = (
  store: DeadLetters,
  sink: string | undefined,
  nowMs: number,
  by?: string,
): Promise<number> => store.acknowledgeDead(selectionOf(sink), nowMs, by);

/** Sends dead letters again, to configured sinks only. Dead letters of other sinks stay. */
export function resendDeadLetters(
  store: DeadLetters,
  config: Pick<Config, "sinks">,
  { sink, by }: { readonly sink: string | undefined; readonly by: string },
  nowMs: number,
) {
  const sinks = config.sinks
    .map(({ name }) => name)
    .filter((name) => sink === undefined || name === sink);
  return store.resendDead({ sinks }, nowMs, by);
}
