import type { McpServer, McpServers } from "../../core/mcp-server.ts";
import { isRecord } from "../../lib/is-record.ts";

/** What the servers of a definition come to. */
export interface ReadServers {
  /** Undefined where none is left. */
  readonly servers?: McpServers;
  /** What of them cannot be; ends a sentence that begins with the name of the field. */
  readonly errors: readonly string[];
  /** What is left out; a sentence. */
  readonly warnings: readonly string[];
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,39}$/;
const SERVERS_MAX = 20;

/** Reads servers by their names, or a list of such objects, as other programs write them. */
export function readMcpServers(value: unknown): ReadServers {
  const entries = entriesOf(value);
  if (entries === undefined) return { errors: ['must be an object of names and servers, as {db: {command: "npx", args: ["some-server"]}}'], warnings: [] };
  if (entries.length > SERVERS_MAX) return { errors: [`names ${entries.length} servers, and may name ${SERVERS_MAX}`], warnings: [] };
  const servers: Record<string, McpServer> = {};
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const [name, written] of entries) {
    const server = readServer(written);
    if (written === undefined) warnings.push(`"mcpServers" names "${name}" without saying what it is, and nothing else does: it is left out`);
    else if (!NAME.test(name)) errors.push(`has a name that cannot be, "${name}": up to 40 letters, digits, "-" and single "_", the first a letter or digit`);
    else if (server === "remote") warnings.push(`"mcpServers" has "${name}", which is no program that can be started: it is left out`);
    else if (typeof server === "string") errors.push(`${server} in "${name}"`);
    else if (Object.hasOwn(servers, name)) errors.push(`names "${name}" twice`);
    else servers[name] = server;
  }
  return { ...(Object.keys(servers).length === 0 ? {} : { servers }), errors, warnings };
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (isRecord(value)) return Object.entries(value);
  if (!Array.isArray(value)) return undefined;
  const lists = value.map((item): readonly (readonly [string, unknown])[] | undefined => {
    if (typeof item === "string") return [[item, undefined]];
    return isRecord(item) ? Object.entries(item) : undefined;
  });
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

/** "remote" for one that is reached over the network; another text says what is wrong. */
function readServer(written: unknown): McpServer | string {
  if (!isRecord(written)) return "must have an object with a command";
  const { type = "stdio", command, args, env, url } = written;
  if (type !== "stdio" || (command === undefined && typeof url === "string")) return "remote";
  if (typeof command !== "string" || command.trim() === "") return "must have the command of a program";
  if (args !== undefined && !isTexts(args)) return "must have texts as args";
  if (env !== undefined && !isTable(env)) return "must have texts as env";
  return { command, ...(args === undefined ? {} : { args }), ...(env === undefined ? {} : { env }) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTable(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && isTexts(Object.values(value));
}
