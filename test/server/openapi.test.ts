/**
 * Compares the description of the API with the server: every route is in the document, and every
 * answer, good or bad, is as the document says.
 */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRoutes } from "../../src/server/routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  eventEntry,
  NOW_MS,
  silenceView,
  silentLog,
  statusView,
} from "./daemon-stand-in.ts";

const setUp = () => {
  const daemon = createDaemonStandIn();
  daemon.status = statusView({ silences: [silenceView()] });
  daemon.events = { events: [eventEntry()], next: "7", searched_to: "2026-03-10T13:57:10.400Z" };
  daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 4 } };
  daemon.dead = DEAD;
  const routes = createRoutes(
    { clock: createVirtualClock(NOW_MS), log: silentLog, ...daemon },
    { kind: "socket" },
  );
  return { daemon, routes };
};

const DEAD = {
  groups: [
    {
      sink: "brand",
      cause: "expired",
      messages: 1,
      alerts: 1,
      text: "one message expired",
      configured: true,
    },
  ],
  dead: [
    {
      message_id: "m1",
      sink: "brand",
      cause: "expired",
      error: "503",
      given_up_at: "2026-03-10T13:57:10.000Z",
      attempts: 9,
      alerts: [{ id: "e1", type: "tweet.created", watch: "brand-mentions", title: "x", url: null }],
    },
  ],
  sinks: ["brand"],
};

interface Answered {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly $ref?: string;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly responses: Readonly<Record<string, Answered>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Answered>>;
  };
}

const document = (await (await setUp().routes.request("/api/v1/openapi.json")).json()) as Document;

/** Every route that the server has, as the document writes it. */
const ROUTES = [
  ...new Map(
    setUp()
      .routes.routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => [`${method} ${path}`, { method, path }]),
  ).values(),
].map(({ method, path }) => ({
  method,
  path: path.replaceAll(/:(\w+)/g, "{$1}"),
}));

const operationOf = ({ method, path }: (typeof ROUTES)[number]) =>
  document.paths[path]?.[method.toLowerCase()];

const readers = new Map<object, z.ZodType>();
/** Returns a schema of the document as a parser of values. */
function readerOf(schema: object): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
  const known =
    readers.get(schema) ??
    z.fromJSONSchema(
      JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")) as Parameters<
        typeof z.fromJSONSchema
      >[0],
    );
  readers.set(schema, known);
  return known;
}

/** Fails unless the document knows this answer of that operation. */
async function expectDescribed(operation: Operation | undefined, answer: Response) {
  const named = operation?.responses[answer.status];
  const described =
    named?.$ref === undefined
      ? named
      : document.components.responses[named.$ref.split("/").at(-1)!];
  expect(described, `${operation?.operationId} ${answer.status}`).toBeDefined();
  if (answer.status === 303) return;
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  const content = described?.content?.[type];
  expect(content, `${operation?.operationId} ${answer.status} ${type}`).toBeDefined();
  if (!type.endsWith("json") || content === undefined) return;
  const body: unknown = await answer.json();
  expect(readerOf(content.schema).safeParse(body).error?.issues).toBeUndefined();
  expect(unknownFields(content.schema, body)).toEqual([]);
}

/** Returns the paths of fields that the schema does not name. */
function unknownFields(schema: object, value: unknown, at = ""): readonly string[] {
  const { $ref, properties, items, anyOf } = schema as any;
  if ($ref !== undefined)
    return unknownFields(document.components.schemas[$ref.split("/").at(-1)]!, value, at);
  if (anyOf !== undefined) {
    const all = anyOf.map((one: object) => unknownFields(one, value, at));
    return all.find((one: readonly string[]) => one.length === 0) ?? all[0];
  }
  if (Array.isArray(value) && items !== undefined)
    return value.flatMap((one, place) => unknownFields(items, one, `${at}/${place}`));
  if (typeof value !== "object" || value === null || properties === undefined) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    properties[name] === undefined
      ? [`${at}/${name}`]
      : unknownFields(properties[name], inner, `${at}/${name}`),
  );
}

/** Good values for each parameter, for one operation or for all. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": { id: "1", name: "brand", item: "1899000000000000001" },
  readWatchDays: { id: "brand-mentions" },
  showAlert: { id: "e1" },
  showItem: { item: "e1" },
  showWatch: { id: "brand-mentions" },
  submitPause: { id: "brand-mentions" },
  submitResume: { id: "brand-mentions" },
  showTest: { id: "brand-mentions" },
  showBackfill: { id: "brand-mentions" },
  submitBackfill: { id: "brand-mentions" },
  submitTest: { id: "brand-mentions" },
  pauseWatch: { id: "brand-mentions" },
  resumeWatch: { id: "brand-mentions" },
  acknowledge: { id: "e1" },
  undoAcknowledgement: { id: "e1" },
  submitAcknowledgement: { id: "e1" },
  submitUndo: { id: "e1" },
  ...Object.fromEntries(
    ["markNotRelevant", "undoNotRelevant", "submitNotRelevant", "submitRelevant", "submitMute"].map(
      (id) => [id, { id: "e1" }],
    ),
  ),
  snooze: { id: "e1", for: "1h" },
  muteAuthor: { id: "e1" },
  submitSnooze: { id: "e1" },
  renderEvent: { event: "e1", sink: "brand" },
  previewReplay: { event: "e1" },
  replay: { event: "e1" },
  backfill: { watch: "brand", since: "2h" },
  readReport: { watch: "brand-mentions" },
};
const BODIES: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  addSilence: {
    type: "application/json",
    text: JSON.stringify({ matchers: ['watch="a"'], duration: "1h", comment: "x", author: "" }),
  },
  submitBackfill: { type: "application/x-www-form-urlencoded", text: "since=2h&max_requests=5" },
  submitSilence: {
    type: "application/x-www-form-urlencoded",
    text: "matchers=a&duration=1h&comment=x",
  },
};

/** Calls a route with these values. Those of the path are inserted there. */
function ask(
  routes: ReturnType<typeof setUp>["routes"],
  route: (typeof ROUTES)[number],
  values: Readonly<Record<string, string>>,
  body?: { readonly type: string; readonly text: string },
) {
  const inPath = new Set([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]!));
  const query = new URLSearchParams(Object.entries(values).filter(([name]) => !inPath.has(name)));
  return routes.request(`${path}?${query.toString()}`, {
    method: route.method,
    ...(body === undefined || route.method === "GET"
      ? {}
      : { body: body.text, headers: { "content-type": body.type } }),
  });
}

const goodValues = (route: (typeof ROUTES)[number]) => {
  const { operationId = "" } = operationOf(route) ?? {};
  const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const all = VALUES[operationId] ?? {};
  return {
    ...Object.fromEntries(named.map((name) => [name, VALUES[""]?.[name] ?? ""])),
    ...all,
  };
};

describe("the document", () => {
  it("is OpenAPI 3.1, and every reference in it leads somewhere", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    for (const [, kind = "", name = ""] of JSON.stringify(document).matchAll(
      /"#\/components\/(\w+)\/(\w+)"/g,
    ))
      expect((document.components as any)[kind], `${kind} ${name}`).toHaveProperty(name);
    expect(JSON.stringify(document)).not.toContain("$defs");
  });

  it("has every route and no other", () => {
    const written = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(written.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it("names each operation once and says what each parameter means", () => {
    const all = ROUTES.map((route) => operationOf(route)!);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    for (const { operationId, summary, parameters = [] } of all) {
      expect(summary, operationId).not.toBe("");
      for (const { name, description } of parameters)
        expect(description, `${operationId} ${name}`).toBeTypeOf("string");
    }
  });
});

describe.each(ROUTES.filter(({ path }) => path !== "/api/v1/tail"))("$method $path", (route) => {
  const operation = operationOf(route);

  it("answers what the document says", async () => {
    const { routes, daemon } = setUp();
    daemon.events = { events: [eventEntry()], next: null, searched_to: null };
    const { operationId = "" } = operation ?? {};
    const answer = await ask(routes, route, goodValues(route), BODIES[operationId]);
    // The stand-in daemon has no report.
    expect(answer.status).toBe(
      operationId === "readReport" ? 404 : (operation?.responses[303] && 303) || 200,
    );
    await expectDescribed(operation, answer);
  });

  it("answers nothing else to values that fit nothing", async () => {
    const { routes } = setUp();
    for (const text of ["", "nobody", "-1", "<b>", "x".repeat(300)]) {
      const names = operation?.parameters?.map(({ name }) => name) ?? [];
      const values = Object.fromEntries(names.map((name) => [name, text || "%"]));
      const answer = await ask(routes, route, values, { type: "text/plain", text: `{${text}` });
      await expectDescribed(operation, answer);
    }
  });

  it("says which values there are if one is unknown", async () => {
    if (!route.path.startsWith("/api/") || route.path.endsWith("openapi.json")) return;
    const { daemon, routes } = setUp();
    const answer = await ask(routes, route, { ...goodValues(route), colour: "red" });
    expect(answer.status).toBe(400);
    expect(await answer.clone().json()).toMatchObject({
      title: "The request cannot be understood",
      detail: expect.stringContaining('there is no "colour" here'),
      error: { code: "SERVER_BAD_QUERY" },
    });
    await expectDescribed(operation, answer);
    expect(daemon.asked).toEqual([]);
  });

  it("answers a failure as the document says", async () => {
    const { daemon } = setUp();
    const fail = () => Promise.reject(new Error("no"));
    const all = <T extends object>(parts: T): T =>
      Object.fromEntries(Object.keys(parts).map((name) => [name, fail])) as T;
    const routes = createRoutes(
      {
        clock: createVirtualClock(NOW_MS),
        log: silentLog,
        views: all(daemon.views),
        actions: all(daemon.actions),
        trials: all(daemon.trials),
      },
      { kind: "tcp", token: "t" },
    );
    const answer = await ask(
      routes,
      route,
      goodValues(route),
      BODIES[operation?.operationId ?? ""],
    );
    await expectDescribed(operation, answer);
  });
});
