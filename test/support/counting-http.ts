/** Real HTTP and files beside a virtual clock, which must not move while an answer is awaited. */
import type { Http } from "../../src/model/http.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";

/**
 * HTTP, and a way to wait until no request and no file access is under way and what follows from
 * them has happened.
 */
export function countingHttp() {
  const agent = createHttpAgent();
  let underWay = 0;
  const http: Http = {
    async request(request) {
      underWay += 1;
      try {
        return await agent.request(request);
      } finally {
        underWay -= 1;
      }
    },
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const settle = async () => {
    for (let quiet = 0; quiet < 3; quiet = underWay === 0 && !isAccessingFiles() ? quiet + 1 : 0)
      await turn();
  };
  return { http, settle, closeHttp: () => agent.close() };
}

/**
 * `FSReqPromise`, `CloseReq` and the like: a thread is busy with a file, or has done it and nobody
 * has heard yet.
 */
const isAccessingFiles = () =>
  process.getActiveResourcesInfo().some((kind) => kind.includes("Req"));
