/** Real HTTP and files beside a virtual clock, which must not move while an answer is awaited. */
import type { Http } from "../../src/model/http.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";

const QUIET_TURNS = 3;

/**
 * Creates an HTTP port, and ways to wait until no request and no file access is in progress and
 * their consequences have happened. `settleTimer` waits in this way after a timer: most timers,
 * such as the daemon's regular checks, cause no request, and their work is over after one turn of
 * the event loop.
 */
export function countingHttp() {
  const agent = createHttpAgent();
  let underWay = 0;
  let begun = 0;
  let settled = 0;
  const http: Http = {
    async request(request) {
      underWay += 1;
      begun += 1;
      try {
        return await agent.request(request);
      } finally {
        underWay -= 1;
      }
    },
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const isQuiet = () => underWay === 0 && !isAccessingFiles();
  const settle = async () => {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = isQuiet() ? quiet + 1 : 0) await turn();
    settled = begun;
  };
  const settleTimer = async () => {
    await turn();
    if (begun !== settled || !isQuiet()) await settle();
  };
  return { http, settle, settleTimer, closeHttp: () => agent.close() };
}

/**
 * Returns whether a thread is busy with a file, or has finished and its result is not delivered
 * yet: `FSReqPromise`, `CloseReq` and the like.
 */
const isAccessingFiles = () =>
  process.getActiveResourcesInfo().some((kind) => kind.includes("Req"));
