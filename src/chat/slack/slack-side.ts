/** What it takes to listen to Slack: the connection, and what the app knows about people. */
import type { SinkConfig } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import type { Http } from "../../model/http.ts";
import type { Log } from "../../model/log.ts";
import { SLACK_API_URL, slackReach, type SlackSettings } from "../../sinks/slack/slack-settings.ts";
import type { ListeningSide } from "../clicks/answer-click.ts";
import { createSlackApi } from "./slack-api.ts";
import { createSlackConnection } from "./slack-connection.ts";
import { createSlackGroups } from "./slack-groups.ts";
import { SLACK_MARKUP } from "./slack-markup.ts";

export interface SlackSideDeps {
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
}

/** Listens as the app of `appToken`. `sink` is one whose bot belongs to the same app. */
export function createSlackSide(
  appToken: string,
  sink: SinkConfig,
  { http, clock, log }: SlackSideDeps,
): ListeningSide {
  const settings = sink.settings as SlackSettings;
  const address = { apiUrl: settings.api_url ?? SLACK_API_URL, reach: slackReach(settings) };
  const api = createSlackApi(http, address, settings.token ?? "");
  return {
    markup: SLACK_MARKUP,
    groups: createSlackGroups(api, { clock, log }),
    connection: createSlackConnection({ http, appToken, address }),
  };
}
