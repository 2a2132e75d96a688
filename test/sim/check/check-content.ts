/**
 * Checks what a message carries: its alerts are true, and it is signed, linked, addressed and
 * mentions people as its sink is configured. No text of a stranger pings anybody.
 */
import { isForgotten } from "./lives.ts";
import { createHmac } from "node:crypto";
import type { EmailBody } from "../../../src/sinks/email/email-render.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { CONDITIONS } from "../draw/cast.ts";
import type { LeftMessage } from "../run/read-state.ts";
import type { Attempt } from "../run/sinks.ts";
import { emailRefusal } from "../../support/html-mail.ts";
import type { ChatWebhookBody } from "../../../src/sinks/chat-webhook.ts";
import {
  chatWebhookRefusal,
  LIVE_CHAT_WEBHOOK,
  OWN_CHAT_WEBHOOK,
} from "../../support/chat-webhook-stand-in.ts";
import { LIVE_TEAMS } from "../../support/teams-stand-in.ts";
import { type Evidence, hasNewHandle, label } from "./evidence.ts";
import { type Alert, groupBy, isEdit, isMessage, isPart } from "./outbox.ts";
import { isFollowUp } from "./check-follow-ups.ts";
import { checkThread } from "./check-threads.ts";
import { hasOddFields } from "./expected.ts";
import { documentsOf, isForPrograms } from "./receipts.ts";
import type { Rules, SinkRules } from "./rules.ts";

export const checkContent = (evidence: Evidence): readonly string[] => {
  const rules = evidence.epochs[0]?.rules ?? evidence.finalRules;
  return [
    ...evidence.played.attempts
      .filter((one) => isMessage(one) || isEdit(one))
      .flatMap((attempt) => {
        const sink = rules.sinks.get(attempt.sink);
        if (sink === undefined || attempt.wire === "console") return [];
        return [...checkWire(attempt, sink, evidence), ...checkLinks(attempt, evidence)];
      }),
    ...[...evidence.outbox.members].flatMap(([id, alerts]) =>
      checkMessage(id, alerts, rules, evidence),
    ),
    ...checkCrossposts(evidence, rules),
  ];
};

function checkWire(attempt: Attempt, sink: SinkRules, evidence: Evidence): readonly string[] {
  if (attempt.wire === "webhook")
    return [...checkSignature(attempt, sink, evidence), ...checkEvents(attempt, evidence)];
  if (attempt.wire === "file" || attempt.wire === "exec") return checkEvents(attempt, evidence);
  if (attempt.wire === "telegram") return checkTelegram(attempt, sink);
  if (attempt.wire === "email")
    return emailRefusal(attempt.body as EmailBody) === undefined
      ? []
      : [`${attempt.sink}: ${emailRefusal(attempt.body as EmailBody)}`];
  if (attempt.wire === "apprise") return checkApprise(attempt, sink);
  if (attempt.wire === "chat_webhook") return checkChatWebhook(attempt);
  if (attempt.wire === "teams")
    return LIVE_TEAMS.test(attempt.text) ? [`${attempt.sink}: a card mentions or calculates`] : [];
  return attempt.wire.startsWith("discord")
    ? checkDiscord(attempt, sink)
    : checkSlack(attempt, sink);
}

function checkSignature(
  { sink, headers, text }: Attempt,
  { keys }: SinkRules,
  { played }: Evidence,
): readonly string[] {
  const file = (keys["secret_file"] as string | undefined)?.replace("/etc/chirpwatch/", "");
  const written =
    (keys["secret"] as string | string[] | undefined) ??
    (file === undefined ? undefined : played.scenario.files[file]);
  const secrets = [written ?? []]
    .flat()
    .flatMap((text) => text.split("\n").filter((line) => line !== ""));
  const wanted = Object.entries((keys["headers"] ?? {}) as Readonly<Record<string, string>>);
  const missing = wanted
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `${sink}: a message has no header ${name}`);
  const given = headers["webhook-signature"];
  if (secrets.length === 0)
    return given === undefined
      ? missing
      : [...missing, `${sink}: a message is signed without a secret`];
  const unsigned = secrets.filter((secret) => {
    const key = secret.startsWith("whsec_")
      ? Buffer.from(secret.slice(6), "base64")
      : Buffer.from(secret);
    const signed = createHmac("sha256", key)
      .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`)
      .digest("base64");
    return given?.split(" ").includes(`v1,${signed}`) !== true;
  });
  return unsigned.length === 0 ? missing : [...missing, `${sink}: a message has a wrong signature`];
}

/** Checks that events show tweets as they were posted. The service cuts reposts short. */
function checkEvents(attempt: Attempt, evidence: Evidence): readonly string[] {
  const { sink } = attempt;
  const events = documentsOf(attempt).flatMap(
    ({ data, type }) => (data.events ?? [{ ...data, type }]) as readonly JsonObject[],
  );
  return events.flatMap((event) => {
    const reported = event["tweet"] as JsonObject | undefined;
    const tweet = evidence.tweets.get((reported?.["id"] ?? "") as string);
    if (
      tweet === undefined ||
      reported === undefined ||
      event["type"] !== "tweet.created" ||
      tweet.kind === "retweet" ||
      tweet.name === ""
    )
      return [];
    const labels = event["labels"] as Readonly<Record<string, string>>;
    const what = `${sink}: ${label(tweet, evidence.played)}`;
    const objections = [tweet, ...tweet.edits].some(({ text }) => reported["full_text"] === text)
      ? []
      : [
          `${what} says ${JSON.stringify(reported["full_text"])} instead of ${JSON.stringify(tweet.text)}`,
        ];
    if (hasNewHandle(tweet, evidence.played) || tweet.ofId !== undefined) return objections;
    // An answer may leave the language out.
    const lang = labels["lang"] === "" && hasOddFields(evidence.played) ? "" : tweet.lang;
    const wrong = Object.entries({
      author: tweet.by,
      kind: tweet.kind,
      lang,
      conversation: tweet.conversation,
    }).filter(([name, value]) => labels[name] !== value);
    return [
      ...objections,
      ...wrong.map(
        ([name, value]) => `${what} has the label ${name}=${labels[name]} instead of ${value}`,
      ),
    ];
  });
}

function checkDiscord({ sink, body, path, wire }: Attempt, { keys }: SinkRules): readonly string[] {
  const { message = body } = body as JsonObject;
  const {
    allowed_mentions: allowed,
    username,
    avatar_url: avatar,
    embeds,
    applied_tags: tags,
  } = { ...(body as JsonObject), ...(message as JsonObject) };
  const { parse, roles } = (allowed ?? {}) as {
    readonly parse?: readonly string[];
    readonly roles?: readonly string[];
  };
  const role = (keys["mention"] as JsonObject | undefined)?.["role"];
  const { content = "" } = { ...(body as JsonObject), ...(message as JsonObject) } as {
    readonly content?: string;
  };
  const called = content.startsWith(`<@&${role as string}>`) ? [role] : [];
  const objections: string[] = [];
  if (parse?.length !== 0 || JSON.stringify(roles ?? []) !== JSON.stringify(called))
    objections.push(`${sink}: a message may mention ${JSON.stringify(allowed)}`);
  if (
    wire === "discord-webhook" &&
    (username !== keys["username"] || avatar !== keys["avatar_url"])
  )
    objections.push(`${sink}: a message comes from ${JSON.stringify(username)}`);
  const thread = keys["thread"] as string | undefined;
  if (thread !== undefined && thread !== "new" && !path.includes(thread))
    objections.push(`${sink}: a message stands outside its thread: ${path}`);
  const forum = keys["forum"] as JsonObject | undefined;
  if (
    forum !== undefined &&
    tags !== undefined &&
    JSON.stringify(tags) !== JSON.stringify(forum["tags"] ?? [])
  )
    objections.push(`${sink}: a post has the tags ${JSON.stringify(tags)}`);
  if (
    keys["style"] === "link" &&
    /\/status\//.test(JSON.stringify(body)) &&
    Array.isArray(embeds) &&
    embeds.some(isAlert)
  )
    objections.push(`${sink}: a message has embeds, although its style is link`);
  return objections;
}

/** Whether an embed is a single alert, not a list of alerts. */
const isAlert = (embed: unknown): boolean =>
  !/^• /m.test((embed as { readonly description?: string }).description ?? "");

/**
 * Telegram treats a name behind an @ as one of its users, and a word behind a slash as a command.
 */
function checkTelegram(attempt: Attempt, { keys }: SinkRules): readonly string[] {
  const { sink, body } = attempt;
  const { text, message_thread_id: topic, disable_notification: isSilent } = body as JsonObject;
  const plain = (text as string).replaceAll(/https?:\/\/[^\s@]*/g, "");
  return [
    ...(/@\w|(?<![\w/])\/\w/.test(plain)
      ? [`${sink}: a message mentions somebody, or commands a bot`]
      : []),
    // An edit cannot move its message, and is always silent.
    ...(topic === keys["topic"] || isEdit(attempt)
      ? []
      : [`${sink}: a message stands in the topic ${JSON.stringify(topic)}`]),
    ...((isSilent === true) === (keys["silent"] === true) || isEdit(attempt)
      ? []
      : [`${sink}: a message is ${isSilent === true ? "silent" : "loud"}`]),
  ];
}

/** Services behind Apprise treat `@name` as a mention. */
function checkApprise({ sink, body, path }: Attempt, { keys }: SinkRules): readonly string[] {
  const { title, body: text, tag, urls } = body as Readonly<Record<string, string | undefined>>;
  const plain = `${title}\n${text}`.replaceAll(/https?:\/\/[^\s@]*/g, "");
  const isStateless = keys["urls"] !== undefined || keys["urls_file"] !== undefined;
  return [
    ...(/@\w|<[@!]/.test(plain) ? [`${sink}: a message mentions somebody`] : []),
    ...(path === `/notify/${(keys["key"] as string | undefined) ?? ""}`
      ? []
      : [`${sink}: a message goes to ${path}`]),
    ...(tag === keys["tag"] && (urls !== undefined) === isStateless
      ? []
      : [`${sink}: a message is for ${tag} of ${urls}`]),
  ];
}

function checkChatWebhook({ sink, body }: Attempt): readonly string[] {
  const { text } = body as ChatWebhookBody;
  const refusal = chatWebhookRefusal(body as ChatWebhookBody);
  if (refusal !== undefined) return [`${sink}: ${refusal}`];
  return LIVE_CHAT_WEBHOOK.test(text.replaceAll(OWN_CHAT_WEBHOOK, ""))
    ? [`${sink}: a message formats or mentions: ${text}`]
    : [];
}

/**
 * Checks that text formatted by Slack has everything escaped that would ping. Two exceptions are
 * the daemon's own: dates, and the sink's mentions at the very beginning.
 */
function checkSlack(attempt: Attempt, { keys }: SinkRules): readonly string[] {
  const { sink, body, wire } = attempt;
  const own = new Set(mentionsOf(keys).map(({ text }) => text));
  const { text = "", blocks = [] } = body as {
    readonly text?: string;
    readonly blocks?: readonly object[];
  };
  const isOwn = (text: string) => text.split(" ").every((word) => own.has(word));
  const formatted = (value: unknown): readonly string[] => {
    if (typeof value !== "object" || value === null) return [];
    const { type, text } = value as JsonObject;
    if (value === blocks[0] && isOwn(textOfBlock(value))) return [];
    return [
      ...(type === "mrkdwn" && typeof text === "string" ? [text] : []),
      ...Object.values(value).flatMap(formatted),
    ];
  };
  const words = text.split(" ");
  const first = words.findIndex((word) => !own.has(word));
  const pings = [...formatted(body), words.slice(Math.max(0, first)).join(" ")].some((one) =>
    /<!(?!date)|<@/.test(one),
  )
    ? [`${sink}: a message pings`]
    : [];
  // An edit does not change the name and the picture of its message.
  if (wire !== "slack-bot" || isEdit(attempt)) return pings;
  const fields = body as JsonObject;
  const odd = ["username", "icon_emoji", "icon_url"].filter((key) => fields[key] !== keys[key]);
  const isShownTwice =
    fields["reply_broadcast"] !== undefined &&
    (fields["thread_ts"] === undefined || keys["broadcast"] !== "always");
  return [
    ...pings,
    ...odd.map((key) => `${sink}: a message has the ${key} ${JSON.stringify(fields[key])}`),
    ...(isShownTwice ? [`${sink}: a message in a thread is shown in the channel, too`] : []),
  ];
}

const textOfBlock = (block: object): string =>
  (block as { readonly text?: { readonly text?: string } }).text?.text ?? "";

interface Mention {
  readonly text: string;
  readonly when: (typeof CONDITIONS)[number] | undefined;
  readonly minIntervalMs: number;
}

/** Returns the mentions of a sink, as its messages show them. */
function mentionsOf({ mention }: JsonObject): readonly Mention[] {
  const written = (
    mention === undefined ? [] : Array.isArray(mention) ? mention : [mention]
  ) as readonly Readonly<Record<string, string>>[];
  return written.map(({ role, user, group, here, when, min_interval: interval }) => ({
    text: role
      ? `<@&${role}>`
      : user
        ? `<@${user}>`
        : group
          ? `<!subteam^${group}>`
          : here
            ? "<!here>"
            : "<!channel>",
    when: CONDITIONS.find(({ text }) => text === when),
    minIntervalMs:
      interval === undefined
        ? 0
        : ({ "1m": 60_000, "10m": 600_000, "1h": 3_600_000 }[interval] ?? 0),
  }));
}

function checkLinks({ sink, text, wire }: Attempt, { epochs }: Evidence): readonly string[] {
  const hosts = epochs.map(({ rules }) => rules.linksHost);
  if (isForPrograms(wire)) return [];
  const links = [
    ...decodeURIComponent(text.replaceAll(/%(?![0-9A-F]{2})/g, "%25")).matchAll(
      /(https:\/\/[^/\s"]+)\/\w+\/status\/\d+/g,
    ),
  ];
  const odd = links.find(([, host = ""]) => !hosts.includes(host));
  return odd === undefined ? [] : [`${sink}: a message links to ${odd[0]}`];
}

/**
 * Checks one message. A message about a single tweet names every watch that matched it; a mention
 * is due when any one of its events asks for it.
 */
function checkMessage(
  id: string,
  alerts: readonly Alert[],
  rules: Rules,
  evidence: Evidence,
): readonly string[] {
  const { outbox } = evidence;
  const message = outbox.messages.get(id);
  const sink = rules.sinks.get(message?.sink ?? "");
  const [alert, ...others] = alerts;
  if (
    alert === undefined ||
    message === undefined ||
    sink?.isChat !== true ||
    message.body === "null"
  )
    return [];
  if (isPart(message)) return checkPart(message, sink, evidence);
  const objections = [
    ...checkMention(message, alerts, sink, evidence),
    ...(message.parentId === null ? [] : checkPart(message, sink, evidence)),
    ...checkThread(message, alerts, sink, evidence),
  ];
  if (others.length > 0 || alert.event.type !== "tweet.created" || sink.keys["style"] === "link")
    return objections;
  // An alert that joined after the message was sealed belongs to a message that died, so its watch
  // is not named here.
  if (message.state === "dead") return objections;
  // A digest names the watch of the section in which an alert stands.
  if (message.groupKey.startsWith("digest\n")) return objections;
  // A deletion joins the alert whose message is edited for it.
  const joined = (joinedBy(outbox.alerts).get(alert.row.id) ?? []).flatMap(({ event }) =>
    event.type === alert.event.type ? [event.watch] : [],
  );
  const missing = [alert.event.watch, ...joined].filter(
    (watch) => !new RegExp(`\\b${watch}\\b`).test(message.body),
  );
  return [
    ...objections,
    ...missing.map(
      (watch) => `${sink.name}: message ${id} does not name ${watch}, which matched it in time`,
    ),
  ];
}

/**
 * Whether a message is part of the list that another one begins. In a thread all parts stand below
 * the first message of the thread.
 */
const isOfList = (first: LeftMessage, part: LeftMessage): boolean =>
  part.parentId === first.id ||
  (part.parentId === first.parentId &&
    part.groupKey === first.groupKey &&
    part.sealedAtMs === first.sealedAtMs);

/**
 * Checks mentions. A message that an operator sent again mentions nobody, and neither does one
 * inside `min_interval` or the digest of a snooze.
 */
function checkMention(
  message: LeftMessage,
  alerts: readonly Alert[],
  sink: SinkRules,
  { outbox, tweets, played }: Evidence,
): readonly string[] {
  const { id, body } = message;
  const parts = [...outbox.messages.values()]
    .filter((part) => isPart(part) && isOfList(message, part))
    .flatMap((part) => outbox.members.get(part.id) ?? []);
  const isSnoozed = message.groupKey.startsWith("digest\nsnooze\n");
  const fresh = [...alerts, ...parts].filter(
    ({ row, event }) => !isSnoozed && row.replayedAtMs === null && !isFollowUp(event),
  );
  const reported = fresh.map(({ event }) =>
    event.type === "tweet.created" ? tweets.get(event.subject) : undefined,
  );
  const isOfHandle = reported.some((tweet) => tweet !== undefined && hasNewHandle(tweet, played));
  return mentionsOf(sink.keys).flatMap(({ text, when, minIntervalMs }) => {
    // The check cannot evaluate a mention's condition on a repost or on an event that is not about
    // a tweet.
    if (
      when !== undefined &&
      reported.some((tweet) => tweet === undefined || tweet.name === "" || tweet.ofId !== undefined)
    )
      return [];
    if (
      (when?.text.includes("username") === true && isOfHandle) ||
      (when?.text.includes("tweet.lang") === true && hasOddFields(played))
    )
      return [];
    const isMeant =
      fresh.length > 0 &&
      (when === undefined || reported.some((tweet) => tweet !== undefined && when.holds(tweet)));
    const isMentioned = mentionedBy(body).includes(text);
    if (isMentioned && !isMeant)
      return [`${sink.name}: message ${id} mentions ${text} for nothing`];
    const isTooSoon = hasMentioned(text, message, minIntervalMs, outbox.messages);
    return isMeant && !isMentioned && !isTooSoon
      ? [`${sink.name}: message ${id} does not mention ${text}`]
      : [];
  });
}

/** Returns the mentions at the very beginning of a message. */
function mentionedBy(body: string): readonly string[] {
  const { text, content } = (JSON.parse(body) ?? {}) as {
    readonly text?: string;
    readonly content?: string;
  };
  const words = (text ?? content ?? "").split(/\s/);
  const end = words.findIndex((word) => !/^<[@!][^>]+>$/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

/**
 * Returns whether another message of the sink had the mention less than `min_interval` before this
 * one, or at the same moment. Setting the clock moves some of these times.
 */
function hasMentioned(
  text: string,
  { id, sink, sealedAtMs }: LeftMessage,
  withinMs: number,
  messages: Evidence["outbox"]["messages"],
): boolean {
  return [...messages.values()].some(
    (other) =>
      other.id !== id &&
      other.sink === sink &&
      mentionedBy(other.body).includes(text) &&
      withinMs > 0 &&
      Math.abs(sealedAtMs - other.sealedAtMs) < withinMs,
  );
}

const answeredBy = (body: unknown): unknown =>
  ((body as JsonObject)["message_reference"] as JsonObject | undefined)?.["message_id"];

/**
 * Checks that a part of a digest stands below the digest's first message, and a follow-up below its
 * alert, if the sink can show that.
 */
function checkPart(
  { id, parentId }: LeftMessage,
  sink: SinkRules,
  { outbox, played }: Evidence,
): readonly string[] {
  const ref = outbox.messages.get(parentId ?? "")?.ref ?? null;
  const isTroubled = played.scenario.steps.some((step) => step.do === "sink trouble");
  if (ref === null || isTroubled || (sink.keys["thread"] ?? "new") !== "new") return [];
  const astray = (outbox.attempts.get(id) ?? []).filter(({ wire, path, body, headers }) =>
    wire === "slack-bot"
      ? (body as JsonObject)["thread_ts"] !== ref
      : wire === "email"
        ? headers["in-reply-to"] !== ref
        : wire === "telegram"
          ? ((body as JsonObject)["reply_parameters"] as JsonObject | undefined)?.["message_id"] !==
            Number(ref)
          : wire === "discord-bot" && !path.includes(ref) && answeredBy(body) !== ref,
  );
  return astray.length === 0
    ? []
    : [`${sink.name}: message ${id} stands outside the thread of its digest`];
}

const joinedCache = new WeakMap<readonly Alert[], ReadonlyMap<number, readonly Alert[]>>();

function joinedBy(alerts: readonly Alert[]): ReadonlyMap<number, readonly Alert[]> {
  const known = joinedCache.get(alerts);
  if (known !== undefined) return known;
  const merged = groupBy(
    alerts.filter(({ row }) => row.state === "merged"),
    ({ row }) => String(row.joinedId),
  );
  const found = new Map([...merged].map(([id, own]) => [Number(id), own] as const));
  joinedCache.set(alerts, found);
  return found;
}

/** Checks that a message is published once, if the sink is configured so. */
function checkCrossposts({ played }: Evidence, rules: Rules): readonly string[] {
  const crossposts = played.attempts.filter(({ path }) => path.endsWith("/crosspost"));
  return [...groupBy(crossposts, ({ path, sink }) => `${sink} ${path}`)].flatMap(([what, own]) => {
    const isWanted = rules.sinks.get(own[0]?.sink ?? "")?.keys["crosspost"] === true;
    const isTwice = own
      .slice(0, -1)
      .some(
        (attempt) =>
          attempt.accepted &&
          attempt.answeredAtMs !== undefined &&
          !isForgotten(played, attempt, 1_000),
      );
    return isWanted && !isTwice
      ? []
      : [`${what} ${isTwice ? "is published twice" : "is published, and nobody wants it"}`];
  });
}
