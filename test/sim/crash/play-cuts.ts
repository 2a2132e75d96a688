/** Cuts the canonical scenario at many points, in several processes, and adds up the results. */
import { type SpreadOptions, spread } from "../run/workers.ts";
import type { Account } from "./account.ts";
import type { Cut, Recording } from "./cut.ts";

export interface CutsOptions {
  /** The script of the workers: the compiled main.ts of this folder. */
  readonly script: string;
  readonly replicas: number;
  readonly workers: number;
  /** The number of cuts to play, spread evenly. By default all. */
  readonly count?: number;
}

export interface CutsResult {
  /** The number of points at which a process can be cut. */
  readonly points: number;
  /** The number of cuts among them that leave something different. */
  readonly cuts: number;
  readonly played: number;
  readonly lost: number;
  readonly doubled: number;
  readonly copies: number;
  /** Failures, each with the command that reproduces it. */
  readonly wrong: readonly string[];
}

export type CrashJob =
  | { readonly do: "record"; readonly replicas: number }
  | { readonly do: "cut"; readonly cut: Cut };

export const failedCut = (text: string): Account => ({
  lost: [],
  doubled: [],
  others: [text],
  copies: 0,
});

const NOWHERE = { cuts: [], points: 0 };

export async function playCuts({
  script,
  replicas,
  workers,
  count,
}: CutsOptions): Promise<CutsResult> {
  const [recording] = await askWorkers<Recording>([{ do: "record", replicas }], {
    ...{ script, workers: 1 },
    failed: (_job, text) => ({ ...NOWHERE, objections: [text] }),
  });
  const { cuts, points, objections } = recording ?? {
    ...NOWHERE,
    objections: ["nobody found out where to cut"],
  };
  const wanted = count === undefined ? cuts : evenly(cuts, count);
  const jobs = wanted.map((cut): CrashJob => ({ do: "cut", cut }));
  const accounts = await askWorkers<Account>(jobs, {
    script,
    workers,
    failed: (_job, text) => failedCut(text),
  });
  const wrong = accounts.flatMap(({ lost, doubled, others }, n) => {
    const all = [...lost, ...doubled, ...others];
    return all.length === 0 ? [] : [`${again(wanted[n])}: ${all.slice(0, 4).join("; ")}`];
  });
  const sum = (of: (account: Account) => number) =>
    accounts.reduce((total, account) => total + of(account), 0);
  return {
    ...{ points, cuts: cuts.length, played: wanted.length, copies: sum(({ copies }) => copies) },
    ...{
      lost: sum(({ lost }) => lost.length),
      doubled: sum(({ doubled }) => doubled.length),
      wrong: [...objections, ...wrong],
    },
  };
}

const again = (cut: Cut | undefined): string =>
  cut === undefined
    ? ""
    : `node .sim/test/sim/crash/main.js ${cut.replicas} ${cut.replica} ${cut.point} ${cut.nth}`;

/** Returns the middle item of each of `count` parts of the same length. */
function evenly<T>(all: readonly T[], count: number): readonly T[] {
  if (count >= all.length) return all;
  return Array.from(
    { length: count },
    (_, n) => all[Math.floor(((n + 0.5) * all.length) / count)] as T,
  );
}

/** Returns answers in the order of the jobs. */
async function askWorkers<Answer>(
  jobs: readonly CrashJob[],
  options: Pick<SpreadOptions<CrashJob, Answer>, "script" | "workers" | "failed">,
): Promise<readonly Answer[]> {
  const left = [...jobs.keys()];
  const answers: Answer[] = [];
  await Promise.all(
    Array.from({ length: options.workers }, async () => {
      let at = 0;
      const next = (): CrashJob | undefined => {
        at = left.shift() ?? -1;
        return jobs[at];
      };
      await spread<CrashJob, Answer>({
        ...options,
        workers: 1,
        next,
        onVerdict: (answer) => void (answers[at] = answer),
      });
    }),
  );
  return answers;
}
