/**
 * Draws what goes wrong and who interferes: crashes, restarts, reloads, pauses, clocks that are
 * set, and faults of the service and of sinks.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import { CRASH_POINTS } from "../run/crash-points.ts";
import { WATCHED } from "./cast.ts";
import type { Dice } from "./dice.ts";
import { matchersFor } from "./draw-config.ts";
import { drawReloads } from "./draw-reload.ts";
import { SINK_TROUBLES, type ConfigText, type Step } from "./scenario.ts";

const MIN_MS = 60_000;

/**
 * Faults of the service, by how they are switched on: for some requests, for a while, or about an
 * account.
 */
const FOR_REQUESTS = [
  ...[
    "rate_limit",
    "server_error",
    "html_502",
    "redirect",
    "hang",
    "slowloris",
    "truncated",
    "reset",
    "tls_error",
    "huge",
    "gzip_bomb",
  ],
  ...[
    "html_200",
    "empty_200",
    "null_200",
    "missing_array",
    "wrong_type",
    "odd_fields",
    "duplicates",
    "cursor_loop",
    "empty_page",
  ],
  ...[
    "short_page",
    "cursor_expired",
    "out_of_order",
    "end_zero",
    "end_empty",
    "end_absent",
    "bad_request",
    "not_found",
    "forbidden",
  ],
] as const;
const FOR_A_WHILE = [
  "rate_limit",
  "server_error",
  "html_502",
  "dns_failure",
  "tls_error",
  "payment_required",
  "quota",
  "expired",
  "bad_key",
  "empty_page",
  "short_page",
  "out_of_order",
  "duplicates",
] as const;
const LASTING = [
  "cursor_circle",
  "shifting_pages",
  "late_visible",
  "deleted_and_restored",
  "flapping",
  "clock_ahead",
] as const;
const ABOUT_AN_ACCOUNT = ["renamed", "handle_takeover", "protected", "twin_ids"] as const;

export function drawTroubles(dice: Dice, config: ConfigText, busyMs: number): readonly Step[] {
  const at = () => dice.int(MIN_MS, busyMs - MIN_MS);
  const times = (option: string, most: number) =>
    Array.from({ length: dice.likes(option) ? dice.int(1, most) : 0 }, at);
  const sinks = Object.keys(config["sinks"] as JsonObject);
  const watches = Object.keys(config["watches"] as JsonObject);
  return [
    ...drawReloads(dice, config, times("reload", 3)),
    ...times("crash", 6).flatMap((atMs) => drawCrash(dice, atMs)),
    ...times("restart", 2).map(
      (atMs): Step => ({ do: "restart", atMs, downMs: dice.pick([0, 5_000, 10 * MIN_MS]) }),
    ),
    ...times("jump", 2).map(
      (atMs): Step => ({
        do: "jump",
        atMs,
        byMs: dice.pick([-3_600_000, 3_600_000, -5_000, 90_000]),
      }),
    ),
    ...times("service fault", 5).flatMap((atMs) => drawServiceFault(dice, atMs)),
    ...times("sink trouble", 4).flatMap((atMs) => drawSinkTrouble(dice, atMs, dice.pick(sinks))),
    ...times("pause", 2).flatMap((atMs): readonly Step[] => {
      const watch = dice.pick(watches);
      const end = atMs + dice.pick([MIN_MS, 10 * MIN_MS, 40 * MIN_MS]);
      return [
        { do: "pause", atMs, watch },
        { do: "resume", atMs: end, watch },
      ];
    }),
    ...times("silence", 4).flatMap((atMs, n) =>
      drawSilence(dice, atMs, { name: `s${n}`, watches: config["watches"] as JsonObject }),
    ),
  ];
}

/** Draws a silence. Some end before their time, some after everything else, some at once. */
function drawSilence(
  dice: Dice,
  atMs: number,
  { name, watches }: { readonly name: string; readonly watches: JsonObject },
): readonly Step[] {
  const { matchers } = matchersFor(watches as Readonly<Record<string, JsonObject>>);
  const forMs = dice.pick([10_000, MIN_MS, 10 * MIN_MS, 40 * MIN_MS, 6 * 60 * MIN_MS]);
  const silence: Step = {
    do: "silence",
    atMs,
    name,
    matchers: [...dice.some(matchers, 1, 2)],
    forMs,
  };
  if (dice.chance(0.6)) return [silence];
  return [
    silence,
    { do: "end silence", atMs: atMs + dice.pick([1_000, MIN_MS, 15 * MIN_MS]), name },
  ];
}

/** Draws a crash. Some points are passed only when something happens. */
function drawCrash(dice: Dice, atMs: number): readonly Step[] {
  const point = dice.pick(CRASH_POINTS);
  const isOfClock = point.startsWith("store.setTimesBack:");
  const nth = isOfClock ? 1 : dice.int(1, 5);
  const crash: Step = {
    do: "crash",
    atMs,
    point,
    nth,
    downMs: dice.pick([0, 1_000, 60_000, 20 * MIN_MS]),
  };
  return isOfClock
    ? [crash, { do: "jump", atMs: atMs + 1_000, byMs: dice.pick([-3_600_000, -5_000]) }]
    : [crash];
}

function drawServiceFault(dice: Dice, atMs: number): readonly Step[] {
  switch (dice.int(0, 3)) {
    case 0:
      return [
        {
          do: "service fault",
          atMs,
          name: dice.pick(FOR_REQUESTS),
          times: dice.pick([1, 1, 2, 3, 8]),
        },
      ];
    case 1:
      return [
        {
          do: "service fault",
          atMs,
          name: dice.pick(FOR_A_WHILE),
          forMs: dice.pick([10_000, MIN_MS, 5 * MIN_MS, 30 * MIN_MS]),
        },
      ];
    case 2:
      return [
        {
          do: "service fault",
          atMs,
          name: dice.pick(LASTING),
          forMs: dice.pick([2 * MIN_MS, 15 * MIN_MS]),
        },
      ];
    default:
      return [
        {
          do: "service fault",
          atMs,
          name: dice.pick(ABOUT_AN_ACCOUNT),
          forMs: dice.pick([2 * MIN_MS, 20 * MIN_MS]),
          handle: dice.pick(WATCHED),
        },
      ];
  }
}

function drawSinkTrouble(dice: Dice, atMs: number, sink: string): readonly Step[] {
  const kind = dice.pick(SINK_TROUBLES);
  if (dice.chance(0.4))
    return [{ do: "sink trouble", atMs, sink, kind, times: dice.pick([1, 1, 2, 5]) }];
  return [
    { do: "sink trouble", atMs, sink, kind },
    { do: "sink heals", atMs: atMs + dice.pick([5_000, MIN_MS, 7 * MIN_MS, 30 * MIN_MS]), sink },
  ];
}
