import { invalid, type Fault } from "./fault.ts";

type Headers = Readonly<Record<string, string>>;

/**
 * Why a request is refused for its headers. One credential is needed, and two are one too many.
 *
 * @param credential the only one that is accepted; any unless given
 */
export function headerFault(headers: Headers, credential: string | undefined): Fault | undefined {
  const key = headers["x-api-key"];
  const token = /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1];
  if (key === undefined && token === undefined) return unauthenticated("x-api-key header is required");
  if (key !== undefined && token !== undefined) return unauthenticated("only one of x-api-key and authorization may be sent");
  if (credential !== undefined && (key ?? token) !== credential) {
    return unauthenticated(key === undefined ? "Invalid bearer token" : "invalid x-api-key");
  }
  return headers["anthropic-version"] === undefined ? invalid("anthropic-version: header is required") : undefined;
}

/** Whether one of the betas that a request asks for starts with a name; they end with a date. */
export function hasBeta(headers: Headers, name: string): boolean {
  return (headers["anthropic-beta"] ?? "").split(",").some((beta) => beta.trim().startsWith(name));
}

function unauthenticated(message: string): Fault {
  return { status: 401, type: "authentication_error", message };
}
