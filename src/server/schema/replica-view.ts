/**
 * The parts of the status about the daemons that share a state on Postgres, and about work that
 * none of them does.
 */
import { z } from "zod";

export const replicaViewSchema = z
  .object({
    name: z
      .string()
      .describe(
        "The replica's address as Postgres sees it, and the beginning of its id: `10.0.0.3#k3x9`.",
      ),
    joined_at: z.string(),
    leads: z
      .boolean()
      .describe(
        "Whether the replica leads: it plans, and does the work that is done once for all.",
      ),
    answers: z.boolean().describe("Whether it is the replica that answers."),
    shares: z
      .boolean()
      .describe(
        "False if it has no share of the work, because its configuration or the version of its planner differs from the leader's.",
      ),
    polls_percent: z
      .number()
      .describe("The share of all polls that it makes, by their requests: 0 to 100."),
    destinations: z.number().describe("The number of destinations to which it delivers."),
  })
  .meta({ id: "Replica" });
export type ReplicaView = z.infer<typeof replicaViewSchema>;

export const unclaimedViewSchema = z
  .object({
    polls: z.number(),
    destinations: z.number(),
    oldest_poll_at: z
      .string()
      .nullable()
      .describe("When the most overdue of these polls was last made; null if one was never made."),
  })
  .meta({
    id: "Unclaimed",
    description: "Work that no replica does until the leader assigns it to one.",
  });
export type UnclaimedView = z.infer<typeof unclaimedViewSchema>;
