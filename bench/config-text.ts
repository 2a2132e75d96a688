/** A configuration of many searches, small enough to write ten thousand of them into one file. */

export interface ConfigOptions {
  readonly apiUrl: string;
  readonly watches: number;
  /** The schedule of a watch by its number. */
  readonly scheduleOf: (index: number) => string;
}

export const configText = ({ apiUrl, watches, scheduleOf }: ConfigOptions): string => `version: 1
api: { base_url: "${apiUrl}", key: bench, quota: { monthly: 100000000 } }
state: { path: state.db }
server: { listen: "127.0.0.1:0" }
ops: { sink: terminal }
sinks: { terminal: { type: console } }
watches:
${Array.from({ length: watches }, (_, i) => `  w${i}: { type: search, query: "${queryOf(i)}", schedule: "${scheduleOf(i)}" }\n`).join("")}`;

const queryOf = (index: number): string => `acme release${index}`;
