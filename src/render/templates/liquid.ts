/**
 * Creates the template language: Liquid with limits on time and memory, and without files,
 * randomness and a clock. `raw` is refused, because each sink escapes the output like an author's
 * text. Filters that decode text are refused, because they could write the marks of moments (see
 * filters.ts).
 */
import { Liquid } from "liquidjs";
import type { Region } from "../../model/template.ts";
import { type FilterSetting, registerFilters } from "./filters.ts";

/** Tags that read files or turn escaping off, each with the reason for its refusal. */
export const REFUSED_TAGS: Readonly<Record<string, string>> = {
  raw: "output is always escaped for its sink",
  include: "a template reads no files",
  render: "a template reads no files",
  layout: "a template reads no files",
  block: "it belongs to `layout`, and a template reads no files",
};

export const REFUSED_FILTERS: Readonly<Record<string, string>> = {
  raw: "output is always escaped for its sink",
  sample: "the same event makes the same message",
  url_decode: "it could write marks that only `time` may write",
  base64_decode: "it could write marks that only `time` may write",
};

/** The maximum number of characters in one template. */
const TEMPLATE_CHARS = 20_000;
/**
 * The memory limit in liquidjs's own units, which are roughly the characters and items that it
 * creates.
 */
const MEMORY_UNITS = 2_000_000;

export interface LiquidSetting extends FilterSetting {
  readonly region: Region;
  /**
   * The maximum milliseconds for one rendering; undefined if the result must not depend on real
   * time.
   */
  readonly renderLimitMs?: number;
}

/**
 * Creates the engine. In a rendering, `now` is `setting.current.nowMs`, which the caller sets
 * before each rendering.
 */
export function createLiquid(setting: LiquidSetting): Liquid {
  const { locale, timezone = "UTC" } = setting.region;
  const liquid = new Liquid({
    templates: {},
    dynamicPartials: false,
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: TEMPLATE_CHARS,
    memoryLimit: MEMORY_UNITS,
    timezoneOffset: timezone,
    ...(setting.renderLimitMs === undefined ? {} : { renderLimit: setting.renderLimitMs }),
    ...(locale === undefined ? { locale: "en" } : { locale }),
  });
  // liquidjs looks up tags and filters by name in these objects, so they must not inherit names
  // such as `toString`.
  Object.setPrototypeOf(liquid.tags, null);
  Object.setPrototypeOf(liquid.filters, null);
  for (const name of Object.keys(REFUSED_TAGS)) delete liquid.tags[name];
  for (const name of Object.keys(REFUSED_FILTERS)) delete liquid.filters[name];
  registerFilters(liquid, setting);
  return liquid;
}
