/**
 * The email sink: its settings, and sending mails through an SMTP server. `email-render.ts` lays
 * out, `email-answer.ts` classifies refusals, and the port `Outputs` speaks SMTP.
 */
import { z } from "zod";
import { parseDuration } from "../../model/duration.ts";
import { isLoopback } from "../../model/loopback.ts";
import type { Mail, MailServer } from "../../model/outputs.ts";
import type { SealedMessage, Sink } from "../../model/sink.ts";
import { timeoutSetting } from "../kind/address-settings.ts";
import { addIssue } from "../kind/chat-settings.ts";
import type { SinkDeps, SinkType } from "../kind/sink-type.ts";
import { classifyMailFailure, readRefusals } from "./email-answer.ts";
import {
  type EmailBody,
  MAX_MAIL_CARDS,
  renderEmail,
  renderEmailAnnouncement,
  renderEmailDigest,
  withEmailFooter,
} from "./email-render.ts";

const ADDRESS = /^[^\s@<>,;:"()\\]+@[A-Za-z0-9.-]+$/;
const NAMED = /^[^<>@,;:"()\\\r\n]*<([^<>]+)>$/;

/** Returns the address in `Name <address>`, or the whole text if it is a bare address. */
const bareAddress = (text: string): string => NAMED.exec(text)?.[1] ?? text;

const address = () =>
  z
    .string()
    .refine(
      (text) => ADDRESS.test(bareAddress(text)),
      "must be a mail address, like alerts@example.com or Alerts <alerts@example.com>",
    );

const settingsSchema = z
  .strictObject({
    host: z
      .string()
      .regex(/^[\w.:-]+$/, "must be the name or address of a mail server, like smtp.example.com")
      .describe("The SMTP server. It may be on a private network."),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe("Its port: 587 by default, 465 with `security: tls`, 25 with `security: none`."),
    security: z
      .enum(["starttls", "tls", "none"])
      .default("starttls")
      .describe(
        "`starttls` encrypts before anything is sent, `tls` from the first byte; `none` is for servers on a trusted network.",
      ),
    user: z.string().min(1).optional().describe("Name to log in with. Needs `password`."),
    password: z.string().min(1).optional().describe("Password to log in with."),
    from: address().describe("Sender: an address, or `Name <address>`."),
    to: z
      .union([address(), z.array(address()).min(1).max(50)])
      .describe("Recipient or list of recipients, who see each other's addresses."),
    timeout: timeoutSetting("60s"),
  })
  .superRefine(({ host, security, user, password }, context) => {
    if (user !== undefined && password === undefined)
      addIssue(context, "needs a `password`", "user");
    if (password !== undefined && user === undefined)
      addIssue(context, "needs a `user`", "password");
    if (password !== undefined && security === "none" && !isLoopback(host))
      addIssue(
        context,
        "`security: none` would send the password in clear text: write `starttls` or `tls`",
        "security",
      );
  });

type EmailSettings = z.infer<typeof settingsSchema>;

const PORTS = { starttls: 587, tls: 465, none: 25 } as const;

export const emailSink: SinkType<EmailSettings> = {
  type: "email",
  summary: "Sends mails, as HTML and as text, through an SMTP server.",
  schema: settingsSchema,
  secrets: ["password"],
  example:
    'type: email\nhost: smtp.example.com\nuser: alerts\npassword: "${SMTP_PASSWORD}"\nfrom: Alerts <alerts@example.com>\nto: team@example.com\n',
  chat: true,
  concurrency: 1,
  answers: [
    { answer: "250", means: "sent", example: { kind: "smtp", commands: {} } },
    {
      answer: "5yz to some recipients",
      means: "part",
      example: { kind: "smtp", commands: { "RCPT TO:<boss": "550 5.1.1 no such user" } },
    },
    {
      answer: "4yz to some recipients",
      means: "part",
      example: { kind: "smtp", commands: { "RCPT TO:<boss": "450 4.2.0 greylisted" } },
    },
    {
      answer: "5yz to all recipients or the sender",
      means: "closed",
      example: { kind: "smtp", commands: { RCPT: "550 5.1.1 no" } },
    },
    {
      answer: "5yz to the login",
      means: "closed",
      example: { kind: "smtp", commands: { AUTH: "535 5.7.8 bad credentials" } },
    },
    {
      answer: "552, 5.3.4 or 5.2.3 to the text",
      means: "too_large",
      example: { kind: "smtp", commands: { ".": "552 5.3.4 too big" } },
    },
    {
      answer: "any other 5yz to the text",
      means: "refused",
      example: { kind: "smtp", commands: { ".": "554 5.6.0 refused" } },
    },
    {
      answer: "4yz, no answer",
      means: "passing",
      example: { kind: "smtp", commands: { MAIL: "451 4.3.0 try later" } },
    },
  ],
  destinations: ({ host }) => [
    { kind: "url", url: `smtp://${host.includes(":") ? `[${host}]` : host}` },
  ],
  describe: ({ to }) => [to].flat().map(bareAddress).join(", "),
  create: async (_name, settings, deps) => createEmailSink(settings, deps),
};

function createEmailSink(settings: EmailSettings, { outputs }: SinkDeps): Sink {
  const { host, security, user, password, timeout } = settings;
  const server: MailServer = {
    ...{
      host,
      security,
      port: settings.port ?? PORTS[security],
      timeoutMs: parseDuration(timeout) ?? 60_000,
    },
    ...(user === undefined || password === undefined ? {} : { login: { user, password } }),
  };
  return {
    replies: "message",
    render: renderEmail,
    footer: { add: (body, footer) => withEmailFooter(body as EmailBody, footer) },
    lists: { above: MAX_MAIL_CARDS, render: renderEmailDigest, announce: renderEmailAnnouncement },
    async send(message, signal) {
      const mail = mailOf(settings, message);
      // Every configured recipient got the mail in an earlier attempt.
      if (mail.recipients.length === 0) return {};
      const { refused } = await outputs.mail(server, mail, signal).catch((error: unknown) => {
        throw classifyMailFailure(error);
      });
      const missed = readRefusals(refused, mail.recipients, message.taken ?? []);
      if (missed.length === 0) return { ref: mail.id };
      const taken = [...(message.taken ?? []), ...mail.recipients].filter((one) =>
        missed.every(({ receiver }) => receiver !== one),
      );
      return { ref: mail.id, missed, taken };
    },
  };
}

/**
 * Returns the mail. Its Message-ID is the same in every attempt, so that mail programs can drop a
 * repeat. The further mails of a digest reply to its first mail, and follow-ups reply to the
 * alert's mail.
 */
function mailOf(
  { from, to }: EmailSettings,
  { id, sealedAtMs, body, threadRef, taken = [] }: SealedMessage,
): Mail {
  const all = [to].flat();
  const domain = bareAddress(from).split("@")[1] ?? "";
  return {
    ...(body as EmailBody),
    ...{
      id: `<${id}@${domain}>`,
      dateMs: sealedAtMs,
      from,
      to: all,
      recipients: all.map(bareAddress).filter((one) => !taken.includes(one)),
    },
    answersId: threadRef,
  };
}
