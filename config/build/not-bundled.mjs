/** What stays in node_modules: one package is native, the others are loaded by few, and late. */
export const NOT_BUNDLED = [
  "better-sqlite3",
  "discord.js",
  "@discordjs/ws",
  "@slack/socket-mode",
  "@slack/web-api",
  "pg",
  "pino-pretty",
];
