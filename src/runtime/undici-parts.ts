/**
 * The two parts of undici that are used, without the hundred modules of its index (fetch, mocks, caches): loading those takes longer than
 * making the first request. The version is pinned, because the paths are its own affair.
 */
import type * as undici from "undici";
// @ts-expect-error: only the index has types
import connect from "undici/lib/core/connect.js";
// @ts-expect-error: only the index has types
import agent from "undici/lib/dispatcher/agent.js";

export const Agent = agent as typeof undici.Agent;
export const buildConnector = connect as typeof undici.buildConnector;
