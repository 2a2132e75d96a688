/**
 * Runs templates in a separate thread, so that no template can stop the daemon: a thread that does
 * not answer is ended. The thread starts with the first job, has no environment, and little memory.
 */
import { Worker } from "node:worker_threads";
import type { Cancel, Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type {
  MessageTemplate,
  TemplateJob,
  TemplateResult,
  TemplateRunner,
} from "../../model/template.ts";
import { packageFile } from "../package-file.ts";
import type { ThreadData, ThreadMessage } from "./template-thread.ts";

/** The time limit for a title or a body. liquidjs itself stops most templates at this limit. */
const RENDER_LIMIT_MS = 500;
/**
 * The maximum number of jobs in one message to the thread. Sending a message costs both threads as
 * much time as several jobs.
 */
const BATCH = 100;
/**
 * The interval at which the thread is checked. A thread that has not answered for more than two
 * ticks is ended. A single tick is not enough: after a pause of the whole process, a tick may come
 * before an answer that has already arrived.
 */
const TICK_MS = 500;
/** The number of ticks within which a thread must start. */
const START_TICKS = 40;
const MEMORY_MB = 64;

export interface TemplateWorkerOptions {
  readonly clock: Clock;
  /** The script of the thread. Default: the built one. */
  readonly script?: string | URL;
}

export const startTemplateWorker = (
  templates: readonly MessageTemplate[],
  options: TemplateWorkerOptions,
): TemplateRunner => new TemplateWorker(templates, options);

interface Pending {
  readonly job: TemplateJob;
  readonly resolve: (result: TemplateResult) => void;
}

class TemplateWorker implements TemplateRunner {
  readonly #templates: readonly MessageTemplate[];
  readonly #clock: Clock;
  readonly #script: string | URL;
  /** The waiting jobs, the oldest first. The thread has the first `#sent` of them. */
  #pending: Pending[] = [];
  #sent = 0;
  /**
   * The number of jobs per message. After a thread was ended, it is 1 until no job waits, so that
   * the job that makes a thread end can be identified.
   */
  #batch = BATCH;
  #thread: Worker | undefined;
  #isReady = false;
  /** The number of ticks since the last answer. */
  #ticks = 0;
  #cancelTick: Cancel | undefined;
  #isStopped = false;

  constructor(templates: readonly MessageTemplate[], { clock, script }: TemplateWorkerOptions) {
    this.#templates = templates;
    this.#clock = clock;
    this.#script = script ?? packageFile("dist/template-worker.js");
  }

  run(jobs: readonly TemplateJob[]): Promise<readonly TemplateResult[]> {
    if (this.#isStopped || jobs.length === 0) return Promise.resolve(jobs.map(() => STOPPED));
    const results: TemplateResult[] = [];
    const all = new Promise<readonly TemplateResult[]>((done) => {
      const resolve = (result: TemplateResult) => {
        results.push(result);
        if (results.length === jobs.length) done(results);
      };
      this.#pending.push(...jobs.map((job) => ({ job, resolve })));
    });
    if (this.#thread === undefined) this.#start();
    else this.#send();
    this.#watch();
    return all;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#resolve(this.#pending.map(() => STOPPED));
    await this.#end();
  }

  #start(): void {
    const workerData: ThreadData = { templates: this.#templates, renderLimitMs: RENDER_LIMIT_MS };
    const resourceLimits = {
      maxOldGenerationSizeMb: MEMORY_MB,
      maxYoungGenerationSizeMb: 16,
      stackSizeMb: 2,
    };
    const thread = new Worker(this.#script, {
      workerData,
      env: {},
      execArgv: [],
      resourceLimits,
    });
    this.#thread = thread;
    this.#isReady = false;
    this.#ticks = 0;
    thread.unref();
    thread.on("message", (message: ThreadMessage) => {
      if (thread === this.#thread) this.#onMessage(message);
    });
    thread.on("error", (error) => this.#fail(thread, errorText(error)));
    thread.on("exit", () => this.#fail(thread, "the thread that renders templates ended"));
  }

  #onMessage(message: ThreadMessage): void {
    this.#ticks = 0;
    if (message === null) this.#isReady = true;
    else this.#resolve(message);
    this.#send();
  }

  #send(): void {
    if (!this.#isReady || this.#sent > 0 || this.#pending.length === 0) return;
    const jobs = this.#pending.slice(0, this.#batch).map(({ job }) => job);
    this.#sent = jobs.length;
    this.#thread?.postMessage(jobs);
  }

  #fail(thread: Worker, problem: string): void {
    if (thread !== this.#thread) return;
    const isOfJob = this.#isReady;
    this.#thread = undefined;
    this.#giveUp(isOfJob, { problem, isRunaway: isOfJob });
  }

  /**
   * Gives up jobs after the thread has ended. If it could not start, all jobs fail. If it had a
   * single job, that job ended it and fails. If it had several, each of them is sent alone now.
   */
  #giveUp(isOfJob: boolean, result: TemplateResult): void {
    const failed = !isOfJob ? this.#pending.length : this.#sent === 1 ? 1 : 0;
    this.#batch = 1;
    this.#resolve(Array.from({ length: failed }, () => result));
    if (this.#pending.length > 0 && !this.#isStopped) this.#start();
  }

  /** Resolves the oldest jobs. */
  #resolve(results: readonly TemplateResult[]): void {
    const done = this.#pending.splice(0, results.length);
    this.#sent = 0;
    for (const [index, result] of results.entries()) done[index]?.resolve(result);
    if (this.#pending.length > 0) return;
    this.#batch = BATCH;
    this.#unwatch();
  }

  #watch(): void {
    if (this.#pending.length === 0 || this.#cancelTick !== undefined) return;
    this.#cancelTick = this.#clock.after(TICK_MS, () => {
      this.#cancelTick = undefined;
      this.#ticks += 1;
      if (this.#ticks > (this.#isReady ? 2 : START_TICKS)) void this.#endRunaway();
      this.#watch();
    });
  }

  #unwatch(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
  }

  async #endRunaway(): Promise<void> {
    const wasReady = this.#isReady;
    const ended = this.#end();
    this.#giveUp(wasReady, { problem: "it took longer than a second", isRunaway: true });
    await ended;
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#isReady = false;
    await thread?.terminate();
  }
}

const STOPPED: TemplateResult = { problem: "the daemon stops", isRunaway: false };
