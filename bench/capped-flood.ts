import { join } from "node:path";
import { treeSize } from "../src/platform/tree-size.ts";
import { measure, measurePeakMiB } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const BYTES = 20_000_000_000;
const QUOTA_BYTES = 64 * 1_048_576;

/** A command that prints 20 GB into the usual quota: what it leaves on the disk, and what it does to the run's memory. */
export const cappedFlood: Measurement = async ({ programs, directory }) => {
  const env = { AGENT_STATE_DIR: directory };
  const startedAt = performance.now();
  const peakMiB = await measurePeakMiB([programs.agent, "run", "--output-format", "json", "--exec", "--", "head", "-c", String(BYTES), "/dev/zero"], { env });
  const seconds = (performance.now() - startedAt) / 1_000;
  const task = (await measure([programs.agent, "ps", "-a", "-q"], { env })).stdout.trim();
  const [record] = JSON.parse((await measure([programs.agent, "inspect", task], { env })).stdout) as { detail: { bytesWritten: number; bytesDropped: number } }[];
  const counted = (record?.detail.bytesWritten ?? 0) + (record?.detail.bytesDropped ?? 0);
  return [
    { what: "MiB on the disk after 20 GB", value: treeSize(join(directory, "tasks")) / 1_048_576, atMost: QUOTA_BYTES / 1_048_576 + 1, digits: 1, note: `${(BYTES / 1_048_576 / seconds).toFixed(0)} MiB/s` },
    { what: "bytes that were not counted", value: Math.abs(BYTES - counted), atMost: 0, digits: 0 },
    { what: "peak memory in MiB meanwhile", value: peakMiB, atMost: 120, digits: 1 },
  ];
};
