/**
 * A set-up file of every test: a child process that ended although it should still run fails the
 * test it belongs to, with what it wrote.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach } from "vitest";
import { expectChildrenAlive } from "./child-process.ts";

/** A refused connection is noticed before the end of the process that refuses it. */
const NOTICED_WITHIN_MS = 200;

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await pause(NOTICED_WITHIN_MS);
  expectChildrenAlive();
});
