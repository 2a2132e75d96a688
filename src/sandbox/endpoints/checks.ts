/** Endpoints that answer whether a user has replied to, quoted or retweeted a tweet. */
import type { Answer, Call, Handler } from "../calls/call.ts";
import { offsetPage } from "../calls/paging.ts";
import { namedTweet, namedUser } from "../calls/subjects.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";

/** The number of retweets that one request to /check-retweet checks (docs/service.md section 1). */
const SCANNED = 100;

/**
 * Returns a user's visible replies, quotes or retweets of the tweet that the request names; none if
 * the user is protected.
 */
function answersBy(
  call: Call,
  key: number,
  kinds: readonly TweetRecord["kind"][],
): readonly TweetRecord[] {
  const answers = call.world.tweets.answersTo(namedTweet(call), call.nowMs);
  return answers.filter(
    (record) => record.author === key && kinds.includes(record.kind) && call.show.isVisible(record),
  );
}

function checkComment(call: Call): Answer {
  const found = answersBy(call, namedUser(call), ["reply"])[0];
  return {
    body:
      found === undefined
        ? { commented: false }
        : { commented: true, tweet: call.show.tweet(found) },
  };
}

function checkQuoted(call: Call): Answer {
  const key = namedUser(call);
  const found = answersBy(call, key, ["quote", "retweet"])[0];
  const user_protected = call.world.people.isProtected(key);
  if (found === undefined)
    return { body: { status: "not_found", date: "", text: "", user_protected } };
  const date = new Date(found.atMs).toISOString().slice(0, 19).replace("T", " ");
  return {
    body: {
      status: found.kind === "quote" ? "quoted" : "retweet",
      date,
      text: call.show.tweet(found).full_text,
      user_protected,
    },
  };
}

function checkRetweet(call: Call): Answer {
  const key = namedUser(call);
  const retweets = call.world.tweets
    .answersTo(namedTweet(call), call.nowMs)
    .filter((record) => record.kind === "retweet");
  const page = offsetPage(call, retweets, {
    name: "tweets",
    most: SCANNED,
    show: (record) => ({ author: record.author }),
  });
  const scanned = page.body["tweets"] as readonly { readonly author: number }[];
  const user_protected = call.world.people.isProtected(key);
  const retweet = !user_protected && scanned.some((each) => each.author === key);
  return { body: { retweet, user_protected, next_cursor: page.body["next_cursor"] } };
}

export const CHECK_HANDLERS = {
  "check-comment": checkComment,
  "check-quoted": checkQuoted,
  "check-retweet": checkRetweet,
} as const satisfies Record<string, Handler>;
