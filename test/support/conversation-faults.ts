import type { TaskState } from "../../src/core/task-state.ts";
import { messagesOf } from "./request-messages.ts";
import type { ApiRequest } from "./scripted-api-server.ts";

/**
 * What is wrong with one conversation that was broken off and gone on with, a line each; empty as a rule.
 *
 * - Nothing that the service was told once is missing or different later.
 * - The end of every task that was started in the background is announced once, but for those that a run ended itself
 *   when it was over.
 *
 * @param requests all requests of the conversation, in their order; the last one was answered
 * @param tasks what is on record
 */
export function conversationFaults(requests: readonly ApiRequest[], tasks: readonly TaskState[]): string[] {
  const conversations = requests.map(blocksOf);
  const lost = conversations.flatMap((blocks, index) => {
    const before = conversations[index - 1] ?? [];
    const difference = before.findIndex((block, position) => block !== blocks[position]);
    return difference === -1 ? [] : [`request ${index + 1} lacks block ${difference + 1} of the one before: ${before[difference]?.slice(0, 200)}`];
  });
  return [...lost, ...announcementFaults(requests.at(-1), tasks)];
}

function announcementFaults(request: ApiRequest | undefined, tasks: readonly TaskState[]): string[] {
  const announced = announcedTasks(request);
  return tasks
    .filter((task) => task.parentTaskId !== undefined && task.isBackgrounded !== false)
    .flatMap(({ id, status, exit }) => {
      const count = announced.get(id) ?? 0;
      const isRight = exit?.reason === "killed" ? count <= 1 : count === 1;
      return isRight ? [] : [`task ${id} (${status}, ${exit?.reason}) was announced ${count} times`];
    });
}

/** How often the end of each task was announced in a conversation, by task id. */
function announcedTasks(request: ApiRequest | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const block of messagesOf(request).flatMap(({ content }) => content)) {
    const id = typeof block["text"] === "string" ? /^<task-notification>\n<task-id>(\w+)</.exec(block["text"])?.[1] : undefined;
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** The conversation of a request, block by block, without what only steers the cache. */
function blocksOf(request: ApiRequest): string[] {
  return messagesOf(request).flatMap(({ role, content }) => content.map(({ cache_control: _cache, ...block }) => `${role} ${JSON.stringify(block)}`));
}
