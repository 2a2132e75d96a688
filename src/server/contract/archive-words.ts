/** The words about the archive that the status and the plan share. */
import type { ArchiveView } from "../schema/status-view.ts";

/** Formats the archive for people. */
export function archiveText({ off, reads, bytes, since }: ArchiveView): string {
  const size = `${(bytes / 1_024 ** 2).toFixed(1)} MB of ${reads} polls`;
  const held = since === null ? "empty" : `${size} since ${since.slice(0, 10)}`;
  return off === "" ? `Archive: ${held}` : `Archive: off, ${off}; ${held}`;
}
