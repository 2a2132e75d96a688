/**
 * Checks that nothing is reported twice. A repeat is excused only if the answer to the first
 * attempt was lost in a timeout, a broken connection or a crash.
 */
import { type Evidence, label } from "./evidence.ts";
import { createNames } from "./expected.ts";
import type { Receipt } from "./receipts.ts";
import { isForgotten, isSentTooLate } from "./lives.ts";
import { routesIn } from "./routes.ts";

/**
 * Results are stored at most this long after the answer. The scenario excuses a state that could
 * not be written.
 */
const STORED_WITHIN_MS = 1_000;

/**
 * Returns the types of events that a tweet has once. A tweet that a fault hides for a while can be
 * deleted again later.
 */
const onceATweet = ({ scenario }: Evidence["played"]): readonly string[] =>
  scenario.steps.some((step) => step.do === "service fault" && step.name === "deleted_and_restored")
    ? ["tweet.created"]
    : ["tweet.created", "tweet.deleted"];

export function checkOnce({ played, receipts, tweets, epochs }: Evidence): readonly string[] {
  const objections: string[] = [];
  const nameOf = createNames(epochs);
  const once = onceATweet(played);
  const isLost = ({ attempt }: Receipt): boolean =>
    attempt.answeredAtMs === undefined || isForgotten(played, attempt, STORED_WITHIN_MS);
  const seen = new Map<string, Receipt[]>();
  const note = (key: string, receipt: Receipt) =>
    seen.set(key, [...(seen.get(key) ?? []), receipt]);
  for (const receipt of receipts) {
    if (!receipt.attempt.accepted) continue;
    const isChat = epochs.at(-1)?.rules.sinks.get(receipt.sink)?.isChat === true;
    for (const { tweetId, type, watches, eventId } of receipt.reported) {
      // A chat reports a tweet once and names every watch. A webhook gets one event for each watch.
      if (type === undefined || (isChat && (type === "tweet.deleted" || type === "tweet.edited")))
        continue;
      // A tweet can be edited again, and a console shows no event id.
      if (type === "tweet.edited" && eventId === undefined) continue;
      // A list on a console does not name the watch of each line.
      if (watches.length === 0 && !isChat) continue;
      // A sink with its own `dedupe` defines how often: check-dedupe.ts checks it.
      const isDeduplicated = hasOwnDedupe(receipt.sink, epochs);
      if (isChat && isDeduplicated) continue;
      if (isChat) note(`${receipt.sink} ${tweetId} ${type}`, receipt);
      // Changing counts and crossed thresholds can recur. check-values.ts compares each event with
      // the values.
      else if (!once.includes(type)) note(`${receipt.sink} ${tweetId} ${type} ${eventId}`, receipt);
      // After the window, an alert is sent again and names the watches of the earlier alerts, too.
      else
        for (const watch of isDeduplicated ? watches.slice(0, 1) : watches)
          note(`${receipt.sink} ${tweetId} ${type} ${nameOf(watch)}`, receipt);
    }
  }
  for (const [key, received] of seen) {
    const inTime = received.find(({ attempt }) => !isSentTooLate(played, attempt));
    const late = received.find(
      ({ attempt }) =>
        isSentTooLate(played, attempt) &&
        inTime !== undefined &&
        inTime.attempt.atMs < attempt.atMs,
    );
    if (late !== undefined)
      objections.push(`reported again by a replica that others had taken over from: ${key}`);
    // A message sent by a process that was then killed can arrive after its repeat by the next
    // process. With several replicas the same holds for a message of a stalled one.
    const lostFirst = (a: Receipt, b: Receipt) =>
      played.scenario.replicas === undefined ? 0 : Number(isLost(b)) - Number(isLost(a));
    const all = [...received].sort((a, b) => lostFirst(a, b) || a.attempt.life - b.attempt.life);
    for (const [n, receipt] of all.entries()) {
      const before = all[n - 1];
      if (before === undefined) continue;
      const what = `${key} (${tweets.get(key.split(" ")[1] ?? "") === undefined ? "" : label(tweets.get(key.split(" ")[1] ?? "") as never, played)})`;
      if (!isLost(before)) objections.push(`reported twice: ${what}`);
      else if (before.message !== receipt.message && receipt.attempt.wire !== "console")
        objections.push(`reported again under another key: ${what}`);
      else if (before.attempt.text !== receipt.attempt.text)
        objections.push(`reported again in other words: ${what}`);
    }
  }
  return objections;
}

const hasOwnDedupe = (sink: string, epochs: Evidence["epochs"]): boolean =>
  epochs.some(
    ({ rules }) =>
      rules.sinks.get(sink)?.dedupe !== undefined ||
      routesIn(rules.root).some(
        (route) => route.dedupe !== undefined && route.sinks.includes(sink),
      ),
  );
