/**
 * The whole configuration after it was checked: typed and frozen. Nothing of it depends on YAML or
 * on variables any more.
 */
import type { Allowed, ChatVerb } from "../model/chat-access.ts";
import type { ReportConfig } from "../model/report.ts";
import type { Route, Shaping, Throttle } from "../route/route.ts";
import type { StateAddress } from "../model/postgres-address.ts";
import type { MessageTemplate, Region } from "../model/template.ts";
import type { Watch } from "../model/watch.ts";
import type { ReadMark } from "./read-log.ts";
import type { Rule } from "./rules.ts";

export interface QuotaConfig {
  /**
   * The number of requests per month. Undefined if /key-usage-info is to say it when the daemon
   * starts.
   */
  readonly monthly?: number | undefined;
  readonly resetDay: number;
  /** The time zone of the reset day. */
  readonly timezone: string;
  /** The share of the quota that is reserved for baselines and commands, from 0 to 1. */
  readonly reserve: number;
  readonly onExhausted: "degrade" | "pause";
  /** The price of a request. Undefined if no costs are shown. */
  readonly price?: { readonly perRequest: number; readonly currency: string };
}

/** An API key. If there are several, they share the load. */
export interface KeyConfig {
  readonly key: string;
  /** The file that contains the key. It is read again if the service answers 401. */
  readonly keyFile?: string | undefined;
  /**
   * The name in the ledger and in messages. If it is undefined, a short hash of the key is used.
   */
  readonly name?: string | undefined;
  /**
   * The number of requests per month of this key alone. Undefined if /key-usage-info is to say it.
   */
  readonly monthly?: number | undefined;
}

export interface ApiConfig {
  /** `sandbox`, or the address of the service without `/v3`. */
  readonly baseUrl: string;
  /**
   * The value of CHIRPWATCH_API_URL, whether the file uses it or not; undefined if it is not set.
   */
  readonly urlVariable?: string | undefined;
  /** The only key, or the first of `keys`. */
  readonly key: string;
  /** The file that contains the key. It is read again if the service answers 401. */
  readonly keyFile?: string | undefined;
  /** Undefined if the file has a single `key`. */
  readonly keys?: readonly KeyConfig[] | undefined;
  readonly timeoutMs: number;
  readonly rate: { readonly count: number; readonly intervalMs: number };
  readonly quota: QuotaConfig;
}

/** A place in a file. Lines and columns count from 1. */
export interface ConfigPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface SinkConfig extends Shaping {
  readonly name: string;
  /** The name of a type in the registry of sinks/. */
  readonly type: string;
  /** The type's own settings, parsed by its schema, with resolved secrets. */
  readonly settings: unknown;
  readonly retryForMs: number;
  /** The previous name of the sink. The sink takes over the queue with that name. */
  readonly movedFrom?: string | undefined;
  readonly throttle?: Throttle | undefined;
  /** The name of the template of its messages, unless a route names another. */
  readonly template?: string;
  readonly region?: Region;
  /** Whether its messages link to the page where people act on alerts. Only with `publicUrl`. */
  readonly actionsLink?: true;
  /** The place of its name in the file. Absent if the sink does not come from a file. */
  readonly declaredAt?: ConfigPlace;
}

/** How people's clicks in chats arrive, and who may do what. */
export interface ChatConfig {
  /** Undefined if nothing listens to Slack. */
  readonly slack?: { readonly appToken: string };
  /** Undefined if the bot is the one of the sinks with `actions`. */
  readonly discord?: { readonly token: string };
  /** The people who may do something. A verb without an entry has its default. */
  readonly allow: Readonly<Partial<Record<ChatVerb, readonly Allowed[]>>>;
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** The address at which people reach the page, without a slash at its end. */
  readonly publicUrl?: string | undefined;
  readonly token?: string;
  /**
   * A second token, with which a caller may read everything but change nothing. It is set only
   * together with `token` or `newTokenFile`.
   */
  readonly readToken?: string | undefined;
  /**
   * The path of a token file that the environment names and that does not exist yet. A command that
   * starts the server creates it first. Never set together with `token`.
   */
  readonly newTokenFile?: string;
}

/** The limits up to which news of polls is kept for backtests. */
export interface ArchiveLimits {
  readonly keepMs: number;
  readonly maxBytes: number;
}

/**
 * An error or a warning about the file, with its place. The message also says what to write
 * instead.
 */
export interface ConfigIssue {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The stable name of the rule. Each has a file in test/bad-configs/. */
  readonly rule: Rule;
}

export interface Config {
  readonly api: ApiConfig;
  readonly state: StateAddress & {
    readonly retentionMs: number;
    readonly mustExist: boolean;
    /** Undefined if nothing is archived. */
    readonly archive?: ArchiveLimits;
  };
  readonly server: ServerConfig;
  readonly ops: {
    readonly sinks: readonly string[];
    readonly heartbeat?: { readonly url: string; readonly intervalMs: number };
  };
  readonly chat: ChatConfig;
  readonly linksHost: string;
  /** The watches in the order of the file, including disabled ones. */
  readonly watches: readonly Watch[];
  /** The place of each watch, by its id. */
  readonly watchPlaces: Readonly<Record<string, ConfigPlace>>;
  /** The route tree. Undefined if the file has none and more than one sink. */
  readonly route?: Route | undefined;
  readonly sinks: readonly SinkConfig[];
  readonly templates: readonly MessageTemplate[];
  readonly reports: readonly ReportConfig[];
  readonly warnings: readonly ConfigIssue[];
  /**
   * The absolute paths of all files that were read: the configuration, `.env`, lists and `_file`
   * secrets.
   */
  readonly files: readonly string[];
  /** Hashes of the files that were read. `isUnchanged` compares them with the present files. */
  readonly reads: readonly ReadMark[];
  /** The configuration as a text without its secrets; set if the loader was asked for it. */
  readonly stored?: string;
  /** Identifies this configuration: a hash of the texts from which it was read. */
  readonly hash: string;
}
