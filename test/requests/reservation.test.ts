/**
 * Tests which keys may pay for a request when some wait after a 429 and some have already failed
 * with it.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createUpstreamPacer, type UpstreamPacer } from "../../src/budget/upstream-pacer.ts";
import { eligibleKeysAt, type EligibleKeys } from "../../src/requests/reservation.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

it("are those that neither wait nor have failed, then those that have failed; and the first of those that wait is known", () => {
  const keys = fc.array(
    fc.record({ waitsMs: fc.constantFrom(0, 0, 5, 20, 60), hasFailed: fc.boolean() }),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(keys, (all) => {
      const named = all.map((one, index) => ({ ...one, name: `k${index}` }));
      const pacer: UpstreamPacer = Object.assign(createUpstreamPacer(createSeededRandom(1)), {
        paysAgainAt: (name: string) => named.find((one) => one.name === name)?.waitsMs ?? 0,
      });
      const failedWith = new Map(
        named.filter(({ hasFailed }) => hasFailed).map(({ name }) => [name, "x"]),
      );
      const eligible = named.map(({ name }) => ({ name, limit: 1 })) as unknown as EligibleKeys;
      const found = eligibleKeysAt(eligible, pacer, 0, failedWith);
      const free = named.filter(({ waitsMs }) => waitsMs === 0);
      const untried = free.filter(({ hasFailed }) => !hasFailed);
      const expected = untried.length > 0 ? untried : free.length > 0 ? free : named;
      expect(found.eligible?.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
      const waits = named.flatMap(({ waitsMs }) => (waitsMs > 0 ? [waitsMs] : []));
      if (free.length > 0)
        expect(found.othersAtMs).toBe(waits.length === 0 ? undefined : Math.min(...waits));
    }),
  );
});
