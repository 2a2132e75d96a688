/**
 * Starts and stops listening on TCP: the only address people and Prometheus see. The routes are in
 * routes.ts.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ChirpwatchError, errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import { isLoopback } from "../model/loopback.ts";
import { closeServer, createListener, type Listener } from "./listener.ts";
import type { RouteDeps } from "./load-routes.ts";
import type { Access } from "./routes.ts";
import { createWrongTokens } from "./wrong-tokens.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free one; `url` says which. */
  readonly port: number;
  readonly token?: string;
  /** Under which name a proxy serves it. */
  readonly publicHost?: string;
}

export type ServerOptions = ListenOptions & RouteDeps;

export interface RunningServer extends Pick<Listener, "answerWith"> {
  /** Where this machine reaches it, without a slash at the end. */
  readonly url: string;
  /** Lets answers under way finish for a second. */
  close(): Promise<void>;
}

/** @throws ExitError when the address cannot be had, or is open to others without a token. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, token, publicHost, clock } = options;
  if (token === undefined && !isLoopback(host))
    throw new ExitError(
      EXIT.badConfig,
      "SERVER_TOKEN_WANTED",
      `server.listen ${host}:${port} is open to others and has no token`,
      {
        hint: "set server.token or server.token_file, or listen on 127.0.0.1",
      },
    );
  const wrongTokens = createWrongTokens(clock);
  const access: Access = {
    kind: "tcp",
    wrongTokens,
    ...(token === undefined ? {} : { token }),
    ...(publicHost === undefined ? {} : { publicHost }),
  };
  const { server, answerWith } = createListener(options, access);
  await listen(server, host, port);
  const url = `http://${shownHost(host)}:${(server.address() as AddressInfo).port}`;
  const close = () => {
    wrongTokens.stop();
    return closeServer(server, clock);
  };
  return { url, answerWith, close };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(refused(error, host, port)));
    server.listen({ host: host.replace(/^\[|\]$/g, ""), port }, resolve);
  });
}

function refused(error: NodeJS.ErrnoException, host: string, port: number): ChirpwatchError {
  const address = `${host}:${port}`;
  const [message, hint] =
    error.code === "EADDRINUSE"
      ? [
          `${address} is taken by another process`,
          "set server.listen to another port (0 takes any free one), or stop the other process",
        ]
      : [
          `cannot listen on ${address}: ${errorText(error)}`,
          "set server.listen to an address of this machine and a port above 1023",
        ];
  return new ExitError(EXIT.cannotCreate, "SERVER_CANNOT_LISTEN", message, { hint, cause: error });
}

/** An address that means "all of them" is no address to open: this machine has it on loopback. */
function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "[::]") return "127.0.0.1";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
