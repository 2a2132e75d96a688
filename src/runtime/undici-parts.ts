/**
 * The two parts of undici that are used, without the hundred modules of its index (fetch, mocks, caches): loading those takes longer than
 * making the first request. The version is pinned, because the paths are its own affair.
 */
import { createRequire } from "node:module";
import type * as undici from "undici";

const load = createRequire(import.meta.url);

export const Agent = load("undici/lib/dispatcher/agent.js") as typeof undici.Agent;
export const buildConnector = load("undici/lib/core/connect.js") as typeof undici.buildConnector;
