/**
 * A plugin of the bundler that takes the parts of undici which src/runtime/ imports: its entry also
 * loads fetch, caches, mocks and WebSockets, half a megabyte that every start would read.
 */
const ID = "\0undici-parts";

/** The entry of undici gives every dispatcher the methods of its API; a proxy's agent uses them. */
const SOURCE = `
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";
import api from "undici/lib/api/index.js";
import buildConnector from "undici/lib/core/connect.js";
Object.assign(Dispatcher.prototype, api);
export { Agent, buildConnector, ProxyAgent };
`;

export const undiciParts = (entry) => ({
  name: "undici-parts",
  resolveId(id, importer) {
    if (id === "undici") return ID;
    return importer === ID ? this.resolve(id, entry) : null;
  },
  load: (id) => (id === ID ? SOURCE : null),
});
