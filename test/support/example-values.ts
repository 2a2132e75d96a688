/** Returns a value for an environment variable that a sink type's example uses. */
export const exampleValue = (name: string): string => {
  if (name === "TELEGRAM_BOT_TOKEN") return "123:secret";
  return name.endsWith("URL") ? "https://discord.com/api/webhooks/1/t" : "a-secret";
};

export const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
