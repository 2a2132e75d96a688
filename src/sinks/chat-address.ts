/** Which addresses a chat sink may be pointed at: https anywhere, plain http on loopback only, so that a stand-in can be used. */

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

/** What is wrong with an `api_url`; undefined when nothing is. */
export function apiUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an address that starts with https://";
  const url = new URL(text);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return undefined;
  return "must start with https:// (http:// is for loopback only)";
}

/** What is wrong with a `webhook_url`: as `api_url`, or of its very origin. */
export function webhookUrlProblem(text: string, apiUrl: string | undefined): string | undefined {
  const problem = apiUrlProblem(text);
  if (problem === undefined) return undefined;
  const isSameOrigin =
    apiUrl !== undefined && URL.canParse(text) && URL.canParse(apiUrl) && new URL(text).origin === new URL(apiUrl).origin;
  return isSameOrigin ? undefined : problem;
}
