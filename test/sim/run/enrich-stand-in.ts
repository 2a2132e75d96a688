/**
 * A simulated enrichment endpoint. It mostly answers, and now and then refuses, returns nonsense,
 * is slow or hangs.
 */
import { type Clock, sleep } from "../../../src/model/clock.ts";
import { HttpError, type HttpRequest, type HttpResponse } from "../../../src/model/http.ts";
import type { Outputs } from "../../../src/model/outputs.ts";
import type { Random } from "../../../src/model/random.ts";

export const ENRICH_HOST = "enrich.example";
/** The first argument of the enrichment program. */
export const ENRICH_PROGRAM = "enrich";

export interface EnrichStandIn {
  request(request: HttpRequest): Promise<HttpResponse>;
  readonly run: Outputs["run"];
}

/**
 * The answer. Watches declare `mood` and `topic`, some only one of them. All other labels must be
 * ignored.
 */
const ANSWER = JSON.stringify({
  labels: { mood: "good", topic: "price", severity: "critical", other: "x" },
  fields: { score: 3 },
});

export function createEnrichStandIn(clock: Clock, random: Random): EnrichStandIn {
  /** Draws the next behaviour and its delay. */
  const draw = (timeoutMs: number) => {
    const chance = random.float();
    if (chance < 0.04) return { kind: "hang", afterMs: timeoutMs } as const;
    if (chance < 0.1) return { kind: "refuse", afterMs: 40 } as const;
    if (chance < 0.14) return { kind: "nonsense", afterMs: 40 } as const;
    return {
      kind: "answer",
      afterMs: chance > 0.9 ? timeoutMs - 1 : 20 + Math.floor(chance * 300),
    } as const;
  };
  return {
    async request({ timeoutMs, signal }) {
      const { kind, afterMs } = draw(timeoutMs);
      await sleep(clock, afterMs, signal);
      if (signal?.aborted) throw new HttpError("HTTP_ABORTED", "the request was given up", true);
      if (kind === "hang")
        throw new HttpError("HTTP_TIMEOUT", `no whole answer within ${timeoutMs} ms`, true);
      if (kind === "refuse") return { status: 503, headers: { "retry-after": "20" }, body: "" };
      return { status: 200, headers: {}, body: kind === "nonsense" ? "<html>" : ANSWER };
    },
    async run({ timeoutMs }, signal) {
      const { kind, afterMs } = draw(timeoutMs);
      await sleep(clock, afterMs, signal);
      if (signal.aborted) return { end: "aborted", output: "", stdout: "" };
      if (kind === "hang") return { end: "timeout", output: "", stdout: "" };
      if (kind === "refuse") return { end: 1, output: "", stdout: "" };
      return { end: 0, output: "", stdout: kind === "nonsense" ? "<html>" : ANSWER };
    },
  };
}
