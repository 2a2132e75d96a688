/** Message templates. The beginning of a title in a message shows which template made it. */
import type { JsonObject } from "../../../src/model/json.ts";

export const TEMPLATES: Readonly<Record<string, JsonObject>> = {
  // Applies to new tweets only. The checks read from the title what happened, and this title does
  // not say it for other events.
  t0: {
    events: ["tweet.created"],
    title: "Short form {{ tweet.user.username }}",
    body: "{{ tweet.full_text | graphemes: 60 }} {{ tweet.likes_count | thousands }}",
  },
  t1: {
    events: ["*"],
    title: "Long form: {{ message.title }} {{ labels.team }}",
    body: "{% for media in tweet.entities limit: 2 %}{{ media.link }} {% endfor %}{{ event.detected_at | time }} {{ message.body }} <!here> @everyone",
  },
  // A template that fails on every event.
  broken: {
    events: ["tweet.created"],
    title: "Broken form",
    body: "{{ tweet.full_text | graphemes: 0 }}",
  },
};

export const LOCALES = ["de-DE", "en-GB", "ja-JP", "ar-EG"];
