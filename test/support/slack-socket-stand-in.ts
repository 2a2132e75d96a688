/**
 * A stand-in for Slack with Socket Mode: posting as in `slack-stand-in.ts`, and real WebSockets
 * that say hello, send clicks in envelopes, wait three seconds for each acknowledgement, deliver
 * again, recycle sockets and refuse. https://docs.slack.dev/apis/events-api/using-socket-mode
 */
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../src/model/clock.ts";
import { type Answer, json, type Received } from "./loopback-server.ts";
import { startSlackStandIn } from "./slack-stand-in.ts";

export const APP_TOKEN = "xapp-1-A0APP-1-secret";
const CHANNEL = "C0BRAND";
const MAX_SOCKETS = 10;
const ACKNOWLEDGED_WITHIN_MS = 3_000;

export interface SlackPerson {
  readonly id: string;
  readonly name: string;
}

export interface SlackClickRequest {
  readonly person: SlackPerson;
  /** The id of the button in the message. */
  readonly actionId: string;
  readonly ts: string;
  /**
   * The vendor's time of the click. Each click gets its own unless the same one is delivered again.
   */
  readonly actionTs?: string;
  readonly choice?: string;
}

/**
 * How sockets behave: `silent` never says hello, `slams` closes each one before its hello and
 * `fickle` after it, `limits` allows no new sockets, and `refuses` answers the request for one with
 * 503.
 */
export type SlackManner = "well" | "silent" | "slams" | "fickle" | "limits" | "refuses";

/** The fate of an envelope. */
export type Delivered = "acknowledged" | "lost";

export async function startSlackSocketStandIn(clock: Clock) {
  const sockets = new Set<WebSocket>();
  const waiting = new Map<string, (delivered: Delivered) => void>();
  const said: string[] = [];
  const groups = new Map<string, readonly string[]>();
  const groupReads: string[] = [];
  let refusal: string | undefined;
  let manner: SlackManner = "well";
  let opened = 0;
  let clicks = 0;
  let ignoredAnswers = 0;
  let redelivered = 0;
  let redeliveryClock: Clock | undefined;
  const server = new WebSocketServer({
    ...{ port: 0, host: "127.0.0.1" },
    verifyClient: (_, done) => done(manner !== "refuses", 503),
  });
  await new Promise<void>((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  server.on("connection", (socket) => {
    sockets.add(socket);
    const own = new Set<string>();
    socket.on("message", (data: Buffer) => {
      const { envelope_id: id } = JSON.parse(data.toString("utf8")) as { envelope_id: string };
      ignoredAnswers -= 1;
      if (ignoredAnswers >= 0) return;
      waiting.get(id)?.("acknowledged");
      waiting.delete(id);
    });
    socket.on("close", () => {
      sockets.delete(socket);
      for (const id of redeliveryClock === undefined ? own : []) {
        waiting.get(id)?.("lost");
        waiting.delete(id);
      }
    });
    Object.assign(socket, { own });
    if (manner === "slams") return socket.close();
    if (manner === "silent") return undefined;
    socket.send(
      JSON.stringify({ type: "hello", num_connections: sockets.size, connection_info: {} }),
    );
    return manner === "fickle" ? socket.close() : undefined;
  });
  const calls = (method: string, { headers, body }: Received): object | Answer | undefined => {
    const token = headers.authorization ?? "";
    if (method === "apps.connections.open") {
      if (token !== `Bearer ${APP_TOKEN}`) return { ok: false, error: "invalid_auth" };
      if (manner === "limits")
        return json({ ok: false, error: "ratelimited" }, 429, { "retry-after": "30" });
      if (refusal !== undefined) return { ok: false, error: refusal };
      if (sockets.size >= MAX_SOCKETS) return { ok: false, error: "too_many_websockets" };
      opened += 1;
      return { ok: true, url: `ws://127.0.0.1:${port}/link/?ticket=${opened}` };
    }
    if (method === "usergroups.users.list") {
      const group = new URLSearchParams(body).get("usergroup") ?? "";
      groupReads.push(group);
      const users = groups.get(group);
      return users === undefined ? { ok: false, error: "missing_scope" } : { ok: true, users };
    }
    if (method === "say") {
      said.push(String((JSON.parse(body) as { text: string }).text));
      return { ok: true };
    }
    return undefined;
  };
  const slack = await startSlackStandIn(clock, undefined, calls);
  const payloadOf = (click: SlackClickRequest, actionTs: string) => ({
    type: "block_actions",
    user: { id: click.person.id, username: click.person.name, name: click.person.name },
    api_app_id: "A0APP",
    container: { type: "message", message_ts: click.ts, channel_id: CHANNEL },
    channel: { id: CHANNEL, name: "brand" },
    response_url: `${slack.apiUrl}say`,
    actions: [
      {
        action_id: click.actionId,
        block_id: "b1",
        type: click.choice === undefined ? "button" : "static_select",
        ...(click.choice === undefined ? {} : { selected_option: { value: click.choice } }),
        action_ts: actionTs,
      },
    ],
  });
  /** Delivers an envelope to one socket. Returns false if there is none. */
  const deliver = (id: string, envelope: object): boolean => {
    const socket = [...sockets].find(({ readyState }) => readyState === WebSocket.OPEN);
    if (socket === undefined) return false;
    (socket as unknown as { readonly own: Set<string> }).own.add(id);
    socket.send(JSON.stringify({ envelope_id: id, ...envelope }));
    return true;
  };
  const redeliver = (id: string, envelope: object, attempt = 1) =>
    redeliveryClock?.after(ACKNOWLEDGED_WITHIN_MS, () => {
      if (!waiting.has(id)) return;
      redelivered += 1;
      deliver(id, { ...envelope, retry_attempt: attempt, retry_reason: "timeout" });
      redeliver(id, envelope, attempt + 1);
    });
  return {
    ...slack,
    said,
    groups,
    groupReads,
    sockets: () => sockets.size,
    opened: () => opened,
    /** Refuses new sockets with this error. Undefined: accepts them. */
    refuse: (error: string | undefined) => {
      refusal = error;
    },
    redelivered: () => redelivered,
    /** Loses this many of the next acknowledgements. */
    ignoreAnswers: (count: number) => {
      ignoredAnswers = count;
    },
    /** Delivers envelopes again that are not acknowledged within three seconds of this clock. */
    redeliverBy: (by: Clock) => {
      redeliveryClock = by;
    },
    /** Sets how sockets behave from now on. */
    behave: (how: SlackManner) => {
      manner = how;
    },
    /** Sends something that is no message of Slack to all sockets. */
    babble: (text: string) => {
      for (const socket of sockets) socket.send(text);
    },
    /** Cuts all sockets without a word. */
    drop: () => {
      for (const socket of sockets) socket.terminate();
    },
    /** Asks all sockets to reconnect, as Slack does every few hours. */
    recycle: (
      reason: "warning" | "refresh_requested" | "too_many_websockets" | "link_disabled",
    ) => {
      for (const socket of sockets) socket.send(JSON.stringify({ type: "disconnect", reason }));
    },
    /** The ids of the buttons below a message, by their verb. */
    buttons: (ts: string): Readonly<Record<string, string>> => {
      const blocks = JSON.parse(slack.messages.find(({ id }) => id === ts)?.shown ?? "[]") as {
        readonly type: string;
        readonly elements?: readonly { readonly action_id?: string }[];
      }[];
      const ids = blocks
        .filter(({ type }) => type === "actions")
        .flatMap(({ elements = [] }) => elements.flatMap(({ action_id: id }) => id ?? []));
      return Object.fromEntries(ids.map((id) => [id.split(":")[1] ?? "", id]));
    },
    /**
     * Delivers a click to one socket. Resolves when it is acknowledged or its socket is gone; with
     * `redeliverBy`, when it is acknowledged at last.
     */
    click(click: SlackClickRequest): Promise<Delivered> {
      clicks += 1;
      const id = `e${clicks}`;
      const actionTs = click.actionTs ?? `${1_700_000_000 + clicks}.000100`;
      const envelope = {
        ...{ type: "interactive", accepts_response_payload: true },
        payload: payloadOf(click, actionTs),
      };
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        if (!deliver(id, envelope) && redeliveryClock === undefined) {
          waiting.delete(id);
          resolve("lost");
        }
        redeliver(id, envelope);
      });
    },
    async close() {
      for (const socket of sockets) socket.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await slack.close();
    },
  };
}

export type SlackSocketStandIn = Awaited<ReturnType<typeof startSlackSocketStandIn>>;
