/**
 * Keeps the sandbox's invented tweets out of real channels. Commands call this before they send
 * anything, except the demo, which replaces every sink by the console.
 */
import { isLoopback } from "../model/loopback.ts";
import type { SinkType } from "../sinks/kind/sink-type.ts";
import type { ApiConfig, Config, ConfigIssue, SinkConfig } from "./config.ts";

/**
 * Returns the sinks that send to other machines. Sinks without settings are left out, because a
 * lenient load made them and they cannot send.
 */
export const outwardSinks = (
  sinks: readonly SinkConfig[],
  sinkTypes: readonly SinkType<any>[],
): readonly SinkConfig[] =>
  sinks.filter((sink) => sink.settings !== undefined && reachesOut(sink, sinkTypes));

/**
 * Returns a warning if the service is on this machine and a sink sends to other machines. The
 * service may be a proxy to a real one or a sandbox in another process, and only its answers show
 * which.
 */
export function loopbackDoubt(
  baseUrl: string,
  sinks: readonly SinkConfig[],
  sinkTypes: readonly SinkType<any>[],
): string | undefined {
  const [first] = isLoopbackUrl(baseUrl) ? outwardSinks(sinks, sinkTypes) : [];
  if (first === undefined) return undefined;
  return `\`base_url\` is on this machine, but \`${first.name}\` reaches real people: that is fine for a proxy to your data service; \`run\` refuses to start if the service turns out to be the sandbox`;
}

/**
 * Returns errors if the service is the sandbox and a sink sends to other machines, the state is on
 * Postgres, or the key is that of a real service.
 */
export function checkSandboxGuard(
  { api, files, sinks, state }: Config,
  sinkTypes: readonly SinkType<any>[],
): readonly ConfigIssue[] {
  if (api.baseUrl !== "sandbox") return [];
  const why = whySandbox(api);
  const refuse = (
    at: Pick<ConfigIssue, "file" | "line" | "column">,
    what: string,
    instead: string,
  ): ConfigIssue => ({
    severity: "error",
    ...at,
    rule: "sandbox-guard",
    message: `${why}: refusing to ${what}; set it to the address of your data service, or ${instead}`,
  });
  const start = { file: files[0] ?? "", line: 1, column: 1 };
  const outward = outwardSinks(sinks, sinkTypes);
  if (outward.length > 0)
    return outward.map(({ declaredAt, name }) =>
      refuse(declaredAt ?? start, `send invented tweets to ${name}`, "make the sink a console"),
    );
  if (state.postgres !== undefined)
    return [
      refuse(start, "write invented tweets into a shared state", "name a file by state.path"),
    ];
  if (api.key === "sandbox" || api.key === "") return [];
  return [
    refuse(start, "watch the sandbox with the key of a real service", "the key to sandbox, too"),
  ];
}

/**
 * Returns why the sandbox is used. If CHIRPWATCH_API_URL names another service, the file must be
 * changed, because it does not use the variable.
 */
function whySandbox({ urlVariable }: ApiConfig): string {
  if (urlVariable === undefined) return "CHIRPWATCH_API_URL is not set";
  return urlVariable === "sandbox"
    ? "CHIRPWATCH_API_URL is sandbox"
    : "api.base_url is sandbox although CHIRPWATCH_API_URL is set";
}

/**
 * Whether a sink sends to other machines. A program counts as one that does, because it may send
 * its input anywhere.
 */
function reachesOut(sink: SinkConfig, sinkTypes: readonly SinkType<any>[]): boolean {
  const type = sinkTypes.find((one) => one.type === sink.type);
  if (type === undefined) return true;
  return type
    .destinations(sink.settings)
    .some((one) => one.kind === "program" || (one.kind === "url" && !isLoopbackUrl(one.url)));
}

const isLoopbackUrl = (url: string): boolean =>
  URL.canParse(url) && isLoopback(new URL(url).hostname);
