/** A configuration of many searches, small enough to write ten thousand of them into one file. */

export interface ConfigOptions {
  readonly apiUrl: string;
  readonly watches: number;
  /** The schedule of a watch by its number. */
  readonly scheduleOf: (index: number) => string;
  /** Where the state is; a file beside the configuration unless said otherwise. */
  readonly state?: string;
  /** Each has a rate limit of its own. */
  readonly keys?: number;
  /** More settings of each watch, as YAML in one line: `, strategy: single`. */
  readonly watch?: string;
}

export const configText = (options: ConfigOptions): string => {
  const { apiUrl, watches, scheduleOf, state = "path: state.db", keys = 1, watch = "" } = options;
  const pool = Array.from({ length: keys }, (_, i) => `{ name: k${i}, key: bench${i}, monthly: 100000000 }`).join(", ");
  const access = keys > 1 ? `keys: [${pool}]` : "key: bench, quota: { monthly: 100000000 }";
  return `version: 1
api: { base_url: "${apiUrl}", ${access} }
state: { ${state} }
server: { listen: "127.0.0.1:0" }
ops: { sink: terminal }
sinks: { terminal: { type: console } }
watches:
${Array.from({ length: watches }, (_, i) => `  w${i}: { type: search, query: "${queryOf(i)}", schedule: "${scheduleOf(i)}"${watch} }\n`).join("")}`;
};

const queryOf = (index: number): string => `acme release${index}`;
