/** Tests the route whose answer continues as long as it is read. */
import { expect, it } from "vitest";
import { createRoutes } from "../../src/server/routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { createDaemonStandIn, NOW_MS, silentLog } from "./daemon-stand-in.ts";

const LINE = {
  kind: "event",
  at: "",
  id: "e1",
  type: "",
  watch: "brand",
  title: "",
  url: null,
  sinks: [],
} as const;

function setUp() {
  const daemon = createDaemonStandIn();
  const clock = createVirtualClock(NOW_MS);
  const routes = createRoutes({ clock, log: silentLog, ...daemon }, { kind: "tcp" });
  const tail = (query = "") =>
    routes.request(`http://localhost/api/v1/tail${query}`, { headers: { host: "localhost" } });
  return { daemon, clock, tail };
}

const readerOf = (answer: Response) => {
  const reader = answer.body?.getReader();
  return {
    cancel: () => reader?.cancel(),
    read: async () => Buffer.from((await reader?.read())?.value ?? []).toString(),
  };
};

it("sends each line as it happens, comments between, and stops when the caller goes", async () => {
  const { daemon, clock, tail } = setUp();
  const answer = await tail("?watch=brand");
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const { read, cancel } = readerOf(answer);
  expect(await read()).toBe(":\n\n");
  daemon.push(LINE);
  expect(await read()).toBe(`data: ${JSON.stringify(LINE)}\n\n`);
  await clock.advance(15_000);
  expect(await read()).toBe(":\n\n");
  await cancel();
  expect(daemon.asked).toEqual(['tail {"watch":"brand"}', "tail ended"]);
});

it("cuts off a caller that does not read", async () => {
  const { daemon, tail } = setUp();
  await tail();
  const title = "x".repeat(100_000);
  for (let count = 0; count < 20 && !daemon.asked.includes("tail ended"); count += 1)
    daemon.push({ ...LINE, title });
  expect(daemon.asked).toEqual(["tail {}", "tail ended"]);
});

it("takes 32 callers, and more once one of them is gone", async () => {
  const { tail } = setUp();
  const answers: Response[] = [];
  for (let count = 0; count < 32; count += 1) answers.push(await tail());
  const refused = await tail();
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { error: { code: "SERVER_BUSY", message: "32 clients are already following the daemon" } },
  ]);
  await answers[0]?.body?.cancel();
  expect((await tail()).status).toBe(200);
});
