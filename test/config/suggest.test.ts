import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suggest } from "../../src/config/suggest.ts";

describe("did you mean", () => {
  it("knows other systems' words, each where its translation exists", () => {
    expect(suggest("receiver", ["sink", "routes"])).toBe("sink");
    expect(suggest("location", ["times", "timezone"])).toBe("timezone");
    expect(suggest("start_time", ["start", "end"])).toBe("start");
    expect(suggest("channel_name", ["channel", "token"])).toBe("channel");
    expect(suggest("hook", ["webhook_url", "token"])).toBe("webhook_url");
    expect(suggest("keywords", ["accounts"])).toBeUndefined();
  });

  it("finds every slip of one letter in a long word", () => {
    const words = ["schedule", "matchers", "max_pages"];
    fc.assert(
      fc.property(
        fc.constantFrom(...words),
        fc.nat(6),
        fc.constantFrom("drop", "swap", "double"),
        (word, at, slip) => {
          const [a = "", b = ""] = [word[at], word[at + 1]];
          const changed = slip === "drop" ? "" : slip === "swap" ? b + a : a + a;
          const typed = word.slice(0, at) + changed + word.slice(at + (slip === "swap" ? 2 : 1));
          expect(suggest(typed, words)).toBe(word);
        },
      ),
    );
  });

  it("reads camelCase and dashes", () => {
    expect(suggest("maxPages", ["max_pages"])).toBe("max_pages");
    expect(suggest("group-by", ["group_by"])).toBe("group_by");
  });

  it("suggests nothing for words that resemble no key", () => {
    expect(suggest("frobnicate", ["sink", "route", "watches"])).toBeUndefined();
  });
});
