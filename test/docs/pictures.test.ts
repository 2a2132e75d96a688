/**
 * Tests that the pictures of messages in docs/ show the payloads that are sent now, and that the
 * picture of the README shows the status page as it is now. `npm run docs:pictures` makes them
 * again.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { APPS, SAMPLES } from "./pictures/samples.ts";
import { alertPage, searchPage, sinkPage, statusPage, watchPage } from "./pictures/status.ts";

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

/** The recorded hashes: for each picture, that of its payloads and that of the picture itself. */
const record: Record<string, { payloads: string; picture: string }> = existsSync(RECORD)
  ? JSON.parse(readFileSync(RECORD, "utf8"))
  : {};

const MESSAGES = (Object.keys(APPS) as (keyof typeof APPS)[]).flatMap((app) => {
  const { render, digest, buttons } = APPS[app];
  const shown = buttons();
  const samples = Object.entries(SAMPLES).map(([name, batches]) => ({
    name,
    payloads: batches.map((events) => render(events)),
  }));
  return [
    ...samples,
    { name: "digest", payloads: digest().map(({ body }) => body as unknown) },
    ...(shown.length === 0 ? [] : [{ name: "buttons", payloads: shown }]),
  ].map((one) => ({
    file: `${app}-${one.name}.png`,
    html: PAGES[app](one.payloads),
    width: app === "mail" ? 760 : 640,
  }));
});
const OWN_PAGES = [
  { file: "status-page.png", html: statusPage() },
  { file: "page-alerts.png", html: searchPage() },
  { file: "page-alert.png", html: alertPage() },
  { file: "page-watch.png", html: watchPage() },
  { file: "page-sink.png", html: sinkPage() },
];
const PICTURES = [...MESSAGES, ...OWN_PAGES.map((page) => ({ ...page, width: 1_000 }))];
/** The limit for each picture, so that a page on GitHub loads at once. */
const MAX_BYTES = 300_000;

type Picture = (typeof PICTURES)[number];

async function make({ file, html, width }: Picture, context: TestContext): Promise<void> {
  const page = await openPage(context);
  // The picture is as high as the page. A low window keeps it from being higher.
  await page.resize(width, 16);
  await page.goto(`data:text/html;base64,${Buffer.from(html).toString("base64")}`);
  const picture = await page.screenshot();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, file), picture);
  record[file] = { payloads: sha256(html), picture: sha256(picture) };
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
}

it.for(PICTURES)(
  "$file shows what is sent or served now, else run npm run docs:pictures",
  async (one, context) => {
    if (isMaking) await make(one, context);
    expect(record[one.file]?.payloads).toBe(sha256(one.html));
    expect(record[one.file]?.picture).toBe(sha256(readFileSync(join(FOLDER, one.file))));
  },
);

it("the pictures of the README are small", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const named = [...readme.matchAll(/docs\/pictures\/([\w-]+\.png)/g)].map(([, name = ""]) => name);
  expect(named).toContain("status-page.png");
  const large = named.filter((name) => readFileSync(join(FOLDER, name)).length > MAX_BYTES);
  expect(large).toEqual([]);
});
