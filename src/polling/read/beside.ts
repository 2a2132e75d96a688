/**
 * Reads what an event shows in addition to its facts, once there is something to report: profiles,
 * and another record about the same account.
 */
import type { ReadingRule } from "../../detect/reading.ts";
import type { Log } from "../../model/log.ts";
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { Poll } from "../watch-poll.ts";

export interface BesideDeps {
  readonly gate: RequestGate;
  readonly profiles: Profiles;
  readonly log: Log;
}

/**
 * The additional data. Parts that the service does not return now are absent, and the event is sent
 * without them.
 */
export interface Beside {
  readonly profile?: User | undefined;
  /** The profile of the other account that the fact is about. */
  readonly other?: User | undefined;
  readonly companion?: JsonObject | undefined;
}

/** Returns the rules of the subscribers that read values. */
export function readingRules({ subscribers }: Poll): readonly ReadingRule[] {
  return subscribers.flatMap(({ type: { detection }, watch }) =>
    detection.detector === "reading" && "rule" in detection ? [detection.rule(watch.settings)] : [],
  );
}

/** Reads the additional data. `userId` is the account that the poll is about. */
export async function readBeside(deps: BesideDeps, poll: Poll, userId: string): Promise<Beside> {
  const watch = poll.subscribers[0]?.watch.id ?? "";
  const rules = readingRules(poll);
  const otherId = rules.find(({ target }) => target !== undefined)?.target;
  const isFresh = rules.some(({ freshProfile }) => freshProfile === true);
  const [profile, other] = await Promise.all([
    deps.profiles.profileOf(userId, watch, isFresh ? 0 : undefined),
    // The message shows the other account's handle, so a cached profile is not used: by now the
    // handle may belong to somebody else.
    otherId === undefined ? undefined : deps.profiles.profileOf(otherId, watch, 0),
  ]);
  const wanted = rules.find(({ companion }) => companion !== undefined)?.companion;
  const companion =
    wanted === undefined ? undefined : await readCompanion(deps, poll, wanted.endpoint);
  return { profile, other, companion };
}

async function readCompanion(
  { gate, log }: BesideDeps,
  poll: Poll,
  endpoint: string,
): Promise<JsonObject | undefined> {
  const watch = poll.subscribers[0]?.watch.id ?? "";
  const { params } = poll.source;
  try {
    const answer = await gate.request({
      endpoint,
      params,
      source: `beside:${poll.key}`,
      watch,
      priority: poll.priority,
      purpose: "poll",
    });
    return answer.record;
  } catch (error) {
    log.warn("additional data of an event could not be read", { watch, endpoint, error });
    return undefined;
  }
}
