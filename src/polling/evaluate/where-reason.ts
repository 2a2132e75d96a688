/** Why a watch's `where` does not want a fact, in words for people. */
import type { EventBody } from "../../model/event.ts";
import type { Watch } from "../../model/watch.ts";

/** Undefined when it does, or there is none. */
export const reasonAgainstBody = (
  { where }: Pick<Watch, "where">,
  body: EventBody,
): string | undefined =>
  where === undefined || where.matches(body)
    ? undefined
    : `where is false: ${where.describeFalse?.(body) ?? where.text}`;
