import type { AiSdkToolPart } from "@jaf/ai-sdk";
import { isToolPart, type StreamedPart } from "./ui-messages.ts";

type Input = Extract<AiSdkToolPart, { state: "input-available" }>["input"];

/** A chunk (one event) of the AI SDK's UI message stream, as JAF sends it. */
export type UIMessageChunk =
  // Without the fields that later releases of `ai@5` to `ai@7` added: earlier releases reject them.
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | { readonly type: "source-url"; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
    }
  | {
      readonly type: "tool-input-start" | "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input?: Input;
      readonly providerExecuted?: true;
      readonly dynamic?: true;
    }
  | { readonly type: "tool-input-delta"; readonly toolCallId: string; readonly inputTextDelta: string }
  | { readonly type: "tool-approval-request"; readonly approvalId: string; readonly toolCallId: string }
  | { readonly type: "tool-output-available"; readonly toolCallId: string; readonly output: unknown }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | { readonly type: "message-metadata"; readonly messageMetadata: MessageMetadata }
  | { readonly type: "abort" }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "finish"; readonly finishReason: "stop" | "tool-calls" };

/** The metadata of a UI message. The keys of `retracted` are the indexes of the retracted parts. */
interface MessageMetadata {
  readonly jaf: { readonly retracted: Readonly<Record<string, true>> };
}

/** Creates the chunks that bring a client's copy of a UI message up to date. */
export interface MessageWriter {
  /** Returns the chunks after which the client's message shows exactly `parts`. */
  readonly write: (parts: readonly StreamedPart[]) => UIMessageChunk[];
  /**
   * Adds text to the message's last part, and returns the chunks for this text. Returns `undefined` if the last part
   * has another type or has already ended.
   */
  readonly append: (type: "text" | "reasoning", text: string) => UIMessageChunk[] | undefined;
  /** Returns the chunks that end the message's last part and last step. */
  readonly close: () => UIMessageChunk[];
}

interface Held {
  readonly part: StreamedPart;
  /** Index of the part in the client's message. */
  readonly index: number;
  /** Whether the client had the part before this stream began. */
  readonly hadBefore: boolean;
}

export interface HeldMessage {
  readonly parts: readonly StreamedPart[];
  /** Number of all parts of the client's message, including retracted parts. */
  readonly length: number;
}

/** Creates a writer for a client that already has the parts `from.parts` of the UI message. */
export function createMessageWriter(from: HeldMessage): MessageWriter {
  const offset = from.length - from.parts.length;
  const held: Held[] = from.parts.map((part, index) => ({ part, index: offset + index, hadBefore: true }));
  let length = from.length;
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
  const change = (at: number, part: StreamedPart): boolean => {
    const before = held[at];
    if (before === undefined || before.part.type !== part.type) return false;
    const { part: was } = before;
    if (part.type === "text" || part.type === "reasoning") {
      const said = was.type === "text" || was.type === "reasoning" ? was.text : "";
      if (said === part.text) return true;
      if (open === undefined || at !== held.length - 1 || !part.text.startsWith(said)) return false;
      grow(part.type, part.text.slice(said.length));
    } else if (isToolPart(part)) {
      if (!isToolPart(was) || was.toolCallId !== part.toolCallId || !isSameInput(was, part)) return false;
      if (!isSame(was, part)) chunks.push(...stateChunks(part, before.hadBefore));
    } else if (!isSame(was, part)) {
      return false;
    }
    held[at] = { ...before, part };
    return true;
  };

  const add = (part: StreamedPart): void => {
    if (part.type === "step-start") endStep();
    else endPart();
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

  const taken = (): UIMessageChunk[] => {
    const made = chunks;
    chunks = [];
    return made;
  };

  return {
    write: (parts) => {
      let at = 0;
      while (at < held.length) {
        const part = parts[at];
        if (part !== undefined && change(at, part)) at += 1;
        else retractFrom(at);
      }
      // A retraction also removed the start of its step.
      for (const part of parts.slice(held.length)) add(part);
      return taken();
    },
    append: (type, text) => {
      const last = held.at(-1);
      if (open?.type !== type || last?.part.type !== type) return undefined;
      held[held.length - 1] = { ...last, part: { ...last.part, text: last.part.text + text } };
      grow(type, text);
      return taken();
    },
    close: () => {
      endStep();
      return taken();
    },
  };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const isSameInput = (a: AiSdkToolPart, b: AiSdkToolPart): boolean => isSame(a.input, b.input);

function newChunks(part: Exclude<StreamedPart, { type: "text" | "reasoning" }>): UIMessageChunk[] {
  if (isToolPart(part)) return callChunks(part);
  switch (part.type) {
    case "step-start":
      return [{ type: "start-step" }];
    case "file":
      return [{ type: "file", url: part.url, mediaType: part.mediaType }];
    default:
      return [part];
  }
}

function callChunks(part: AiSdkToolPart): UIMessageChunk[] {
  const call = {
    toolCallId: part.toolCallId,
    toolName: part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length),
    ...(part.providerExecuted === true ? { providerExecuted: true as const } : {}),
    ...(part.type === "dynamic-tool" ? { dynamic: true as const } : {}),
  };
  const isDone = part.state === "output-available" && part.providerExecuted !== true;
  const { input } = part;
  // "tool-input-available" makes the client run its own tool. This call is done, so it must not run again.
  if (isDone && typeof input === "object" && input !== null) {
    return [
      { type: "tool-input-start", ...call },
      { type: "tool-input-delta", toolCallId: call.toolCallId, inputTextDelta: JSON.stringify(input) },
      ...stateChunks(part),
    ];
  }
  return [{ type: "tool-input-available", ...call, input }, ...stateChunks(part)];
}

/**
 * Returns the chunks that change a tool call in the client's message to the state of `part`. `hasApproval`: the client
 * already has the approval request for this call.
 */
function stateChunks(part: AiSdkToolPart, hasApproval = false): UIMessageChunk[] {
  const { toolCallId } = part;
  switch (part.state) {
    case "input-available":
    case "approval-responded":
      return [];
    case "approval-requested":
      return [{ type: "tool-approval-request", approvalId: part.approval.id, toolCallId }];
    case "output-available":
      return [{ type: "tool-output-available", toolCallId, output: part.output }];
    case "output-error":
      return [{ type: "tool-output-error", toolCallId, errorText: part.errorText }];
    case "output-denied": {
      const denied = { type: "tool-output-denied", toolCallId } as const;
      // An approval request would overwrite the client's decision.
      if (hasApproval) return [denied];
      return [{ type: "tool-approval-request", approvalId: part.approval.id, toolCallId }, denied];
    }
  }
}
