/**
 * `chirpwatch test`: makes one real poll of a watch, or sends one sample message to a sink. Stores
 * no verdict, and sends nothing unless asked to.
 */
import type { Command } from "commander";
import { placeOfSink, sinkSecrets } from "../../operate/alerts/create-sink.ts";
import { sampleEvent, sendSample, sinksOf } from "../../operate/alerts/send-sample.ts";
import { planTrial, type TriedTarget } from "../../operate/try/try-watch.ts";
import type { TriedItem } from "../../operate/try/try-items.ts";
import type { Config, SinkConfig } from "../../config/config.ts";
import { checkSandboxGuard } from "../../config/guard.ts";
import { didYouMean } from "../../config/suggest.ts";
import { isoTime } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Random } from "../../model/random.ts";
import type { EnrichRule, Watch } from "../../model/watch.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { Logger } from "../../runtime/logger.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";
import type { SinkDeps } from "../../sinks/kind/sink-type.ts";
import {
  badConfig,
  type CliContext,
  CONFIG_OPTION,
  JSON_OPTION,
  requireConfig,
} from "../terminal/context.ts";
import { openService, type ServiceAccess } from "../access/service-access.ts";
import { formatTried } from "./tried-text.ts";
import { plural } from "../terminal/table.ts";

interface TestFlags {
  readonly config: string;
  readonly send?: true;
  readonly sink?: string;
  readonly json?: true;
  readonly targets: string;
}

export function addTest(program: Command, context: CliContext): void {
  program
    .command("test")
    .description(
      "poll one watch for real and show what would raise an alert, or send one sample to a sink",
    )
    .argument("[watch]", "id of the watch")
    .option(...CONFIG_OPTION)
    .option("--send", "deliver the latest match to the watch's sinks, marked as a sample")
    .option("--sink <name>", "send one labelled sample message to this sink instead")
    .option("--targets <count>", "poll at most this many accounts of the watch", "5")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch test brand-mentions\n  chirpwatch test brand-mentions --send\n  chirpwatch test --sink brand",
    )
    .action((watch: string | undefined, flags: TestFlags) => test(context, watch, flags));
}

async function test(
  context: CliContext,
  watchId: string | undefined,
  flags: TestFlags,
): Promise<void> {
  const log = context.logger("error");
  if ((watchId === undefined) === (flags.sink === undefined))
    throw usage("name either a watch, or a sink with --sink NAME");
  if (!/^[1-9]\d*$/.test(flags.targets))
    throw usage(`--targets takes a whole number, not "${flags.targets}"`);
  const sendsOut = flags.send === true || flags.sink !== undefined;
  const config = await requireConfig(context, flags.config, { lenientSecrets: !sendsOut });
  for (const secret of config.sinks.flatMap(sinkSecrets)) log.addSecret(secret);
  try {
    const session = { context, config, log };
    if (flags.sink !== undefined) return await testSink(session, flags.sink);
    await testWatch(session, findNamed(config.watches, "id", watchId ?? "", "watch"), flags);
  } finally {
    await context.http.close();
    await log.flush();
  }
}

/** Sends a sample message to a sink, as `test --sink` does. @throws ExitError, SinkError */
export const sendSampleTo = (context: CliContext, config: string, sink: string): Promise<void> =>
  test(context, undefined, { config, sink, targets: "5" });

interface Session {
  readonly context: CliContext;
  readonly config: Config;
  readonly log: Logger;
}

async function testSink(session: Session, name: string): Promise<void> {
  const { context, config } = session;
  const sink = findNamed(config.sinks, "name", name, "sink");
  guard(config, [sink]);
  const event = sampleEvent(name, context.random.id(), context.clock.now());
  await sendSample(sink, event, sampleDeps(session));
  context.out(`A sample message was sent to ${name} (${placeOfSink(sink)}).`);
}

async function testWatch(session: Session, watch: Watch, flags: TestFlags): Promise<void> {
  const { context, config, log } = session;
  const say = flags.json === true ? context.err : context.out;
  const access = await openService(context, { api: config.api, state: config.state, log });
  try {
    const state = (await access.store?.listWatches())?.find(({ id }) => id === watch.id);
    const trial = planTrial(watch, {
      gate: access.gate,
      clock: context.clock,
      hash: sha256,
      state,
      mostTargets: Number(flags.targets),
    });
    const lookup = trial.lookups === 0 ? "" : `, ${trial.lookups} of them to look accounts up`;
    const rest =
      trial.leftOut.length === 0
        ? ""
        : `; ${trial.leftOut.length} more accounts are left out (--targets)`;
    say(
      `Polling ${watch.id} once: costs ${plural(trial.costRequests, "request")}${lookup}${rest}.`,
    );
    const tried = await trial.run();
    if (flags.json === true)
      context.out(JSON.stringify(toJson(watch, tried, access.spent), undefined, 2));
    else await formatTried(tried, sampleDeps(session));
    say(
      `${plural(access.spent, "request")} spent. Nothing was ${flags.send === true ? "stored" : "sent or stored"}.`,
    );
    if (watch.enrich !== undefined)
      say(
        `Alerts of ${watch.id} wait for an answer from ${askedOf(watch.enrich)} (enrich), which was not asked here.`,
      );
    if (flags.send === true) await sendLatest(session, { watch, tried, access });
    failWhenUnread(tried);
  } finally {
    await access.close();
  }
}

/**
 * Returns who is asked to enrich an alert. Only the host of a URL is named, because the rest may
 * contain a token.
 */
const askedOf = ({ via }: EnrichRule): string =>
  via.kind === "url" ? new URL(via.url).host : via.path;

/** Fails if there were targets and none of them could be read. */
function failWhenUnread(tried: readonly TriedTarget[]): void {
  if (tried.length === 0 || tried.some(({ problem }) => problem === "")) return;
  const reasons = tried.map(({ name, problem }) => `${name}: ${problem}`).join("\n");
  throw new ExitError(EXIT.failed, "TEST_NOTHING_READ", reasons, {
    hint: "Check the names in the file.",
  });
}

interface Polled {
  readonly watch: Watch;
  readonly tried: readonly TriedTarget[];
  readonly access: ServiceAccess;
}

async function sendLatest(session: Session, { watch, tried, access }: Polled): Promise<void> {
  const { context, config } = session;
  const matches = tried.flatMap(({ items }) => items).filter(({ verdict }) => verdict === "news");
  const latest = matches.toSorted((a, b) => b.event.occurredAtMs - a.event.occurredAtMs)[0];
  if (latest === undefined)
    throw new ExitError(
      EXIT.failed,
      "TEST_NO_MATCH",
      "Nothing on this page matches, so there is nothing to send.",
      {
        hint: "chirpwatch test --sink NAME sends a sample without a match.",
      },
    );
  const sinks = sinksOf(config, latest.event, watch.sinks, context.clock.now());
  guard(config, sinks);
  const refused = access.refusalOf(sinks);
  if (refused !== undefined) throw refused;
  for (const sink of sinks) {
    await sendSample(sink, latest.event, sampleDeps(session));
    context.err(
      `The latest match was sent to ${sink.name} (${placeOfSink(sink)}), marked as a sample.`,
    );
  }
}

/**
 * Refuses to send the sandbox's invented tweets to real people. @throws ExitError with exit code 78
 */
function guard(config: Config, sinks: readonly SinkConfig[]): void {
  const refusals = checkSandboxGuard({ ...config, sinks }, SINK_TYPES);
  if (refusals.length > 0) throw badConfig(refusals);
}

const sampleDeps = ({ context, config, log }: Session): SinkDeps & { readonly random: Random } => ({
  http: context.http,
  clock: context.clock,
  random: context.random,
  log,
  write: context.out,
  outputs: context.outputs,
  linksHost: config.linksHost,
});

function findNamed<K extends string, T extends Readonly<Record<K, string>>>(
  all: readonly T[],
  key: K,
  name: string,
  noun: string,
): T {
  const found = all.find((one) => one[key] === name);
  if (found !== undefined) return found;
  const names = all.map((one) => one[key]);
  throw usage(
    `there is no ${noun} "${name}"${didYouMean(name, names)}; there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`,
  );
}

const usage = (message: string): ExitError => new ExitError(EXIT.usage, "USAGE", message);

const toJson = (watch: Watch, tried: readonly TriedTarget[], requests: number) => ({
  watch: watch.id,
  requests,
  targets: tried.map(({ name, problem, items }) => ({
    target: name,
    problem,
    items: items.map(itemJson),
  })),
});

const itemJson = ({ itemId, verdict, detail, event }: TriedItem) => ({
  item_id: itemId,
  verdict,
  detail,
  type: event.type,
  occurred_at: isoTime(event.occurredAtMs),
  labels: event.labels,
  data: event.body,
});
