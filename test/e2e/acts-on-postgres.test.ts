/** Tests what people do about an alert at replicas that do not lead, and at two of them at once. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards } from "./fixture.ts";
import { Replicas } from "./replicas.ts";

cleanUpAfterwards();

let server: PostgresServer;
let replicas: Replicas;
beforeAll(async () => {
  server = await startPostgres();
  replicas = await Replicas.start(await server.url(), 3, 12);
});
afterAll(() => server.remove());

interface Marked {
  readonly alerts: number;
  readonly changed: number;
}

it("carries out each act once, whichever replicas are asked, and shows it on all of them", async () => {
  await replicas.post();
  const urls = await Promise.all(
    replicas.all.map(async (one) => String((await one.logged("status page is up")).url)),
  );
  const ask = async (at: number, path: string, method = "GET") => {
    const headers = { origin: urls[at] ?? "" };
    const answer = await fetch(`${urls[at]}${path}`, { method, headers, redirect: "manual" });
    return { status: answer.status, text: await answer.text(), to: answer.headers.get("location") };
  };
  const events = async (at: number, query: string) =>
    JSON.parse((await ask(at, `/api/v1/events?${query}`)).text).events as readonly {
      readonly data: { readonly id: string; readonly watch: string };
    }[];
  const [alert] = await until("an alert", async () => {
    const found = await events(1, "alerts=true&state=sent&limit=1");
    return found.length > 0 ? found : undefined;
  });
  const id = alert?.data.id ?? "";
  const twice = (path: string) =>
    Promise.all([1, 2].map(async (at) => JSON.parse((await ask(at, path, "POST")).text) as Marked));

  for (const act of ["acknowledgement", "not-relevant", "snooze", "author-silence"]) {
    const answers = await twice(
      `/api/v1/alerts/${id}/${act}?by=Ada${act === "snooze" ? "&for=4h" : ""}`,
    );
    expect(
      answers.map(({ changed }) => changed).toSorted((one, other) => one - other),
      `${act}: ${JSON.stringify(answers)}`,
    ).toEqual([0, 1]);
  }
  for (const at of [0, 1, 2]) {
    expect(await events(at, "acknowledged=yes"), `at ${at}`).toHaveLength(1);
    expect(await events(at, "not-relevant=yes"), `at ${at}`).toHaveLength(1);
    const { silences } = JSON.parse((await ask(at, "/api/v1/silences")).text);
    expect(silences, `at ${at}`).toMatchObject([{ kind: "snooze" }, { kind: "silence" }]);
    const page = await ask(at, `/alerts/${id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain("acknowledged by Ada");
  }

  const watch = alert?.data.watch ?? "";
  for (const at of [1, 2])
    expect((await ask(at, `/watches/${watch}/pause`, "POST")).to, `at ${at}`).toMatch(/\?done=/);
  await until("a paused watch at the leader", async () =>
    (await ask(0, `/watches/${watch}`)).text.includes("Paused"),
  );
  expect((await ask(2, "/sinks/one/test", "POST")).to).toContain("done=sample_sent");
});
