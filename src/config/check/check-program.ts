/**
 * Which programs may be started is said outside the configuration, so that nobody who may only edit
 * that can start any.
 */
import type { Report } from "../report.ts";
import type { Place } from "../tree.ts";

export interface ProgramDeps {
  /** Programs that CHIRPWATCH_ALLOW_EXEC names. */
  readonly allowedPrograms: ReadonlySet<string>;
  readonly report: Report;
}

export function checkProgram(
  path: string,
  place: Place,
  { allowedPrograms, report }: ProgramDeps,
): void {
  if (allowedPrograms.has(path)) return;
  const message = `${path} may not be started: name it in the environment variable CHIRPWATCH_ALLOW_EXEC (paths separated by colons; .env does not count)`;
  report.error(place, "program-not-allowed", message);
}
