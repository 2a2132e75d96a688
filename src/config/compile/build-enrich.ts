/**
 * Checks the rules of `enrich` on a watch that its schema cannot check: programs must be allowed,
 * and the labels that an answer sets must not be set by the watch or the daemon as well.
 */
import { ENRICH_LABEL } from "../../model/enrichment.ts";
import { BUILT_IN_LABELS } from "../../model/event.ts";
import type { EnrichRule } from "../../model/watch.ts";
import { doubtOfPrivateAddress } from "../../sinks/kind/address-settings.ts";
import { checkProgram, type ProgramDeps } from "../check/check-program.ts";
import { childOf, entryOf, findNode, type MapNode, type Node } from "../tree.ts";

export interface EnrichCheckDeps extends ProgramDeps {
  /**
   * Set for commands that enrich nothing, such as the demo. They do not require that programs are
   * allowed.
   */
  readonly lenient: boolean;
}

/** Checks the rule. `map` is the whole watch, and `labels` are its own labels. */
export function checkEnrich(
  rule: EnrichRule,
  map: MapNode,
  labels: Readonly<Record<string, string>>,
  deps: EnrichCheckDeps,
): void {
  const { report } = deps;
  const { place } = findNode(map, ["enrich"], map.place);
  if (rule.via.kind === "program" && !deps.lenient)
    checkProgram(rule.via.path, findNode(map, ["enrich", "exec"], place).place, deps);
  for (const { rule: name, message } of privateDoubts(rule))
    report.warn(findNode(map, ["enrich", "url"], place).place, name, message);
  for (const [index, label] of rule.labels.entries()) {
    const problem = labelProblem(label, labels);
    if (problem !== undefined)
      report.error(
        findNode(map, ["enrich", "labels", index], place).node?.place ?? place,
        "built-in-label",
        problem,
      );
  }
  const own = entryOf(childOf(map, "labels"), ENRICH_LABEL);
  if (own !== undefined)
    report.error(
      own.keyPlace,
      "built-in-label",
      `every event of a watch with \`enrich\` already has a label \`${ENRICH_LABEL}\`: choose another name`,
    );
}

/**
 * Returns the labels that `enrich` may add to events of these watches: those that it declares, and
 * the one with its result.
 */
export const enrichLabels = (watches: readonly (Node | undefined)[]): readonly string[] =>
  watches.flatMap((watch) => {
    const enrich = childOf(watch, "enrich");
    const declared = childOf(enrich, "labels");
    const names =
      declared?.kind === "list"
        ? declared.items.flatMap((item) => (item.kind === "scalar" ? [String(item.value)] : []))
        : [];
    return enrich === undefined ? [] : [ENRICH_LABEL, ...names];
  });

const privateDoubts = ({ via }: EnrichRule) =>
  via.kind === "url"
    ? doubtOfPrivateAddress("enrich", { url: via.url, allow_private: via.isPrivateAllowed })
    : [];

function labelProblem(label: string, own: Readonly<Record<string, string>>): string | undefined {
  if ((BUILT_IN_LABELS as readonly string[]).includes(label) || label === ENRICH_LABEL)
    return `an answer cannot set \`${label}\`, which the daemon sets itself: choose another name`;
  return label in own
    ? `an answer cannot set \`${label}\`, which the watch sets under \`labels\`: remove one of them`
    : undefined;
}
