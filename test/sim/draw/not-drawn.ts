/** Keys of the configuration that no scenario has, each with its reason. A key that is drawn after all may not stand here. */
export const NOT_DRAWN: readonly { readonly keys: RegExp; readonly why: string }[] = [
  { keys: /^state\.path$/, why: "every simulation has a folder of its own" },
  {
    keys: /^defaults\.sink\.\w+\.(?:url|url_file|webhook_url|webhook_url_file|channel|channel_id|thread)$/,
    why: "an address says which sink it is",
  },
  { keys: /^defaults\.sink\.\w+\.(?:secret_file|forum|forum\.tags|crosspost)$/, why: "what not every sink of a type can have" },
  { keys: /^defaults\.sink\.console\b/, why: "a console has nothing of its own" },
  { keys: /^watches\.\w+\.moved_from$/, why: "drawn by a reload" },
  {
    keys: /^watches\.(?:about|article|community_info|followers_stats|list_followers|retweeters|space|top_followers|top_following|trends|user_search|verified_followers)(?:\.|$)/,
    why: "the checker does not know these watch types yet",
  },
  {
    keys: /^watches\.(?:community_members|followers|following|list_members|membership|new_followers|new_following|profile|score|score_delta|tweet)\.(?:where|first_run|include|ignore|recheck|freshness)(?:\.|$)/,
    why: "drawn for watches of tweets",
  },
  { keys: /^watches\.membership\.(?:tweet|community|accounts\.file)$/, why: "fans stand in no file, and the checker knows who follows" },
  {
    keys: /^watches\.(?:profile|tweet)\.when\.(?:followers|followings|tweets|media|retweet|reply|quote|bookmark)_count$/,
    why: "one count stands for the others",
  },
  { keys: /^watches\.score_delta\.when\.month_delta$/, why: "one delta stands for both" },
];
