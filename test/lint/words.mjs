/**
 * The words that docs/glossary.md replaces, each with what to say instead. lint holds code,
 * comments and texts against them, a test the pages.
 *
 * `words` are refused everywhere: as a part of a name (`toldTwice`), in comments and in texts.
 * `names` are refused in names alone, because prose needs them: a pipe may carry something.
 * `phrases` are refused in comments, texts and pages.
 */
export const REFUSED = [
  {
    words: ["tell", "tells", "told", "telling", "untold"],
    say: "alert, notify, deliver or report; of two things: distinguish",
  },
  {
    words: ["foretell", "foretells", "foretold", "reckon", "reckons", "reckoned"],
    say: "forecast, predict or estimate",
  },
  { words: ["dearest", "dearer"], say: "most expensive, more expensive" },
  {
    words: ["born", "birth", "births"],
    say: "created or inserted; of the first read: baseline watermark",
  },
  { words: ["hole", "holes"], say: "gap" },
  {
    words: ["stretch", "stretches", "stretched", "stretching"],
    say: "slow-down factor, slowed down; of ids: covered range",
  },
  { words: ["sweep", "sweeps", "swept", "sweeping"], say: "late-arrival rescan" },
  { words: ["stray", "strays"], say: "unattributed result" },
  { words: ["aside"], say: "quarantined; of a key: suspended" },
  {
    words: ["blind", "blinded", "blindly"],
    say: "suspicious empty response, or unreliable counters",
  },
  { words: ["dark", "darkness"], say: "down, outage" },
  {
    words: ["judge", "judges", "judged", "judging", "judgement", "judgements"],
    say: "evaluate, evaluation; of errors: classify",
  },
  { words: ["sharer", "sharers"], say: "subscriber" },
  { words: ["desk", "desks"], say: "profile batcher" },
  {
    words: ["passenger", "passengers", "rider", "riders", "ride", "rides"],
    say: "piggybacked account, spare slot",
  },
  { words: ["company"], say: "piggybacked account; of waiting: together with others" },
  { words: ["payer", "payers"], say: "eligible key" },
  { words: ["lane", "lanes"], say: "worker, queue" },
  { words: ["ladder", "ladders"], say: "retry schedule" },
  { words: ["parcel", "parcels"], say: "query batch" },
  { words: ["bury", "buried", "stumble", "stumbles", "stumbled"], say: "recordFailure, give up" },
  { words: ["patience", "patient"], say: "backoff, cooldown" },
  { words: ["excited", "excitement"], say: "burst intensity" },
  { words: ["habit", "habits"], say: "diurnal profile" },
  { words: ["solitude", "unproven"], say: "quarantine, not verified" },
  { words: ["overrun", "overruns"], say: "forecast correction factor" },
  { words: ["hasten", "hastens"], say: "run now, bring forward" },
  { names: ["look", "looks", "looked", "looking"], say: "poll, request, recheck or check" },
  { names: ["carry", "carries", "carried"], say: "fill spare slots, hold" },
  { names: ["offer", "offers"], say: "eligible, candidate" },
  { names: ["notice", "notices"], say: "ops alert" },
  { names: ["book", "books", "booked", "booking"], say: "probe state, feed state, ledger" },
  { names: ["pack", "packs", "packed", "packing"], say: "query batch, split, fit" },
  { names: ["wish", "wishes", "wished"], say: "strategy override" },
  { names: ["owed", "owes"], say: "pending, overdue" },
  { words: ["proof", "proofs"], say: "verification read" },
  {
    names: ["rig", "rigs", "house", "houses", "golden", "mortal"],
    say: "of a test: setup, fixture, harness",
  },
  {
    phrases: [/\blook(?:s|ed|ing)? (?:at|into|on|again)\b/i, /\ba (?:first |second )?look\b/i],
    say: "poll, request, recheck, check",
  },
  { phrases: [/\bin force\b/i], say: "active" },
  { phrases: [/\blast words\b/i], say: "uncaught exception handler" },
  { phrases: [/\bof the house\b|\bthe house\b/i], say: "the daemon, the project" },
];

/**
 * Names and texts that are allowed, each with its reason. A name is allowed as a whole, and in
 * texts only between backticks or as the whole text. A text is allowed anywhere. `in` limits it to
 * files whose path contains this.
 */
export const ALLOWED = [
  { name: "tell", in: "watches/trends", reason: "key of `trends` in the configuration" },
  { name: "tell", in: "engine/readings.test.ts", reason: "the same, in a test" },
  { name: "tell", in: "replayed-values.test.ts", reason: "the same, in a test" },
  { name: "tell", in: "test/sim/", reason: "the same, in the simulation" },
  { text: "tell: [", reason: "the same, in an example" },
  { text: "tell is empty", reason: "the same, in the message about it" },
  { name: "tells_newcomers", reason: "JSON of status and plan" },
  { name: "stretch", in: "server/", reason: "JSON of budget: the slow-down factors" },
  { name: "stretch", in: "cli/", reason: "the same, and JSON of `plan --json`" },
  { name: "stretch", in: "operate/plan/plan-pace.ts", reason: "JSON of `plan --json`" },
  { name: "stretch", in: "operate/views/quota-view.ts", reason: "JSON of budget" },
  { name: "chirpwatch_quota_stretch", reason: "name of a metric" },
  { name: "dearest", reason: "JSON of `plan --json`" },
  { name: "sharers", reason: "JSON of `plan --json`" },
  { name: "sweep_requests_per_day", reason: "JSON of `plan --json`" },
  { name: "sweepsPerDay", reason: "its source in the forecast" },
  { name: "aside", reason: "JSON of budget; stored with member lists" },
  { name: "reckoned", in: "budget/", reason: "stored with the forecast correction" },
  { text: "prefers-color-scheme:dark", reason: "name of style sheets" },
  { text: "quota.overrun", reason: "key of a stored value" },
  { text: "handles.told", reason: "key of a stored value" },
  { name: "birth", reason: "stored in the memory of a feed" },
  { name: "stretches", reason: "stored in the memory of a feed" },
  { name: "hole", reason: "stored in the memory of a feed" },
  { name: "isBlind", reason: "stored with the probe state: unreliable counters" },
  { name: "blindAtMs", reason: "stored with targets and the probe state" },
  { name: "owed", reason: "stored with the probe state: a pending change" },
  { name: "excited", in: "plan/rates/", reason: "stored with the rates" },
  { name: "excited", in: "groups/", reason: "the same, where rates are learned" },
  { name: "excited", in: "plan/plan-view.test.ts", reason: "the same, in a test" },
  { name: "excited", in: "engine/group-rounds.test.ts", reason: "the same, in a test" },
  { name: "habit", in: "plan/rates/", reason: "stored with the rates" },
  { name: "habit", in: "groups/", reason: "the same, where rates are learned" },
  {
    name: "patience",
    in: "groups/",
    reason: "stored with the probe state: position in the retry schedules of a list",
  },
  {
    name: "foretold",
    in: "groups/",
    reason: "stored with the memory of a group: predicted delays",
  },
  {
    name: "sweptAtMs",
    reason:
      "stored with the memory of a feed and of a search: start of the last late-arrival rescan",
  },
  {
    name: "proofDueMs",
    in: "groups/",
    reason: "stored with the memory of a search: when its next verification read is due",
  },
  { name: "isUnproven", in: "groups/", reason: "stored with the memory of a search: not verified" },
  {
    name: "strays",
    in: "groups/",
    reason: "stored with the memory of searches: unattributed results",
  },
  { text: "upstream.dark", reason: "public name of an event" },
  { text: "notice\\n", reason: "stored group key of ops alerts" },
  { text: "light dark", reason: "CSS" },
  { text: "prefers-color-scheme: dark", reason: "CSS" },
  { text: "crowd-born", reason: "seed of chance: another word makes another world" },
  { text: "Show and tell", reason: "text of a tweet of the sandbox" },
  { name: "hashSweepInterval", reason: "option of discord.js" },
  { name: "handlerSweepInterval", reason: "option of discord.js" },
];

const isAllowedIn = (path) => (one) => one.in === undefined || path.includes(one.in);
const isAllowed = (name, path) =>
  ALLOWED.some((one) => one.name === name && isAllowedIn(path)(one));

const allowedTexts = ALLOWED.map(({ name, text }) => text ?? `\`${name}\``);
const withoutAllowed = (text) =>
  allowedTexts.reduce((rest, allowed) => rest.replaceAll(allowed, ""), text);

const inNames = new Map(
  REFUSED.flatMap(({ words = [], names = [], say }) =>
    [...words, ...names].map((word) => [word, say]),
  ),
);
const inTexts = new Map(REFUSED.flatMap(({ words = [], say }) => words.map((word) => [word, say])));
const phrases = REFUSED.flatMap(({ phrases: own = [], say }) =>
  own.map((phrase) => ({ phrase, say })),
);

/**
 * Splits a name into its words: `toldTwice_ms` is told, twice, ms. "look up" and "look like" are
 * fine.
 */
const wordsOf = (name) =>
  name
    .replace(/look(?:s|ed|ing)?_?(?=up|like)/gi, "")
    .replace(/([a-z0-9])(?=[A-Z])/g, "$1 ")
    .match(/[A-Za-z]+/g) ?? [];

/**
 * Returns the refused word of a name and what to say instead, or undefined if the name is fine.
 * `path` is that of the file.
 */
export function refusedInName(name, path) {
  if (isAllowed(name, path)) return undefined;
  for (const word of wordsOf(name)) {
    const say = inNames.get(word.toLowerCase());
    if (say !== undefined) return { word: word.toLowerCase(), say };
  }
  return undefined;
}

/** Returns the same for a comment, a text or a line of a page. */
export function refusedInText(text, path) {
  if (isAllowed(text, path)) return undefined;
  const rest = withoutAllowed(text);
  for (const word of rest.match(/[A-Za-z]+/g) ?? []) {
    const say = inTexts.get(word.toLowerCase());
    if (say !== undefined) return { word: word.toLowerCase(), say };
  }
  for (const { phrase, say } of phrases) {
    const found = phrase.exec(rest);
    if (found !== null) return { word: found[0].toLowerCase(), say };
  }
  return undefined;
}
