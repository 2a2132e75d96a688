/** Renders docs/api.md: every route that the document of the API describes. */
import { createRoutes } from "../../src/server/routes.ts";
import { createDaemonStandIn, NOW_MS, silentLog } from "../server/daemon-stand-in.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { content?: Readonly<Record<string, { schema: Schema }>> }>
  >;
}
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

async function readPaths(): Promise<Paths> {
  const daemon = createDaemonStandIn();
  const routes = createRoutes(
    { clock: createVirtualClock(NOW_MS), log: silentLog, ...daemon },
    { kind: "socket" },
  );
  const answer = await routes.request("/api/v1/openapi.json");
  return ((await answer.json()) as { readonly paths: Paths }).paths;
}

/** Returns the name of a schema, or its type if it has no name. */
const namesOf = (content: Readonly<Record<string, { schema: Schema }>> = {}): string =>
  Object.entries(content)
    .flatMap(([type, { schema }]) =>
      type === "application/json"
        ? [schema, ...(schema.anyOf ?? [])].flatMap(({ $ref }) => $ref?.split("/").at(-1) ?? [])
        : [type],
    )
    .map(code)
    .join(", ");

function valuesOf({ parameters = [], requestBody }: Operation): string {
  const named = parameters.map(
    ({ name, in: place, description }) =>
      `${code(place === "path" ? `{${name}}` : name)}: ${description.replace(/\.$/, "")}`,
  );
  const body = namesOf(requestBody?.content);
  return [...named, ...(body === "" ? [] : [`body: ${body}`])].join("; ");
}

export async function apiPage(): Promise<string> {
  const rows = Object.entries(await readPaths()).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      code(`${method.toUpperCase()} ${path}`),
      operation.summary,
      valuesOf(operation),
      namesOf((operation.responses["200"] ?? {}).content),
    ]),
  );
  return page(
    GENERATED,
    "# API",
    "The daemon describes all its routes in OpenAPI 3.1 at `/api/v1/openapi.json`, with the fields of each answer. This page is made from the same source.",
    "Names are snake_case and times are ISO 8601 in UTC. With `server.token`, send `Authorization: Bearer …`; `server.read_token` suffices for `GET`. The control socket serves the same routes without a token.",
    "A request that is refused gets a problem document (RFC 9457, `application/problem+json`): `type`, `title`, `status`, `detail`, and `error` with `code`, `message` and, if there are several, `errors`. [Errors](errors.md) lists the codes. A value that an address may not have is refused, and the answer says which there are.",
    table(["Route", "Does", "Takes", "Answers"], rows),
  );
}
