/** Plays a scenario: orders to the sandbox, again and again, so that something happens in its world every few seconds. */
import type { Cancel, Clock } from "../../model/clock.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/** A request of the sandbox's control API. `{n}` in a text is the number of the turn. */
interface ScenarioOrder {
  /** Below `/_sandbox/`. */
  readonly post: string;
  readonly body: JsonObject;
}

/** Turns that follow each other at an even pace; after the last one comes the first again. */
export interface ScenarioTrack {
  readonly every_ms: number;
  readonly turns: readonly (readonly ScenarioOrder[])[];
}

/** Returns what ends it. */
export function playScenario(tracks: readonly ScenarioTrack[], sandbox: Pick<Sandbox, "order">, clock: Clock): Cancel {
  const cancels = tracks.map((track) => playTrack(track, sandbox, clock));
  return () => {
    for (const cancel of cancels) cancel();
  };
}

function playTrack({ every_ms: everyMs, turns }: ScenarioTrack, sandbox: Pick<Sandbox, "order">, clock: Clock): Cancel {
  let turn = 0;
  let cancel: Cancel | undefined;
  const next = (): void => {
    for (const { post, body } of turns[turn % turns.length] ?? []) sandbox.order(post, numbered(body, turn + 1));
    turn += 1;
    cancel = clock.after(everyMs, next);
  };
  cancel = clock.after(everyMs, next);
  return () => cancel?.();
}

const numbered = (body: JsonObject, turn: number): JsonObject =>
  JSON.parse(JSON.stringify(body).replaceAll("{n}", String(turn))) as JsonObject;
