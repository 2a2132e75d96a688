/** Faults of the service, switched on by name or by number (1 to 25, 32, 33, 36, 39): what each does to an answer. How broken bytes are written is wire.ts's. */
import type { Json, JsonObject } from "../model/json.ts";
import type { Answer, Call } from "./call.ts";
import { badRequest } from "./service-error.ts";

/** What happens to the bytes of an answer: see wire.ts. */
export type WireFault = "hang" | "drip" | "truncate" | "reset" | "huge" | "gzip-bomb";

interface FaultKind {
  readonly numbers: readonly number[];
  readonly status?: number;
  readonly message?: string;
  /** Sent instead of a JSON message. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly wire?: WireFault;
  readonly spoil?: (call: Call, answer: Answer) => Answer;
  /** How often it strikes unless told otherwise. */
  readonly times?: number;
}

export interface Fault extends FaultKind {
  readonly name: string;
}

const HTML = "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>";

const KINDS: Readonly<Record<string, FaultKind>> = {
  rate_limit: { numbers: [1, 2], status: 429, message: "Too Many Requests" },
  server_error: { numbers: [3, 4], status: 500, message: "Internal server error" },
  html_502: { numbers: [5], status: 502, body: HTML },
  quota: { numbers: [6], status: 403, message: "request limit exceeded" },
  expired: { numbers: [], status: 403, message: "api key not payed" },
  payment_required: { numbers: [7], status: 402, message: "Payment Required" },
  bad_key: { numbers: [8], status: 401, message: "invalid api key" },
  forbidden: { numbers: [], status: 403, message: "Forbidden" },
  bad_request: { numbers: [9], status: 400, message: "query is not valid" },
  not_found: { numbers: [10, 11], status: 404, message: "not found" },
  hang: { numbers: [12], wire: "hang" },
  slowloris: { numbers: [13], wire: "drip" },
  truncated: { numbers: [14], wire: "truncate" },
  reset: { numbers: [], wire: "reset" },
  html_200: { numbers: [15], status: 200, body: HTML },
  empty_200: { numbers: [], status: 200, body: "" },
  null_200: { numbers: [], status: 200, body: "null" },
  missing_array: { numbers: [], spoil: (_call, answer) => withoutList(answer) },
  wrong_type: { numbers: [], spoil: (_call, answer) => onList(answer, () => "none") },
  odd_fields: { numbers: [16], spoil: (_call, answer) => onItems(answer, oddFields) },
  huge: { numbers: [17], wire: "huge" },
  gzip_bomb: { numbers: [], wire: "gzip-bomb" },
  duplicates: { numbers: [18], spoil: (_call, answer) => onList(answer, (items) => items.flatMap((item) => [item, item])) },
  cursor_loop: { numbers: [19], spoil: (call, answer) => withCursor(answer, call.params.optional("next_cursor") ?? "DAABloop") },
  empty_page: { numbers: [20], spoil: emptyPage },
  short_page: { numbers: [21], spoil: (_call, answer) => onList(answer, (items) => items.slice(0, 3)) },
  cursor_expired: { numbers: [22], spoil: refuseCursor },
  out_of_order: {
    numbers: [23],
    spoil: (_call, answer) => onList(answer, (items) => [...items.slice(-1), ...items.slice(0, -1).toReversed()]),
  },
  end_zero: { numbers: [], spoil: (_call, answer) => withEnd(answer, 0) },
  end_empty: { numbers: [], spoil: (_call, answer) => withEnd(answer, "") },
  end_absent: { numbers: [], spoil: (_call, answer) => withEnd(answer, undefined) },
  score_null: { numbers: [32], spoil: (_call, answer) => ({ body: { ...answer.body, week_delta: null, month_delta: "NaN" } }) },
  flapping: { numbers: [33], spoil: (call, answer) => onItems(answer, (item) => flap(call, item)) },
  future_dates: {
    numbers: [35],
    spoil: (_call, answer) => onItems(answer, (item) => ({ ...item, created_at: "2199-01-01T00:00:00.000Z" })),
  },
  bad_dates: { numbers: [], spoil: (_call, answer) => onItems(answer, (item) => ({ ...item, created_at: "yesterday" })) },
  redirect: { numbers: [39], status: 302, body: "", headers: { location: "https://elsewhere.example/v3/" } },
};

export const FAULT_NAMES: readonly string[] = Object.keys(KINDS);

export interface FaultOrder {
  /** Name, or number as in the list of faults. */
  readonly fault: string | number;
  readonly times?: number;
  readonly for_ms?: number;
  /** Only this endpoint. */
  readonly endpoint?: string;
}

interface Armed {
  readonly fault: Fault;
  readonly endpoint: string | undefined;
  readonly untilMs: number;
  left: number;
}

export type Faults = ReturnType<typeof createFaults>;

/** The faults that are switched on. */
export function createFaults() {
  let armed: Armed[] = [];

  /** Once, unless `times` or `for_ms` says otherwise. @throws ServiceError 400 for an unknown fault. */
  function arm(order: FaultOrder, nowMs: number): Fault {
    const fault = findFault(order.fault);
    const left = order.times ?? (order.for_ms === undefined ? 1 : Number.POSITIVE_INFINITY);
    const untilMs = order.for_ms === undefined ? Number.POSITIVE_INFINITY : nowMs + order.for_ms;
    armed.push({ fault, endpoint: order.endpoint, untilMs, left });
    return fault;
  }

  /** The fault that strikes a request to this endpoint now, if any. */
  function take(endpoint: string, nowMs: number): Fault | undefined {
    armed = armed.filter((each) => each.left > 0 && nowMs < each.untilMs);
    const striking = armed.find((each) => each.endpoint === undefined || each.endpoint === endpoint);
    if (striking !== undefined) striking.left -= 1;
    return striking?.fault;
  }

  const spoil = (fault: Fault | undefined, call: Call, answer: Answer): Answer => fault?.spoil?.(call, answer) ?? answer;
  const active = (): JsonObject => ({ faults: armed.map((each) => ({ fault: each.fault.name, endpoint: each.endpoint ?? null })) });
  const clear = (): void => void (armed = []);

  return { arm, take, spoil, active, clear };
}

function findFault(wanted: string | number): Fault {
  for (const [name, kind] of Object.entries(KINDS)) {
    if (name === wanted || kind.numbers.includes(Number(wanted))) return { name, ...kind };
  }
  throw badRequest(`unknown fault ${wanted}; known: ${FAULT_NAMES.join(", ")}`);
}

const listName = (answer: Answer): "tweets" | "users" | undefined =>
  (["tweets", "users"] as const).find((name) => Array.isArray(answer.body[name]));

function onList(answer: Answer, change: (items: readonly Json[]) => Json): Answer {
  const name = listName(answer);
  return name === undefined ? answer : { ...answer, body: { ...answer.body, [name]: change(answer.body[name] as Json[]) } };
}

function withoutList(answer: Answer): Answer {
  const name = listName(answer);
  return name === undefined ? { body: {} } : { ...answer, body: { ...answer.body, [name]: undefined } };
}

/** Changes every item of a list, or the one object. */
function onItems(answer: Answer, change: (item: JsonObject) => JsonObject): Answer {
  if (listName(answer) === undefined) return { ...answer, body: change(answer.body) };
  return onList(answer, (items) => items.map((item) => change(item as JsonObject)));
}

function oddFields(item: JsonObject): JsonObject {
  const { description: _d, lang: _l, media_count: _m, is_quote_status: _q, ...rest } = item;
  return { ...rest, rest_id_v4: "x", nested: { deeper: [1, null] }, bio_urls: null, bookmark_count: null };
}

function flap(call: Call, item: JsonObject): JsonObject {
  const isOld = Math.floor(call.nowMs / 1_000) % 2 === 0;
  const lower = (value: Json | undefined): Json | undefined => (isOld && typeof value === "number" ? Math.max(0, value - 3) : value);
  return {
    ...item,
    ...Object.fromEntries(
      ["tweets_count", "followers_count", "likes_count", "week_delta"].flatMap((name) =>
        item[name] === undefined ? [] : [[name, lower(item[name])]],
      ),
    ),
  };
}

function withCursor(answer: Answer, cursor: string): Answer {
  return listName(answer) === undefined ? answer : { body: { ...answer.body, next_cursor: cursor } };
}

function withEnd(answer: Answer, end: Json | undefined): Answer {
  const isLast = answer.int64Cursor === undefined && answer.body["next_cursor"] === null;
  return isLast ? { body: { ...answer.body, next_cursor: end } } : answer;
}

/** No items, and a cursor that leads to the page that should have been here. */
function emptyPage(call: Call, answer: Answer): Answer {
  if (listName(answer) === undefined) return answer;
  const again = call.params.optional("next_cursor");
  const emptied = onList(answer, () => []);
  return again === undefined ? emptied : { body: { ...emptied.body, next_cursor: again } };
}

function refuseCursor(call: Call, answer: Answer): Answer {
  if (call.params.has("next_cursor")) throw badRequest("next_cursor expired");
  return answer;
}
