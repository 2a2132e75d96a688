/**
 * Draws sinks: for every key of every sink type, a value that the configuration accepts. The
 * address of a sink shows which sink it is.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { CONDITIONS } from "./cast.ts";
import type { Dice } from "./dice.ts";
import { LOCALES } from "./draw-templates.ts";

export interface SinkScene {
  readonly dice: Dice;
  readonly name: string;
  /** The position of the sink's name. Channels are numbers. */
  readonly index: number;
  /** The names of the time intervals. */
  readonly intervals: readonly string[];
  /** The names of the templates. */
  readonly templates: readonly string[];
  /** Creates a file beside the configuration. @returns its path */
  readonly file: (name: string, text: string) => string;
}

type Draw = (scene: SinkScene) => Json | undefined;

export const drawThrottle = (dice: Dice): JsonObject => ({
  limit: dice.int(1, 4),
  interval: dice.pick(["1m", "5m", "20m"]),
  ...(dice.chance(0.3) ? { on_exceed: "digest" } : {}),
  ...(dice.chance(0.4) ? { digest_interval: dice.pick(["1m", "2m"]) } : {}),
});

/** Draws a digest. Some are due within the scenario, some are not. */
export const drawDigest = (dice: Dice): JsonObject => ({
  schedule: dice.pick([
    "@every 1m",
    "@every 7m",
    "*/10 * * * *",
    { cron: "*/5 * * * *", timezone: "Asia/Kolkata" },
    "0 9 * * *",
  ]),
  ...(dice.chance(0.5) ? { max_items: dice.pick([1, 3, 50]) } : {}),
  ...(dice.chance(0.5)
    ? { sort_by: dice.pick(["likes_count", "followers_count", "tweet.view_count"]) }
    : {}),
});

export const drawDedupe = (dice: Dice): JsonObject => ({
  key: dice.pick([["tweet"], "author", ["text"], ["tweet", "watch"], ["author", "text"]]),
  ...(dice.chance(0.7) ? { window: dice.pick(["1m", "10m", "1h"]) } : {}),
});

const throttle: Draw = ({ dice }) => (dice.chance(0.3) ? false : drawThrottle(dice));

const someIntervals: Draw = ({ dice, intervals }) =>
  intervals.length === 0 ? undefined : [...dice.some(intervals, 1)];

/** Keys of every sink. */
const COMMON_SINK_KEYS: Readonly<Record<string, Draw>> = {
  retry_for: ({ dice }) => dice.pick(["5m", "1h", "24h", "76h"]),
  throttle,
  mute_time_intervals: someIntervals,
  active_time_intervals: someIntervals,
  on_mute: ({ dice }) => dice.pick(["hold", "drop"]),
  digest: ({ dice }) => (dice.chance(0.2) ? false : drawDigest(dice)),
  dedupe: ({ dice }) => (dice.chance(0.2) ? false : drawDedupe(dice)),
  template: ({ dice, templates }) => (templates.length === 0 ? undefined : dice.pick(templates)),
  locale: ({ dice }) => dice.pick(LOCALES),
  timezone: ({ dice }) => dice.pick(["Europe/Berlin", "Asia/Kolkata"]),
  repeat_interval: ({ dice }) => (dice.chance(0.2) ? false : dice.pick(["5m", "30m", "4h"])),
  send_resolved: ({ dice }) => dice.chance(0.8),
};

const when: Draw = ({ dice }) => dice.pick(CONDITIONS).text;
/** Draws when people are mentioned. */
const mentionTiming = (scene: SinkScene, isConditional: boolean): JsonObject => ({
  ...(isConditional || scene.dice.chance(0.6) ? { when: when(scene) as string } : {}),
  ...(scene.dice.chance(0.4) ? { min_interval: scene.dice.pick(["1m", "10m", "1h"]) } : {}),
});
/** Draws one mention for each of the people who are mentioned. */
const slackMentions: Draw = (scene) =>
  scene.dice.some(["user", "group", "here", "channel"], 1).map((who) => {
    const everybody = who === "here" || who === "channel";
    return {
      [who]: everybody || (who === "user" ? "U0123456789" : "S0123456789"),
      ...mentionTiming(scene, everybody),
    };
  });
const secretOr = ({ dice, file, name }: SinkScene, key: string, value: string): JsonObject =>
  dice.likes("secret files")
    ? { [`${key}_file`]: file(`${name}-${key}`, value) }
    : { [key]: value };

const drawUpdate: Draw = ({ dice }) => [...dice.some(["deleted", "edited", "counts"], 1)];

const ONE_SECRET = "whsec_c2ltdWxhdGlvbiBzZWNyZXQgMTIzNA==";

const threads: Readonly<Record<string, Draw>> = {
  thread_by: ({ dice }) => dice.pick(["conversation", "group", "watch"]),
  thread_window: ({ dice }) => dice.pick(["5m", "1h", "24h"]),
};

/** For each sink type, how it reaches its channel and which optional keys it has. */
const SINK_TYPES: Readonly<
  Record<
    string,
    {
      readonly way: (scene: SinkScene) => JsonObject;
      readonly optional: Readonly<Record<string, Draw>>;
    }
  >
> = {
  webhook: {
    way: (scene) => secretOr(scene, "url", `https://hook-${scene.name}.example/in`),
    optional: {
      secret: ({ dice }) => (dice.chance(0.7) ? ONE_SECRET : [ONE_SECRET, "the secret before it"]),
      secret_file: ({ dice, file, name }) =>
        file(
          `${name}-secret`,
          dice.chance(0.7)
            ? "another secret of some length"
            : `another secret of some length\n${ONE_SECRET}\n`,
        ),
      headers: () => ({ "x-team": "simulation" }),
      timeout: ({ dice }) => dice.pick(["10s", "15s", "30s"]),
      max_events: ({ dice }) => dice.pick([1, 2, 5, 1_000]),
      max_bytes: ({ dice }) => dice.pick(["1KB", "6KB", "256KB"]),
      allow_private: ({ dice }) => dice.chance(0.5),
    },
  },
  slack: {
    way: (scene) =>
      scene.dice.chance(0.6)
        ? { ...secretOr(scene, "token", "xoxb-1"), channel: `#${scene.name}` }
        : secretOr(scene, "webhook_url", `https://hooks.slack.com/services/T0/B0/${scene.name}`),
    optional: {
      update: drawUpdate,
      follow_up: ({ dice }) => dice.pick(["unedited", "always"]),
      api_url: () => "https://slack.com/api/",
      allow_private: ({ dice }) => dice.chance(0.5),
      username: () => "watcher",
      icon_emoji: () => ":bird:",
      icon_url: () => "https://images.example/a.png",
      mention: slackMentions,
      ...threads,
      broadcast: ({ dice }) => dice.pick(["never", "always"]),
    },
  },
  discord: {
    way: (scene) =>
      scene.dice.chance(0.6)
        ? { ...secretOr(scene, "token", "bot.token"), channel_id: String(900_000 + scene.index) }
        : secretOr(scene, "webhook_url", `https://discord.com/api/webhooks/1/${scene.name}`),
    optional: {
      api_url: () => "https://discord.com/api",
      allow_private: ({ dice }) => dice.chance(0.5),
      guild_id: () => "77",
      update: drawUpdate,
      follow_up: ({ dice }) => dice.pick(["unedited", "always"]),
      username: () => "watcher",
      avatar_url: () => "https://images.example/a.png",
      mention: (scene) => ({ role: "222", ...mentionTiming(scene, false) }),
      crosspost: ({ dice }) => dice.chance(0.7),
      forum: ({ dice }) => (dice.chance(0.5) ? { tags: ["333"] } : {}),
      thread: ({ dice, index }) => (dice.chance(0.5) ? "new" : String(910_000 + index)),
      style: ({ dice }) => dice.pick(["embed", "link"]),
    },
  },
  telegram: {
    way: (scene) => ({
      ...secretOr(scene, "token", "123:telegram"),
      chat_id: String(-1_001_000_000_000 - scene.index),
    }),
    optional: {
      topic: ({ dice }) => dice.int(1, 9),
      silent: ({ dice }) => dice.chance(0.5),
      api_url: () => "https://api.telegram.org",
      allow_private: ({ dice }) => dice.chance(0.5),
    },
  },
  teams: {
    way: (scene) =>
      secretOr(
        scene,
        "webhook_url",
        `https://teams-${scene.name}.example/workflows/1/triggers/manual/paths/invoke?sig=signature`,
      ),
    optional: {
      timeout: ({ dice }) => dice.pick(["10s", "30s"]),
      allow_private: ({ dice }) => dice.chance(0.5),
    },
  },
  chat_webhook: {
    way: (scene) => secretOr(scene, "webhook_url", `https://chat-${scene.name}.example/hooks/1`),
    optional: {
      timeout: ({ dice }) => dice.pick(["10s", "30s"]),
      allow_private: ({ dice }) => dice.chance(0.5),
    },
  },
  apprise: {
    way: (scene) => secretOr(scene, "url", `http://apprise-${scene.name}.example/`),
    optional: {
      key: () => "brand",
      tag: () => "urgent",
      urls: () => "json://notify.example, slack://a/b/c",
      urls_file: ({ file, name }) => file(`${name}-urls`, "json://notify.example"),
      timeout: ({ dice }) => dice.pick(["10s", "30s"]),
      allow_private: ({ dice }) => dice.chance(0.5),
    },
  },
  email: {
    way: ({ name }) => ({
      host: "mail.example",
      from: "Alerts <alerts@example.com>",
      to: `${name}@example.com`,
    }),
    optional: {
      port: ({ dice }) => dice.pick([25, 587, 2525]),
      security: ({ dice }) => dice.pick(["starttls", "tls", "none"]),
      user: () => "alerts",
      password: () => "mail password",
      password_file: ({ file, name }) => file(`${name}-password`, "mail password"),
      timeout: ({ dice }) => dice.pick(["30s", "60s"]),
    },
  },
  file: {
    way: ({ name }) => ({ path: `/var/lib/chirpwatch/${name}.ndjson` }),
    optional: {
      max_size: ({ dice }) => dice.pick(["1MB", "100MB"]),
      keep: ({ dice }) => dice.int(0, 3),
    },
  },
  exec: {
    way: ({ name }) => ({ command: ["/usr/local/bin/on-alert", name] }),
    optional: { timeout: ({ dice }) => dice.pick(["10s", "30s"]) },
  },
  console: { way: () => ({}), optional: threads },
};

export function drawSink(scene: SinkScene, type: string): JsonObject {
  const { dice } = scene;
  const { way, optional } = SINK_TYPES[type] as (typeof SINK_TYPES)[string];
  const sink: Record<string, Json | undefined> = { type, ...way(scene) };
  for (const [key, draw] of Object.entries({ ...optional, ...COMMON_SINK_KEYS }))
    if (dice.likes(`${type}.${key}`)) sink[key] = draw(scene);
  return dropConflicts(sink);
}

/** Keys whose value belongs to one sink. */
const OWN = new Set([
  "security",
  "user",
  "password",
  "password_file",
  "secret_file",
  "urls_file",
  "key",
  "tag",
  "urls",
  "thread",
  "forum",
  "crosspost",
  ...["username", "icon_emoji", "icon_url", "thread_by", "thread_window", "broadcast"].map(
    (key) => `slack.${key}`,
  ),
  "update",
  "follow_up",
]);

/**
 * Draws `defaults.sink` for the sinks of a type that do not set a key themselves. A token may be
 * here if no sink has its own.
 */
export function drawSinkDefaults(
  shared: Pick<SinkScene, "dice" | "intervals" | "templates" | "file">,
  type: string,
  isToken: boolean,
): JsonObject {
  const scene = { ...shared, name: `default-${type}`, index: 0 };
  const { dice } = shared;
  const { optional } = SINK_TYPES[type] as (typeof SINK_TYPES)[string];
  const keys = Object.entries({ ...optional, ...COMMON_SINK_KEYS }).filter(
    ([key]) => !OWN.has(key) && !OWN.has(`${type}.${key}`) && dice.likes(`defaults.${type}.${key}`),
  );
  const token = isToken
    ? secretOr(scene, "token", type === "telegram" ? "123:telegram" : "xoxb-1")
    : {};
  return dropConflicts({
    ...token,
    ...Object.fromEntries(keys.map(([key, draw]) => [key, draw(scene)])),
  });
}

/** Drops keys that the configuration refuses in combination. */
function dropConflicts(sink: Record<string, Json | undefined>): JsonObject {
  const isWebhook = sink["webhook_url"] !== undefined || sink["webhook_url_file"] !== undefined;
  const drop = (...keys: readonly string[]) => {
    for (const key of keys) delete sink[key];
  };
  if (sink["secret"] !== undefined) drop("secret_file");
  if (sink["password"] !== undefined) drop("password_file");
  if (sink["user"] === undefined || (sink["password"] ?? sink["password_file"]) === undefined)
    drop("user", "password", "password_file");
  if (sink["user"] !== undefined && sink["security"] === "none") drop("security");
  if (sink["urls"] !== undefined) drop("urls_file");
  if (sink["key"] === undefined) drop("tag");
  else drop("urls", "urls_file");
  if (isWebhook) drop("crosspost");
  if (isWebhook && sink["thread"] === "new") drop("thread");
  if (isWebhook && sink["type"] === "slack")
    drop("username", "icon_emoji", "icon_url", "thread_by");
  if (sink["thread_by"] === undefined) drop("thread_window", "broadcast");
  if (sink["icon_emoji"] !== undefined) drop("icon_url");
  if (isWebhook) drop("update");
  if (sink["update"] === undefined) drop("follow_up");
  if (sink["thread"] !== undefined) drop("forum");
  return Object.fromEntries(
    Object.entries(sink).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}
