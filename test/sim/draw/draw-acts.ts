/**
 * Draws who is notified of alerts that nobody acknowledges, and what people do about alerts. Uses
 * dice of its own, so that the rest of a seed does not depend on it.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { CONDITIONS } from "./cast.ts";
import type { Dice } from "./dice.ts";
import type { ConfigText, Step } from "./scenario.ts";

const MIN_MS = 60_000;

/** Adds `escalate` to some sinks and routes. */
export function withEscalations(dice: Dice, config: ConfigText): ConfigText {
  const names = Object.keys(config["sinks"] as JsonObject);
  if (names.length < 2 || dice.chance(0.3)) return config;
  const sinks = Object.entries(config["sinks"] as JsonObject).map(([name, keys]): [string, Json] =>
    dice.likes("sink.escalate")
      ? [name, { ...(keys as JsonObject), escalate: drawSteps(dice, names) }]
      : [name, keys as Json],
  );
  const visit = (route: JsonObject): JsonObject => ({
    ...route,
    ...(dice.likes("route.escalate")
      ? { escalate: dice.chance(0.2) ? false : drawSteps(dice, names) }
      : {}),
    ...(route["routes"] === undefined
      ? {}
      : { routes: (route["routes"] as readonly JsonObject[]).map(visit) }),
  });
  return withoutOwnSteps({
    ...config,
    sinks: Object.fromEntries(sinks),
    ...(config["route"] === undefined ? {} : { route: visit(config["route"] as JsonObject) }),
  });
}

const drawSteps = (dice: Dice, names: readonly string[]): Json =>
  Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => ({
    after: dice.pick(["20s", "1m", "1m", "3m", "10m"]),
    sink: dice.pick(names),
    ...(dice.chance(0.3) ? { when: dice.pick(CONDITIONS).text } : {}),
  }));

/**
 * Removes steps that a configuration may not have: those to the alert's own sink, and those to no
 * sink.
 */
function withoutOwnSteps(config: ConfigText): ConfigText {
  const all = config["sinks"] as JsonObject;
  const cut = (keys: JsonObject, own: readonly string[]): JsonObject => {
    const { escalate, ...rest } = keys;
    if (!Array.isArray(escalate)) return keys;
    const left = (escalate as readonly { readonly sink: string }[]).filter(
      ({ sink }) => sink in all && !(own.length === 1 && own[0] === sink),
    );
    return left.length === 0 ? rest : { ...rest, escalate: left as unknown as Json };
  };
  const visit = (route: JsonObject, inherited: readonly string[]): JsonObject => {
    const own = route["sink"] === undefined ? inherited : ([route["sink"]].flat() as string[]);
    const routes = route["routes"] as readonly JsonObject[] | undefined;
    return {
      ...cut(route, own),
      ...(routes === undefined ? {} : { routes: routes.map((one) => visit(one, own)) }),
    };
  };
  return {
    ...config,
    sinks: Object.fromEntries(
      Object.entries(all).map(([name, keys]) => [name, cut(keys as JsonObject, [name])]),
    ),
    ...(config["route"] === undefined ? {} : { route: visit(config["route"] as JsonObject, []) }),
  };
}

/** Changes who is notified, in some of the configurations of reloads. */
export function changeEscalations(dice: Dice, config: ConfigText): ConfigText {
  const names = Object.keys(config["sinks"] as JsonObject);
  if (names.length < 2 || !dice.chance(0.3)) return withoutOwnSteps(config);
  const name = dice.pick(names);
  const { escalate: before, ...keys } = (config["sinks"] as JsonObject)[name] as JsonObject;
  const next =
    before !== undefined && dice.chance(0.5) ? keys : { ...keys, escalate: drawSteps(dice, names) };
  return withoutOwnSteps({
    ...config,
    sinks: { ...(config["sinks"] as JsonObject), [name]: next },
  });
}

/** The last name tries to mention people, which no message may do. */
const PEOPLE = ["Ada", "Bob", "Ada", "<!channel> *Eve* @everyone"];

/** Draws what people do. Some acts come in bursts that do and undo the same thing. */
export function drawActs(dice: Dice, busyMs: number): readonly Step[] {
  if (dice.chance(0.3)) return [];
  return Array.from({ length: dice.int(1, 12) }, () => dice.int(2 * MIN_MS, busyMs)).flatMap(
    (atMs) => drawAct(dice, atMs),
  );
}

function drawAct(dice: Dice, atMs: number): readonly Step[] {
  const whose = {
    nth: dice.pick([0, 0, 0, 1, 2, 5]),
    by: dice.pick(PEOPLE),
    named: dice.chance(0.8) ? "event" : "message",
  } as const;
  if (dice.likes("holds")) {
    const isSnooze = dice.chance(0.6);
    const hold: Step = {
      ...{ do: "hold", atMs, ...whose, isAtOneSink: dice.chance(0.5) },
      kind: isSnooze ? "snooze" : "author-silence",
      for: dice.pick(["1m", "5m", "20m", isSnooze ? "tomorrow" : "7d"]),
    };
    const end: Step = { do: "end hold", atMs: atMs + dice.int(1_000, 10 * MIN_MS), nth: 0 };
    return dice.chance(0.4) ? [hold, end] : [hold];
  }
  const kind = dice.chance(0.8) ? "acknowledged" : "not_relevant";
  const mark: Step = { do: "mark", atMs, ...whose, kind, isUndo: dice.chance(0.2) };
  const undo: Step = {
    ...mark,
    atMs: atMs + dice.pick([1, 1_000, 30_000, 2 * MIN_MS]),
    isUndo: true,
  };
  return dice.chance(0.3) ? [mark, undo] : [mark];
}
