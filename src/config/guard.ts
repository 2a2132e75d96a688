/** Keeps the sandbox's invented tweets out of real channels. Asked by `run` only; the demo replaces every sink before it comes to that. */
import type { SinkType } from "../sinks/sink-type.ts";
import type { Config, ConfigIssue, SinkConfig } from "./config.ts";
import { isLoopback } from "./scalar-schemas.ts";

/** Errors when the data is the sandbox's and a sink reaches further than this machine, or a key was given for a service without an address. */
export function checkSandboxGuard(config: Config, sinkTypes: readonly SinkType<any>[]): readonly ConfigIssue[] {
  if (config.api.baseUrl !== "sandbox") return [];
  const start = { file: config.files[0] ?? "", line: 1, column: 1 };
  const real = config.sinks.filter((sink) => reachesOut(sink, sinkTypes));
  const issues = real.map((sink) => issue(sink.declaredAt ?? start, `refusing to send invented tweets to ${sink.name}`));
  const hasKey = config.api.key !== "sandbox" && config.api.key !== "";
  return hasKey && issues.length === 0 ? [issue(start, "refusing to watch the sandbox with the key of a real service")] : issues;
}

const issue = (at: Pick<ConfigIssue, "file" | "line" | "column">, refusal: string): ConfigIssue => ({
  severity: "error",
  ...at,
  rule: "sandbox-guard",
  message: `CHIRPWATCH_API_URL is not set: ${refusal}`,
});

function reachesOut(sink: SinkConfig, sinkTypes: readonly SinkType<any>[]): boolean {
  const type = sinkTypes.find((one) => one.type === sink.type);
  if (type === undefined) return true;
  return type.destinations(sink.settings).some((one) => one.kind === "url" && !isLoopbackUrl(one.url));
}

const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);
