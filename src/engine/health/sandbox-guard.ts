/**
 * Keeps the sandbox's invented tweets out of real channels if only an answer shows that the service
 * is a sandbox. A local address does not show it, because it may belong to a proxy to the real
 * service. `config/guard.ts` handles the address `sandbox`.
 */
import type { Config, SinkConfig } from "../../config/config.ts";
import { outwardSinks } from "../../config/guard.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Http, HttpResponse } from "../../model/http.ts";
import { SANDBOX_HEADER } from "../../model/sandbox-header.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";

export interface SandboxGuard {
  /**
   * Makes requests to the data service. Refuses answers of a sandbox while a sink reaches real
   * people.
   */
  readonly http: Http;
  /** Returns why events may not be sent to these sinks, by the answers so far. */
  refusalOf(sinks: readonly SinkConfig[]): ExitError | undefined;
}

export interface GuardDeps {
  readonly http: Http;
  readonly config: () => Pick<Config, "api" | "sinks">;
  /** Called when an answer was refused. */
  readonly onRefused?: ((error: ExitError) => void) | undefined;
}

const isSandboxAnswer = (answer: HttpResponse): boolean =>
  answer.headers[SANDBOX_HEADER] !== undefined;

export function createSandboxGuard({ http, config, onRefused }: GuardDeps): SandboxGuard {
  let hasAnswered = false;
  const refusalOf = (sinks: readonly SinkConfig[]) => {
    const [first] = hasAnswered ? outwardSinks(sinks, SINK_TYPES) : [];
    return first === undefined ? undefined : refusal(config().api.baseUrl, first.name);
  };
  return {
    refusalOf,
    http: {
      async request(request) {
        const answer = await http.request(request);
        if (!isSandboxAnswer(answer)) return answer;
        hasAnswered = true;
        const refused = refusalOf(config().sinks);
        if (refused === undefined) return answer;
        onRefused?.(refused);
        throw refused;
      },
    },
  };
}

const refusal = (baseUrl: string, sink: string): ExitError =>
  new ExitError(
    EXIT.badConfig,
    "SANDBOX_SERVICE",
    `${baseUrl} says that it is the sandbox: refusing to send invented tweets to ${sink}`,
    {
      hint: "Set api.base_url to the address of your data service, or make the sink a console.",
    },
  );
