/**
 * Tests what `validate --online` says about tokens and scopes, by the answers of Slack and Discord.
 */
import { expect, it } from "vitest";
import { checkChats } from "../../src/chat/check-chats.ts";
import type { ChatConfig, SinkConfig } from "../../src/config/config.ts";
import type { HttpRequest } from "../../src/model/http.ts";

const APP = "xapp-1-A0APP-1-x";
const slackSink = (name: string, settings: object) =>
  ({
    name,
    type: "slack",
    settings: { token: "xoxb-1", channel: "#b", ...settings },
  }) as SinkConfig;
const discordSink = (name: string, settings: object) =>
  ({
    name,
    type: "discord",
    settings: { token: "a.b", channel_id: "55", ...settings },
  }) as SinkConfig;
const BUTTONS = { actions: ["acknowledge"] };

interface Vendors {
  /** The scopes that the bot has. */
  readonly scopes?: string;
  /** The app of the bot; undefined if its scopes do not let Slack name it. */
  readonly app?: string | undefined;
  /** Slack's error for each method. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly endpoint?: string | null;
  /** Discord's status for each path. */
  readonly statuses?: Readonly<Record<string, number>>;
}

function asked({
  scopes = "chat:write",
  app,
  errors = {},
  endpoint = null,
  statuses = {},
}: Vendors) {
  const requests: string[] = [];
  const bodies: Readonly<Record<string, object>> = {
    "auth.test": { bot_id: "B1" },
    "apps.connections.open": { url: "wss://x.example" },
    "bots.info": { bot: { app_id: app } },
    "applications/@me": { id: "1", interactions_endpoint_url: endpoint },
    "channels/55": { id: "55" },
  };
  const http = {
    request: async ({ url, headers = {} }: HttpRequest) => {
      const path = url.replace(/^https:\/\/(slack\.com\/api|discord\.com\/api\/v10)\//, "");
      requests.push(`${path} ${headers["authorization"]}`);
      if (path === "bots.info" && app === undefined)
        return { status: 200, headers: {}, body: '{"ok":false,"error":"missing_scope"}' };
      const error = errors[path];
      const body = error === undefined ? { ok: true, ...bodies[path] } : { ok: false, error };
      return {
        status: statuses[path] ?? 200,
        headers: { "x-oauth-scopes": scopes },
        body: JSON.stringify(body),
      };
    },
  };
  return { http, requests };
}

const CHAT: ChatConfig = { allow: {}, slack: { appToken: APP } };
const GROUPS: ChatConfig = {
  ...CHAT,
  allow: { acknowledge: [{ kind: "group", vendor: "slack", id: "S1" }] },
};

it.each<[string, ChatConfig, readonly SinkConfig[], Vendors, readonly string[]]>([
  [
    "all is well",
    GROUPS,
    [slackSink("brand", BUTTONS)],
    { scopes: "chat:write,usergroups:read", app: "A0APP" },
    [],
  ],
  [
    "a scope for groups is missing",
    GROUPS,
    [slackSink("brand", BUTTONS)],
    { app: "A0APP" },
    [
      "brand: the bot of `brand` lacks the scope usergroups:read: add it under OAuth & Permissions of the Slack app, then reinstall the app",
    ],
  ],
  [
    "the scope for a name is missing, without buttons",
    { allow: {} },
    [slackSink("brand", { username: "x" })],
    { scopes: "chat:write,usergroups:read" },
    [
      "brand: the bot of `brand` lacks the scope chat:write.customize: add it under OAuth & Permissions of the Slack app, then reinstall the app",
    ],
  ],
  [
    "buttons of another app",
    CHAT,
    [slackSink("plain", {}), slackSink("brand", BUTTONS)],
    { app: "A0OTHER" },
    [
      "brand: the bot of `brand` belongs to the Slack app A0OTHER, but `chat.slack.app_token` is of A0APP, and one app receives all clicks: use tokens of the same app, or remove `actions`",
    ],
  ],
  [
    "an app that Slack does not name",
    CHAT,
    [slackSink("brand", BUTTONS)],
    {},
    ["note: Slack does not name the app of the bot of `brand`: give it the scope users:read"],
  ],
  [
    "an app token without its scope, and a bot token that was revoked",
    CHAT,
    [slackSink("brand", BUTTONS)],
    { errors: { "apps.connections.open": "missing_scope", "auth.test": "token_revoked" } },
    [
      "brand: the token in `chat.slack.app_token` lacks the scope connections:write: create an app-level token with that scope under Basic Information of the Slack app",
      "brand: Slack answers token_revoked to the `token` of `brand`: put the bot token (xoxb-…) of an installed app there",
    ],
  ],
  [
    "an app token that is none",
    CHAT,
    [slackSink("brand", BUTTONS)],
    { app: "A0APP", errors: { "apps.connections.open": "not_allowed_token_type" } },
    [
      "brand: Slack answers not_allowed_token_type to the token in `chat.slack.app_token`: put a valid app-level token (xapp-…) of an app with Socket Mode there",
    ],
  ],
  [
    "clicks in Discord that go elsewhere, and a channel that the bot does not see",
    { allow: {} },
    [discordSink("news", BUTTONS)],
    { endpoint: "https://x.example", statuses: { "channels/55": 403 } },
    [
      'news: the application has an "Interactions Endpoint URL", to which Discord sends all clicks: remove it in the Developer Portal',
      "news: Discord answered 403 when the bot of `news` reads its channel: invite the bot with the scope `bot`, and let it view the channel and send messages there",
    ],
  ],
  [
    "a token that Discord refuses",
    { allow: {} },
    [discordSink("news", {})],
    { statuses: { "applications/@me": 401 } },
    ["news: Discord answered 401 to the `token` of `news`: put a valid bot token there"],
  ],
])("where %s", async (_, chat, sinks, vendors, said) => {
  const { findings, notes } = await checkChats({ chat, sinks }, asked(vendors).http);
  expect([
    ...findings.map(({ sink, message }) => `${sink}: ${message}`),
    ...notes.map((note) => `note: ${note}`),
  ]).toEqual(said);
});

it("asks once for each token, and says what could not be asked", async () => {
  const sinks = [
    slackSink("a", BUTTONS),
    slackSink("b", BUTTONS),
    discordSink("c", {}),
    { name: "hook", type: "slack", settings: { webhook_url: "https://x.example" } } as SinkConfig,
  ];
  const { http, requests } = asked({ app: "A0APP" });
  expect((await checkChats({ chat: CHAT, sinks }, http)).findings).toEqual([]);
  expect(requests).toEqual([
    `apps.connections.open Bearer ${APP}`,
    "auth.test Bearer xoxb-1",
    "bots.info Bearer xoxb-1",
    "applications/@me Bot a.b",
    "channels/55 Bot a.b",
  ]);
  const down = { request: () => Promise.reject(new Error("no connection")) };
  const { findings, notes } = await checkChats({ chat: CHAT, sinks }, down);
  expect([findings, notes]).toEqual([
    [],
    [
      expect.stringMatching(/^not checked, Slack could not be reached/),
      expect.stringMatching(/^not checked, Discord could not be reached/),
    ],
  ]);
});
