/**
 * The code that runs inside the thread that renders templates. Reads the data with which the thread
 * was started, and answers jobs.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { MessageTemplate, TemplateJob, TemplateResult } from "../../model/template.ts";

/** The data with which the thread is started. */
export interface ThreadData {
  readonly templates: readonly MessageTemplate[];
  readonly renderLimitMs: number;
}

/**
 * A message from the thread. The first one is `null` and says that the thread is ready. Each later
 * message answers one message with jobs, in the order of the jobs.
 */
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
