/** Renders jobs one at a time. It runs in the worker, and in tests instead of the worker. */
import type { Liquid, Template } from "liquidjs";
import type {
  MessageTemplate,
  Region,
  TemplateJob,
  TemplateResult,
  TextPiece,
  Wording,
} from "../../model/template.ts";
import { piecesOf, type Rendering, withoutMarks } from "./filters.ts";
import { createLiquid } from "./liquid.ts";

export type RenderJob = (job: TemplateJob) => TemplateResult;

interface Parsed {
  readonly title?: readonly Template[];
  readonly body?: readonly Template[];
}

interface Engine {
  readonly liquid: Liquid;
  readonly current: Rendering;
  readonly parsed: Map<string, Parsed>;
}

/**
 * Creates the renderer. `renderLimitMs` is the maximum time for a title or a body. A job that
 * exceeds it on a busy machine may succeed when it is repeated.
 */
export function createTemplateRenderer(
  templates: readonly MessageTemplate[],
  renderLimitMs?: number,
): RenderJob {
  const byName = new Map(templates.map((template) => [template.name, template]));
  const engines = new Map<string, Engine>();
  const engineOf = (region: Region): Engine => {
    const key = JSON.stringify([region.locale, region.timezone]);
    const known = engines.get(key) ?? createEngine(region, renderLimitMs);
    engines.set(key, known);
    return known;
  };
  return (job) => {
    const template = byName.get(job.template);
    if (template === undefined)
      return { problem: `there is no template ${job.template}`, isRunaway: false };
    try {
      return { wording: render(engineOf(job.region), template, job) };
    } catch (error) {
      return problemOf(error);
    }
  };
}

function createEngine(region: Region, renderLimitMs: number | undefined): Engine {
  const current: Rendering = { nowMs: 0, hasMoments: false, moments: [] };
  const limit = renderLimitMs === undefined ? {} : { renderLimitMs };
  return { liquid: createLiquid({ region, current, ...limit }), current, parsed: new Map() };
}

function render(
  { liquid, current, parsed }: Engine,
  template: MessageTemplate,
  { data, nowMs, hasMoments }: TemplateJob,
): Wording {
  const { name, title, body } = template;
  const known = parsed.get(name) ?? {
    ...(title === undefined ? {} : { title: liquid.parse(title) }),
    ...(body === undefined ? {} : { body: liquid.parse(body) }),
  };
  parsed.set(name, known);
  const scope = JSON.parse(withoutMarks(data)) as object;
  const write = (text: readonly Template[]): readonly TextPiece[] => {
    Object.assign(current, { nowMs, hasMoments, moments: [] });
    return piecesOf(String(liquid.renderSync([...text], scope)).trim(), current.moments);
  };
  return {
    ...(known.title === undefined ? {} : { title: write(known.title) }),
    ...(known.body === undefined ? {} : { body: write(known.body) }),
  };
}

/** Returns the first line of liquidjs's error, which ends with the position in the template. */
function problemOf(error: unknown): TemplateResult {
  const problem = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
  return { problem, isRunaway: /limit exceeded/.test(problem) };
}
