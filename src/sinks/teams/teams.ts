/** The Teams sink: its settings, and posting to a workflow's webhook. The layout is teams-render.ts, retries are the outbox's. */
import { z } from "zod";
import { createPoster } from "../kind/address-post.ts";
import { addressSetting, allowPrivateSetting, doubtOfPrivateAddress, timeoutSetting } from "../kind/address-settings.ts";
import { doubtsOfOtherChat } from "../kind/chat-doubts.ts";
import type { Receiver } from "../kind/http-answer.ts";
import type { SinkType } from "../kind/sink-type.ts";
import { MOST_TEAMS_CARDS, renderTeams, renderTeamsAnnouncement, renderTeamsDigest } from "./teams-render.ts";

const settingsSchema = z.strictObject({
  webhook_url: addressSetting(
    "The address of a Teams workflow that posts what a webhook gets: in Teams, Workflows, the template for webhook alerts.",
    "copy it from the workflow's trigger again",
  ),
  timeout: timeoutSetting("30s"),
  allow_private: allowPrivateSetting(),
});

type TeamsSettings = z.infer<typeof settingsSchema>;

export const teamsSink: SinkType<TeamsSettings> = {
  type: "teams",
  summary: "Posts Adaptive Cards to a channel or chat of Microsoft Teams, through a workflow's webhook.",
  schema: settingsSchema,
  secrets: ["webhook_url"],
  example: 'type: teams\nwebhook_url: "${TEAMS_WEBHOOK_URL}"\n',
  chat: true,
  concurrency: 1,
  doubts: (name, { webhook_url: url, allow_private }) => [
    ...doubtOfPrivateAddress(name, { url, allow_private }),
    ...doubtsOfOtherChat("teams", "webhook_url", url),
  ],
  destinations: ({ webhook_url: url }) => [{ kind: "url", url }],
  create: async (_name, settings, deps) => {
    const post = createPoster({ ...settings, url: settings.webhook_url }, TEAMS, deps);
    const headers = { "content-type": "application/json; charset=utf-8", "user-agent": "chirpwatch" };
    return {
      render: renderTeams,
      lists: { above: MOST_TEAMS_CARDS, render: renderTeamsDigest, announce: renderTeamsAnnouncement },
      // There is no idempotency key: a message whose answer was lost is seen twice.
      async send({ body }, signal) {
        await post({ headers, body: JSON.stringify(body) }, signal);
        return {};
      },
    };
  },
};

const COPY_HINT = "Copy the webhook address from the workflow's trigger again, and let the trigger be called by anyone.";

const TEAMS: Receiver = {
  name: "the Teams workflow",
  hints: {
    400: "Make the workflow from the template for webhook alerts, which posts Adaptive Cards.",
    401: COPY_HINT,
    403: COPY_HINT,
    413: "Teams takes no more than 28 KB: shorten the message with a `template`.",
    404: "The workflow is gone or turned off: turn it on, or make a new one and put its address into `webhook_url`.",
    410: "The workflow is gone: make a new one and put its address into `webhook_url`.",
  },
};
