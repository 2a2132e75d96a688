/** The schema of the section `chat`: how people's clicks arrive, and who may do what. */
import { z } from "zod";
import { type ChatVerb, readAllowed } from "../../model/chat-access.ts";

const allowed = z
  .string()
  .refine(
    (text) => readAllowed(text) !== undefined,
    "must be `channel`, slack:user:U…, slack:group:S…, discord:user:… or discord:role:…, with the id of a person, user group or role",
  );

const WHAT: Readonly<Record<ChatVerb, string>> = {
  acknowledge: "acknowledge alerts and undo that",
  snooze: "keep the alerts of a conversation away for a while",
  silence: "add silences, also by muting an author",
  not_relevant: "mark alerts as not relevant",
};

const who = (verb: ChatVerb) =>
  z.array(allowed).optional().describe(`Who may ${WHAT[verb]}. Without it, nobody.`);

export const chatSchema = z.strictObject({
  slack: z
    .strictObject({
      app_token: z
        .string()
        .min(1)
        .describe(
          "App-level token (xapp-…) with the scope connections:write, for Socket Mode. The bot token is the sinks' own.",
        ),
    })
    .optional()
    .describe("Listens for clicks below messages in Slack."),
  discord: z
    .strictObject({
      token: z
        .string()
        .min(1)
        .optional()
        .describe("Bot token. Default: that of the sinks with `actions`."),
    })
    .optional()
    .describe("Listens for clicks below messages in Discord."),
  allow: z
    .strictObject({
      acknowledge: z
        .array(allowed)
        .optional()
        .describe(
          `Who may ${WHAT.acknowledge}. Default: in Slack everyone in the channel, in Discord those who may manage messages there.`,
        ),
      snooze: who("snooze"),
      silence: who("silence"),
      not_relevant: who("not_relevant"),
    } satisfies Record<ChatVerb, z.ZodType>)
    .optional()
    .describe(
      "Who may do what: `channel` (everyone who can act in a channel where a sink posts), slack:user:U…, slack:group:S…, discord:user:… or discord:role:….",
    ),
});

/** The secrets below `chat`, by section. */
export const CHAT_SECRETS = { slack: ["app_token"], discord: ["token"] } as const;
