/** Whether a sink that a command names is one. */
import { suggest } from "../../config/suggest.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";

/** @throws ExitError that names the nearest */
export function requireSink(sink: string | undefined, known: readonly string[]): void {
  if (sink === undefined || known.includes(sink)) return;
  const meant = suggest(sink, known);
  const hint = `${meant === undefined ? "" : `Did you mean ${meant}? `}There are: ${known.join(", ")}`;
  throw new ExitError(EXIT.failed, "SINK_UNKNOWN", `there is no sink "${sink}"`, { hint });
}
