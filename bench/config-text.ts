/** A configuration of many searches, small enough to write ten thousand of them into one file. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface ConfigOptions {
  readonly apiUrl: string;
  readonly watches: number;
  /** Returns the schedule of a watch, by the number of the watch. */
  readonly scheduleOf: (index: number) => string;
  /** The location of the state. By default a file beside the configuration. */
  readonly state?: string;
  /** The number of API keys. Each has a rate limit of its own. */
  readonly keys?: number;
  /** More settings of each watch, as YAML in one line: `, strategy: single`. */
  readonly watch?: string;
}

export const configText = (options: ConfigOptions): string =>
  settingsText(options) + watchesText(options, 0, options.watches);

/** A configuration file may have one megabyte. */
const WATCHES_A_FILE = 10_000;

/** Writes a folder of configuration files, as for a user whose watches do not fit into one file. */
export async function writeConfigFolder(folder: string, options: ConfigOptions): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, "settings.yaml"), settingsText(options));
  for (let from = 0; from < options.watches; from += WATCHES_A_FILE) {
    const text = watchesText(options, from, Math.min(options.watches, from + WATCHES_A_FILE));
    await writeFile(join(folder, `watches-${from}.yaml`), text);
  }
}

function settingsText({ apiUrl, state = "path: state.db", keys = 1 }: ConfigOptions): string {
  const pool = Array.from(
    { length: keys },
    (_, i) => `{ name: k${i}, key: bench${i}, monthly: 100000000 }`,
  ).join(", ");
  const access = keys > 1 ? `keys: [${pool}]` : "key: bench, quota: { monthly: 100000000 }";
  return `version: 1
api: { base_url: "${apiUrl}", ${access} }
state: { ${state} }
server: { listen: "127.0.0.1:0" }
ops: { sink: terminal }
sinks: { terminal: { type: console } }
`;
}

function watchesText({ scheduleOf, watch = "" }: ConfigOptions, from: number, to: number): string {
  const lines = Array.from({ length: to - from }, (_, at) => {
    const index = from + at;
    return `  w${index}: { type: search, query: "${queryOf(index)}", schedule: "${scheduleOf(index)}"${watch} }\n`;
  });
  return `watches:\n${lines.join("")}`;
}

export const queryOf = (index: number): string => `acme release${index}`;
