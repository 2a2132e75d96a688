/**
 * Checks with Slack what the configuration alone does not show: whether tokens are valid, which
 * scopes they lack, and whether the bots of sinks with buttons belong to the app that receives the
 * clicks. Posts nothing.
 */
import type { ChatConfig, SinkConfig } from "../../config/config.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Http } from "../../model/http.ts";
import {
  APPEARANCE,
  SLACK_API_URL,
  slackReach,
  type SlackSettings,
} from "../../sinks/slack/slack-settings.ts";
import type { ChatFinding, ChatFindings } from "../clicks/finding.ts";
import { askSlack, codeIn, type SlackAddress, type SlackAnswer } from "./slack-api.ts";

export interface SlackChecked {
  readonly chat: ChatConfig;
  readonly sinks: readonly SinkConfig[];
}

/** A sink that posts as a bot. */
interface BotSink {
  readonly name: string;
  readonly settings: SlackSettings;
}

/** @throws ChatError if Slack cannot be reached */
export async function checkSlack({ chat, sinks }: SlackChecked, http: Http): Promise<ChatFindings> {
  const bots = sinks.flatMap(({ name, type, settings }): readonly BotSink[] => {
    const own = settings as SlackSettings | undefined;
    return type === "slack" && own?.token !== undefined ? [{ name, settings: own }] : [];
  });
  const [findings, notes]: [ChatFinding[], string[]] = [[], []];
  const withButtons = bots.find(({ settings }) => settings.actions !== undefined);
  const appId =
    chat.slack === undefined || withButtons === undefined
      ? undefined
      : await checkApp(chat.slack.appToken, withButtons, { http, findings });
  for (const alike of groupBy(bots, ({ settings }) => settings.token ?? "").values())
    await checkBot(alike, { http, findings, notes, appId, chat });
  return { findings, notes };
}

interface CheckDeps {
  readonly http: Http;
  readonly findings: ChatFinding[];
}

const addressOf = (settings: SlackSettings): SlackAddress => ({
  apiUrl: settings.api_url ?? SLACK_API_URL,
  reach: slackReach(settings),
});

/** Checks the app-level token. Returns the id of its app; undefined if it cannot be known. */
async function checkApp(
  token: string,
  { name, settings }: BotSink,
  { http, findings }: CheckDeps,
): Promise<string | undefined> {
  const method = "apps.connections.open";
  const code = errorIn(await askSlack(http, addressOf(settings), { token, method }));
  if (code === "missing_scope")
    findings.push({
      sink: name,
      message:
        "the token in `chat.slack.app_token` lacks the scope connections:write: create an app-level token with that scope under Basic Information of the Slack app",
    });
  else if (code !== undefined)
    findings.push({
      sink: name,
      message: `Slack answers ${code} to the token in \`chat.slack.app_token\`: put a valid app-level token (xapp-…) of an app with Socket Mode there`,
    });
  return /^xapp-\d+-(?<app>A[A-Z0-9]+)-/.exec(token)?.groups?.["app"];
}

const errorIn = ({ read, status }: SlackAnswer): string | undefined =>
  read["ok"] === true ? undefined : (codeIn(read) ?? String(status));

interface BotDeps extends CheckDeps {
  readonly appId: string | undefined;
  readonly chat: ChatConfig;
  readonly notes: string[];
}

/** Checks the bot of these sinks, which have the same token. */
async function checkBot(
  sinks: readonly BotSink[],
  { http, findings, notes, appId, chat }: BotDeps,
): Promise<void> {
  const [first] = sinks;
  if (first === undefined) return;
  const { settings, name } = first;
  const { token = "" } = settings;
  const answer = await askSlack(http, addressOf(settings), { token, method: "auth.test" });
  const code = errorIn(answer);
  if (code !== undefined) {
    const message = `Slack answers ${code} to the \`token\` of \`${name}\`: put the bot token (xoxb-…) of an installed app there`;
    findings.push({ sink: name, message });
    return;
  }
  const scopes = answer.headers["x-oauth-scopes"]?.split(",").map((scope) => scope.trim());
  for (const scope of neededScopes(sinks, chat).filter((one) => scopes?.includes(one) === false))
    findings.push({
      sink: name,
      message: `the bot of \`${name}\` lacks the scope ${scope}: add it under OAuth & Permissions of the Slack app, then reinstall the app`,
    });
  const button = sinks.find((sink) => sink.settings.actions !== undefined);
  if (button === undefined || appId === undefined) return;
  const botAppId = await appOf(answer, first, http);
  if (botAppId === undefined)
    notes.push(
      `Slack does not name the app of the bot of \`${button.name}\`: give it the scope users:read`,
    );
  else if (botAppId !== appId)
    findings.push({
      sink: button.name,
      message: `the bot of \`${button.name}\` belongs to the Slack app ${botAppId}, but \`chat.slack.app_token\` is of ${appId}, and one app receives all clicks: use tokens of the same app, or remove \`actions\``,
    });
}

/**
 * Returns the app of a bot; undefined if Slack does not name it, because the app lacks the scope
 * users:read. https://docs.slack.dev/reference/methods/bots.info
 */
async function appOf(
  { read }: SlackAnswer,
  { settings }: BotSink,
  http: Http,
): Promise<string | undefined> {
  const { app_id: appId, bot_id: bot } = read;
  if (typeof appId === "string") return appId;
  if (typeof bot !== "string") return undefined;
  const { token = "" } = settings;
  const answer = await askSlack(http, addressOf(settings), {
    ...{ token, method: "bots.info", fields: { bot } },
  });
  const info = answer.read["bot"] as { readonly app_id?: unknown } | undefined;
  return typeof info?.app_id === "string" ? info.app_id : undefined;
}

/** Returns the scopes that these sinks need, as config/slack-app-manifest.yaml lists them. */
function neededScopes(sinks: readonly BotSink[], { allow }: ChatConfig): readonly string[] {
  const isStyled = sinks.some(({ settings }) =>
    APPEARANCE.some((key) => settings[key] !== undefined),
  );
  const hasButtons = sinks.some(({ settings }) => settings.actions !== undefined);
  const namesGroups = Object.values(allow).some((who) => who.some(({ kind }) => kind === "group"));
  return [
    "chat:write",
    ...(isStyled ? ["chat:write.customize"] : []),
    ...(hasButtons && namesGroups ? ["usergroups:read"] : []),
  ];
}
