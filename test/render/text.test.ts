import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanLine, cleanText } from "../../src/render/text/clean-text.ts";
import {
  discordLabel,
  discordLink,
  discordPlain,
  discordText,
} from "../../src/render/discord-text.ts";
import { formatCompact, formatDelta } from "../../src/render/text/numbers.ts";
import { fitForms } from "../../src/render/text/fit-forms.ts";
import { profileUrl, tweetUrl, webUrl } from "../../src/render/text/permalink.ts";
import { slackLabel, slackLink, slackLiteral, slackText } from "../../src/render/slack-text.ts";
import { trimText } from "../../src/render/text/trim-text.ts";
import { LIVE_DISCORD, LIVE_SLACK, hostileText } from "./hostile-text.ts";

const wellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

describe("cleaning", () => {
  it("removes control characters and hidden direction changes, and keeps the letters", () => {
    expect(cleanText("a\u0000b\u001b[31m \u202egpj.exe\u202c \u2066x\u2069 שלום \r\n\u2028z")).toBe(
      "ab[31m gpj.exe x שלום \n\nz",
    );
  });

  it("keeps the joiners that emoji and scripts need", () => {
    expect(cleanText("👩‍👩‍👧 می‌خواهم")).toBe("👩‍👩‍👧 می‌خواهم");
  });

  it("makes one line of many", () => {
    expect(cleanLine("  a\n\tb \u00a0 c ")).toBe("a b c");
    expect(cleanLine("\u00a0♥\u00a012  1,2\u202fM\u00a0\u00a0")).toBe("♥\u00a012 1,2\u202fM");
  });

  it("fault 54: gives valid Unicode for any sequence of units, half characters included", () => {
    expect(cleanText("a\ud83dz")).toBe("a\ufffdz");
    fc.assert(fc.property(hostileText, (text) => wellFormed(cleanText(text))));
  });
});

describe("trimming", () => {
  it("fault 54: cuts between graphemes, never in an emoji or a flag", () => {
    expect(trimText("ab👩‍👩‍👧cd", 6)).toBe("ab…");
    expect(trimText("🇩🇪🇫🇷🇮🇹", 6)).toBe("🇩🇪…");
    expect(trimText("👩‍👩‍👧".repeat(9), 20.4)).toBe(trimText("👩‍👩‍👧".repeat(9), 20));
    expect(trimText("abc", 3)).toBe("abc");
  });

  it("cuts a single endless grapheme between code points", () => {
    const zalgo = `a${"\u0301".repeat(50)}`;
    expect(trimText(zalgo, 10)).toHaveLength(10);
    expect(wellFormed(trimText(`😀${"\u{e0061}".repeat(50)}`, 10))).toBe(true);
  });

  it("keeps to the limit and stays valid for any text", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 80 }), (text, limit) => {
        const trimmed = trimText(cleanText(text), limit);
        return trimmed.length <= limit && wellFormed(trimmed);
      }),
    );
  });
});

describe("Slack's dialects", () => {
  it("escapes what Slack reads as control", () => {
    expect(slackText("a & b <c> @alice", 100)).toBe("a &amp; b &lt;c&gt; @alice");
  });

  it("never cuts an escape in half", () => {
    expect(slackText("&&&&&&&&&&", 12)).toBe("&amp;&amp;…");
  });

  it("leaves no format character of mrkdwn active, and handles alone", () => {
    expect(slackLabel("*bold* _it_ ~s~ `c` a|b :tada: @snake_case_name", 100)).toBe(
      "∗bold∗ ˍitˍ ∼s∼ ˋcˋ a¦b :\u200btada: @snake_case_name",
    );
  });

  it("escapes the address of a link", () => {
    expect(slackLink("https://x.com/?a=1&b=2", "a>b", 10)).toBe(
      "<https://x.com/?a=1&amp;b=2|a&gt;b>",
    );
  });

  it("fault 54: no text makes a live mention or control sequence", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const shown of [
          slackText(text, 200),
          slackLabel(text, 200),
          slackLiteral(text, 200),
        ]) {
          expect(shown).not.toMatch(LIVE_SLACK);
          expect(wellFormed(shown)).toBe(true);
        }
        expect(slackText(text, 200)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
        expect(slackLabel(text, 200)).not.toMatch(/[<>*~`|\n]|&(?!amp;|lt;|gt;)/);
        expect(slackText(text, 200).length).toBeLessThanOrEqual(200);
      }),
    );
  });
});

describe("Discord's markdown", () => {
  it("shows markup letter by letter", () => {
    expect(discordText("**a** __b__ ||c|| `d` [e](f) ~~g~~", 200)).toBe(
      "\\*\\*a\\*\\* \\_\\_b\\_\\_ \\|\\|c\\|\\| \\`d\\` \\[e\\]\\(f\\) \\~\\~g\\~\\~",
    );
  });

  it("disarms what only counts at the start of a line", () => {
    expect(discordText("# a\n- b\n> c\n1. d\n-# e", 200)).toBe(
      "\\# a\n\\- b\n\\> c\n1\u200b. d\n\\-# e",
    );
  });

  it("leaves bare links whole and clickable", () => {
    expect(discordText("see https://example.com/a_b_c?x=1. (https://example.com/p)", 200)).toBe(
      "see https://example.com/a_b_c?x=1. \\(https://example.com/p\\)",
    );
  });

  it("lets nothing hide in a link", () => {
    expect(discordText("https://e.com/**x**|z`](y @everyone", 200)).toMatch(
      /^https:\/\/e\.com\/%2A%2Ax%2A%2A%7Cz/,
    );
  });

  it("gives masked links that no label and no address breaks out of", () => {
    expect(discordLink("https://e.com/(a)", "x](https://evil.com) [y", 100)).toMatch(
      /^\[x\\\]\\\(https.*\]\(<https:\/\/e\.com\/%28a%29>\)$/,
    );
  });

  it("fault 54: no text makes a live mention, and limits count after escaping", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 10, max: 200 }), (text, limit) => {
        for (const shown of [
          discordText(text, limit),
          discordLabel(text, limit),
          discordPlain(text, limit),
        ]) {
          expect(shown).not.toMatch(LIVE_DISCORD);
          expect(wellFormed(shown)).toBe(true);
          expect(shown.length).toBeLessThanOrEqual(limit);
        }
        expect(discordLabel(text, limit).replace(/\\[\s\S]/g, "")).not.toMatch(/[*_~`|[\]()<>]/);
      }),
    );
  });
});

describe("numbers and links", () => {
  it("shortens counts and signs deltas", () => {
    expect(
      [999, 1_000, 12_345, 999_950, 4_000_000, Number.NaN].map((count) => formatCompact(count)),
    ).toEqual(["999", "1K", "12.3K", "1M", "4M", "0"]);
    expect([25, -60.54, 0, -0.01].map(formatDelta)).toEqual(["+25", "-60.5", "0", "0"]);
  });

  it("builds permalinks from names and ids, and does without an odd name", () => {
    expect(tweetUrl("https://x.com/", "alice", "12")).toBe("https://x.com/alice/status/12");
    expect(tweetUrl("https://x.com", "a/../b", "12")).toBe("https://x.com/i/status/12");
    expect(profileUrl("https://x.com", "", "7")).toBe("https://x.com/i/user/7");
  });

  it("takes web addresses only, in a spelling that closes no bracket", () => {
    expect(webUrl("javascript:alert(1)")).toBeUndefined();
    expect(webUrl("https://")).toBeUndefined();
    expect(webUrl('https://e.com/a b|c>"')).not.toMatch(/[ |>"]/);
  });
});

describe("packing", () => {
  const cost = (form: string) => form.length + 1;

  it("gives every item its longest form while there is room", () => {
    expect(
      fitForms(
        [
          ["long", "l"],
          ["long", "l"],
        ],
        100,
        cost,
      ),
    ).toEqual({ shown: ["long", "long"], left: 0 });
  });

  it("shortens before it leaves anything out, and says how many it left", () => {
    expect(
      fitForms(
        [
          ["aaaaaaaa", "a"],
          ["bbbbbbbb", "b"],
          ["cccccccc", "c"],
        ],
        13,
        cost,
      ).shown,
    ).toEqual(["aaaaaaaa", "b", "c"]);
    expect(fitForms([["a"], ["b"], ["c"]], 4, cost)).toEqual({ shown: ["a", "b"], left: 1 });
  });

  it("never passes the budget, keeps the order, and loses nothing that fits in its shortest form", () => {
    const item = fc.tuple(
      fc.string({ minLength: 6, maxLength: 40 }),
      fc.string({ minLength: 1, maxLength: 5 }),
    );
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 40 }),
        fc.integer({ min: 0, max: 600 }),
        (items, budget) => {
          const { shown, left } = fitForms(items, budget, cost);
          expect(shown.reduce((sum, form) => sum + cost(form), 0)).toBeLessThanOrEqual(budget);
          expect(shown.length + left).toBe(items.length);
          shown.forEach((form, index) => expect(items[index]).toContain(form));
          const shortest = items.reduce((sum, forms) => sum + Math.min(...forms.map(cost)), 0);
          if (shortest <= budget) expect(left).toBe(0);
        },
      ),
    );
  });
});
