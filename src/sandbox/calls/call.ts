/** What a handler receives about a request, and what it returns. */
import type { Json, JsonObject } from "../../model/json.ts";
import type { KeyUsage } from "./keys.ts";
import type { Params } from "./params.ts";
import type { Show } from "../world/shown/show.ts";
import type { World } from "../world/world.ts";

export interface Call {
  readonly endpoint: string;
  readonly params: Params;
  /** The cursor that the client sent. The parameter has a different name at different endpoints. */
  readonly cursor: string | undefined;
  /**
   * The value in the last segment of a path such as `/id-to-username/{user_id}`; "" for other
   * paths.
   */
  readonly pathValue: string;
  readonly world: World;
  readonly show: Show;
  readonly nowMs: number;
  /**
   * Whether the sandbox sends short and empty pages, which a careless client takes for the end of a
   * list.
   */
  readonly traps: boolean;
  usage(): KeyUsage;
}

export interface Answer {
  readonly body: JsonObject;
  /**
   * A cursor of digits that is sent as a JSON number instead of a string. Set only while the
   * injected fault `cursor_number` is on.
   */
  readonly numberCursor?: string;
}

/** Answers requests to one operation. @throws ServiceError */
export type Handler = (call: Call) => Answer;

/**
 * Returns the JSON text of an answer. A `numberCursor` keeps all digits, which JSON.stringify would
 * round above 2^53.
 */
export function answerText(answer: Answer): string {
  const text = JSON.stringify(answer.body satisfies Json);
  if (answer.numberCursor === undefined) return text;
  return text.replace(/^\{/, `{"next_cursor":${answer.numberCursor}${text === "{}" ? "" : ","}`);
}
