import { isRecord } from "../../../src/lib/is-record.ts";
import { conversationBlocks, identityOf, prefixAfter, type ConversationBlock } from "./conversation-blocks.ts";
import { invalid, type Fault } from "./fault.ts";
import { isThinking, type Json } from "./json.ts";
import { turnFault } from "./running-turn.ts";

/** What the server remembers of its own replies, to check what comes back. */
export interface IssuedReplies {
  /** @param isBound whether the model binds thinking to what stands before it */
  check(body: Json, isBound: boolean): ThinkingCheck;
  /** Whether a block is one that was sent; for a call its id decides. */
  isIssued(block: Json): boolean;
  remember(checked: ThinkingCheck, reply: Pick<IssuedReply, "model" | "blocks"> & { readonly isPaused: boolean }): void;
}

export interface ThinkingCheck {
  readonly fault: Fault | undefined;
  /** Where thinking was left out instead of refusing the request, and why. */
  readonly dropped: readonly { readonly path: string; readonly reason: string }[];
  /** Whether the conversation ends with a turn that was paused, as it was sent. */
  readonly isPaused: boolean;
  /** What the reply to the request is bound to. */
  readonly end: string;
  /** The last thinking that the model gets to see. */
  readonly lastThinking: string | undefined;
}

export interface IssuedReply {
  readonly model: string;
  /** What it was bound to, as `ConversationBlock.before`. */
  readonly before: string;
  readonly blocks: readonly Json[];
}

interface IssuedThinking {
  readonly model: string;
  readonly before: string;
  /** Every member of it. */
  readonly identity: string;
  /** The thinking that stood before it. */
  readonly previous: string | undefined;
}

/** @param acceptsForeignThinking whether thinking that this server did not issue is taken for valid */
export function createIssuedReplies(acceptsForeignThinking: boolean): IssuedReplies {
  const thinking = new Map<string, IssuedThinking[]>();
  const replies = new Map<string, IssuedReply[]>();
  const others = new Set<string>();
  const pausedEnds = new Set<string>();

  function findMismatch(at: ConversationBlock, model: unknown, previous: string | undefined, isBound: boolean): "altered" | "unknown" | "model" | "prefix" | undefined {
    const known = thinking.get(keyOf(at.block));
    if (known === undefined) return acceptsForeignThinking ? undefined : "unknown";
    const same = known.filter(({ identity }) => identity === identityOf(at.block));
    if (same.length === 0) return "altered";
    const readable = same.filter((issued) => issued.model === model);
    if (readable.length === 0) return "model";
    // What stands first may have been left out, but nothing between two.
    const isInPlace = readable.some((issued) => issued.before === at.before && (previous === undefined || previous === issued.previous));
    return isInPlace || !isBound ? undefined : "prefix";
  }

  function check(body: Json, isBound: boolean): ThinkingCheck {
    const { blocks, end } = conversationBlocks(body);
    const latest = blocks.findLast(({ role }) => role === "assistant")?.message;
    const dropped: { path: string; reason: string }[] = [];
    let lastThinking: string | undefined;
    let fault: Fault | undefined;
    for (const at of blocks.filter(({ block }) => isThinking(block))) {
      const mismatch = findMismatch(at, body["model"], lastThinking, isBound);
      if (mismatch === undefined) lastThinking = keyOf(at.block);
      else if (mismatch === "model" || (mismatch === "prefix" && dropsMismatches(body))) dropped.push({ path: at.path, reason: `${mismatch}_binding_mismatch` });
      else fault ??= mismatchFault(at, mismatch, at.message === latest);
    }
    return { fault: fault ?? turnFault(blocks, body["model"], (before) => replies.get(before) ?? []), dropped, isPaused: pausedEnds.has(end), end, lastThinking };
  }

  return {
    check,
    isIssued: (block) => others.has(identityOf(block)),
    remember({ end, lastThinking }, { model, blocks, isPaused }) {
      addTo(replies, end, { model, before: end, blocks });
      let before = end;
      let previous = lastThinking;
      for (const block of blocks) {
        if (isThinking(block)) {
          addTo(thinking, keyOf(block), { model, before, identity: identityOf(block), previous });
          previous = keyOf(block);
        } else others.add(identityOf(block));
        before = prefixAfter(before, "assistant", block);
      }
      if (isPaused) pausedEnds.add(before);
    },
  };
}

function mismatchFault({ path, block }: ConversationBlock, mismatch: "altered" | "unknown" | "prefix", isLatest: boolean): Fault {
  if (mismatch === "altered" && isLatest) {
    return invalid(
      `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
    );
  }
  const what = block["type"] === "thinking" ? "Invalid `signature` in `thinking` block" : "Invalid `data` in `redacted_thinking` block";
  if (mismatch !== "prefix") return invalid(`${path}: ${what}`);
  return invalid(
    `${path}: ${what}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
  );
}

function dropsMismatches({ thinking }: Json): boolean {
  const binding = isRecord(thinking) ? thinking["block_binding"] : undefined;
  return isRecord(binding) && binding["prefix_mismatch_behavior"] === "drop_block";
}

/** Only the service can make what thinking is signed with, or sealed in. */
function keyOf(block: Json): string {
  return String(block["signature"] ?? block["data"]);
}

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
