/**
 * The inner side of the thread that renders templates: what it was started with, and how it
 * answers.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { MessageTemplate, TemplateJob, TemplateResult } from "../../model/template.ts";

/** What the thread is started with. */
export interface ThreadData {
  readonly templates: readonly MessageTemplate[];
  readonly renderLimitMs: number;
}

/** The first is `null`: the thread is ready. Each of the others answers one message of jobs. */
export type ThreadMessage = readonly TemplateResult[] | null;

export function onTemplateJobs(
  create: (
    templates: readonly MessageTemplate[],
    renderLimitMs: number,
  ) => (job: TemplateJob) => TemplateResult,
): void {
  const { templates, renderLimitMs } = workerData as ThreadData;
  const render = create(templates, renderLimitMs);
  parentPort?.on("message", (jobs: readonly TemplateJob[]) =>
    parentPort?.postMessage(jobs.map(render) satisfies ThreadMessage),
  );
  parentPort?.postMessage(null satisfies ThreadMessage);
}
