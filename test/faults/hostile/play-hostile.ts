/**
 * Feeds random hostile inputs to a part of the daemon, and checks that none makes it crash, hang,
 * fill the memory or show a stack.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import fc from "fast-check";

export interface HostileTarget<Input> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /**
   * Feeds one input. @returns the texts that somebody reads because of it. @throws if the part does
   * what it must not
   */
  feed(input: Input): readonly string[] | Promise<readonly string[]>;
}

/** The limit for the CPU time of one input. Other work on the machine does not count. */
const MAX_CPU_MS = 1_000;
const MAX_MEMORY_BYTES = 300 * 1_048_576;
/**
 * The inputs of one property. Between two properties the event loop turns, and a failure names its
 * own seed.
 */
const BATCH = 1_000;

/** Matches a stack, or a message of the runtime about a mistake in the code. */
const STACK =
  /\n\s+at \S|node_modules|\.[jt]s:\d+:\d+|Cannot (?:read|set) propert|is not a function|is not iterable|is not defined|Maximum call stack|\[object Object\]|Invalid (?:array|string) length/;

export interface HostileOptions {
  readonly runs: number;
  /** The same seed gives the same inputs. */
  readonly seed: number;
  /** Returns the memory that the part uses now, in bytes. By default that of this process. */
  readonly memoryBytes?: () => number;
  /**
   * Returns the time that the part has used so far, in milliseconds. By default the CPU time of
   * this process.
   */
  readonly usedMs?: () => number;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * An input that never ends blocks this thread, so a thread of its own names the input and ends the
 * process.
 */
const WATCHER = `
const { workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const [beats, text] = [new Int32Array(workerData.shared, 0, 2), Buffer.from(workerData.shared, 8)];
let [last, silentS] = [0, 0];
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  silentS = beat === last && beat !== 0 ? silentS + 1 : 0;
  last = beat;
  if (silentS < workerData.maxSilentS) return;
  writeSync(2, "it does not end: " + text.subarray(0, beats[1]).toString() + "\\n");
  process.kill(process.pid, "SIGKILL");
}, 1_000);
`;
const MAX_SILENT_S = 60;
const MAX_SHOWN_BYTES = 16_000;

function watchInputs(name: string) {
  const shared = new SharedArrayBuffer(8 + MAX_SHOWN_BYTES);
  const [beats, text] = [new Int32Array(shared, 0, 2), Buffer.from(shared, 8)];
  const worker = new Worker(WATCHER, {
    eval: true,
    workerData: { shared, maxSilentS: MAX_SILENT_S },
    execArgv: [],
  });
  worker.unref();
  return {
    note(input: unknown) {
      beats[1] = text.write(`${name} ${JSON.stringify(input)}`.slice(0, MAX_SHOWN_BYTES / 4));
      Atomics.add(beats, 0, 1);
    },
    end: () => worker.terminate(),
  };
}

/**
 * Returns the memory of this process without the free space of the heap, of which V8 keeps more on
 * a machine with more memory.
 */
function usedBytes(): number {
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return rss - (heapTotal - heapUsed);
}

/**
 * Creates a function that returns how many more bytes this process uses than at first. Garbage of
 * the test itself counts only until it is collected.
 */
function createMemoryMeter(): () => number {
  collectGarbage();
  const baseBytes = usedBytes();
  const moreBytes = () => usedBytes() - baseBytes;
  return () => {
    if (moreBytes() > MAX_MEMORY_BYTES) collectGarbage();
    return moreBytes();
  };
}

/** Plays inputs from the seed. @throws Error with the seed and the smallest input that fails */
export async function playHostile<Input>(
  target: HostileTarget<Input>,
  options: HostileOptions,
): Promise<void> {
  const watcher = watchInputs(target.name);
  try {
    await playBatches(target, options, (input) => watcher.note(input));
  } finally {
    await watcher.end();
  }
}

async function feed<Input>(
  target: HostileTarget<Input>,
  input: Input,
  usedMs: () => number,
): Promise<{ readonly read: readonly string[]; readonly tookMs: number }> {
  const begunMs = usedMs();
  const read = await target.feed(input);
  return { read, tookMs: usedMs() - begunMs };
}

async function playBatches<Input>(
  target: HostileTarget<Input>,
  { runs, seed, memoryBytes = createMemoryMeter(), usedMs = cpuMs }: HostileOptions,
  note: (input: Input) => void,
): Promise<void> {
  for (let done = 0; done < runs; done += BATCH) {
    const property = fc.asyncProperty(target.inputs, async (input) => {
      note(input);
      const { read, tookMs: firstMs } = await feed(target, input, usedMs);
      // An input is slow if it is slow twice. Once may be the garbage that earlier tests left.
      const isSlow = firstMs > MAX_CPU_MS;
      const { tookMs } = isSlow ? await feed(target, input, usedMs) : { tookMs: firstMs };
      if (tookMs > MAX_CPU_MS) throw new Error(`${target.name} took ${Math.round(tookMs)} ms`);
      const shown = read.find((text) => STACK.test(text));
      if (shown !== undefined)
        throw new Error(
          `${target.name} shows a stack or a mistake of its own: ${shown.slice(0, 500)}`,
        );
      const moreBytes = memoryBytes();
      if (moreBytes > MAX_MEMORY_BYTES)
        throw new Error(`${target.name} uses ${Math.round(moreBytes / 1_048_576)} MB`);
    });
    const limits = { interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true };
    await fc.assert(property, {
      ...limits,
      seed: seed + done,
      numRuns: Math.min(BATCH, runs - done),
      endOnFailure: false,
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
}
