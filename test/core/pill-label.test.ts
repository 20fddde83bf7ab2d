import { expect, test } from "bun:test";
import { getPillLabel, type PillTask } from "../../src/core/pill-label.ts";
import type { TaskType } from "../../src/core/task.ts";

const task = (type: TaskType, detail: PillTask["detail"] = {}): PillTask => ({ type, detail });
const shell = task("local_bash", { command: "make" });
const monitor = task("local_bash", { command: "tail -f log", kind: "monitor" });
const agent = task("local_agent");
const mate = (teamName: string) => task("in_process_teammate", { identity: { agentName: "a", teamName } });
const plan = (ultraplanPhase?: string) => task("remote_agent", { isUltraplan: true, ultraplanPhase });

test.each<[string, PillTask[]]>([
  ["", []],
  ["1 shell", [shell]],
  ["3 shells", [shell, shell, shell]],
  ["1 monitor", [monitor]],
  ["2 monitors", [monitor, monitor]],
  ["1 shell, 2 monitors", [monitor, shell, monitor]],
  ["1 local agent", [agent]],
  ["2 local agents", [agent, agent]],
  ["1 team", [mate("blue"), mate("blue")]],
  ["2 teams", [mate("blue"), mate("red"), mate("blue")]],
  ["1 cloud session", [task("remote_agent")]],
  ["2 cloud sessions", [task("remote_agent"), plan()]],
  ["◇ ultraplan", [plan()]],
  ["◇ ultraplan needs input", [plan("needs_input")]],
  ["◆ ultraplan ready", [plan("plan_ready")]],
  ["1 workflow", [task("local_workflow")]],
  ["1 monitor", [task("monitor_mcp")]],
  ["dreaming", [task("dream")]],
  ["dreaming", [task("dream"), task("dream")]],
  ["2 background tasks", [shell, agent]],
  ["3 background tasks", [shell, monitor, task("dream")]],
])("what runs in the background is labelled %j (S-165, S-167)", (label, tasks) => {
  expect(getPillLabel(tasks)).toBe(label);
});
