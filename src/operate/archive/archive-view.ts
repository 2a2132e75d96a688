/** Reads how large the archive of the state is, and says why nothing is added to it. */
import type { Config } from "../../config/config.ts";
import type { ArchiveStore } from "../../model/archive.ts";
import { isoTime } from "../../model/clock.ts";
import type { ArchiveView } from "../../server/schema/status-view.ts";

/** The free space on the volume of the state below which nothing is archived. */
export const MIN_FREE_BYTES = 1_024 ** 3;

/** Returns why nothing is archived; undefined if it is. */
export function archiveOffReason(
  { archive }: Config["state"],
  freeBytes: number | undefined,
): string | undefined {
  if (archive === undefined) return "state.archive is off";
  return freeBytes !== undefined && freeBytes < MIN_FREE_BYTES
    ? `less than 1 GB is free on the volume of the state (${Math.floor(freeBytes / 1_024 ** 2)} MB)`
    : undefined;
}

export async function readArchive(
  store: Pick<ArchiveStore, "archiveSize">,
  offReason: string | undefined,
): Promise<ArchiveView> {
  const { reads, bytes, firstAtMs } = await store.archiveSize();
  return {
    off: offReason ?? "",
    reads,
    bytes,
    since: firstAtMs === null ? null : isoTime(firstAtMs),
  };
}
