/** Writes alerts of the last week into a state, each sent in a message of its own. */
import { type ChirpEvent, eventId } from "../src/model/event.ts";
import type { NewDelivery } from "../src/model/poll-store.ts";
import { sha256 } from "../src/runtime/hash.ts";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { openHandle } from "../src/state/db/sqlite.ts";
import { openStore } from "../src/state/open.ts";
import { SILENT_LOG } from "./silent-log.ts";
import { makeTweets } from "./tweets.ts";

const EVENTS = 200_000;
const EVENTS_A_COMMIT = 1_000;
const AUTHORS = 50_000;
const WEEK_MS = 7 * 86_400_000;

/** Adds 200,000 alerts of this many watches, which the state must already have. */
export async function addAlerts(path: string, watches: number): Promise<void> {
  const nowMs = Date.now();
  const parts = { clock: createSystemClock(), random: createSystemRandom(), log: SILENT_LOG };
  const store = await openStore({ path, ...parts });
  const keys = new Map((await store.listWatches()).map(({ id, key }) => [id, key]));
  for (let from = 0; from < EVENTS; from += EVENTS_A_COMMIT) {
    const events = makeTweets(EVENTS_A_COMMIT).map((tweet, at): ChirpEvent => {
      const number = from + at;
      const atMs = nowMs - WEEK_MS + Math.floor(((number + 1) * WEEK_MS) / (EVENTS + 1));
      const watch = `w${number % watches}`;
      const author = `author${(number * 7_919) % AUTHORS}`;
      const user = { ...tweet.user, id: author, username: author };
      const watchKey = keys.get(watch) ?? "";
      return {
        id: eventId(sha256, watchKey, { type: "tweet.created", subject: tweet.id, episode: "" }),
        ...{ type: "tweet.created", watchKey, watch, watchType: "search", subject: tweet.id },
        labels: { watch, type: "search", event: "tweet.created", lang: "en", author },
        body: { tweet: { ...tweet, user, likes_count: number % 977 } },
        ...{ occurredAtMs: atMs, detectedAtMs: atMs },
      };
    });
    const deliveries = events.map(
      ({ id, detectedAtMs: notBeforeMs }): NewDelivery => ({
        ...{ eventId: id, sink: "terminal", groupKey: id, groupWaitMs: 0, groupIntervalMs: 0 },
        notBeforeMs,
      }),
    );
    await store.commitPoll({ atMs: nowMs, targets: [], verdicts: [], events, deliveries });
  }
  await store.close();
  const handle = openHandle(path, { readonly: false, mustExist: true });
  handle.exec(SENT);
  handle.close();
}

const SENT = `
  insert into messages (id, seq, sink, group_key, body, sealed_at, state, attempts,
    first_attempt_at, next_attempt_at, done_at, error)
  select 'm' || id, id, sink, group_key, '{}', due_at, 'sent', 1, due_at, due_at, due_at, ''
  from deliveries;
  update deliveries set state = 'sealed', message_id = 'm' || id;`;
