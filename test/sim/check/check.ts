/**
 * Compares what a simulation saw with what it should have seen. Shares no code with the daemon: it
 * knows the world's history, the configuration, and what arrived at the sinks and at the service.
 * Every rule is a function of the evidence that returns objections.
 */
import type { Played } from "../run/simulate.ts";
import { checkLedger } from "./check-ledger.ts";
import { checkLog } from "./check-log.ts";
import { checkContent } from "./check-content.ts";
import { checkStatus } from "./check-status.ts";
import { checkEdits } from "./check-edits.ts";
import { checkEnrichment } from "./check-enrichment.ts";
import { checkCatchUp } from "./check-catch-up.ts";
import { checkDelay } from "./check-delay.ts";
import { checkOps } from "./check-ops.ts";
import { checkDedupe } from "./check-dedupe.ts";
import { checkAcknowledged } from "./check-acknowledged.ts";
import { checkEscalations } from "./check-escalations.ts";
import { checkEscalationsDue } from "./check-escalations-due.ts";
import { checkFollowUps } from "./check-follow-ups.ts";
import { checkLevels } from "./check-levels.ts";
import { checkDigests } from "./check-digests.ts";
import { checkTemplates } from "./check-templates.ts";
import { checkThrottle } from "./check-throttle.ts";
import { checkMembers } from "./check-members.ts";
import { checkMutedAttempts } from "./check-muted-attempts.ts";
import { checkOnce } from "./check-once.ts";
import { checkMissing } from "./check-missing.ts";
import { checkOrder } from "./check-order.ts";
import { checkPace } from "./check-pace.ts";
import { checkOutbox } from "./check-outbox.ts";
import { checkRest } from "./check-rest.ts";
import { checkPlacement } from "./check-placement.ts";
import { checkReports } from "./check-reports.ts";
import { checkSilences } from "./check-silences.ts";
import { checkSnoozes } from "./check-snoozes.ts";
import { checkTrends } from "./check-trends.ts";
import { checkUpdates } from "./check-updates.ts";
import { checkUnexpected } from "./check-unexpected.ts";
import { checkValues } from "./check-values.ts";
import { gather } from "./evidence.ts";

const CHECKS = [
  ...[
    checkUnexpected,
    checkMissing,
    checkOnce,
    checkOutbox,
    checkRest,
    checkPlacement,
    checkOrder,
    checkPace,
    checkThrottle,
    checkTemplates,
    checkDelay,
    checkCatchUp,
    checkDigests,
    checkDedupe,
    checkFollowUps,
    checkLevels,
    checkMutedAttempts,
  ],
  ...[
    checkMembers,
    checkValues,
    checkTrends,
    checkOps,
    checkReports,
    checkContent,
    checkStatus,
    checkLedger,
    checkLog,
    checkSilences,
  ],
  ...[checkEdits, checkUpdates, checkEnrichment],
  ...[checkAcknowledged, checkEscalations, checkEscalationsDue, checkSnoozes],
];

/** Returns everything that is wrong, or an empty list. */
export function check(played: Played): readonly string[] {
  const evidence = gather(played);
  return [...played.failures, ...CHECKS.flatMap((rule) => rule(evidence))];
}
