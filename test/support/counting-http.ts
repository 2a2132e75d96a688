/** Real HTTP beside a virtual clock, which must not move while an answer is awaited. */
import type { Http } from "../../src/model/http.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";

/** HTTP, and a way to wait until no request is under way and what follows from the answers has happened. */
export function countingHttp() {
  const agent = createHttpAgent();
  let underWay = 0;
  let isQuiet = false;
  const http: Http = {
    async request(request) {
      underWay += 1;
      isQuiet = false;
      try {
        return await agent.request(request);
      } finally {
        underWay -= 1;
      }
    },
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const settle = async () => {
    await turn();
    // Of most timers nothing is asked: what they do needs no real I/O, and is done within the turn.
    if (isQuiet) return;
    for (let quiet = 0; quiet < 3; quiet = underWay === 0 ? quiet + 1 : 0) await turn();
    isQuiet = true;
  };
  return { http, settle, closeHttp: () => agent.close() };
}
