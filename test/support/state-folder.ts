/**
 * Where tests keep their states: in memory where the system offers a folder there, as a state waits
 * for the disk at every commit, and simulations commit by the ten thousand. A process that is
 * killed leaves there what it leaves on a disk.
 */
import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
/** Far more than all states of a run. */
const ENOUGH_BYTES = 2 ** 30;

/** Empty; whoever asked for it removes it. */
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
