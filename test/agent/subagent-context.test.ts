import { expect, test } from "bun:test";
import { createSubagentContext, type SubagentOverrides } from "../../src/agent/subagent-context.ts";
import type { AgentContext } from "../../src/core/agent.ts";
import type { TaskId } from "../../src/core/task.ts";
import { agentContext } from "../support/agent-context.ts";

/**
 * What becomes of each field of a context in a child. A new field of `AgentContext` does not compile until it stands here:
 *
 * - `own`: made for the child, whatever the parent has
 * - `copy`: begins as the parent's, and changes of the one are none of the other
 * - `given`: comes from whoever starts the child, who decides with what it is to get by
 * - `shared`: the very same
 * - `absent`: not there, until the child's own loop puts it there
 */
const DECIDED: Readonly<Record<keyof AgentContext, "own" | "copy" | "given" | "shared" | "absent">> = {
  agentId: "given",
  role: "given",
  depth: "own",
  place: "own",
  cwd: "given",
  directories: "given",
  readFileState: "copy",
  todos: "own",
  host: "shared",
  permissionMode: "given",
  scene: "absent",
  checkPermission: "given",
  askPermission: "given",
};

const CHECK: AgentContext["checkPermission"] = () => ({ behavior: "deny", reason: "the test" });
const ASK: NonNullable<AgentContext["askPermission"]> = () => Promise.reject(new Error("nobody is asked"));

const OVERRIDES: SubagentOverrides = { agentId: "a11111111" as TaskId, role: "subagent", cwd: "/child", directories: ["/child"], permissionMode: "plan", checkPermission: CHECK, askPermission: ASK };

function contexts(overrides: Partial<SubagentOverrides> = {}) {
  const parent: AgentContext = {
    ...agentContext("/parent"),
    scene: () => ({ system: [], tools: [], messages: [] }),
    askPermission: () => Promise.reject(new Error("the parent's")),
  };
  return { parent, child: createSubagentContext(parent, { ...OVERRIDES, ...overrides }) };
}

test("every field of a child's context is decided", () => {
  const { parent, child } = contexts();
  for (const [name, decision] of Object.entries(DECIDED)) {
    const [inParent, inChild]: unknown[] = [Reflect.get(parent, name), Reflect.get(child, name)];
    switch (decision) {
      case "absent":
        expect([name, name in child]).toEqual([name, false]);
        break;
      case "shared":
        expect([name, inChild === inParent]).toEqual([name, true]);
        break;
      case "given":
        expect([name, inChild === Reflect.get(OVERRIDES, name)]).toEqual([name, true]);
        break;
      case "own":
      case "copy":
        expect([name, inChild === inParent]).toEqual([name, false]);
        break;
    }
  }
});

test("nothing comes from a parent that is not decided", () => {
  const parent = Object.assign(contexts().parent, { somethingNew: { of: "the parent" } });
  expect(Object.keys(createSubagentContext(parent, OVERRIDES)).toSorted()).toEqual(
    Object.entries(DECIDED)
      .flatMap(([name, decision]) => (decision === "absent" ? [] : [name]))
      .toSorted(),
  );
});

test("nobody is asked unless whoever starts the child says so, whatever the parent may", () => {
  const { askPermission: _ask, ...overrides } = OVERRIDES;
  expect("askPermission" in createSubagentContext(contexts().parent, overrides)).toBe(false);
});

test("what one of them does is not seen by the other", () => {
  const { parent, child } = contexts();
  parent.todos.set([{ content: "of the parent", status: "pending" }]);
  child.todos.set([{ content: "of the child", status: "pending" }]);
  expect([parent.todos.get()[0]?.content, child.todos.get()[0]?.content]).toEqual(["of the parent", "of the child"]);
  expect([child.depth, createSubagentContext(child, OVERRIDES).depth]).toEqual([1, 2]);
});
