import { AppError } from "../core/errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Where requests go, and what they show there. */
export interface ModelEndpoint {
  readonly baseUrl: string;
  readonly credential: { readonly type: "api_key" | "auth_token"; readonly value: string };
  /** Whether this is the service itself, not a compatible server. */
  readonly isOfficial: boolean;
  /** What a user should know about the choice that was made. */
  readonly warnings: readonly string[];
}

const OFFICIAL_BASE_URL = "https://api.anthropic.com";
/** A compatible server needs no key, but clients of the API always send one. */
const PLACEHOLDER_KEY = "no-key-needed";

/**
 * Reads ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN.
 *
 * The service rejects requests with both credentials, so one is sent: the key, which is also what the service's own
 * libraries choose. Throws `AppError`: `auth` where the service needs a credential and there is none that can be sent,
 * `usage` where the base URL is none.
 */
export function readEndpoint(env: Env): ModelEndpoint {
  const baseUrl = parseBaseUrl(setting(env, "ANTHROPIC_BASE_URL") ?? OFFICIAL_BASE_URL);
  const isOfficial = baseUrl.hostname === new URL(OFFICIAL_BASE_URL).hostname;
  const key = credential(env, "ANTHROPIC_API_KEY");
  const token = credential(env, "ANTHROPIC_AUTH_TOKEN");
  const endpoint = { baseUrl: baseUrl.href.replace(/\/+$/, ""), isOfficial, warnings: [] };
  if (key !== undefined && token !== undefined) {
    return {
      ...endpoint,
      credential: { type: "api_key", value: key },
      warnings: ["ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN are both set; only ANTHROPIC_API_KEY is sent"],
    };
  }
  if (token !== undefined) return { ...endpoint, credential: { type: "auth_token", value: token } };
  if (key !== undefined) return { ...endpoint, credential: { type: "api_key", value: key } };
  if (isOfficial) throw new AppError("auth", NO_MODEL_MESSAGE, { code: "no_credentials" });
  return { ...endpoint, credential: { type: "api_key", value: PLACEHOLDER_KEY } };
}

const NO_MODEL_MESSAGE = [
  "Cannot reach a model: neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set. Three ways to go on:",
  "  1. set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) to a credential of the Anthropic API",
  "  2. set ANTHROPIC_BASE_URL to a compatible server, for example a local one; it needs no key",
  "  3. use --model scripted:demo, the built-in script that needs neither key nor network",
].join("\n");

/** A variable that is set to nothing is not set. */
function setting(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function credential(env: Env, name: string): string | undefined {
  const value = setting(env, name);
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
  throw new AppError("auth", `Cannot use ${name}: it holds characters that no HTTP header can carry; set it again`, {
    code: "malformed_credentials",
  });
}

function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "https:" || url.protocol === "http:")) {
    if (url.username === "" && url.password === "") return url;
    throw new AppError("usage", `Cannot use ANTHROPIC_BASE_URL: it holds a user name or password; use ANTHROPIC_AUTH_TOKEN`, {
      code: "invalid_base_url",
    });
  }
  throw new AppError("usage", `Cannot use ANTHROPIC_BASE_URL ${JSON.stringify(text)}: it is no http or https URL`, {
    code: "invalid_base_url",
  });
}
