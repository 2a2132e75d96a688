/**
 * Asks one question about one event: sends a request to the endpoint or runs the program. Decides
 * what a failure means, and never asks twice.
 */
import { boundedWaitMs, MAX_SINK_WAIT_MS, readRetryAfter } from "../model/asked-wait.ts";
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { ChirpEvent } from "../model/event.ts";
import { type Http, HttpError, type HttpResponse } from "../model/http.ts";
import type { Outputs, ProgramResult } from "../model/outputs.ts";
import type { EnrichRule } from "../model/watch.ts";
import { eventDocument } from "../sinks/kind/event-json.ts";
import { formatDuration } from "../model/duration.ts";
import { type Enrichment, readEnrichment } from "./read-enrichment.ts";

/**
 * Thrown if there is no usable answer. The message names only the host of the endpoint, and repeats
 * nothing of the answer.
 */
export class EnrichFailure extends Error {
  /** How many milliseconds the endpoint asked to wait before the next question, if it did. */
  readonly afterMs: number | undefined;
  constructor(
    message: string,
    options: { readonly afterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.afterMs = options.afterMs;
  }
}

export interface AskDeps {
  readonly http: Http;
  readonly outputs: Pick<Outputs, "run">;
  readonly clock: Pick<Clock, "now">;
}

/** Asks about an event. @throws EnrichFailure */
export type AskAbout = (
  rule: EnrichRule,
  event: ChirpEvent,
  signal: AbortSignal,
) => Promise<Enrichment>;

const MAX_ANSWER_BYTES = 65_536;

export const createAsk =
  ({ http, outputs, clock }: AskDeps): AskAbout =>
  async (rule, event, signal) => {
    const document = eventDocument({ events: [{ event, watches: [event.watch] }], sample: false });
    const text =
      rule.via.kind === "url"
        ? await post(http, { ...rule, via: rule.via }, document, signal).then((answer) =>
            textOf(answer, clock.now()),
          )
        : await run(outputs, { ...rule, via: rule.via }, document, signal);
    const read = readEnrichment(text, rule.labels);
    if (typeof read === "string") throw new EnrichFailure(read);
    return read;
  };

type RuleOf<Kind extends EnrichRule["via"]["kind"]> = Pick<EnrichRule, "timeoutMs"> & {
  readonly via: Extract<EnrichRule["via"], { readonly kind: Kind }>;
};

function post(
  http: Http,
  { via, timeoutMs }: RuleOf<"url">,
  body: string,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { url, headers, isPrivateAllowed } = via;
  const request = {
    method: "POST",
    url,
    headers: {
      "user-agent": "chirpwatch",
      ...headers,
      "content-type": "application/json",
      accept: "application/json",
    },
    body,
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    reach: isPrivateAllowed ? "any" : "public",
    signal,
  } as const;
  return http.request(request).catch((error: unknown) => {
    if (error instanceof HttpError && error.code === "HTTP_ADDRESS_REFUSED")
      throw new EnrichFailure(
        `${new URL(url).host} is a private or loopback address: set \`allow_private: true\` if the address is right`,
        {
          cause: error,
        },
      );
    throw new EnrichFailure(errorText(error), { cause: error });
  });
}

function textOf({ status, headers, body }: HttpResponse, nowMs: number): string {
  if (status >= 200 && status < 300) return body;
  const redirect = status >= 300 && status < 400 ? ", a redirect, which is not followed" : "";
  const askedMs = readRetryAfter(headers["retry-after"], nowMs);
  throw new EnrichFailure(`the endpoint answered ${status}${redirect}`, {
    afterMs: askedMs === undefined ? undefined : boundedWaitMs(askedMs, MAX_SINK_WAIT_MS),
  });
}

async function run(
  outputs: AskDeps["outputs"],
  { via: { path, args }, timeoutMs }: RuleOf<"program">,
  document: string,
  signal: AbortSignal,
): Promise<string> {
  const result: ProgramResult = await outputs
    .run({ path, args, stdin: `${document}\n`, timeoutMs }, signal)
    .catch((error: unknown) => {
      throw new EnrichFailure(`${path} could not be started: ${errorText(error)}`, {
        cause: error,
      });
    });
  if (result.end === 0) return result.stdout;
  if (result.end === "timeout")
    throw new EnrichFailure(
      `${path} did not end within ${formatDuration(timeoutMs)} and was killed`,
    );
  throw new EnrichFailure(
    `${path} ${typeof result.end === "number" ? `ended with exit code ${result.end}` : `was ended by ${result.end}`}`,
  );
}
