/**
 * Keys of the configuration that no scenario has, each with its reason. A key that is drawn must
 * not be listed here.
 */
export const NOT_DRAWN: readonly { readonly keys: RegExp; readonly why: string }[] = [
  { keys: /^state\.path$/, why: "every simulation has a folder of its own" },
  {
    keys: /^state\.url(?:_file)?$/,
    why: "a server knows no virtual clock: test/long/crash-on-postgres.test.ts",
  },
  {
    keys: /^state\.archive(?:\.|$)/,
    why: "always on; what trims it is test/app/archive.test.ts's",
  },
  {
    keys: /^defaults\.sink\.\w+\.(?:url|url_file|webhook_url|webhook_url_file|channel|channel_id|chat_id|thread|path|host|from|to|command)$/,
    why: "an address says which sink it is",
  },
  {
    keys: /^defaults\.sink\.\w+\.(?:security|user|password|password_file|secret_file|urls_file|urls|key|tag|forum|forum\.tags|crosspost|update|follow_up)$/,
    why: "what not every sink of a type can have",
  },
  {
    keys: /^defaults\.sink\.slack\.(?:username|icon_emoji|icon_url|thread_by|thread_window|broadcast)$/,
    why: "what an incoming webhook refuses",
  },
  { keys: /^defaults\.sink\.console\b/, why: "a console has nothing but threads" },
  {
    keys: /^(?:defaults\.sink\.\w+|sinks\.\w+)\.moved_from$/,
    why: "a sink that is renamed is test/deliver/moved-sink.test.ts's",
  },
  { keys: /^watches\.\w+\.moved_from$/, why: "drawn by a reload" },
  {
    keys: /^watches\.(?:about|article|community_info|community_members|followers|followers_stats|following|list_followers|list_members|membership|new_followers|new_following|profile|retweeters|score|score_delta|space|top_followers|top_following|trends|tweet|user_search|verified_followers)\.(?:where|first_run|include|ignore|recheck|freshness|enrich)(?:\.|$)/,
    why: "drawn for watches of tweets",
  },
  {
    keys: /^watches\.membership\.accounts\.file$/,
    why: "only watched accounts stand in the file, who follow nobody of themselves",
  },
  { keys: /^watches\.space\.when\.participants$/, why: "the service makes this number up" },
  {
    keys: /^watches\.(?:profile|tweet)\.when\.(?:followers|followings|tweets|media|retweet|reply|quote|bookmark)_count$/,
    why: "one count stands for the others",
  },
  {
    keys: /^defaults\.sink\.\w+\.escalate\b/,
    why: "a step may not go to the sink that has it, and a default is that of each sink",
  },
  {
    keys: /^chat\b|\bactions$/,
    why: "clicks come over sockets, which know no virtual clock: test/chat",
  },
  {
    keys: /\bactions_link$/,
    why: "a line of text, which decides nothing: test/sinks/actions-link.test.ts",
  },
  {
    keys: /^reports\b/,
    why: "a reload may remove the sink of one: test/sim/crash plays one at every crash point",
  },
  {
    keys: /^time_intervals\.dates$/,
    why: "a scenario lasts days: test/route/time-interval.test.ts",
  },
  {
    keys: /\bdigest\.(?:title|group_by|when_empty)$/,
    why: "how a digest is laid out, and one of nothing: test/deliver/stages/digest.test.ts and test/deliver/empty-digests.test.ts",
  },
  {
    keys: /^(?:defaults\.sink\.|sinks\.)discord\.(?:mention\.user|color(?:\.(?:color|when))?|forum\.tags\.(?:tag|when))$/,
    why: "what a message looks like by the alert: test/sinks",
  },
  {
    keys: /^server\.read_token(?:_file)?$/,
    why: "no scenario asks over TCP: test/server/read-token.test.ts",
  },
  { keys: /^watches\.score_delta\.when\.month_delta$/, why: "one delta stands for both" },
];
