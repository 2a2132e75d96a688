import { createOpsAlerts } from "../../src/engine/health/ops-alerts.ts";
import type { Clock } from "../../src/model/clock.ts";
import { type Share, WHOLE } from "../../src/model/replicas.ts";
import type { LearnedStore } from "../../src/model/learned.ts";
import type { OpsAlert, OpsAlerts } from "../../src/model/ops-alerts.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { createSeededRandom } from "./seeded-random.ts";

/**
 * Creates ops alerts as the daemon raises them, recorded instead of routed. `share` is that of one
 * of several replicas.
 */
export const createRecordedOpsAlerts = (
  store: LearnedStore,
  clock: Clock,
  record: (alert: OpsAlert) => void,
  share: Pick<Share, "isAlone"> = WHOLE,
): OpsAlerts =>
  createOpsAlerts({
    store,
    share,
    clock,
    random: createSeededRandom(1),
    log: rememberingLog(),
    publish: async (alert) => record(alert),
  });
