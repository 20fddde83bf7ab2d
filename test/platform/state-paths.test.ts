import { expect, test } from "bun:test";
import { resolveStatePaths } from "../../src/platform/state-paths.ts";
import { appErrorOf } from "../support/thrown.ts";

test("on Linux the paths follow XDG, with its defaults below the home folder", () => {
  expect(resolveStatePaths({}, "linux", "/home/u")).toEqual({
    state: "/home/u/.local/state/agent",
    runtime: undefined,
    config: "/home/u/.config/agent/config.jsonc",
    cache: "/home/u/.cache/agent",
    managedConfig: "/etc/agent/config.jsonc",
  });
  const env = { XDG_STATE_HOME: "/s", XDG_RUNTIME_DIR: "/r", XDG_CONFIG_HOME: "/c", XDG_CACHE_HOME: "/k" };
  expect(resolveStatePaths(env, "linux", "/home/u")).toMatchObject({
    state: "/s/agent",
    runtime: "/r/agent",
    config: "/c/agent/config.jsonc",
    cache: "/k/agent",
  });
});

test("the program's own variables win", () => {
  const env = {
    AGENT_STATE_DIR: "/s",
    AGENT_RUNTIME_DIR: "/r",
    AGENT_CONFIG: "/c/mine.jsonc",
    AGENT_CACHE_DIR: "/k",
    XDG_STATE_HOME: "/x",
    XDG_RUNTIME_DIR: "/x",
    XDG_CONFIG_HOME: "/x",
    XDG_CACHE_HOME: "/x",
  };
  expect(resolveStatePaths(env, "linux", "/home/u")).toMatchObject({ state: "/s", runtime: "/r", config: "/c/mine.jsonc", cache: "/k" });
});

test.each(["AGENT_STATE_DIR", "AGENT_RUNTIME_DIR", "AGENT_CONFIG", "AGENT_CACHE_DIR"])("a relative %s is a usage error", async (variable) => {
  const error = await appErrorOf(() => resolveStatePaths({ [variable]: "some/where" }, "linux", "/home/u"));
  expect(error.reason).toBe("usage");
  expect(error.message).toContain(`${variable} "some/where"`);
});

test("a relative or empty XDG variable is ignored", () => {
  const env = { XDG_STATE_HOME: "s", XDG_RUNTIME_DIR: "", XDG_CONFIG_HOME: "./c", XDG_CACHE_HOME: "k" };
  expect(resolveStatePaths(env, "linux", "/home/u")).toEqual(resolveStatePaths({}, "linux", "/home/u"));
});

test("on macOS the paths are the system's unless XDG variables are set", () => {
  expect(resolveStatePaths({}, "darwin", "/Users/u")).toMatchObject({
    state: "/Users/u/Library/Application Support/agent",
    config: "/Users/u/Library/Application Support/agent/config.jsonc",
    cache: "/Users/u/Library/Caches/agent",
  });
  expect(resolveStatePaths({ XDG_STATE_HOME: "/s" }, "darwin", "/Users/u").state).toBe("/s/agent");
});

test("on Windows the paths are below the folders of the profile", () => {
  const env = { APPDATA: "C:\\R", LOCALAPPDATA: "C:\\L", ProgramData: "C:\\P" };
  expect(resolveStatePaths(env, "win32", "C:\\Users\\u")).toEqual({
    state: "C:\\L\\agent",
    runtime: undefined,
    config: "C:\\R\\agent\\config.jsonc",
    cache: "C:\\L\\agent-cache",
    managedConfig: "C:\\P\\agent\\config.jsonc",
  });
  expect(resolveStatePaths({}, "win32", "C:\\Users\\u").state).toBe("C:\\Users\\u\\AppData\\Local\\agent");
});
