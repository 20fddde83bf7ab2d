import { z } from "zod";
import { lazySchema } from "../../core/schema.ts";

/** What the record of a monitor adds to the base fields. */
export const monitorMcpDetailSchema = lazySchema("monitorMcpDetail", () =>
  z.object({
    /** The MCP server as the settings name it. */
    monitoredServer: z.string(),
    monitoredUri: z.string(),
    /** Changes that were told to the agent. */
    deliveredEvents: z.number().int().nonnegative(),
    /** Changes that were left out because too many came at once. */
    suppressedEvents: z.number().int().nonnegative(),
  }),
);

export type MonitorMcpDetail = z.infer<ReturnType<typeof monitorMcpDetailSchema>>;
