/** Implements the Outputs port: appends to files, sends mail and runs programs. */
import { createInTurn, type InTurn } from "../model/in-turn.ts";
import type { Outputs } from "../model/outputs.ts";
import { appendRotating } from "./append-file.ts";
import { createRunProgram } from "./run-program.ts";
import { sendMail } from "./send-mail.ts";

/**
 * Creates the outputs. `allowExec` lists the paths of the programs that may be started, separated
 * by colons. If it is absent, no program may be started.
 */
export function createOutputs(allowExec?: string): Outputs {
  const turns = new Map<string, InTurn>();
  const turnOf = (path: string): InTurn => {
    const turn = turns.get(path) ?? createInTurn();
    turns.set(path, turn);
    return turn;
  };
  return {
    append: (request) => turnOf(request.path)(() => appendRotating(request)),
    mail: sendMail,
    run: createRunProgram(allowExec),
  };
}
