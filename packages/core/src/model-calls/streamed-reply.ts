import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import type { Emit } from "../events.ts";
import { frozenCopy } from "../immutable/copy.ts";
import type { CallPiece } from "../model/stream.ts";
import type { RunScope } from "../run-scope.ts";

/** Emits the pieces of a streamed reply as events: text, reasoning, other content parts, and tool calls. */
export interface StreamedReply {
  readonly add: (text: string) => void;
  readonly addReasoning: (text: string) => void;
  readonly addPart: (part: ContentPart) => void;
  readonly addCall: (piece: CallPiece) => void;
  /** Returns whether any piece was emitted. */
  readonly hasEmitted: () => boolean;
  /**
   * Accepts the reply: emits the pieces that were held back. `checked`: the message that has passed the output
   * guardrails, whose text is emitted in place of different text.
   */
  readonly release: (checked?: Message) => void;
  /** Refuses the reply: emits `llm_retract` if pieces were already emitted. */
  readonly retract: () => void;
}

type Piece = Parameters<Emit>[0];

/** Used for a reply that isn't streamed. Does nothing. */
const nothingStreamed: StreamedReply = {
  add: () => undefined,
  addReasoning: () => undefined,
  addPart: () => undefined,
  addCall: () => undefined,
  hasEmitted: () => false,
  release: () => undefined,
  retract: () => undefined,
};

/**
 * Opens a streamed reply. If the run has output guardrails, the pieces are held back until `release` is called (except
 * with `RunConfig.unguardedText: "retract"`).
 */
export function openStreamedReply<Ctx>(
  { emit, config, streaming }: RunScope<Ctx>,
  agentName: string,
): StreamedReply {
  if (!streaming || emit === undefined) return nothingStreamed;
  const { finalOutputGuardrails: guardrails = [], unguardedText } = config;
  const held: Piece[] | undefined = guardrails.length > 0 && unguardedText !== "retract" ? [] : undefined;
  let hasEmitted = false;
  /** The text so far. Only guardrails can change it, so without guardrails it isn't kept. */
  let streamed = "";
  const emitPiece = (event: Piece): void => {
    hasEmitted = true;
    emit(event);
  };
  const retract = (): void => {
    if (hasEmitted) emit({ type: "llm_retract", data: { agentName } });
  };
  const add = (event: Piece): void => void (held === undefined ? emitPiece(event) : held.push(event));
  return {
    add: (text) => {
      if (guardrails.length > 0) streamed += text;
      add({ type: "llm_delta", data: { agentName, text } });
    },
    addReasoning: (text) => add({ type: "llm_reasoning_delta", data: { agentName, text } }),
    // Copied, because the part itself becomes part of the message.
    addPart: (part) => add({ type: "llm_part", data: { agentName, part: frozenCopy(part) } }),
    addCall: (piece) => add({ type: "llm_tool_call_delta", data: { agentName, ...piece } }),
    hasEmitted: () => hasEmitted,
    release: (checked) => {
      const pieces = held?.splice(0) ?? [];
      const text = checked === undefined || streamed === "" ? streamed : streamedTextOf(checked);
      if (text === streamed) return pieces.forEach(emitPiece);
      retract();
      if (text !== "") emitPiece({ type: "llm_delta", data: { agentName, text } });
      for (const piece of pieces) if (piece.type !== "llm_delta") emitPiece(piece);
    },
    retract,
  };
}

/** Returns the text of a message as it would be streamed: without line breaks between content parts. */
function streamedTextOf({ content }: RichMessage): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.map((part) => partText(part) ?? "").join("");
}
