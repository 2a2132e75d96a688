/**
 * Starts and stops the HTTP server on TCP, which serves people and Prometheus. The routes are in
 * routes.ts.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ChirpwatchError, errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import { isLoopback } from "../model/loopback.ts";
import { closeServer, createListener, type Listener } from "./listener.ts";
import type { TcpAccess } from "./access/guard.ts";
import type { RouteDeps } from "./load-routes.ts";
import type { Access } from "./routes.ts";
import { createWrongTokens } from "./access/wrong-tokens.ts";

export interface ListenOptions extends TcpAccess {
  readonly host: string;
  /** The port. 0 means any free port; `url` then contains the port that was chosen. */
  readonly port: number;
}

export type ServerOptions = ListenOptions & RouteDeps;

export interface RunningServer extends Pick<Listener, "answerWith"> {
  /** The server's address on this machine, without a slash at the end. */
  readonly url: string;
  /** Answers a request for a page that nobody sent. The next one finds its code loaded. */
  visit(path: string): Promise<void>;
  /** Closes the server. Running requests have one second to finish. */
  close(): Promise<void>;
}

/**
 * Starts the server. @throws ExitError if the address cannot be used, or if other machines can
 * reach the address and there is no token
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, token, readToken, publicHost, clock } = options;
  if (token === undefined && !isLoopback(host))
    throw new ExitError(
      EXIT.badConfig,
      "SERVER_TOKEN_WANTED",
      `server.listen ${host}:${port} can be reached from other machines and has no token`,
      {
        hint: "set server.token or server.token_file, or listen on 127.0.0.1",
      },
    );
  const wrongTokens = createWrongTokens(clock);
  const access: Access = { kind: "tcp", wrongTokens, token, readToken, publicHost };
  const { server, answerWith, visit } = createListener(options, access);
  await listen(server, host, port);
  const url = `http://${shownHost(host)}:${(server.address() as AddressInfo).port}`;
  const close = () => {
    wrongTokens.stop();
    return closeServer(server, clock);
  };
  const headers = {
    host: "localhost",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return {
    ...{ url, answerWith, close },
    visit: (path) => visit(new Request(`${url}${path}`, { headers })),
  };
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
          `${address} is in use by another process`,
          "set server.listen to another port (0 takes any free one), or stop the other process",
        ]
      : [
          `cannot listen on ${address}: ${errorText(error)}`,
          "set server.listen to an address of this machine and a port above 1023",
        ];
  return new ExitError(EXIT.cannotCreate, "SERVER_CANNOT_LISTEN", message, { hint, cause: error });
}

/**
 * Returns the host to show in `url`. A browser cannot open a wildcard address such as 0.0.0.0, so
 * loopback is shown instead.
 */
function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "[::]") return "127.0.0.1";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
