/** `chirpwatch mcp`: answers an assistant over standard input and output, and changes nothing. */
import type { Command } from "commander";
import { type CliContext, CONFIG_OPTION } from "../terminal/context.ts";

export function addMcp(program: Command, context: CliContext): void {
  program
    .command("mcp")
    .description(
      "let an assistant read status, alerts, plan and docs over standard input and output (Model Context Protocol); it can change nothing",
    )
    .option(...CONFIG_OPTION)
    .addHelpText(
      "after",
      "\nAn assistant starts this command itself; docs/mcp.md shows how.\n\nExample:\n  chirpwatch mcp -c watches.yaml",
    )
    .action(({ config }: { readonly config: string }) => mcp(context, config));
}

async function mcp(context: CliContext, configPath: string): Promise<void> {
  // The protocol's library is loaded here, so that neither a start nor `--help` reads it.
  const { serveTools } = await import("./serve-tools.ts");
  const { createTools } = await import("./tools.ts");
  await serveTools(createTools(context, configPath), context.version);
}
