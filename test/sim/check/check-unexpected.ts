/** Checks that no alert is sent that is not expected, and none where it does not belong. */
import { CONDITIONS } from "../draw/cast.ts";
import type { TweetFact } from "../run/world-history.ts";
import { type Evidence, hasNewHandle, label, labelsOf } from "./evidence.ts";
import { hasOddFields, type RuledEpoch } from "./expected.ts";
import type { Receipt, Reported } from "./receipts.ts";
import { placesOf } from "./routes.ts";
import { textOf } from "./rules.ts";

export const checkUnexpected = (evidence: Evidence): readonly string[] =>
  evidence.receipts.flatMap((receipt) =>
    receipt.reported.flatMap((reported) => objectTo(receipt, reported, evidence)),
  );

function objectTo(
  receipt: Receipt,
  { tweetId, watches, type }: Reported,
  { played, epochs, tweets, expected, outbox }: Evidence,
): readonly string[] {
  const tweet = tweets.get(tweetId);
  if (tweet === undefined)
    return [`${receipt.sink} was alerted to ${tweetId}, which nobody posted`];
  if (type !== "tweet.created") return [];
  const known = new Set(epochs.flatMap(({ rules }) => [...rules.watches.keys()]));
  const claims = [...(watches.length > 0 ? watches : known)].map((watch) => expected(watch, tweet));
  const joined = watchesJoining(outbox, receipt.sink, tweetId);
  const right = claims.filter(({ claim }) => claim !== "never");
  const wrong = claims.filter(({ claim, watch }) => claim === "never" && !joined.has(watch));
  const what = `${receipt.sink} was alerted to ${label(tweet, played)}`;
  if (right.length === 0 || (watches.length > 0 && wrong.length > 0))
    return wrong.map(({ watch, why }) => `${what} by ${watch}, although ${why}`);
  const names = right.map(({ watch }) => watch);
  // Labels from an enrichment may change the route. check-placement.ts takes them into account.
  if (
    epochs.some(({ rules }) =>
      names.some((name) => rules.watches.get(name)?.keys["enrich"] !== undefined),
    )
  )
    return [];
  const until = epochs.filter(({ fromMs }) => fromMs <= receipt.atMs);
  const places = placesOfTweet(names, tweet, until);
  const placesWithoutLang = hasOddFields(played)
    ? placesOfTweet(names, { ...tweet, lang: "" }, until)
    : places;
  // A retweet or a quote of a deleted post is shown as a plain post.
  const original = tweet.ofId === undefined ? undefined : tweets.get(tweet.ofId);
  const placesOfPost =
    (original?.hidden ?? []).length > 0
      ? placesOfTweet(names, { ...tweet, kind: "post" }, until)
      : places;
  const allowed = [places, placesWithoutLang, placesOfPost].some((some) => some.has(receipt.sink));
  if (allowed || hasNewHandle(tweet, played)) return [];
  return [`${what} by ${names.join()}, which goes to ${[...places].join() || "nobody"}`];
}

/**
 * Returns the watches whose alert about another post joined this one through `dedupe`. A message
 * names those watches too. Whether the join was right is checked by check-dedupe.ts.
 */
function watchesJoining(
  { alerts }: Evidence["outbox"],
  sink: string,
  tweetId: string,
): ReadonlySet<string> {
  const own = new Set(
    alerts.flatMap(({ row, event }) =>
      row.sink === sink && event.subject === tweetId ? [row.id] : [],
    ),
  );
  const others = alerts.filter(
    ({ row, event }) => event.subject !== tweetId && row.joinedId !== null && own.has(row.joinedId),
  );
  return new Set(others.map(({ event }) => textOf(event.labels["watch"])));
}

const placesOfTweet = (
  watches: readonly string[],
  tweet: TweetFact,
  epochs: readonly RuledEpoch[],
): ReadonlySet<string> =>
  new Set(
    epochs.flatMap(({ rules }) =>
      watches.flatMap((id) => {
        const watch = rules.watches.get(id);
        return watch === undefined
          ? []
          : placesOf(rules, watch, {
              labels: labelsOf(watch, tweet),
              fulfils: fulfilsOf(tweet),
            }).map(({ sink }) => sink);
      }),
    ),
  );

const fulfilsOf = (tweet: TweetFact) => (where: string) =>
  CONDITIONS.find(({ text }) => text === where)?.holds(tweet) === true;
