/** The inner side of the thread that renders templates: what it was started with, and how it answers. */
import { parentPort, workerData } from "node:worker_threads";
import type { MessageTemplate, TemplateJob, TemplateResult } from "../../model/template.ts";

/** What the thread is started with. */
export interface ThreadData {
  readonly templates: readonly MessageTemplate[];
  readonly renderLimitMs: number;
}

/** The first is `null`: the thread is ready. */
export type ThreadMessage = TemplateResult | null;

/** Answers every job in the order in which they come. */
export function onTemplateJobs(
  create: (templates: readonly MessageTemplate[], renderLimitMs: number) => (job: TemplateJob) => TemplateResult,
): void {
  const { templates, renderLimitMs } = workerData as ThreadData;
  const render = create(templates, renderLimitMs);
  parentPort?.on("message", (jobs: readonly TemplateJob[]) => {
    for (const job of jobs) parentPort?.postMessage(render(job) satisfies ThreadMessage);
  });
  parentPort?.postMessage(null satisfies ThreadMessage);
}
