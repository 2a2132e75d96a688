/** A request as a handler sees it, and what handlers answer with. */
import type { Json, JsonObject } from "../../model/json.ts";
import type { KeyUsage } from "./keys.ts";
import type { Params } from "./params.ts";
import type { Show } from "../world/shown/show.ts";
import type { World } from "../world/world.ts";

export interface Call {
  readonly endpoint: string;
  readonly params: Params;
  /** The cursor that the client sent, whatever this endpoint calls the parameter. */
  readonly cursor: string | undefined;
  /** The last path segment of paths such as `/id-to-username/{user_id}`. */
  readonly pathValue: string;
  readonly world: World;
  readonly show: Show;
  readonly nowMs: number;
  /** Whether the sandbox sends short and empty pages, which only a careful client reads right. */
  readonly traps: boolean;
  usage(): KeyUsage;
}

export interface Answer {
  readonly body: JsonObject;
  /** A cursor in digits that a fault sends as a bare JSON number instead of a string. */
  readonly numberCursor?: string;
}

/** Answers one operation. @throws ServiceError */
export type Handler = (call: Call) => Answer;

/** Returns the text of an answer, with digits beyond 2^53 intact. */
export function answerText(answer: Answer): string {
  const text = JSON.stringify(answer.body satisfies Json);
  if (answer.numberCursor === undefined) return text;
  return text.replace(/^\{/, `{"next_cursor":${answer.numberCursor}${text === "{}" ? "" : ","}`);
}
