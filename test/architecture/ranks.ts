/**
 * The plan of the source tree: the rank of each room, and the exceptions to rules that otherwise
 * bind all rooms.
 */

/** Imports point to a lower rank only, never to a peer. */
export const RANKS: Readonly<Record<string, number>> = {
  model: 0,
  api: 1,
  schedule: 1,
  budget: 1,
  detect: 1,
  route: 1,
  query: 1,
  render: 1,
  state: 1,
  runtime: 1,
  watches: 2,
  sinks: 2,
  plan: 2,
  sandbox: 2,
  "template-worker.ts": 2,
  config: 3,
  deliver: 3,
  enrich: 3,
  requests: 3,
  polling: 4,
  groups: 5,
  forecast: 6,
  engine: 7,
  server: 7,
  operate: 8,
  chat: 9,
  app: 10,
  cli: 11,
  "backtest-worker.ts": 11,
  "index.ts": 11,
  "main.ts": 12,
};

/**
 * The ranks within a room or a folder: its sub-folders from the lowest to the highest, peers side
 * by side. "." stands for its own files. A folder that is not listed here may import within itself
 * freely, except for cycles.
 */
export const SUB_RANKS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  query: [["."], ["merging"]],
  plan: [["."], ["rates"], ["polls"]],
  polling: [["."], ["read"], ["evaluate"], ["targets"], ["run"]],
  groups: [
    ["kind"],
    ["memory"],
    ["probing"],
    ["single"],
    ["accounts", "member-lists", "searches"],
    ["."],
  ],
  forecast: [["."], ["advice"]],
  operate: [
    ["."],
    ["changes", "archive"],
    ["alerts"],
    ["reports"],
    ["views"],
    ["plan", "try", "backfill", "backtest"],
    ["actions"],
    ["offline"],
  ],
  app: [["daemon", "fleet", "backtest"], ["delivering"], ["polling"], ["reload"], ["."]],
  state: [
    ["db"],
    ["membership"],
    ["files"],
    ["ledger"],
    ["watches"],
    ["items", "archive"],
    ["messages"],
    ["outbox"],
    ["replicas"],
    ["history"],
    ["polls"],
    ["migrations"],
    ["upkeep"],
    ["."],
  ],
  config: [["."], ["text"], ["schema"], ["check"], ["where"], ["compile"], ["load"]],
  render: [["text"], ["messages", "templates"], ["."]],
  server: [["schema"], ["contract"], ["page", "metrics", "access", "openapi"], ["."]],
  deliver: [["queue"], ["stages"], ["outcome"], ["logs"], ["."]],
  "sandbox/world": [["chance"], ["people"], ["follows", "groups"], ["tweets"], ["."], ["shown"]],
  sandbox: [["world"], ["calls"], ["endpoints"], ["records"], ["orders"], ["faults"], ["."]],
  engine: [["health"], ["quota", "recheck"], ["loop"], ["."]],
  chat: [["clicks"], ["discord", "slack"], ["."]],
  cli: [
    ["terminal"],
    ["access"],
    ["call", "control", "demo", "inspect", "planning"],
    ["start", "mcp"],
    ["."],
  ],
  sinks: [["kind"], ["discord", "email", "slack", "teams", "telegram", "webhook"], ["."]],
};

/** The most files that a folder may hold, beside its sub-folders. */
export const MAX_FILES = 20;

/** The longest chain of imports within a folder, from its highest file to its lowest. */
export const MAX_LAYERS = 8;

/** Folders that exceed these limits, with the reason. */
export const LARGE_FOLDERS: Readonly<Record<string, string>> = {
  model: "one file per word of the domain",
  runtime: "one file per part of the machine",
  "state/migrations": "one file per schema",
  "state/outbox": "one file per operation",
  watches: "one file per watch type",
};

/**
 * Files that may import a package; a folder stands for all below it. A package not named here is
 * free to all.
 */
export const PACKAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  "better-sqlite3": ["state/db/driver.ts"],
  kysely: ["state/"],
  pg: ["state/"],
  croner: ["schedule/"],
  undici: ["runtime/"],
  pino: ["runtime/"],
  "pino-pretty": ["runtime/"],
  "@slack/socket-mode": ["chat/slack/"],
  "@slack/web-api": ["sinks/slack/"],
  liquidjs: ["render/templates/"],
  nodemailer: ["runtime/"],
  "@discordjs/ws": ["chat/discord/"],
  "discord.js": ["sinks/discord/"],
  "prom-client": ["server/"],
  hono: ["server/", "sandbox/"],
  "hono-openapi": ["server/openapi/"],
  "@hono/node-server": ["server/", "sandbox/"],
  commander: ["cli/"],
  "@modelcontextprotocol/sdk": ["cli/mcp/"],
  "@marcbachmann/cel-js": ["config/"],
  "node:child_process": ["runtime/"],
  "node:worker_threads": ["runtime/", "state/"],
};

/**
 * The files that may use the network, time and so on without a port, by lint rule and glob.
 * .oxlintrc.json must say exactly the same.
 */
export const SEAM_EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // Yielding to other callbacks reads no clock.
  "no-ambient-time": ["src/runtime/**/*.ts", "src/model/steps.ts"],
  "no-ambient-random": ["src/runtime/**/*.ts"],
  "no-ambient-network": ["src/runtime/**/*.ts", "src/server/**/*.ts", "src/sandbox/**/*.ts"],
  "no-ambient-environment": ["src/runtime/**/*.ts", "src/server/control-*.ts"],
  "no-ambient-files": ["src/runtime/**/*.ts", "src/state/**/*.ts", "src/server/control-*.ts"],
};

/**
 * The files whose functions may be longer than 80 lines, take more than 4 parameters, or pass all
 * their dependencies on, with the reason. .oxlintrc.json must say exactly the same.
 */
export const FUNCTION_EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "max-lines-per-function": {},
  "max-params": {},
  "house/no-deps-spread": {
    "src/app/**/*.ts": "app connects the parts",
    "src/engine/engine-parts.ts": "it connects the parts of the engine",
  },
};

/** Names that say nothing about what a file owns. */
export const EMPTY_NAMES =
  /^(utils?|helpers?|common|misc|shared|types?|constants?|lib|index|base|core)\.[cm]?[jt]s$/;

/**
 * The only files that may be called index: the two public entries of the package, and the registry
 * of endpoints.
 */
export const INDEX_FILES = ["index.ts", "api/index.ts", "api/endpoints/index.ts"];

/** Folders of test/ that mirror no room. */
export const TEST_FOLDERS = [
  "architecture",
  "lint",
  "support",
  "e2e",
  "faults",
  "long",
  "sim",
  "mutation",
  "planted",
  "bad-configs",
  "docs",
  "build",
  "bench",
  "config-examples",
];
