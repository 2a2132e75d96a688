/**
 * Cuts the canonical scenario at one point, or as a worker at each point that it is sent: see
 * test/sim/README.md.
 */
import { warmUp } from "../run/warm-up.ts";
import { playCut, recordCuts } from "./cut.ts";
import { type CrashJob, failedCut, playCuts } from "./play-cuts.ts";

const [first = "", ...rest] = process.argv.slice(2);

await warmUp();
if (first === "--worker") beWorker();
else if (rest.length < 2)
  console.log(
    await playCuts({
      script: import.meta.filename,
      ...{ replicas: Number(first), workers: Number(rest[0] ?? 1) },
    }),
  );
else await playOne(Number(first), rest);

function beWorker(): void {
  process.on("message", (job: CrashJob) => {
    const work = job.do === "record" ? recordCuts(job.replicas) : playCut(job.cut);
    work.then(
      (found) => process.send?.(found),
      (error: unknown) =>
        process.send?.(failedCut(error instanceof Error ? String(error.stack) : String(error))),
    );
  });
}

async function playOne(
  replicas: number,
  [replica, point = "", nth]: readonly string[],
): Promise<void> {
  console.log(await playCut({ replicas, replica: Number(replica), point, nth: Number(nth) }));
}
