/**
 * Builds the section `chat`, and checks what buttons need of it: something that receives clicks, one
 * bot for all of them, and people who may use them.
 */
import type { ChatAction } from "../../model/chat-action.ts";
import { type Allowed, CHAT_VERBS, type ChatVerb, readAllowed } from "../../model/chat-access.ts";
import { checkValue } from "../check/check-value.ts";
import type { ChatConfig, SinkConfig } from "../config.ts";
import { CHAT_SECRETS, chatSchema } from "../schema/chat-schema.ts";
import {
  childOf,
  type Entry,
  entryOf,
  findNode,
  isUnresolved,
  type MapNode,
  type Place,
  withEntries,
} from "../tree.ts";
import type { BuildDeps } from "./build-deps.ts";
import { resolveSecrets } from "./secret-files.ts";

/** The key of `chat.allow` that each action needs. */
const VERB_OF: Readonly<Record<ChatAction, ChatVerb>> = {
  acknowledge: "acknowledge",
  snooze: "snooze",
  mute_author: "silence",
  not_relevant: "not_relevant",
};

/** The verbs that keep alerts from everybody in a channel. */
const HIDING: readonly ChatVerb[] = ["snooze", "silence"];

/** A sink whose messages have buttons. */
interface ButtonSink {
  readonly type: "slack" | "discord";
  readonly actions: readonly ChatAction[];
  readonly token: string;
  readonly entry: Entry;
}

interface ChatParts {
  readonly sinks: readonly SinkConfig[];
  readonly entries: readonly Entry[];
}

/** Resolves to undefined if the section has errors, or if a lenient load lacks its secrets. */
export async function buildChat(
  root: MapNode,
  parts: ChatParts,
  deps: BuildDeps,
): Promise<ChatConfig | undefined> {
  const map = await withSecrets(root, deps);
  if (map === undefined) return { allow: {} };
  if (deps.lenient && isUnresolved(map)) return undefined;
  const place = entryOf(root, "chat")?.keyPlace ?? root.place;
  const written = checkValue(chatSchema, map, { report: deps.report, place, name: "chat" });
  if (written === undefined) return undefined;
  const allow: Partial<Record<ChatVerb, readonly Allowed[]>> = {};
  for (const verb of CHAT_VERBS) {
    const who = written.allow?.[verb];
    if (who !== undefined) allow[verb] = who.flatMap((text) => readAllowed(text) ?? []);
  }
  const { slack, discord } = written;
  const chat: ChatConfig = {
    allow,
    ...(slack === undefined ? {} : { slack: { appToken: slack.app_token } }),
    ...(discord?.token === undefined ? {} : { discord: { token: discord.token } }),
  };
  checkButtons(chat, parts, map, deps);
  return chat;
}

/** Returns the section with its secrets; an empty one if the file has none. */
async function withSecrets(root: MapNode, deps: BuildDeps): Promise<MapNode | undefined> {
  const entry = entryOf(root, "chat");
  const empty: MapNode = { kind: "map", place: root.place, entries: new Map() };
  if (entry === undefined || (entry.node.kind === "scalar" && entry.node.value === null))
    return empty;
  if (entry.node.kind !== "map") {
    deps.report.error(entry.keyPlace, "wrong-type", "`chat` must be a map");
    return undefined;
  }
  const changes: Record<string, Entry> = {};
  for (const [key, secrets] of Object.entries(CHAT_SECRETS)) {
    const section = entryOf(entry.node, key);
    if (section?.node.kind !== "map") continue;
    const { map } = await resolveSecrets(section.node, secrets, deps);
    changes[key] = { ...section, node: map };
  }
  return withEntries(entry.node, changes);
}

function buttonSinks({ sinks, entries }: ChatParts): readonly ButtonSink[] {
  return sinks.flatMap(({ name, type, settings }): readonly ButtonSink[] => {
    const { actions, token = "" } = (settings ?? {}) as {
      readonly actions?: readonly ChatAction[];
      readonly token?: string;
    };
    const entry = entries.find(({ key }) => key === name);
    return (type === "slack" || type === "discord") && actions !== undefined && entry !== undefined
      ? [{ type, actions, token, entry }]
      : [];
  });
}

function checkButtons(
  chat: ChatConfig,
  parts: ChatParts,
  section: MapNode,
  { report }: BuildDeps,
): void {
  const sinks = buttonSinks(parts);
  const ofType = (type: ButtonSink["type"]) => sinks.filter((sink) => sink.type === type);
  if (chat.slack === undefined)
    for (const { entry } of ofType("slack"))
      report.error(
        placeOf(entry, "actions"),
        "chat-token",
        'no connection receives clicks on these buttons: write `chat: { slack: { app_token: "${SLACK_APP_TOKEN}" } }` with an app-level token of the same app, or remove `actions`',
      );
  const [first, ...others] = ofType("discord");
  const bot = chat.discord?.token ?? first?.token;
  for (const { token, entry } of first === undefined ? [] : [first, ...others])
    if (token !== bot)
      report.error(
        placeOf(entry, "actions"),
        "chat-bot",
        `the \`token\` of \`${entry.key}\` is of another bot than ${chat.discord === undefined ? `that of \`${first?.entry.key}\`` : "`chat.discord`"}, and one bot receives all clicks: use the same token in both, or remove \`actions\``,
      );
  for (const type of ["slack", "discord"] as const) {
    const unused = entryOf(section, type);
    if (unused !== undefined && ofType(type).length === 0)
      report.warn(
        unused.keyPlace,
        "no-effect",
        `\`chat.${type}\` has no effect: no sink of type ${type} has \`actions\``,
      );
  }
  warnOfNobody(chat, sinks, report);
  warnOfHiding(chat, ofType("discord"), section, report);
}

const placeOf = ({ node, keyPlace }: Entry, key: string): Place =>
  entryOf(node, key)?.keyPlace ?? keyPlace;

/** Warns of buttons that nobody may use. Acknowledging has a default. */
function warnOfNobody(
  { allow }: ChatConfig,
  sinks: readonly ButtonSink[],
  report: BuildDeps["report"],
): void {
  for (const { actions, entry } of sinks)
    for (const action of actions) {
      const verb = VERB_OF[action];
      if (verb === "acknowledge" || (allow[verb] ?? []).length > 0) continue;
      report.warn(
        placeOf(entry, "actions"),
        "no-effect",
        `nobody may use the button \`${action}\`: say who in \`chat: { allow: { ${verb}: […] } }\``,
      );
    }
}

function warnOfHiding(
  { allow }: ChatConfig,
  sinks: readonly ButtonSink[],
  section: MapNode,
  report: BuildDeps["report"],
): void {
  for (const verb of HIDING) {
    const index = (allow[verb] ?? []).findIndex(({ kind }) => kind === "channel");
    const isShown = sinks.some(({ actions }) => actions.some((one) => VERB_OF[one] === verb));
    if (index < 0 || !isShown) continue;
    const written = childOf(childOf(section, "allow"), verb);
    const { place } = findNode(section, ["allow", verb, index], written?.place);
    report.warn(
      place,
      "chat-allow",
      `\`channel\` lets everyone in a Discord channel keep alerts away from all others: name a role for \`${verb}\`, like discord:role:456`,
    );
  }
}
