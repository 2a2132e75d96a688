import { expect, it } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { createSystemRandom } from "../../src/runtime/system-random.ts";
import { sha256 } from "../../src/runtime/hash.ts";

const clock = createSystemClock();

it("never fires before the time, and not after it was cancelled", async () => {
  const fired: string[] = [];
  for (const ms of [0, 1, 2, 5, 10]) {
    const start = clock.monotonic();
    await new Promise<void>((resolve) => clock.after(ms, resolve));
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(ms);
  }
  const cancel = clock.after(1, () => fired.push("cancelled"));
  cancel();
  await new Promise<void>((resolve) => clock.after(5, resolve));
  cancel();
  expect(fired).toEqual([]);
});

it("does not fire at once when the delay is longer than a timer of Node can be", async () => {
  const fired: number[] = [];
  const cancels = [2 ** 31, 2 ** 33, Number.MAX_SAFE_INTEGER].map((ms) =>
    clock.after(ms, () => fired.push(ms)),
  );
  await new Promise<void>((resolve) => clock.after(10, resolve));
  for (const cancel of cancels) cancel();
  expect(fired).toEqual([]);
});

it("fires at once for a time that has passed", async () => {
  await new Promise<void>((resolve) => clock.after(-5, resolve));
});

it("shows the wall time", () => {
  expect(Math.abs(clock.now() - new Date().getTime())).toBeLessThan(1_000);
});

it("draws ids of 22 safe characters and numbers below 1", () => {
  const random = createSystemRandom();
  const ids = Array.from({ length: 1_000 }, () => random.id());
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => /^[0-9A-Za-z_-]{22}$/.test(id))).toBe(true);
  const floats = Array.from({ length: 1_000 }, () => random.float());
  expect(floats.every((float) => float >= 0 && float < 1)).toBe(true);
});

it("hashes like everyone else: SHA-256, base64url, 22 characters", () => {
  expect(sha256("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0".slice(0, 22));
  expect(sha256("ä")).toHaveLength(22);
});
