/**
 * Checks that a program may be started. The list of allowed programs is an environment variable and
 * not part of the configuration, so that somebody who may edit only the configuration cannot start
 * other programs.
 */
import type { Report } from "../report.ts";
import type { Place } from "../tree.ts";

export interface ProgramDeps {
  /** The programs that CHIRPWATCH_ALLOW_EXEC names. */
  readonly allowedPrograms: ReadonlySet<string>;
  readonly report: Report;
}

export function checkProgram(
  path: string,
  place: Place,
  { allowedPrograms, report }: ProgramDeps,
): void {
  if (allowedPrograms.has(path)) return;
  const message = `${path} may not be started: add it to the environment variable CHIRPWATCH_ALLOW_EXEC (paths separated by colons; .env is not read for this)`;
  report.error(place, "program-not-allowed", message);
}
