/**
 * The template language: Liquid without what reaches outside or takes for ever. No files, no `raw`,
 * no chance, no clock, and no filter that could spell a moment's mark. Output is plain text: each
 * sink escapes it as it escapes an author's.
 */
import { Liquid } from "liquidjs";
import type { Region } from "../../model/template.ts";
import { type FilterSetting, registerFilters } from "./filters.ts";

/** They read files, or switch escaping off. */
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

/** Characters of one template. */
const TEMPLATE_CHARS = 20_000;
/** In liquidjs's own units, about the characters and items it makes. */
const MEMORY_UNITS = 2_000_000;

export interface LiquidSetting extends FilterSetting {
  readonly region: Region;
  /** Real milliseconds that one rendering may take; undefined where it must not depend on them. */
  readonly renderLimitMs?: number;
}

/** `now` of a rendering is what `setting` says while it runs. */
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
  // liquidjs looks words up in these: `toString` is no filter.
  Object.setPrototypeOf(liquid.tags, null);
  Object.setPrototypeOf(liquid.filters, null);
  for (const name of Object.keys(REFUSED_TAGS)) delete liquid.tags[name];
  for (const name of Object.keys(REFUSED_FILTERS)) delete liquid.filters[name];
  registerFilters(liquid, setting);
  return liquid;
}
