/** Real HTTP and files beside a virtual clock, which must not move while an answer is awaited. */
import type { Http } from "../../src/model/http.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";

/** Turns of the event loop without a request or a file access, after one: by then what follows from it has happened, streams included. */
const QUIET_TURNS = 3;

/** HTTP, and a way to wait until no request and no file access is under way and what follows from them has happened. */
export function countingHttp() {
  const agent = createHttpAgent();
  let underWay = 0;
  let quietTurns = 0;
  const http: Http = {
    async request(request) {
      underWay += 1;
      quietTurns = 0;
      try {
        return await agent.request(request);
      } finally {
        underWay -= 1;
      }
    },
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  // After a longer quiet, one turn shows whether something began.
  const settle = async () => {
    do {
      await turn();
      quietTurns = underWay === 0 && !isAccessingFiles() ? quietTurns + 1 : 0;
    } while (quietTurns < QUIET_TURNS);
  };
  return { http, settle, closeHttp: () => agent.close() };
}

/** `FSReqPromise`, `CloseReq` and the like: a thread is busy with a file, or has done it and nobody has heard yet. */
const isAccessingFiles = () => process.getActiveResourcesInfo().some((kind) => kind.includes("Req"));
