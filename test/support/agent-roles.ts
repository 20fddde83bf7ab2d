import { Database } from "bun:sqlite";
import { join } from "node:path";
import { reply, toolUse, type ApiBlock, type ApiRefusal, type ApiReply } from "./api-reply.ts";
import { messagesOf } from "./request-messages.ts";
import { startScriptedApi, type ApiRequest, type ScriptedApi } from "./scripted-api-server.ts";
import type { AgentUser } from "./spawn-agent.ts";
import { waitFor } from "./wait-for.ts";

export type Said = ApiReply | ApiRefusal | ((request: ApiRequest) => ApiReply | ApiRefusal | Promise<ApiReply | ApiRefusal>);

/** What each agent says, turn by turn, by the first word that it was told; the last of them again and again. */
export type Roles = Readonly<Record<string, readonly Said[]>>;

export interface RolesApi extends ScriptedApi {
  /** The requests of one role, in their order. */
  of(role: string): ApiRequest[];
}

/** A service that plays all agents of a run. Of an agent that was told several of the words, the first role listed counts. */
export function startRoles(roles: Roles, options: { readonly beforeEach?: () => Promise<unknown> | undefined } = {}): RolesApi {
  const turns = new Map<string, number>();
  const api = startScriptedApi({
    turns: async (request) => {
      await options.beforeEach?.();
      const role = roleOf(request, roles);
      const turn = turns.get(role) ?? 0;
      turns.set(role, turn + 1);
      const said = roles[role]?.[turn] ?? roles[role]?.at(-1);
      if (said === undefined) return { status: 400, type: "invalid_request_error", message: `no role for ${request.text.slice(-300)}` };
      return typeof said === "function" ? await said(request) : said;
    },
  });
  return { ...api, requests: api.requests, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](), of: (role) => api.requests.filter((request) => roleOf(request, roles) === role) };
}

function roleOf(request: ApiRequest, roles: Roles): string {
  const words = JSON.stringify(request.body["messages"]);
  const fork = /fork-directive>\\n\\n\[FORK\] (\w+) /.exec(words)?.[1];
  return fork ?? Object.keys(roles).find((name) => words.includes(`"${name} `)) ?? "";
}

/** A call that starts an agent; its id is the first word of the prompt. */
export function agentCall(prompt: string, more: Record<string, unknown> = {}): ApiBlock {
  return toolUse("Agent", { description: "a test", prompt, ...more }, `toolu_${prompt.split(" ")[0]}`);
}

/** Calls the shell; ids of one conversation have to differ. */
export function bash(command: string, id = "toolu_Bash"): ApiReply {
  return reply(toolUse("Bash", { command }, id));
}

export function sendMessage(to: string, message: string, id = `toolu_to_${to}`): ApiBlock {
  return toolUse("SendMessage", { to, message }, id);
}

export function service({ url }: { readonly url: string }) {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key", AGENT_API_ATTEMPTS: "1" };
}

/** All texts that were told in a request, one string. */
export function told(request: ApiRequest | undefined): string {
  return messagesOf(request)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content.map((block) => String(block["text"] ?? block["content"])))
    .join("\n");
}

/** The names of the tools that a request offers. */
export function toolNames(request: ApiRequest | undefined): string[] {
  const tools = request?.body["tools"];
  return Array.isArray(tools) ? tools.map(({ name }: { readonly name: unknown }) => String(name)) : [];
}

/** The notices of ends in a request. */
export function notices(request: ApiRequest | undefined): string[] {
  return told(request).match(/<task-notification>[\s\S]*?<\/task-notification>/g) ?? [];
}

export interface AgentRow {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly description: string;
  readonly parentTaskId: string | null;
  readonly name: string | null;
  readonly exit?: { readonly reason: string } | null;
}

/** All tasks on record. */
export async function taskRows(user: AgentUser): Promise<AgentRow[]> {
  return JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as AgentRow[];
}

export async function inspected(user: AgentUser, id: string): Promise<Record<string, unknown> & { readonly status: string; readonly detail: Readonly<Record<string, unknown>> }> {
  return (JSON.parse((await user.run(["inspect", id])).stdout) as never[])[0] ?? (undefined as never);
}

/** How many notices of a task stand in the ledger, given or not. */
export function noticesOnRecord(user: AgentUser): readonly { readonly task_id: string; readonly attempt: number; readonly recipient_task_id: string }[] {
  const database = new Database(join(user.stateDirectory, "ledger.db"), { readonly: true });
  try {
    return database.query<{ task_id: string; attempt: number; recipient_task_id: string }, []>("SELECT task_id, attempt, recipient_task_id FROM notifications").all();
  } finally {
    database.close();
  }
}

/** Says when something may go on. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** The root of a run and the first agent that it has started, once they are on record. */
export async function rootAndChild(user: AgentUser): Promise<readonly [AgentRow, AgentRow]> {
  const rows = await waitFor(async () => {
    const agents = (await taskRows(user)).filter(({ type }) => type === "local_agent");
    return agents.length >= 2 && agents;
  });
  const root = rows.find(({ parentTaskId }) => parentTaskId === null);
  const child = rows.find(({ parentTaskId }) => parentTaskId !== null);
  if (root === undefined || child === undefined) throw new Error(`No agent with a child among ${JSON.stringify(rows)}`);
  return [root, child];
}
