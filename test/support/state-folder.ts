/**
 * Chooses the folder for the states of tests: in memory if the system has such a folder. A state
 * waits for the disk at every commit, and simulations commit tens of thousands of times. A killed
 * process leaves the same files there as on a disk.
 */
import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
/** Far more than all states of a run need. */
const ENOUGH_BYTES = 2 ** 30;

/** Creates an empty folder. The caller removes it. */
export const makeStateFolder = (within = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir()): string =>
  mkdtempSync(join(within, "chirpwatch-"));

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}
