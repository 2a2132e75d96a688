/** Tests an outage of the data service that a replica saw before its last poll was paused. */
import { expect, it } from "vitest";
import { makeInnerReplicas } from "../../support/inner-replicas.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const search = (query: string) => ({
  type: "search",
  query,
  schedule: "@every 10s",
  strategy: "single",
});

it.each(["zebra", "okapi"])(
  "is over for everybody although %s, all that one replica polled, is paused by then",
  async (paused) => {
    const { clock, control, add, heldBy, hook } = await makeInnerReplicas({
      zebra: search("zebra"),
      okapi: search("okapi"),
    });
    const replicas = [await add(), await add()];
    await clock.advance(MINUTE);
    const held = async () => [(await heldBy(0)).length, (await heldBy(1)).length];
    expect(await held()).toEqual([1, 1]);
    const alerts = () =>
      hook.events().flatMap(({ type }) => (type.startsWith("upstream.") ? [type] : []));
    await control("faults", { name: "server_error", for_ms: 60 * MINUTE });
    await clock.advance(3 * MINUTE);
    expect(alerts()).toEqual(["upstream.dark"]);
    const [{ url } = { url: "" }] = replicas;
    await fetch(`${url.replace(/\/$/, "")}/api/v1/watches/${paused}/pause`, { method: "POST" });
    await clock.advance(MINUTE);
    expect((await held()).toSorted((a, b) => a - b)).toEqual([0, 1]);
    await control("faults", undefined, "DELETE");
    // A failed poll is tried again after at most five minutes. A replica without polls forgets after
    // six minutes what it saw.
    await clock.advance(7 * MINUTE);
    expect(alerts()).toEqual(["upstream.dark", "upstream.recovered"]);
  },
);
