/**
 * All faults by name, and what each does. change-answer.ts makes the changes to answers; lasting.ts
 * has the faults that last and change the world.
 */
import type { Answer, Call } from "../calls/call.ts";
import {
  backWithoutFollowers,
  clockAhead,
  cursorCircle,
  deletedAndRestored,
  flood,
  handleTakeover,
  type Lasting,
  lateVisible,
  numberCursors,
  protectedAccount,
  renamed,
  shiftingPages,
  type Scene,
  twinIds,
  windowSlides,
} from "./lasting.ts";
import {
  emptyPage,
  flap,
  oddFields,
  onItems,
  onList,
  refuseCursor,
  sameCursor,
  withEnd,
  withoutList,
} from "./change-answer.ts";

/** What is done to the bytes of an answer; wire.ts does it. */
export type WireFault = "hang" | "drip" | "truncate" | "reset" | "cut" | "huge" | "gzip-bomb";

export interface FaultKind {
  readonly status?: number;
  readonly message?: string;
  /** The raw body to send in place of a JSON message. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly wire?: WireFault;
  readonly change?: (call: Call, answer: Answer) => Answer;
  /**
   * Called when the fault is switched on. Only set for faults that act during a period, at the same
   * time as other faults.
   */
  readonly begin?: (scene: Scene) => Lasting;
  /** How long the fault lasts if the request has no `for_ms`. If absent, the fault acts once. */
  readonly lastsMs?: number;
}

const HTML =
  "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>";
const MINUTE_MS = 60_000;
const UNTIL_SWITCHED_OFF = Number.POSITIVE_INFINITY;

export const KINDS: Readonly<Record<string, FaultKind>> = {
  rate_limit: { status: 429, message: "Too Many Requests" },
  server_error: { status: 500, message: "Internal server error" },
  html_502: { status: 502, body: HTML },
  quota: { status: 403, message: "request limit exceeded" },
  expired: { status: 403, message: "api key not payed" },
  payment_required: { status: 402, message: "Payment Required" },
  bad_key: { status: 401, message: "invalid api key" },
  forbidden: { status: 403, message: "Forbidden" },
  bad_request: { status: 400, message: "query is not valid" },
  not_found: { status: 404, message: "not found" },
  redirect: { status: 302, body: "", headers: { location: "https://elsewhere.example/v3/" } },
  hang: { wire: "hang" },
  slowloris: { wire: "drip" },
  truncated: { wire: "truncate" },
  reset: { wire: "reset" },
  tls_error: { wire: "cut" },
  dns_failure: { wire: "cut", lastsMs: 10 * MINUTE_MS },
  huge: { wire: "huge" },
  gzip_bomb: { wire: "gzip-bomb" },
  html_200: { status: 200, body: HTML },
  empty_200: { status: 200, body: "" },
  null_200: { status: 200, body: "null" },
  missing_array: { change: (_call, answer) => withoutList(answer) },
  wrong_type: { change: (_call, answer) => onList(answer, () => "none") },
  odd_fields: { change: (_call, answer) => onItems(answer, oddFields) },
  duplicates: {
    change: (_call, answer) => onList(answer, (items) => items.flatMap((item) => [item, item])),
  },
  cursor_loop: { change: sameCursor },
  cursor_circle: { begin: cursorCircle, lastsMs: UNTIL_SWITCHED_OFF },
  cursor_number: { begin: numberCursors, lastsMs: UNTIL_SWITCHED_OFF },
  empty_page: { change: emptyPage },
  short_page: { change: (_call, answer) => onList(answer, (items) => items.slice(0, 3)) },
  cursor_expired: { change: refuseCursor },
  out_of_order: {
    change: (_call, answer) =>
      onList(answer, (items) => [...items.slice(-1), ...items.slice(0, -1).toReversed()]),
  },
  end_zero: { change: (_call, answer) => withEnd(answer, 0) },
  end_empty: { change: (_call, answer) => withEnd(answer, "") },
  end_absent: { change: (_call, answer) => withEnd(answer, undefined) },
  shifting_pages: { begin: shiftingPages, lastsMs: UNTIL_SWITCHED_OFF },
  late_visible: { begin: lateVisible, lastsMs: 15 * MINUTE_MS },
  deleted_and_restored: { begin: deletedAndRestored, lastsMs: 10 * MINUTE_MS },
  twin_ids: { begin: twinIds, lastsMs: 0 },
  flood: { begin: flood, lastsMs: 0 },
  renamed: { begin: renamed, lastsMs: UNTIL_SWITCHED_OFF },
  handle_takeover: { begin: handleTakeover, lastsMs: UNTIL_SWITCHED_OFF },
  protected: { begin: protectedAccount, lastsMs: 10 * MINUTE_MS },
  back_without_followers: { begin: backWithoutFollowers, lastsMs: 20 * MINUTE_MS },
  window_slides: { begin: windowSlides, lastsMs: 10 * MINUTE_MS },
  score_null: {
    change: (_call, answer) => ({ body: { ...answer.body, week_delta: null, month_delta: "NaN" } }),
  },
  flapping: {
    change: (call, answer) => onItems(answer, (item) => flap(call, item)),
    lastsMs: UNTIL_SWITCHED_OFF,
  },
  future_dates: {
    change: (_call, answer) =>
      onItems(answer, (item) => ({ ...item, created_at: "2199-01-01T00:00:00.000Z" })),
  },
  bad_dates: {
    change: (_call, answer) => onItems(answer, (item) => ({ ...item, created_at: "yesterday" })),
  },
  clock_ahead: { begin: clockAhead, lastsMs: UNTIL_SWITCHED_OFF },
};

export const FAULT_NAMES: readonly string[] = Object.keys(KINDS);

/** The fault for each number in the list of faults, and how long it lasts if the list says so. */
export const FAULT_NUMBERS: Readonly<
  Record<number, { readonly name: string; readonly lastsMs?: number }>
> = {
  1: { name: "rate_limit" },
  2: { name: "rate_limit", lastsMs: MINUTE_MS },
  3: { name: "server_error" },
  4: { name: "server_error", lastsMs: 60 * MINUTE_MS },
  5: { name: "html_502" },
  6: { name: "quota" },
  7: { name: "payment_required" },
  8: { name: "bad_key" },
  9: { name: "bad_request" },
  10: { name: "not_found" },
  11: { name: "not_found" },
  12: { name: "hang" },
  13: { name: "slowloris" },
  14: { name: "truncated" },
  15: { name: "html_200" },
  16: { name: "odd_fields" },
  17: { name: "huge" },
  18: { name: "duplicates" },
  19: { name: "cursor_loop" },
  20: { name: "empty_page" },
  21: { name: "short_page" },
  22: { name: "cursor_expired" },
  23: { name: "out_of_order" },
  24: { name: "shifting_pages" },
  25: { name: "late_visible" },
  26: { name: "deleted_and_restored" },
  27: { name: "renamed" },
  28: { name: "handle_takeover" },
  29: { name: "protected" },
  30: { name: "back_without_followers" },
  31: { name: "window_slides" },
  32: { name: "score_null" },
  33: { name: "flapping" },
  34: { name: "twin_ids" },
  35: { name: "future_dates" },
  36: { name: "clock_ahead" },
  37: { name: "tls_error" },
  38: { name: "dns_failure" },
  39: { name: "redirect" },
  40: { name: "flood" },
};
