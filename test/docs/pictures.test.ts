/**
 * The pictures of docs/messages.md are those of the payloads that are sent now. `npm run
 * docs:pictures` makes them anew.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { APPS, SAMPLES } from "./pictures/samples.ts";

const FOLDER = join(import.meta.dirname, "../../docs/pictures");
const RECORD = join(FOLDER, "pictures.json");
const isMaking = process.env["MODE"] === "pictures";
type Show = (payloads: readonly unknown[]) => string;
const load = async (name: keyof typeof APPS): Promise<Show> =>
  (await import(new URL(`../../config/docs/${name}-page.mjs`, import.meta.url).href))[
    `${name}Page`
  ];
const PAGES = {
  slack: await load("slack"),
  discord: await load("discord"),
  mail: await load("mail"),
};
const openPage = useBrowser();

const sha256 = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("hex");

/** What each picture was made of, and the picture: both by their hashes. */
const record: Record<string, { payloads: string; picture: string }> = existsSync(RECORD)
  ? JSON.parse(readFileSync(RECORD, "utf8"))
  : {};

const PICTURES = (Object.keys(APPS) as (keyof typeof APPS)[]).flatMap((app) => {
  const { render, digest } = APPS[app];
  const samples = Object.entries(SAMPLES).map(([name, batches]) => ({
    name,
    payloads: batches.map((events) => render(events)),
  }));
  return [
    ...samples,
    { name: "digest", payloads: digest().map(({ body }) => body as unknown) },
  ].map((one) => ({
    ...one,
    app,
    file: `${app}-${one.name}.png`,
    html: PAGES[app](one.payloads),
  }));
});

type Picture = (typeof PICTURES)[number];

async function make({ file, html, app }: Picture, context: TestContext): Promise<void> {
  const page = await openPage(context);
  // A picture is as high as its page, and never higher.
  await page.resize(app === "mail" ? 760 : 640, 16);
  await page.goto(`data:text/html;base64,${Buffer.from(html).toString("base64")}`);
  const picture = await page.screenshot();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, file), picture);
  record[file] = { payloads: sha256(html), picture: sha256(picture) };
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
}

it.for(PICTURES)(
  "$file of docs/messages.md shows the payloads that are sent now, else run npm run docs:pictures",
  async (one, context) => {
    if (isMaking) await make(one, context);
    expect(record[one.file]?.payloads).toBe(sha256(one.html));
    expect(record[one.file]?.picture).toBe(sha256(readFileSync(join(FOLDER, one.file))));
  },
);
