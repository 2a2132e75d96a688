/** Explains in words why a watch's `where` rejects a fact. */
import type { EventBody } from "../../model/event.ts";
import type { Watch } from "../../model/watch.ts";

/** Returns the reason; undefined if `where` accepts the fact or is absent. */
export const reasonAgainstBody = (
  { where }: Pick<Watch, "where">,
  body: EventBody,
): string | undefined =>
  where === undefined || where.matches(body)
    ? undefined
    : `where is false: ${where.describeFalse?.(body) ?? where.text}`;
