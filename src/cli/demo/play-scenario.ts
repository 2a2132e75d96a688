/**
 * Plays a scenario: changes to the sandbox's world, repeated again and again, so that something
 * happens every few seconds.
 */
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/**
 * A request of the sandbox's control API. In a text `{n}` is the number of the turn, `{last}` the
 * id of what the track posted before.
 */
interface ScenarioOrder {
  /** Below `/_sandbox/`. */
  readonly post: string;
  readonly body: JsonObject;
}

/** Turns that follow each other at an even pace. After the last one the first follows again. */
export interface ScenarioTrack {
  readonly every_ms: number;
  readonly turns: readonly (readonly ScenarioOrder[])[];
}

/** Starts the scenario and returns a function that stops it. */
export function playScenario(
  tracks: readonly ScenarioTrack[],
  sandbox: Pick<Sandbox, "order">,
  clock: Clock,
): Cancel {
  const cancels = tracks.map((track) => playTrack(track, sandbox, clock));
  return () => {
    for (const cancel of cancels) cancel();
  };
}

function playTrack(
  { every_ms: everyMs, turns }: ScenarioTrack,
  sandbox: Pick<Sandbox, "order">,
  clock: Clock,
): Cancel {
  let turn = 0;
  let last = "";
  let cancel: Cancel | undefined;
  const next = (): void => {
    for (const { post, body } of turns[turn % turns.length] ?? [])
      last = idOf(sandbox.order(post, filled(body, turn + 1, last)));
    turn += 1;
    cancel = clock.after(everyMs, next);
  };
  cancel = clock.after(everyMs, next);
  return () => cancel?.();
}

const filled = (body: JsonObject, turn: number, last: string): JsonObject =>
  JSON.parse(
    JSON.stringify(body).replaceAll("{n}", String(turn)).replaceAll("{last}", last),
  ) as JsonObject;

/** Returns the id of the tweet that an order has created; empty for other orders. */
function idOf(answer: Json): string {
  const { ids = [] } = (answer ?? {}) as { readonly ids?: readonly string[] };
  return ids[0] ?? "";
}
