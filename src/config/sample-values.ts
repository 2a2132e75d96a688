/**
 * The values that `init` writes into `.env.example`, by variable. The user must replace them: a
 * configuration that still uses one causes a warning.
 */
export const SAMPLE_VALUES = {
  CHIRPWATCH_API_URL: "https://api.example.com",
  CHIRPWATCH_API_KEY: "replace-with-your-key",
  SLACK_BOT_TOKEN: "xoxb-your-token",
  DISCORD_WEBHOOK_URL: "https://discord.com/api/webhooks/000000000000000000/your-token",
  WEBHOOK_URL: "https://example.com/hook",
  WEBHOOK_SECRET: "replace-with-a-long-random-text",
} as const;

const VALUES: ReadonlySet<string> = new Set(Object.values(SAMPLE_VALUES));

/** Whether a text is a sample value, whatever the name of the variable. */
export const isSampleValue = (text: string): boolean => VALUES.has(text.trim());
