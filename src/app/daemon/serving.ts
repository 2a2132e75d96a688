/**
 * The control socket and the status page. They are already open while the daemon stands by, and
 * stay open when the work behind them ends and starts again.
 */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import type { ControlSocket } from "../../server/control-socket.ts";
import type { RouteDeps } from "../../server/load-routes.ts";
import type { HttpRouteDeps } from "../../server/routes.ts";
import type { Idle } from "../../server/standby-routes.ts";
import type { RunningServer } from "../../server/server.ts";
import type { Adapters } from "./daemon-deps.ts";
import type { Teardown } from "./teardown.ts";

export const STARTS: Idle = { reason: "it starts", isReady: false };
const STOPS: Idle = { reason: "it stops, or restarts its work", isReady: false };

export interface Serving {
  /** The URL of the page; "" before it is open. */
  readonly url: string;
  /**
   * Opens the addresses that are not open yet. Until `show` is called, requests are answered with
   * the reason that `why` returns. @throws ExitError if an address cannot be opened
   */
  open(why: () => Idle): Promise<void>;
  /** Lets the status page answer a request that nobody sent, so that its code is loaded. */
  visit(path: string): Promise<void>;
  /** Answers requests with the views and actions of this work until the work stops. */
  show(work: HttpRouteDeps, teardown: Teardown): void;
}

interface ServingParts {
  readonly adapters: Adapters;
  readonly clock: Clock;
}

export function createServing(
  { server, state }: Config,
  { adapters, clock }: ServingParts,
  teardown: Teardown,
): Serving {
  const { host, port, token, readToken, publicUrl } = server;
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const address = { host, port, token, readToken, publicHost };
  let [control, page]: [ControlSocket | undefined, RunningServer | undefined] = [
    undefined,
    undefined,
  ];
  let reason = (): Idle => STARTS;
  const idle = { clock, idle: () => reason() };
  const answerWith = (deps: RouteDeps) => {
    control?.answerWith(deps);
    page?.answerWith(deps);
  };
  return {
    get url() {
      return page?.url ?? "";
    },
    async open(why) {
      reason = why;
      if (control === undefined) {
        const opened = await adapters.startControl(idle, state.path);
        teardown.push("control socket", () => opened.close());
        control = opened;
      }
      if (page === undefined) {
        const opened = await adapters.startServer({ ...idle, ...address });
        teardown.push("server", () => opened.close());
        page = opened;
      }
    },
    visit: async (path) => page?.visit(path),
    show(work, { push }) {
      answerWith(work);
      push("status page", () => {
        reason = () => STOPS;
        answerWith(idle);
      });
    },
  };
}
