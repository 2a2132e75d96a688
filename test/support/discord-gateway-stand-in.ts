/**
 * A stand-in for Discord with its gateway: posting as in `discord-stand-in.ts`, and real WebSockets
 * with hello, heartbeats, identify, ready, resume, invalid sessions, reconnects and close codes;
 * clicks that must be answered within three seconds, and private answers.
 * https://docs.discord.com/developers/events/gateway
 */
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../src/model/clock.ts";
import { startDiscordStandIn } from "./discord-stand-in.ts";
import { json, type Received } from "./loopback-server.ts";

export const BOT_TOKEN = "bot.token";
const APPLICATION = "4242";
/** The heartbeat interval that Discord asks for. */
const HEARTBEAT_MS = 41_250;
export const MANAGE_MESSAGES = String(1n << 13n);

export interface DiscordPerson {
  readonly id: string;
  readonly name: string;
  readonly roles?: readonly string[];
  readonly permissions?: string;
}

export interface DiscordClickRequest {
  readonly person: DiscordPerson;
  readonly customId: string;
  /**
   * The vendor's id of the click. Each click gets its own unless the same one is delivered again.
   */
  readonly id?: string;
  readonly choice?: string;
}

interface Packet {
  readonly op: number;
  readonly d?: any;
}

/** A session. It outlives its socket until another one begins or Discord forgets it. */
interface Session {
  readonly id: string;
  sequence: number;
  /** Every event sent to the session, so that a resumed socket gets those it missed. */
  readonly log: { readonly s: number; readonly t: string; readonly d: object }[];
}

export type Answered = "deferred" | "unanswered";

export async function startDiscordGatewayStandIn(clock: Clock, heartbeatMs = HEARTBEAT_MS) {
  const sockets = new Set<WebSocket>();
  const said: string[] = [];
  const counts = { identified: 0, resumed: 0, beats: 0 };
  const waiting = new Map<string, (answered: Answered) => void>();
  let session: Session | undefined;
  let sessions = 0;
  let clicks = 0;
  let remaining = 1_000;
  let isSilent = false;
  let startsNoSessions = false;
  let silences = 0;
  let isDeaf = false;
  let isLimited = false;
  let isIdentifyLimited = false;
  let refusesSockets = false;
  let refusesInteractions = false;
  let closesWith: number | undefined;
  const server = new WebSocketServer({
    ...{ port: 0, host: "127.0.0.1" },
    verifyClient: (_, done) => done(!refusesSockets, 503),
  });
  await new Promise<void>((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const gateway = `ws://127.0.0.1:${port}`;
  const send = (socket: WebSocket, packet: object) => socket.send(JSON.stringify(packet));
  const dispatch = (t: string, d: object) => {
    if (session === undefined) return;
    session.sequence += 1;
    session.log.push({ s: session.sequence, t, d });
    for (const socket of sockets) send(socket, { op: 0, s: session.sequence, t, d });
  };
  const identify = (socket: WebSocket, token: string) => {
    if (token !== BOT_TOKEN) return socket.close(4004);
    if (closesWith !== undefined) return socket.close(closesWith);
    // Discord accepts one session in five seconds, and calls those that come sooner invalid.
    if (isIdentifyLimited) return send(socket, { op: 9, d: false });
    if (startsNoSessions) {
      silences += 1;
      return undefined;
    }
    counts.identified += 1;
    remaining -= 1;
    sessions += 1;
    session = { id: `s${sessions}`, sequence: 0, log: [] };
    const ready = { v: 10, session_id: session.id, resume_gateway_url: gateway };
    session.sequence += 1;
    return send(socket, { op: 0, s: session.sequence, t: "READY", d: ready });
  };
  const resume = (
    socket: WebSocket,
    { session_id: id, seq }: { session_id: string; seq: number },
  ) => {
    if (session === undefined || session.id !== id) return send(socket, { op: 9, d: false });
    counts.resumed += 1;
    for (const { s, t, d } of session.log.filter((one) => one.s > seq))
      send(socket, { op: 0, s, t, d });
    session.sequence += 1;
    return send(socket, { op: 0, s: session.sequence, t: "RESUMED", d: {} });
  };
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString("utf8")) as Packet;
      if (op === 1) {
        counts.beats += 1;
        if (!isDeaf) send(socket, { op: 11 });
      }
      if (op === 2) identify(socket, d.token);
      if (op === 6) resume(socket, d);
    });
    if (isSilent) silences += 1;
    else send(socket, { op: 10, d: { heartbeat_interval: heartbeatMs } });
  });
  const others = (path: string, { headers, body }: Received) => {
    if (path === "/gateway/bot" && isLimited)
      return json({ message: "You are being rate limited.", retry_after: 30, global: false }, 429);
    if (path === "/gateway/bot")
      return headers.authorization === `Bot ${BOT_TOKEN}`
        ? json({
            ...{ url: gateway, shards: 1 },
            session_start_limit: { total: 1_000, remaining, reset_after: 0, max_concurrency: 1 },
          })
        : json({ code: 0, message: "401: Unauthorized" }, 401);
    const [, interaction] = /^\/interactions\/(\d+)\/[^/]+\/callback$/.exec(path) ?? [];
    if (interaction !== undefined) {
      if (refusesInteractions) return json({ code: 10_062, message: "Unknown interaction" }, 404);
      const { type } = JSON.parse(body) as { readonly type: number };
      waiting.get(interaction)?.(type === 6 ? "deferred" : "unanswered");
      waiting.delete(interaction);
      return json("", 204);
    }
    if (path.startsWith(`/webhooks/${APPLICATION}/`)) {
      const {
        content,
        flags,
        allowed_mentions: allowed,
      } = JSON.parse(body) as {
        readonly content: string;
        readonly flags: number;
        readonly allowed_mentions: object;
      };
      said.push(
        flags === 64 && JSON.stringify(allowed) === '{"parse":[]}' ? content : "not private",
      );
      return json({ id: "1" });
    }
    return undefined;
  };
  const discord = await startDiscordStandIn(clock, others);
  const interactionOf = ({ person, customId, choice }: DiscordClickRequest, id: string) => ({
    ...{ id, type: 3, version: 1, application_id: APPLICATION, token: `tok-${id}` },
    ...{ channel_id: "55", guild_id: "9" },
    member: {
      user: { id: person.id, username: person.name.toLowerCase(), global_name: person.name },
      roles: person.roles ?? [],
      permissions: person.permissions ?? "0",
    },
    data: {
      custom_id: customId,
      component_type: choice === undefined ? 2 : 3,
      ...(choice === undefined ? {} : { values: [choice] }),
    },
  });
  return {
    ...discord,
    said,
    counts,
    sockets: () => sockets.size,
    /** Makes new sockets get no hello. */
    beSilent: (is: boolean) => {
      isSilent = is;
    },
    /** Makes requests for a session get no answer. */
    startNoSessions: (is: boolean) => {
      startsNoSessions = is;
    },
    /** The number of sockets that waited in vain for a hello or for a session. */
    silences: () => silences,
    /** Makes heartbeats get no answer. */
    beDeaf: (is: boolean) => {
      isDeaf = is;
    },
    /** Makes requests for a gateway be refused, because they are too frequent. */
    limitGateway: (is: boolean) => {
      isLimited = is;
    },
    /** Refuses new sessions, because others of the bot began within five seconds. */
    limitIdentify: (is: boolean) => {
      isIdentifyLimited = is;
    },
    /** Answers the request for a socket with 503. */
    refuseSockets: (is: boolean) => {
      refusesSockets = is;
    },
    /** Asks all sockets for a heartbeat at once. */
    askForBeat: () => {
      for (const socket of sockets) send(socket, { op: 1, d: null });
    },
    refuseInteractions: (is: boolean) => {
      refusesInteractions = is;
    },
    /** Closes each new session with this code; undefined: accepts them. */
    closeSessionsWith: (code: number | undefined) => {
      closesWith = code;
    },
    setRemaining: (count: number) => {
      remaining = count;
    },
    /** Cuts all sockets without a word. */
    drop: () => {
      for (const socket of sockets) socket.terminate();
    },
    closeWith: (code: number) => {
      for (const socket of sockets) socket.close(code);
    },
    /** Asks all sockets to reconnect. */
    askToReconnect: () => {
      for (const socket of sockets) send(socket, { op: 7, d: null });
    },
    /** Says that the session is invalid, and forgets it unless it can be resumed. */
    invalidate: (canResume = false) => {
      if (!canResume) session = undefined;
      for (const socket of sockets) send(socket, { op: 9, d: canResume });
    },
    /** Sends text as it is to all sockets. */
    babble: (text: string) => {
      for (const socket of sockets) socket.send(text);
    },
    /** The ids of the buttons below a message, by their verb. */
    buttons: (id: string): Readonly<Record<string, string>> => {
      const shown = discord.messages.find((message) => message.id === id)?.shown ?? "";
      const ids = [...shown.matchAll(/"custom_id":"([^"]+)"/g)].map(([, found = ""]) => found);
      return Object.fromEntries(ids.map((found) => [found.split(":")[1] ?? "", found]));
    },
    /** Delivers a click, also to a session that resumes later. Resolves when it is answered. */
    click(click: DiscordClickRequest): Promise<Answered> {
      clicks += 1;
      const id = click.id ?? String(9_000 + clicks);
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        dispatch("INTERACTION_CREATE", interactionOf(click, id));
      });
    },
    async close() {
      for (const socket of sockets) socket.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await discord.close();
    },
  };
}
