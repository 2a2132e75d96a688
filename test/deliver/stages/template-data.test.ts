/** A template makes the same of what it may read of an event as of all of it. */
import { describe, expect, it } from "vitest";
import { createTemplateData } from "../../../src/deliver/stages/template-data.ts";
import { pathsRead } from "../../../src/render/templates/check-template.ts";
import { createTemplateRenderer } from "../../../src/render/templates/template-renderer.ts";
import { makeEvent, makeTweet } from "../../support/make-event.ts";

const entities = [
  { link: "https://example.com/a", preview: "https://example.com/a.png", type: "photo" },
  { link: "https://example.com/b", preview: "https://example.com/b.png", type: "video" },
] as const;
const event = makeEvent("1", {
  body: { tweet: { ...makeTweet("1", "the text"), entities }, previous: { full_text: "before" } },
});
const outbox = { event, watches: ["brand", "rivals"] };
const message = () => ({ ...{ title: "the title", body: "the body" } }) as never;

const dataOf = (text: string) => {
  const reads = pathsRead(text);
  return createTemplateData(reads === undefined ? {} : { reads })(outbox, message);
};
const whole = createTemplateData({})(outbox, message);
const render = (body: string, data: string) =>
  createTemplateRenderer([{ name: "t", events: ["*"], body }])({
    template: "t",
    data,
    region: {},
    hasMoments: false,
    nowMs: 0,
  });

describe("what a template makes of it", () => {
  it.each([
    ["@{{ tweet.user.username }}: {{ tweet.full_text | graphemes: 5 }}", "@alice: the…"],
    [
      "{{ tweet.entities.size }} {{ tweet.entities.first.link }} {{ tweet.entities[1].type }}",
      "2 https://example.com/a video",
    ],
    [
      "{% for one in tweet.entities %}{{ one.type }} {% endfor %}{{ watches }}{{ event.watches | join: ', ' }}",
      "photo video brand, rivals",
    ],
    ["{% assign who = tweet.user %}{{ who.username }} {{ who.display_name }}", "alice ALICE"],
    [
      `{{ tweet.entities | where_exp: "one", "labels.kind == 'post'" | size }}{{ labels.author }}`,
      "2alice",
    ],
    ["{% assign key = 'full_text' %}{{ tweet[key] }} {{ tweet['lang'] }}", "the text en"],
    ["{{ labels[event.type] }}{{ labels.kind }} {{ labels.size }} {{ event.size }}", "post 7 7"],
    [
      "{% if previous %}{{ previous.full_text }} → {% endif %}{{ message.body }}",
      "before → the body",
    ],
    [
      "{% if tweet.retweeted_tweet %}again{% else %}first{% endif %} {{ tweet.nothing.below }}",
      "first",
    ],
    [
      "{% capture said %}{{ tweet.full_text }}{% endcapture %}{{ said | upcase }} {{ message | json }}",
      'THE TEXT {"title":"the title","body":"the body","url":""}',
    ],
  ])("%s", (text, made) => {
    expect(render(text, whole)).toEqual({ wording: { body: [made] } });
    expect(render(text, dataOf(text))).toEqual({ wording: { body: [made] } });
  });
});

it("is given nothing that it does not name", () => {
  expect(
    JSON.parse(dataOf("{{ tweet.user.username }} {{ tweet.full_text }} {{ tweet.user.id }}")),
  ).toEqual({
    tweet: { user: { username: "alice", id: "7" }, full_text: "the text" },
  });
  expect(JSON.parse(dataOf("{{ tweet.user }} {{ tweet.user.id }}")).tweet).toEqual({
    user: event.body["tweet"] && makeTweet("1").user,
  });
  expect(JSON.parse(dataOf("nothing"))).toEqual({});
  expect(Object.keys(JSON.parse(whole))).toEqual([
    "tweet",
    "previous",
    "labels",
    "event",
    "message",
  ]);
});
