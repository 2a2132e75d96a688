/**
 * Entry of the thread that renders templates: jobs in, results out, one at a time.
 * runtime/threads/template-worker.ts starts it and ends it.
 */
import type { TemplateJob } from "./model/template.ts";
import { createTemplateRenderer } from "./render/templates/template-renderer.ts";
import { onTemplateJobs } from "./runtime/threads/template-thread.ts";

onTemplateJobs((templates, renderLimitMs) => {
  const render = createTemplateRenderer(templates, renderLimitMs);
  return (job: TemplateJob) => render(job);
});
