import { expect, test } from "bun:test";
import { childEnvironment } from "../../src/platform/child-env.ts";

test("children get neither our credentials nor what would change an executable made with Bun (V-239)", () => {
  const env = childEnvironment(
    {
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_AUTH_TOKEN: "t",
      ANTHROPIC_BASE_URL: "u",
      ANTHROPIC_CUSTOM_HEADERS: "h",
      BUN_OPTIONS: "--preload=x",
      BUN_BE_BUN: "1",
      BUN_INSPECT: "1",
      BUN_INSPECT_CONNECT_TO: "x",
      BUN_CONFIG_MAX_HTTP_REQUESTS: "9",
      BUN_INSTALL: "/opt/bun",
      HOME: "/home/u",
      GONE: undefined,
    },
    { set: {} },
  );
  expect(Object.keys(env).filter((name) => /^(ANTHROPIC|BUN|HOME|GONE)/.test(name))).toEqual(["BUN_INSTALL", "HOME"]);
});

test("a shell finds directories and files as it was judged to", () => {
  const env = childEnvironment({ CDPATH: "/etc", GLOBIGNORE: "*", SHELLOPTS: "noglob", BASHOPTS: "nocaseglob" }, { set: {} });
  expect(Object.keys(env).filter((name) => /^(CD|GLOB|SHELL|BASH)/.test(name))).toEqual([]);
});

test("editors, pagers and prompts are set to go on or fail, whatever the user prefers (A24)", () => {
  const env = childEnvironment({ EDITOR: "vim", PAGER: "less", TERM: "xterm", GIT_TERMINAL_PROMPT: "1" }, { set: {} });
  expect(env).toMatchObject({ EDITOR: "true", VISUAL: "true", GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", TERM: "dumb" });
});

test("what is set wins", () => {
  expect(childEnvironment({ AGENT_RUN_ID: "outer" }, { set: { AGENT_RUN_ID: "inner", TERM: "x" } })).toMatchObject({ AGENT_RUN_ID: "inner", TERM: "x" });
});
