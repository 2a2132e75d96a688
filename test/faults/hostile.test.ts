/**
 * Feeds hostile input to everything that reads foreign data. `npm test` tries a few fixed inputs of
 * each kind; `npm run test:long` tries a hundred thousand new ones.
 */
import { it } from "vitest";
import { manyRuns } from "../support/many-runs.ts";
import { SEED } from "../long/drawn-seed.ts";
import { playHostile } from "./hostile/play-hostile.ts";
import { answer, condition, configuration, query, template } from "./hostile/targets.ts";

const runs = manyRuns(200, 100_000);
const seed = manyRuns(1, SEED);
const LONG_MS = 7_200_000;

it(`configurations (seed ${seed})`, () => playHostile(configuration, { runs, seed }), LONG_MS);
it(`queries (seed ${seed})`, () => playHostile(query, { runs, seed }), LONG_MS);
it(`conditions (seed ${seed})`, () => playHostile(condition, { runs, seed }), LONG_MS);
it(`templates (seed ${seed})`, () => playHostile(template, { runs, seed }), LONG_MS);
it(`answers of the service (seed ${seed})`, () => playHostile(answer, { runs, seed }), LONG_MS);
