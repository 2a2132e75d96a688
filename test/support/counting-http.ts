/** Real HTTP and files beside a virtual clock, which must not move while an answer is awaited. */
import type { Http } from "../../src/model/http.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";

const QUIET_TURNS = 3;

/**
 * HTTP, and ways to wait until no request and no file access is under way and what follows from
 * them has happened. `settleTimer` waits so after a timer: most of them, such as the checks that a
 * daemon makes every few seconds, ask for nothing, and what they do is over after one turn of the
 * event loop.
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
 * `FSReqPromise`, `CloseReq` and the like: a thread is busy with a file, or has done it and nobody
 * has heard yet.
 */
const isAccessingFiles = () =>
  process.getActiveResourcesInfo().some((kind) => kind.includes("Req"));
