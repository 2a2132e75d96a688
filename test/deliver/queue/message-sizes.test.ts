/** How large a message one place takes: counted as it is sent, in bytes. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { bodyBytes, MessageSizes } from "../../../src/deliver/queue/message-sizes.ts";
import { JsonText } from "../../../src/model/json.ts";

const wide = fc
  .array(fc.constantFrom("a", "ä", "漢", "😀", '"', "\n"), { maxLength: 60 })
  .map((parts) => parts.join(""));

it("is the number of bytes of its JSON, whatever its characters, as a text or as a value", () => {
  fc.assert(
    fc.property(wide, (text) => {
      const body = { text };
      const bytes = new TextEncoder().encode(JSON.stringify(body)).length;
      expect(bodyBytes(body)).toBe(bytes);
      expect(bodyBytes(JSON.stringify(body))).toBe(bytes);
      expect(bodyBytes(new JsonText(JSON.stringify(body)))).toBe(bytes);
    }),
  );
});

it("stays below what was refused and reaches what was taken, in whatever order", () => {
  const answers = fc.array(
    fc.record({ bytes: fc.integer({ min: 10, max: 4_000 }), isTaken: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 20,
    },
  );
  fc.assert(
    fc.property(answers, (row) => {
      const sizes = new MessageSizes();
      const refused: number[] = [];
      for (const { bytes, isTaken } of row) {
        const body = "漢".repeat(Math.floor(bytes / 3)) + "x".repeat(bytes % 3);
        if (isTaken) sizes.accepted(body);
        else {
          sizes.refused(body);
          refused.push(bytes);
        }
        const smallest = Math.min(...refused);
        expect(sizes.refusedBytes).toBe(smallest);
        if (refused.length === 0) expect(sizes.limitBytes()).toBe(Number.POSITIVE_INFINITY);
        else expect(sizes.limitBytes()).toBeLessThan(smallest);
      }
    }),
  );
});
