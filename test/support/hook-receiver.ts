/**
 * The receiver of a webhook. It checks Standard Webhooks signatures itself and records what
 * arrives.
 */
import { createHmac } from "node:crypto";
import {
  type Answer,
  type LoopbackServer,
  type Received,
  startLoopbackServer,
} from "./loopback-server.ts";

export const HOOK_SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes....").toString("base64")}`;

export interface HookEvent {
  readonly type: string;
  readonly id: string;
  readonly watch: string;
  readonly labels: Record<string, string>;
  /** The id of the tweet or user. */
  readonly subject: string;
  readonly data: any;
}

export interface HookMessage {
  readonly id: string;
  /** The arrival on the machine's clock, epoch ms. */
  readonly atMs: number;
  readonly body: string;
  readonly isSigned: boolean;
  readonly events: readonly HookEvent[];
}

export interface HookReceiver {
  readonly url: string;
  readonly messages: () => readonly HookMessage[];
  /** The events of all messages. An event appears once for each message that carried it. */
  readonly events: () => readonly HookEvent[];
  /** Returns the subjects of messages. A message sent twice under one id counts once. */
  readonly subjects: () => readonly string[];
  answer(next: Answer): void;
  close(): Promise<void>;
}

export async function startHookReceiver(first?: Answer): Promise<HookReceiver> {
  const server: LoopbackServer = await startLoopbackServer(first);
  const known: HookMessage[] = [];
  const messages = () => {
    known.push(...server.received.slice(known.length).map(messageOf));
    return [...known];
  };
  return {
    url: `${server.url}/hook`,
    messages,
    events: () => messages().flatMap(({ events }) => events),
    subjects: () => {
      const byId = new Map(messages().map((message) => [message.id, message]));
      return [...byId.values()].flatMap(({ events }) => events.map(({ subject }) => subject));
    },
    answer: (next) => server.answer(next),
    close: () => server.close(),
  };
}

function messageOf(request: Received): HookMessage {
  const body = JSON.parse(request.body) as { type: string; data: any };
  const members: readonly any[] =
    body.type === "events.batch" ? body.data.events : [{ type: body.type, ...body.data }];
  return {
    id: String(request.headers["webhook-id"]),
    atMs: request.atMs,
    body: request.body,
    isSigned: isSigned(request),
    events: members.map((data) => ({
      ...data,
      data,
      subject: String(data.tweet?.id ?? data.user?.id ?? ""),
    })),
  };
}

/**
 * https://github.com/standard-webhooks/standard-webhooks: `v1,` and the base64 of HMAC-SHA256 over
 * `id.timestamp.body`.
 */
function isSigned({ headers, body, atMs }: Received): boolean {
  const key = Buffer.from(HOOK_SECRET.replace("whsec_", ""), "base64");
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  const isFresh = Math.abs(atMs / 1_000 - Number(headers["webhook-timestamp"])) < 60;
  return isFresh && String(headers["webhook-signature"]).split(" ").includes(expected);
}
