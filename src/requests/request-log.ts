/**
 * Writes a debug log line for each request to the data service, linked to the poll that sent it.
 */
import type { Log, LogFields } from "../model/log.ts";
import type { Trace } from "../model/trace.ts";
import type { UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import type { GateRequest } from "./reservation.ts";

export interface RequestLogDeps {
  readonly log: Log;
  readonly trace: Pick<Trace, "ofSource"> | undefined;
}

export interface AnsweredRequest {
  /** The name of the key that paid; "" if there is only one key. */
  readonly key: string;
  readonly answer: UpstreamAnswer;
  readonly durationMs: number;
}

export interface RequestLog {
  answered(request: GateRequest, answered: AnsweredRequest): void;
  failed(request: GateRequest, error: UpstreamError): void;
}

export function createRequestLog({ log, trace: traces }: RequestLogDeps): RequestLog {
  const fieldsOf = ({ source, endpoint, watch }: GateRequest): LogFields => {
    const trace = traces?.ofSource(source);
    return { trace, endpoint, watch };
  };
  return {
    answered(request, { key, answer, durationMs }) {
      log.debug("request answered", {
        ...fieldsOf(request),
        page: request.cursor === undefined ? "first" : "further",
        items: answer.tweets?.length ?? answer.users?.length ?? 1,
        duration_ms: Math.round(durationMs),
        ...(key !== "" && { key }),
      });
    },
    failed(request, error) {
      log.debug("request failed", {
        ...fieldsOf(request),
        kind: error.kind,
        status: error.status,
        error: error.message,
      });
    },
  };
}
