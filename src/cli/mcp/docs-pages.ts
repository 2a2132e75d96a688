/** Reads the pages of the documentation that the package contains. */
import { join } from "node:path";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Files } from "../../model/files.ts";
import { packageFile } from "../../runtime/package-file.ts";

type Reading = Pick<Files, "list" | "readText">;

const PAGE = /^([a-z-]+)\.md$/;

/** Returns the names of the pages, each with its title. */
export async function listPages(
  files: Reading,
): Promise<readonly { readonly page: string; readonly title: string }[]> {
  const names = await pageNames(files);
  return Promise.all(
    names.map(async (page) => ({
      page,
      title: /^# (.+)$/m.exec(await textOf(files, page))?.[1] ?? page,
    })),
  );
}

/** Returns the text of a page. @throws ExitError, which names the pages, if there is no such page */
export async function readPage(files: Reading, page: string): Promise<string> {
  const names = await pageNames(files);
  const name = page
    .trim()
    .toLowerCase()
    .replace(/^docs\//, "")
    .replace(/\.md$/, "");
  if (!names.includes(name))
    throw new ExitError(EXIT.usage, "DOCS_NO_PAGE", `there is no page "${page.slice(0, 80)}"`, {
      hint: `Pages: ${names.join(", ")}.`,
    });
  return textOf(files, name);
}

const textOf = (files: Reading, page: string): Promise<string> =>
  files.readText(join(packageFile("docs"), `${page}.md`));

const pageNames = async (files: Reading): Promise<readonly string[]> =>
  (await files.list(packageFile("docs"))).flatMap((name) => PAGE.exec(name)?.[1] ?? []).sort();
