/** Checks that a watch or a sink that a command names exists. */
import { suggest } from "../../config/suggest.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";

/**
 * Checks the name. @throws ExitError WATCH_UNKNOWN or SINK_UNKNOWN, which suggests the nearest name
 */
export function requireKnownName(
  what: "watch" | "sink",
  name: string | undefined,
  known: readonly string[],
): void {
  if (name === undefined || known.includes(name)) return;
  const meant = suggest(name, known);
  const hint = `${meant === undefined ? "" : `Did you mean ${meant}? `}Known names: ${known.join(", ")}`;
  throw new ExitError(
    EXIT.failed,
    what === "watch" ? "WATCH_UNKNOWN" : "SINK_UNKNOWN",
    `there is no ${what} "${name}"`,
    { hint },
  );
}
