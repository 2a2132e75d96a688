import type { JsonObject } from "../../model/json.ts";
/**
 * The Teams sink: its settings, and posting to a workflow's webhook. `teams-render.ts` lays out,
 * and the outbox retries.
 */
import { z } from "zod";
import { createPoster } from "../kind/address-post.ts";
import { byStatus, inBody } from "../kind/meant-answer.ts";
import {
  addressSetting,
  allowPrivateSetting,
  doubtOfPrivateAddress,
  timeoutSetting,
} from "../kind/address-settings.ts";
import { doubtsOfOtherChat } from "../kind/chat-doubts.ts";
import type { Receiver } from "../kind/http-answer.ts";
import type { SinkType } from "../kind/sink-type.ts";
import {
  MAX_TEAMS_CARDS,
  renderTeams,
  renderTeamsAnnouncement,
  renderTeamsDigest,
  withTeamsFooter,
} from "./teams-render.ts";

const settingsSchema = z.strictObject({
  webhook_url: addressSetting(
    "The address of a Teams workflow that posts what a webhook receives: in Teams, open Workflows and choose the template for webhook alerts.",
    "copy it from the workflow's trigger again",
  ),
  timeout: timeoutSetting("30s"),
  allow_private: allowPrivateSetting(),
});

const TEAMS_FAILURE = (status: number) =>
  `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId x`;

type TeamsSettings = z.infer<typeof settingsSchema>;

export const teamsSink: SinkType<TeamsSettings> = {
  type: "teams",
  summary:
    "Posts Adaptive Cards to a channel or chat of Microsoft Teams, through a workflow's webhook.",
  schema: settingsSchema,
  secrets: ["webhook_url"],
  example: 'type: teams\nwebhook_url: "${TEAMS_WEBHOOK_URL}"\n',
  chat: true,
  concurrency: 1,
  answers: [
    ...byStatus("sent", 202),
    inBody("2xx with `endpoint returned HTTP error 429`", "wait", {
      status: 200,
      body: TEAMS_FAILURE(429),
    }),
    inBody("2xx with `endpoint returned HTTP error 413`", "too_large", {
      status: 200,
      body: TEAMS_FAILURE(413),
    }),
    inBody("2xx with any other `endpoint returned HTTP error`", "passing", {
      status: 200,
      body: TEAMS_FAILURE(500),
    }),
    ...byStatus("too_large", 413),
    ...byStatus("refused", 400),
    ...byStatus("closed", 302, 401, 403, 404, 410),
    ...byStatus("wait", 429),
    ...byStatus("passing", 408, 500, 503),
  ],
  doubts: (name, { webhook_url: url, allow_private }) => [
    ...doubtOfPrivateAddress(name, { url, allow_private }),
    ...doubtsOfOtherChat("teams", "webhook_url", url),
  ],
  destinations: ({ webhook_url: url }) => [{ kind: "url", url }],
  create: async (_name, settings, deps) => {
    const post = createPoster({ ...settings, url: settings.webhook_url }, TEAMS, deps);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "user-agent": "chirpwatch",
    };
    return {
      render: renderTeams,
      footer: { add: (body, footer) => withTeamsFooter(body as JsonObject, footer) },
      lists: {
        above: MAX_TEAMS_CARDS,
        render: renderTeamsDigest,
        announce: renderTeamsAnnouncement,
      },
      // There is no idempotency key, so a message whose answer was lost is sent and shown a second
      // time.
      async send({ body }, signal) {
        await post({ headers, body: JSON.stringify(body) }, signal);
        return {};
      },
    };
  },
};

const COPY_HINT =
  "Copy the webhook address from the workflow's trigger again, and allow anyone to call the trigger.";

/**
 * Matches the failure that a workflow reports in the body of a 2xx answer.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using#rate-limiting-for-connectors
 */
const FAILURE = /endpoint returned HTTP error (\d{3})/i;

const TEAMS: Receiver = {
  name: "the Teams workflow",
  readFailure: (answer) => {
    const [, status] = FAILURE.exec(answer.body) ?? [];
    return status === undefined ? undefined : { ...answer, status: Number(status) };
  },
  hints: {
    400: "Make the workflow from the template for webhook alerts, which posts Adaptive Cards.",
    401: COPY_HINT,
    403: COPY_HINT,
    413: "Teams takes at most 28 KB: shorten the message with a `template`.",
    404: "The workflow is gone or turned off: turn it on, or make a new one and put its address into `webhook_url`.",
    410: "The workflow is gone: make a new one and put its address into `webhook_url`.",
  },
};
