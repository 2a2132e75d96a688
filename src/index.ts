/** The package's public surface: the typed client of the data service, and the HTTP agent it runs on. The daemon is the command. */
export * from "./api/index.ts";
export { createHttpAgent, type HttpAgent, type HttpAgentOptions } from "./runtime/http-agent.ts";
