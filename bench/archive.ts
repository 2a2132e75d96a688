/**
 * What the archive costs: the time that a poll of 20 items takes with it and without it, in turns,
 * and its size for 100,000 posts, one and 20 to a poll.
 */
import type { Tweet } from "../src/model/tweet.ts";
import type { Figure } from "./figure.ts";
import { createPollingHarness } from "./polling-harness.ts";
import { inScratch } from "./scratch.ts";
import { median } from "./summary.ts";
import { makeTweets } from "./tweets.ts";

const ITEMS = 20;
const WARM_UPS = 200;
const POLLS = 1_000;
const POSTS = 100_000;
const SIZED_POSTS = 2_000;

const WORDS = (
  "release build fast small whole page reads config morning coffee train python rust team hiring " +
  "today never always why people think market price launch city garden music match goal story"
).split(" ");

export async function benchArchive(): Promise<readonly Figure[]> {
  return [await inScratch(compare), await sizeOf(1), await sizeOf(ITEMS)];
}

async function compare(folder: string): Promise<Figure> {
  let isArchiving = false;
  const harness = await createPollingHarness({ folder, isArchiving: () => isArchiving });
  const tookMs = { on: [] as number[], off: [] as number[] };
  const cpuMs = { on: [] as number[], off: [] as number[] };
  for (let i = 0; i < WARM_UPS + 2 * POLLS; i += 1) {
    isArchiving = i % 2 === 0;
    const items = makeVaried(ITEMS);
    const cpuBefore = process.cpuUsage();
    const { answeredAtMs } = await harness.poll(items);
    const took = performance.now() - answeredAtMs;
    const { user, system } = process.cpuUsage(cpuBefore);
    if (i < WARM_UPS) continue;
    tookMs[isArchiving ? "on" : "off"].push(took);
    cpuMs[isArchiving ? "on" : "off"].push((user + system) / 1_000);
  }
  await harness.close();
  const [on, off] = [median(tookMs.on), median(tookMs.off)];
  return {
    name: `archive, polls of ${ITEMS} items`,
    value: `${share(tookMs)} of a commit (${on.toFixed(2)} ms with it, ${off.toFixed(2)} ms without), ${share(cpuMs)} of its CPU time`,
  };
}

const share = ({ on, off }: { readonly on: number[]; readonly off: number[] }): string =>
  `${((median(on) / median(off) - 1) * 100).toFixed(0)} %`;

const sizeOf = (items: number): Promise<Figure> =>
  inScratch(async (folder) => {
    const harness = await createPollingHarness({ folder, isArchiving: () => true });
    const before = (await harness.store.archiveSize()).bytes;
    for (let read = 0; read < SIZED_POSTS; read += items) await harness.poll(makeVaried(items));
    await harness.store.compressArchive(Number.MAX_SAFE_INTEGER);
    const bytes = (await harness.store.archiveSize()).bytes - before;
    await harness.close();
    const megabytes = (bytes / SIZED_POSTS) * (POSTS / 1_000_000);
    return {
      name: `archive of 100,000 posts, ${items} a poll`,
      value: `${megabytes.toFixed(1)} MB`,
    };
  });

let seed = 1;
const draw = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};
const word = () => WORDS[draw(WORDS.length)] ?? "";

/** Posts by different people with different words: equal ones would be compressed too well. */
const makeVaried = (count: number): readonly Tweet[] =>
  makeTweets(count).map((tweet) => {
    const username = `${word()}_${word()}${draw(1_000)}`;
    const id = String(draw(2_000_000_000)) + String(draw(1_000_000_000));
    return {
      ...tweet,
      full_text: Array.from({ length: 8 + draw(20) }, word).join(" "),
      likes_count: draw(2_000),
      view_count: draw(100_000),
      user: {
        ...tweet.user,
        ...{ id, username, display_name: `${word()} ${word()}` },
        description: Array.from({ length: draw(12) }, word).join(" "),
        profile_image_url: `https://pbs.twimg.com/profile_images/${id}/normal.jpg`,
        followers_count: draw(100_000),
        tweets_count: draw(50_000),
      },
    };
  });
