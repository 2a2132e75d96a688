/**
 * Answers a command when no daemon holds the state: calls the API's own routes in this process, on
 * a state that is opened for this one request. For a request that only reads, the state is opened
 * read-only. For a change, the state's lock is held until the change is committed.
 */
import type { ControlAnswer } from "../../server/control-client.ts";
import { type ApiRequest, askInProcess } from "../../server/in-process.ts";
import type { Actions } from "../../server/contract/actions.ts";
import type { OpenedStore } from "../../state/open.ts";
import { createActions } from "../actions/actions.ts";
import { createOfflineEffects } from "./offline-effects.ts";
import { createOfflineViews, type OfflineViewParts } from "./offline-views.ts";

export interface OfflineParts extends Omit<OfflineViewParts, "store"> {
  /** Opens the state. @throws ExitError if it cannot be opened for this purpose */
  readonly open: (purpose: "read" | "change") => Promise<OpenedStore>;
}

/** Answers one request. @throws what opening and reading the state throw */
export async function answerOffline(
  { open, ...given }: OfflineParts,
  request: ApiRequest,
): Promise<ControlAnswer> {
  const isRead = request.method === "GET";
  let opening: Promise<OpenedStore> | undefined;
  const parts = { ...given, store: () => (opening ??= open(isRead ? "read" : "change")) };
  try {
    const actions = isRead ? NO_ACTIONS : await createOfflineActions(parts);
    return await askInProcess(
      { ...given, views: createOfflineViews(parts), actions },
      "a command",
      request,
    );
  } finally {
    await (await opening?.catch(() => undefined))?.close();
  }
}

/** Routes that only read never call an action. */
const NO_ACTIONS = {} as Actions;

async function createOfflineActions({
  clock,
  hash,
  config,
  ...parts
}: OfflineViewParts): Promise<Actions> {
  const store = await parts.store();
  const effects = createOfflineEffects({ store, config, clock, hash });
  return createActions({ store, clock, hash, config: () => config, effects });
}
