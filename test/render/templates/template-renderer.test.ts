/** Tests what templates make of an event, and that no template can do harm. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Region,
  spellOut,
  type TemplateResult,
  type TextPiece,
} from "../../../src/model/template.ts";
import { createTemplateRenderer } from "../../../src/render/templates/template-renderer.ts";

interface Given {
  readonly data?: object;
  readonly region?: Region;
  readonly hasMoments?: boolean;
}

const NOW_MS = Date.UTC(2026, 0, 15, 12, 0);

function render(
  body: string,
  { data = {}, region = {}, hasMoments = false }: Given = {},
): TemplateResult {
  const renderJob = createTemplateRenderer([{ name: "t", events: ["*"], body }]);
  return renderJob({
    template: "t",
    data: JSON.stringify(data),
    region,
    hasMoments,
    nowMs: NOW_MS,
  });
}

function piecesOf(body: string, given?: Given): readonly TextPiece[] {
  const result = render(body, given);
  if ("problem" in result) throw new Error(result.problem);
  return result.wording.body ?? [];
}

const textOf = (body: string, given?: Given): string => spellOut(piecesOf(body, given));
const problemOf = (body: string, given?: Given): string => {
  const result = render(body, given);
  return "problem" in result ? result.problem : "";
};

describe("a filter", () => {
  it("graphemes cuts between characters as people count them, and keeps what fits", () => {
    expect(textOf("{{ t | graphemes: 3 }}", { data: { t: "👨‍👩‍👧🇩🇪e\u0301x" } })).toBe("👨‍👩‍👧🇩🇪…");
    expect(textOf("{{ t | graphemes: 4 }}", { data: { t: "👨‍👩‍👧🇩🇪e\u0301x" } })).toBe(
      "👨‍👩‍👧🇩🇪e\u0301x",
    );
    expect(textOf("{{ t | graphemes: 4 }}", { data: { t: "one two" } })).toBe("one…");
    expect(problemOf("{{ t | graphemes: 0 }}")).toMatch(/graphemes needs a number/);
  });

  it("thousands writes a number as the sink's readers do", () => {
    const data = { n: 1234567, text: "12034", word: "many" };
    expect(
      textOf(
        "{{ n | thousands }} {{ text | thousands }} {{ word | thousands }}{{ none | thousands }}",
        { data },
      ),
    ).toBe("1,234,567 12,034 many");
    expect(textOf("{{ n | thousands }}", { data, region: { locale: "de-DE" } })).toBe("1.234.567");
  });

  it("time says when in the sink's time zone, and names the zone where there is none", () => {
    const data = { at: "2026-01-15T23:30:00.000Z", seconds: 1768519800, ms: "1768519800000" };
    expect(
      textOf("{{ at | time }}|{{ seconds | time: 'date' }}|{{ ms | time: 'time' }}", { data }),
    ).toBe("2026-01-15 23:30 UTC|2026-01-15|23:30 UTC");
    expect(textOf("{{ at | time }}", { data, region: { timezone: "Europe/Berlin" } })).toBe(
      "2026-01-16 00:30",
    );
    expect(
      textOf("{{ at | time }}", { data, region: { timezone: "Europe/Berlin", locale: "de-DE" } }),
    ).toBe("16.01.2026, 00:30");
    expect(textOf("{{ 'soon' | time }}{{ none | time }}")).toBe("soon");
    expect(problemOf("{{ 'now' | time: 'fortnight' }}")).toMatch(/no style "fortnight"/);
  });

  it("time leaves a moment where the sink shows each reader their own", () => {
    const pieces = piecesOf("at {{ at | time: 'relative' }}, or so", {
      data: { at: "2026-01-15T12:00:00Z" },
      hasMoments: true,
    });
    expect(pieces).toEqual([
      "at ",
      { atMs: NOW_MS, style: "relative", text: "2026-01-15 12:00 UTC" },
      ", or so",
    ]);
  });

  it("date knows no other now than that of the message", () => {
    expect(textOf("{{ 'now' | date: '%Y-%m-%d %H:%M' }}")).toBe("2026-01-15 12:00");
    expect(textOf("{{ 'now' | date: '%H:%M' }}", { region: { timezone: "Asia/Kolkata" } })).toBe(
      "17:30",
    );
  });
});

describe("a template", () => {
  it("sees only what it is given, not what objects inherit", () => {
    expect(
      textOf("{{ a.constructor }}{{ a.__proto__ }}{{ a.toString }}{{ constructor }}", {
        data: { a: { b: 1 } },
      }),
    ).toBe("");
  });

  it.each([
    "{% raw %}x{% endraw %}",
    "{{ 'x' | raw }}",
    "{% include 'x' %}",
    "{% render 'x' %}",
    "{% layout 'x' %}",
    "{{ 'a' | nothing }}",
  ])("that says %s fails", (body) => {
    expect(problemOf(body)).not.toBe("");
  });

  it("that makes far too much is stopped", () => {
    const result = render(
      "{% assign s = 'aaaaaaaaaa' %}{% for i in (1..40) %}{% assign s = s | append: s %}{% endfor %}{{ s }}",
    );
    expect(result).toMatchObject({ isRunaway: true });
  });

  it("that fails once is as good as before for the next event", () => {
    const renderJob = createTemplateRenderer([
      { name: "t", events: ["*"], body: "{{ n | graphemes: most }}" },
    ]);
    const job = (most: number) => ({
      template: "t",
      data: JSON.stringify({ n: "abc", most }),
      region: {},
      hasMoments: true,
      nowMs: 0,
    });
    expect([0, 3].map((most) => "wording" in renderJob(job(most)))).toEqual([false, true]);
  });
});

describe("an author", () => {
  /**
   * Everything that could become a mark: its characters, plain or written in a way that a filter
   * undoes.
   */
  const forged = fc
    .array(
      fc.constantFrom(
        "\ue000",
        "\ue001",
        "0",
        "1",
        "%EE%80%80",
        "%EE%80%81",
        "\\ue000",
        "&#57344;",
        "{{ 'now' | time }}",
        "<!date^1^{date}|x>",
        "<t:1:R>",
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""));
  const filters = [
    "upcase",
    "escape",
    "strip_html",
    "json",
    "url_encode",
    "uri_escape",
    "cgi_escape",
    "slugify",
    "graphemes: 4",
    "truncate: 5",
    "strip",
    "normalize_whitespace",
    "split: '' | join: ''",
    "append: '0'",
  ];

  it("forges no moment, whatever is written and whichever filter it goes through", () => {
    fc.assert(
      fc.property(
        forged,
        fc.array(fc.constantFrom(...filters), { maxLength: 3 }),
        (text, through) => {
          const filter = through.map((one) => ` | ${one}`).join("");
          const pieces = piecesOf(`{{ t${filter} }} {{ at | time }}`, {
            data: { t: text, at: 1_768_478_400 },
            hasMoments: true,
          });
          const moments = pieces.filter((piece) => typeof piece !== "string");
          expect(moments).toHaveLength(1);
          expect(spellOut(pieces)).not.toMatch(/[\ue000\ue001]/);
        },
      ),
    );
  });

  it("starts no template of their own", () => {
    expect(textOf("{{ t }}", { data: { t: "{{ 1 | plus: 1 }}{% raw %}" } })).toBe(
      "{{ 1 | plus: 1 }}{% raw %}",
    );
  });
});
