/**
 * The whole configuration after it was checked: frozen, nothing unknown, no YAML, no unresolved
 * variable.
 */
import type { ReportConfig } from "../model/report.ts";
import type { Route, Shaping, Throttle } from "../route/route.ts";
import type { StateAddress } from "../model/postgres-address.ts";
import type { MessageTemplate, Region } from "../model/template.ts";
import type { Watch } from "../model/watch.ts";
import type { ReadMark } from "./read-log.ts";
import type { Rule } from "./rules.ts";

export interface QuotaConfig {
  /** Requests a month; undefined: what /key-usage-info says at start. */
  readonly monthly?: number | undefined;
  readonly resetDay: number;
  /** Time zone of the reset day. */
  readonly timezone: string;
  /** Share of the quota kept back, 0 to 1. */
  readonly reserve: number;
  readonly onExhausted: "degrade" | "pause";
  /** What a request costs, to show money; undefined: none is shown. */
  readonly price?: { readonly perRequest: number; readonly currency: string };
}

/** One of the keys that share the load. */
export interface KeyConfig {
  readonly key: string;
  /** Read again once on 401. */
  readonly keyFile?: string | undefined;
  /** What the ledger and people call it; undefined: by a short hash of the key. */
  readonly name?: string | undefined;
  /** Requests a month of this key alone; undefined: what /key-usage-info says. */
  readonly monthly?: number | undefined;
}

export interface ApiConfig {
  /** `sandbox`, or the address of the service up to and without `/v3`. */
  readonly baseUrl: string;
  /**
   * What CHIRPWATCH_API_URL says, whether the file reads it or not; undefined where it is not set.
   */
  readonly urlVariable?: string | undefined;
  /** The only key, or the first of `keys`. */
  readonly key: string;
  /** Read again once on 401. */
  readonly keyFile?: string;
  /** Undefined where the file has one `key`. */
  readonly keys?: readonly KeyConfig[];
  readonly timeoutMs: number;
  readonly rate: { readonly count: number; readonly intervalMs: number };
  readonly quota: QuotaConfig;
}

/** Lines and columns count from 1. */
export interface ConfigPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface SinkConfig extends Shaping {
  readonly name: string;
  /** Name of a row of the registry in sinks/. */
  readonly type: string;
  /** The type's own settings, parsed by its schema, secrets resolved. */
  readonly settings: unknown;
  readonly retryForMs: number;
  /** The name it had before: keeps its queue. */
  readonly movedFrom?: string | undefined;
  readonly throttle?: Throttle | undefined;
  /** Name of the template of its messages, where no route says another. */
  readonly template?: string;
  readonly region?: Region;
  /** Where its name stands; absent when it came from no file. */
  readonly declaredAt?: ConfigPlace;
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Where people reach the page, without a slash at its end. */
  readonly publicUrl?: string | undefined;
  readonly token?: string;
  /**
   * Absent file that the environment names for the token: whoever listens makes it first. Never
   * beside `token`.
   */
  readonly newTokenFile?: string;
}

/** One finding about the file: `file:line:column`, what is wrong, what to write instead. */
export interface ConfigIssue {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Stable name of the rule, one per file of test/bad-configs/. */
  readonly rule: Rule;
}

export interface Config {
  readonly api: ApiConfig;
  readonly state: StateAddress & { readonly retentionMs: number; readonly mustExist: boolean };
  readonly server: ServerConfig;
  readonly ops: {
    readonly sinks: readonly string[];
    readonly heartbeat?: { readonly url: string; readonly intervalMs: number };
  };
  readonly linksHost: string;
  /** In the order of the file; disabled ones included. */
  readonly watches: readonly Watch[];
  /** Where each of them stands, by its id. */
  readonly watchPlaces: Readonly<Record<string, ConfigPlace>>;
  /** Undefined when every watch has its own sink. */
  readonly route?: Route;
  readonly sinks: readonly SinkConfig[];
  readonly templates: readonly MessageTemplate[];
  readonly reports: readonly ReportConfig[];
  readonly warnings: readonly ConfigIssue[];
  /** Absolute paths of everything that was read: configuration, account lists, `_file` secrets. */
  readonly files: readonly string[];
  /** What came back when they were read: see isUnchanged. */
  readonly reads: readonly ReadMark[];
  /** Names this configuration: a hash of the texts it was read from. */
  readonly hash: string;
}
