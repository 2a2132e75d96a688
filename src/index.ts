/**
 * The package's one door, `chirpwatch` and `chirpwatch/api` alike: the typed client of the data
 * service, and the HTTP agent it runs on. The daemon is the command.
 */
import { type Client, type ClientOptions, createClient as createClientOver } from "./api/index.ts";
import { createHttpAgent } from "./runtime/http-agent.ts";

export * from "./api/index.ts";
export { createHttpAgent, type HttpAgent, type HttpAgentOptions } from "./runtime/http-agent.ts";

/**
 * The client of the data service. Without `http` it gets an agent of its own, which keeps no
 * process alive; hand one over to share or close it.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://api.example.com", key: "K" });
 * const user = await client.info({ username: "alice" });
 * ```
 *
 * @throws ChirpwatchError API_BASE_URL when the address cannot be used.
 */
export const createClient = (
  options: Omit<ClientOptions, "http"> & Partial<Pick<ClientOptions, "http">>,
): Client => createClientOver({ ...options, http: options.http ?? createHttpAgent() });
