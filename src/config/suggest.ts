/**
 * Suggests a word for an unknown one: the most similar known word, or the word of this
 * configuration language for a term that another system uses.
 */
import { ownValue } from "../model/own-value.ts";

/**
 * Terms of other tools for alerts and bots, with the keys of this language for them. If a term has
 * several keys, the one that is valid at the place is suggested.
 */
const FOREIGN_WORDS: Readonly<Record<string, readonly string[]>> = {
  receiver: ["sink"],
  receivers: ["sinks"],
  server_id: ["guild_id"],
  mattermost: ["chat_webhook"],
  // The sink type `apprise` sends alerts to an Apprise server, which passes them on to these
  // services.
  ntfy: ["apprise"],
  pagerduty: ["apprise"],
  opsgenie: ["apprise"],
  matrix: ["apprise"],
  pushover: ["apprise"],
  gotify: ["apprise"],
  signal: ["apprise"],
  zulip: ["apprise"],
  twilio: ["apprise"],
  whatsapp: ["apprise"],
  webex: ["apprise"],
  mastodon: ["apprise"],
  rocketchat: ["chat_webhook"],
  google_chat: ["chat_webhook"],
  // Only bots of Slack and Discord have `actions`.
  actions: ["actions_link"],
  channel_name: ["channel"],
  channels: ["channel", "sinks"],
  contact_points: ["sinks"],
  destination: ["sink"],
  destinations: ["sinks"],
  output: ["sink"],
  outputs: ["sinks"],
  notify: ["sink"],
  notifiers: ["sinks"],
  targets: ["accounts", "sinks"],
  monitors: ["watches"],
  alerts: ["watches"],
  rules: ["watches"],
  jobs: ["watches"],
  match: ["matchers"],
  match_re: ["matchers"],
  matcher: ["matchers"],
  group_by_str: ["group_by"],
  repeat_interval: ["throttle"],
  mute_timings: ["mute_time_intervals"],
  mute_times: ["mute_time_intervals"],
  start_time: ["start"],
  end_time: ["end"],
  location: ["timezone"],
  time_zone: ["timezone"],
  tz: ["timezone"],
  days: ["weekdays"],
  interval: ["schedule"],
  every: ["schedule"],
  cron: ["schedule"],
  poll_interval: ["schedule"],
  frequency: ["schedule"],
  schedule: ["cron"],
  keyword: ["query"],
  keywords: ["query"],
  search: ["query"],
  q: ["query"],
  term: ["query"],
  terms: ["query"],
  user: ["accounts"],
  users: ["accounts"],
  handle: ["accounts"],
  handles: ["accounts"],
  username: ["accounts"],
  usernames: ["accounts"],
  account: ["accounts"],
  community_id: ["community"],
  filter: ["where"],
  condition: ["where"],
  if: ["where"],
  thresholds: ["when"],
  threshold: ["when"],
  exclude: ["ignore"],
  tags: ["labels"],
  hook: ["webhook_url", "url"],
  hook_url: ["webhook_url", "url"],
  webhook: ["webhook_url", "url"],
  url: ["webhook_url", "base_url"],
  webhook_url: ["url"],
  endpoint: ["url", "base_url"],
  api_key: ["key"],
  apikey: ["key"],
  bot_token: ["token"],
  slack_token: ["token"],
  auth_token: ["token"],
  signing_secret: ["secret"],
  disabled: ["enabled"],
  active: ["enabled"],
  name: ["type"],
  kind: ["type"],
  db: ["path"],
  database: ["path"],
  port: ["listen"],
  bind: ["listen"],
  address: ["listen"],
  limit: ["count", "monthly"],
  quota: ["monthly"],
  lookback: ["overlap"],
  rename_from: ["moved_from"],
  renamed_from: ["moved_from"],
};

/**
 * Returns the candidate that was most likely meant. Undefined if none is similar enough: one to
 * three letters may differ, depending on the length of the word, and at most `mostSlips`.
 */
export function suggest(
  word: string,
  candidates: readonly string[],
  mostSlips = 3,
): string | undefined {
  const plain = word.toLowerCase().replaceAll("-", "_");
  const snake = word
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll("-", "_");
  const same = candidates.find(
    (candidate) => candidate.toLowerCase() === plain || candidate === snake,
  );
  if (same !== undefined) return same;
  const foreign = ownValue(FOREIGN_WORDS, snake)?.find((candidate) =>
    candidates.includes(candidate),
  );
  return foreign ?? nearest(plain, candidates, mostSlips);
}

/** Returns `; did you mean …?`, or "" if no candidate is similar enough. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  mostSlips?: number,
): string {
  const meant = suggest(word, candidates, mostSlips);
  return meant === undefined ? "" : `; did you mean \`${meant}\`?`;
}

function nearest(
  word: string,
  candidates: readonly string[],
  mostSlips: number,
): string | undefined {
  const allowed = Math.min(mostSlips, word.length <= 3 ? 1 : word.length <= 7 ? 2 : 3);
  const ranked = candidates.map((candidate) => ({
    candidate,
    distance: editDistance(word, candidate.toLowerCase()),
  }));
  ranked.sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= allowed && best.distance < word.length
    ? best.candidate
    : undefined;
}

/**
 * Returns the number of insertions, deletions, replacements and swaps of neighbouring letters that
 * turn one word into the other.
 */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        at(i - 1, j - 1) + same,
        ...(swapped ? [at(i - 2, j - 2) + 1] : []),
      );
    }
  }
  return at(a.length, b.length);
}
