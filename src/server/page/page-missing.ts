/** The page for a watch or a sink that the configuration does not have. */
import { html } from "../contract/html.ts";
import { card, renderLayout } from "./layout.ts";

const MAX_SHOWN = 80;

export const renderMissingPage = (what: "watch" | "sink", name: string, root = "../"): string =>
  renderLayout({
    title: `no such ${what}`,
    root,
    main: card(
      "missing",
      `There is no ${what} "${name.slice(0, MAX_SHOWN)}"`,
      "",
      html`<p class="none">The configuration has none of that name: it was renamed or removed, or is not enabled. <a href="${root}">All watches and sinks</a>; <a href="${root}events?${new URLSearchParams({ [what]: name }).toString()}">its past alerts</a>.</p>`,
    ),
  });
