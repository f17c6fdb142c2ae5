import type { AiSdkToolPart } from "@jaf/ai-sdk";
import { type GrowingPiece, wordsOf } from "../turns/pieces.ts";
import { callChunks, inputChunk, newChunks, stateChunks, type UIMessageChunk } from "./ui-message-chunks.ts";
import { isToolPart, isWriting, type ShownPart, type WritingCall } from "./ui-messages.ts";

/** Creates the chunks that bring a client's copy of a UI message up to date. */
export interface MessageWriter {
  /** Returns the chunks after which the client's message shows exactly `parts`. */
  readonly write: (parts: readonly ShownPart[]) => UIMessageChunk[];
  /**
   * Adds a piece to the message's last part, or to the call that it continues, and returns the chunks for this piece.
   * Returns `undefined` if the message has no such part, or if the part has already ended.
   */
  readonly append: (piece: GrowingPiece) => UIMessageChunk[] | undefined;
  /** Returns the chunks that end the message's last part and last step. */
  readonly close: () => UIMessageChunk[];
}

type ToolPart = AiSdkToolPart | WritingCall;

interface Held {
  readonly part: ShownPart;
  /** Index of the part in the client's message. */
  readonly index: number;
  /** Whether the client had the part before this stream began. */
  readonly hadBefore: boolean;
}

export interface HeldMessage {
  readonly parts: readonly ShownPart[];
  /** Number of all parts of the client's message, including retracted parts. */
  readonly length: number;
}

/** Creates a writer for a client that already has the parts `from.parts` of the UI message. */
export function createMessageWriter(from: HeldMessage): MessageWriter {
  const offset = from.length - from.parts.length;
  const held: Held[] = from.parts.map((part, index) => ({ part, index: offset + index, hadBefore: true }));
  let length = from.length;
  /** The last text or reasoning. It stays open while calls are written, because the reply can go on with it. */
  let open: { readonly type: "text" | "reasoning"; readonly id: string } | undefined;
  let inStep = false;
  let chunks: UIMessageChunk[] = [];

  const endPart = (): void => {
    if (open !== undefined) chunks.push({ type: `${open.type}-end`, id: open.id });
    open = undefined;
  };
  const endStep = (): void => {
    endPart();
    if (inStep) chunks.push({ type: "finish-step" });
    inStep = false;
  };

  // The AI SDK's protocol can't remove parts. The metadata lists the parts to hide, and new parts follow.
  const retractFrom = (index: number): void => {
    endStep();
    const start = held.findLastIndex(({ part }, at) => at <= index && part.type === "step-start");
    const gone = held.splice(Math.max(start, 0));
    const retracted = Object.fromEntries(gone.map((each) => [String(each.index), true as const]));
    chunks.push({ type: "message-metadata", messageMetadata: { jaf: { retracted } } });
  };

  const grow = (type: "text" | "reasoning", delta: string): void => {
    if (open !== undefined && delta !== "") chunks.push({ type: `${type}-delta`, id: open.id, delta });
  };

  /**
   * Changes the client's part `held[at]` into `part`. Returns `false` if the protocol has no chunks for this change.
   */
  const change = (at: number, part: ShownPart): boolean => {
    const before = held[at];
    if (before === undefined || before.part.type !== part.type) return false;
    const { part: was } = before;
    if (part.type === "text" || part.type === "reasoning") {
      const said = was.type === "text" || was.type === "reasoning" ? was.text : "";
      if (said === part.text) return true;
      if (open?.id !== String(before.index) || !part.text.startsWith(said)) return false;
      grow(part.type, part.text.slice(said.length));
    } else if (isToolPart(part)) {
      if (!isToolPart(was) || was.toolCallId !== part.toolCallId || !changeCall(was, part, before.hadBefore))
        return false;
    } else if (!isSame(was, part)) {
      return false;
    }
    held[at] = { ...before, part };
    return true;
  };

  /** Changes a call of the client. Returns `false` if the protocol has no chunks for this change. */
  const changeCall = (was: ToolPart, part: ToolPart, hadBefore: boolean): boolean => {
    if (isWriting(part)) {
      if (!isWriting(was) || !part.input.startsWith(was.input)) return false;
      chunks.push(...inputChunk(part.toolCallId, part.input.slice(was.input.length)));
    } else if (isWriting(was)) {
      chunks.push(...callChunks(part));
    } else {
      if (!isSame(was.input, part.input)) return false;
      if (!isSame(was, part)) chunks.push(...stateChunks(part, hadBefore));
    }
    return true;
  };

  const add = (part: ShownPart): void => {
    if (part.type === "step-start") endStep();
    else if (!isToolPart(part) || !isWriting(part)) endPart();
    const index = length;
    length += 1;
    held.push({ part, index, hadBefore: false });
    if (part.type === "step-start") inStep = true;
    if (part.type === "text" || part.type === "reasoning") {
      open = { type: part.type, id: String(index) };
      chunks.push({ type: `${part.type}-start`, id: open.id });
      grow(part.type, part.text);
    } else {
      chunks.push(...newChunks(part));
    }
  };

  /** Returns the parts with each call at its place in the client's message: a streamed call stands where it began. */
  const inHeldOrder = (parts: readonly ShownPart[]): readonly ShownPart[] => {
    const ordered = [...parts];
    for (const [at, { part }] of held.entries()) {
      // A call of the service's own never moves: it isn't told before the part itself.
      const mayMove = isToolPart(part) && !("providerExecuted" in part && part.providerExecuted);
      const from = mayMove ? placeInStep(ordered, at, part.toolCallId) : at;
      if (from > at) ordered.splice(at, 0, ...ordered.splice(from, 1));
    }
    return ordered;
  };

  const taken = (): UIMessageChunk[] => {
    const made = chunks;
    chunks = [];
    return made;
  };

  return {
    write: (given) => {
      const parts = inHeldOrder(given);
      let at = 0;
      while (at < held.length) {
        const part = parts[at];
        if (part !== undefined && change(at, part)) at += 1;
        else retractFrom(at);
      }
      // A retraction also removed the start of its step.
      for (const part of parts.slice(held.length)) add(part);
      const isBeforeCalls = open !== undefined && open.id !== String(held.at(-1)?.index);
      // The calls are complete, and so is the reply.
      if (isBeforeCalls && !held.some(({ part }) => isToolPart(part) && isWriting(part))) endPart();
      return taken();
    },
    append: (piece) => {
      const at =
        piece.type === "tool_arguments"
          ? held.findLastIndex(({ part }) => isToolPart(part) && part.toolCallId === piece.toolCallId)
          : held.length - 1;
      const before = held[at];
      const part = before && grownPart(before.part, piece);
      if (before === undefined || part === undefined) return undefined;
      if (piece.type === "tool_arguments" && isToolPart(part)) {
        chunks.push(...inputChunk(part.toolCallId, piece.arguments));
      } else if (piece.type !== "tool_arguments" && open?.id === String(before.index)) {
        grow(piece.type, piece.text);
      } else {
        return undefined;
      }
      held[at] = { ...before, part };
      return taken();
    },
    close: () => {
      endStep();
      return taken();
    },
  };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the index of a call between `at` and the end of its step; -1 if it isn't there. */
function placeInStep(parts: readonly ShownPart[], at: number, toolCallId: string): number {
  for (let index = at; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined || part.type === "step-start") return -1;
    if (isToolPart(part) && part.toolCallId === toolCallId) return index;
  }
  return -1;
}

/** Returns the part with the next piece; `undefined` if the piece doesn't continue the part. */
function grownPart(part: ShownPart, piece: GrowingPiece): ShownPart | undefined {
  const words = wordsOf(piece);
  if (piece.type === "tool_arguments")
    return isToolPart(part) && isWriting(part) ? { ...part, input: part.input + words } : undefined;
  return part.type === "text" || part.type === "reasoning"
    ? part.type === piece.type
      ? { ...part, text: part.text + words }
      : undefined
    : undefined;
}
