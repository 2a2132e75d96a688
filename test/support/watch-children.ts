/**
 * A set-up file of every test. If a child process ends although it should still run, its test fails
 * with what the child wrote.
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
