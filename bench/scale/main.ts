/** `npm run bench:scale`: several daemons on one Postgres. */
import { benchTakeover } from "./takeover.ts";

for (const figure of await benchTakeover()) console.log(`${figure.name}: ${figure.value}`);
