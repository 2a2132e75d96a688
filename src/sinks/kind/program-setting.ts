/** Creates the setting that names a program on this machine. */
import { isAbsolute } from "node:path";
import { z } from "zod";

export const programSetting = (doc: string) =>
  z
    .array(z.string())
    .min(1)
    .max(100)
    .refine(
      ([path]) => path === undefined || isAbsolute(path),
      "must begin with the absolute path of a program, like [/usr/local/bin/on-alert, brand]",
    )
    .describe(doc);
