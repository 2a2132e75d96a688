/** The control socket and the status page. They stay open while the work behind them ends and begins again. */
import type { Config } from "../config/config.ts";
import type { Clock } from "../model/clock.ts";
import type { RouteDeps } from "../server/load-routes.ts";
import type { HttpRouteDeps } from "../server/routes.ts";
import type { Adapters } from "./daemon/daemon-deps.ts";
import type { Teardown } from "./daemon/teardown.ts";

export interface Serving {
  /** Of the page. */
  readonly url: string;
  /** Answers for this work until that stops. */
  show(work: HttpRouteDeps, teardown: Teardown): void;
}

interface ServingParts {
  readonly adapters: Adapters;
  readonly clock: Clock;
}

/** @throws ExitError when an address cannot be had. */
export async function startServing({ server, state }: Config, { adapters, clock }: ServingParts, teardown: Teardown): Promise<Serving> {
  const { host, port, token, publicUrl } = server;
  const idle = (why: string) => ({ clock, standbyText: () => why });
  const starting = idle("it starts");
  const control = await adapters.startControl(starting, state.path);
  teardown.push("control socket", () => control.close());
  const publicHost = publicUrl === undefined ? {} : { publicHost: new URL(publicUrl).hostname };
  const page = await adapters.startServer({ ...starting, host, port, ...publicHost, ...(token === undefined ? {} : { token }) });
  teardown.push("server", () => page.close());
  const answerWith = (deps: RouteDeps) => {
    control.answerWith(deps);
    page.answerWith(deps);
  };
  return {
    url: page.url,
    show(work, { push }) {
      answerWith(work);
      push("status page", () => answerWith(idle("it stops, or begins its work anew")));
    },
  };
}
