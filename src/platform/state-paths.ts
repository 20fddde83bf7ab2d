import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { AppError } from "../core/errors.ts";

/** Where the program keeps what is its own. Absolute paths; nothing is looked at or created. */
export interface StatePaths {
  /** Ledger, outputs, sessions, owners' locks. */
  readonly state: string;
  /** Control sockets; undefined where the system names no such folder: then they go below the state folder. */
  readonly runtime: string | undefined;
  /** The user's `config.jsonc`. */
  readonly config: string;
  /** Safe to delete. */
  readonly cache: string;
  /** The administrator's `config.jsonc`. */
  readonly managedConfig: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The places of the program's files, from the environment.
 *
 * Throws an `AppError` of reason `usage` where an AGENT_ variable holds a relative path. A relative XDG variable is
 * ignored, as its specification asks.
 */
export function resolveStatePaths(env: Env, platform: NodeJS.Platform = process.platform, home: string = homedir()): StatePaths {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix;
  const bases = baseFolders({ env, platform, home });

  function own(variable: string): string | undefined {
    const path = env[variable];
    if (path === undefined || path === "") return undefined;
    if (isAbsolute(path)) return path;
    throw new AppError("usage", `Cannot use ${variable} "${path}": it is a relative path; give an absolute one`, { code: "relative_path" });
  }
  function xdg(variable: string): string | undefined {
    const path = env[variable];
    return path !== undefined && isAbsolute(path) ? join(path, "agent") : undefined;
  }

  return {
    state: own("AGENT_STATE_DIR") ?? xdg("XDG_STATE_HOME") ?? bases.state,
    runtime: own("AGENT_RUNTIME_DIR") ?? xdg("XDG_RUNTIME_DIR"),
    config: own("AGENT_CONFIG") ?? join(xdg("XDG_CONFIG_HOME") ?? bases.config, "config.jsonc"),
    cache: own("AGENT_CACHE_DIR") ?? xdg("XDG_CACHE_HOME") ?? bases.cache,
    managedConfig: bases.managedConfig,
  };
}

function baseFolders({ env, platform, home }: { readonly env: Env; readonly platform: NodeJS.Platform; readonly home: string }) {
  if (platform === "win32") {
    const { join } = win32;
    const local = env["LOCALAPPDATA"] || join(home, "AppData", "Local");
    return {
      state: join(local, "agent"),
      config: join(env["APPDATA"] || join(home, "AppData", "Roaming"), "agent"),
      cache: join(local, "agent-cache"),
      managedConfig: join(env["ProgramData"] || "C:\\ProgramData", "agent", "config.jsonc"),
    };
  }
  const { join } = posix;
  const managedConfig = "/etc/agent/config.jsonc";
  if (platform === "darwin") {
    const support = join(home, "Library", "Application Support", "agent");
    return { state: support, config: support, cache: join(home, "Library", "Caches", "agent"), managedConfig };
  }
  return {
    state: join(home, ".local", "state", "agent"),
    config: join(home, ".config", "agent"),
    cache: join(home, ".cache", "agent"),
    managedConfig,
  };
}
