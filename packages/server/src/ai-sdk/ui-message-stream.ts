import type { Interruption } from "@jaf/core";
import type { ContentPart, RichMessage } from "@jaf/memory";
import type { Encoder } from "../http/encoder.ts";
import { BrokenOffError, EVENT_STREAM_HEADERS, eventStream, type StreamFormat } from "../http/sse.ts";
import { type GrowingPiece, isGrowing, joinedPiece } from "../turns/pieces.ts";
import type { ToolArgumentsEvent, TurnEnd, TurnEvent } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { addWaiting, answeredCalls, innerCallsIn } from "./inner-calls.ts";
import { createMessageWriter } from "./message-writer.ts";
import type { UIMessageChunk } from "./ui-message-chunks.ts";
import {
  inputPart,
  isToolPart,
  type ShownPart,
  type StreamedOptions,
  type StreamedPart,
  streamedReply,
  type WritingCall,
} from "./ui-messages.ts";

export interface UIMessageStreamOptions {
  /** Returns the id and options of the UI message that shows the turn's replies. `start` is the turn's first event. */
  readonly messageOf: (start: TurnEvent | undefined) => TurnChunksOptions;
  /** Number of events that were stored before this stream began. Default 0. */
  readonly known?: number;
}

/** Returns an encoder that sends a turn, from its first event on, as the AI SDK's UI message stream. */
export const encodeUIMessageStream =
  ({ messageOf, known = 0 }: UIMessageStreamOptions): Encoder =>
  ({ events, ...options }) => {
    const groups = known === 0 ? events : gathered(events, known);
    return new Response(eventStream(groups, formatOf(messageOf), options), {
      headers: { ...EVENT_STREAM_HEADERS, "x-vercel-ai-ui-message-stream": "v1" },
    });
  };

/** Joins the events with numbers below `known` into one group. */
async function* gathered(
  groups: AsyncIterable<readonly NumberedEvent[]>,
  known: number,
): AsyncGenerator<readonly NumberedEvent[]> {
  // Within a group, `TurnChunks.next` leaves out the pieces that were retracted.
  let waiting: NumberedEvent[] = [];
  for await (const group of groups) {
    waiting.push(...group);
    if ((waiting.at(-1)?.number ?? 0) < known - 1) continue;
    yield waiting;
    waiting = [];
  }
}

function formatOf(messageOf: UIMessageStreamOptions["messageOf"]): StreamFormat<readonly NumberedEvent[]> {
  let chunks: TurnChunks | undefined;
  const begin = (start: TurnEvent | undefined) => {
    chunks = createTurnChunks(messageOf(start));
    return { chunks, first: chunks.start() };
  };
  return {
    textOf: (group) => {
      if (chunks !== undefined) return textOf(chunks.next(group));
      const begun = begin(group[0]?.event);
      return textOf(begun.first) + textOf(begun.chunks.next(group));
    },
    endText: () => {
      // This error cuts the connection off. A regular end of the stream would look like the end of the turn.
      if (chunks?.isOver() !== true) throw new BrokenOffError("The events of the turn ended early.");
      return "data: [DONE]\n\n";
    },
  };
}

const textOf = (chunks: readonly UIMessageChunk[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");

export interface TurnChunksOptions extends StreamedOptions {
  /** Id of the UI message that shows the turn's replies. */
  readonly messageId: string;
  /**
   * The replies and tool results of earlier turns that the UI message shows before this turn's replies. Empty unless
   * the turn continues an earlier turn, e.g. with answers to pending calls.
   */
  readonly before: readonly RichMessage[];
  /** Number of parts of the UI message that the client already has. Absent: the client has none. */
  readonly heldParts?: number;
  /** What the turn before waited for: the client has parts for the calls of agents that run as tools. Default: nothing. */
  readonly waiting?: readonly Interruption[];
}

/**
 * Converts the events of a turn into chunks (events of the AI SDK's UI message stream). Call `start` once, before the
 * first call of `next`.
 */
export interface TurnChunks {
  readonly start: () => UIMessageChunk[];
  /** Returns the chunks for the next group of events. Leaves out pieces that a later event of the group retracts. */
  readonly next: (events: readonly NumberedEvent[]) => UIMessageChunk[];
  /** Returns whether the turn has ended. */
  readonly isOver: () => boolean;
}

export function createTurnChunks({
  messageId,
  before,
  heldParts,
  waiting = [],
  ...streamedOptions
}: TurnChunksOptions): TurnChunks {
  let messages: RichMessage[] = [...before];
  /** The parts of what came before the last messages that the turn took from the inbox, and these messages. */
  let partsBefore: readonly ShownPart[] = [];
  const interruptions: Interruption[] = innerCallsIn(waiting, before);
  /** The calls of agents that run as tools that waited and now have results, by id. */
  const answered = new Map<string, StreamedPart>();
  /** Pieces of the reply in progress. */
  let pieces: ContentPart[] = [];
  /** The calls of the reply in progress, by their index. */
  const calls = new Map<number, ToolArgumentsEvent>();
  const partsNow = (): ShownPart[] => {
    const writing = [...calls.values()].flatMap(writingCall);
    const coming = pieces.length === 0 && writing.length === 0 ? [] : [replyOf(pieces, writing)];
    const shown = streamedReply([...messages, ...coming], { ...streamedOptions, interruptions });
    const parts = shown.map((part) => (isToolPart(part) ? (answered.get(part.toolCallId) ?? part) : part));
    // The calls of a reply are its last parts.
    return [...partsBefore, ...parts.slice(0, parts.length - writing.length), ...writing];
  };
  /** Returns whether the piece continues a piece of the reply in progress. */
  const goesOn = (piece: GrowingPiece): boolean =>
    piece.type === "tool_arguments" ? calls.has(piece.index) : pieces.at(-1)?.type === piece.type;
  const endReply = (): void => {
    pieces = [];
    calls.clear();
  };
  const held = heldParts === undefined ? [] : partsNow();
  const writer = createMessageWriter({ parts: held, length: Math.max(heldParts ?? 0, held.length) });
  let end: TurnEnd | undefined;

  const take = (event: TurnEvent): void => {
    switch (event.type) {
      case "text":
      case "reasoning":
        addPiece(pieces, event.type, event.text);
        break;
      case "part":
        pieces.push(event.part);
        break;
      case "tool_arguments": {
        const piece = joinedPiece(calls.get(event.index), event) ?? event;
        if (piece.type === event.type) calls.set(event.index, piece);
        break;
      }
      case "retract":
        endReply();
        break;
      case "message":
        endReply();
        messages.push(event.message);
        break;
      case "input":
        partsBefore = [...partsNow(), inputPart(event.messages, streamedOptions)];
        messages = [];
        break;
      case "tool_end":
        messages.push({ role: "tool", tool_call_id: event.toolCallId, content: event.parts ?? event.result });
        break;
      case "inner":
        for (const part of answeredCalls(interruptions, event)) answered.set(part.toolCallId, part);
        break;
      case "interruption":
        answered.delete(event.interruption.toolCallId);
        addWaiting(interruptions, event.interruption);
        break;
      case "turn_end":
        // Pieces without a message aren't part of the conversation.
        endReply();
        end = event;
    }
  };

  return {
    start: () => [
      { type: "start", messageId },
      ...(heldParts === undefined && before.length > 0 ? writer.write(partsNow()) : []),
    ],
    next: (events) => {
      if (end !== undefined) return [];
      // Appending a piece is faster than a comparison of the whole message. The first piece of a reply begins a step.
      const piece = onePiece(events);
      const isNext = piece !== undefined && goesOn(piece);
      for (const { event } of events) take(event);
      const appended = isNext ? writer.append(piece) : undefined;
      if (appended !== undefined) return appended;
      const chunks = writer.write(partsNow());
      return end === undefined ? chunks : [...chunks, ...writer.close(), ...endChunks(end)];
    },
    isOver: () => end !== undefined,
  };
}

function addPiece(pieces: ContentPart[], type: "text" | "reasoning", text: string): void {
  const last = pieces.at(-1);
  const said = last?.type === type && typeof last["text"] === "string" ? last["text"] : undefined;
  if (said === undefined) pieces.push({ type, text });
  else pieces[pieces.length - 1] = { type, text: said + text };
}

/** Returns a call that the model is writing as a part. Returns `[]` if the call's id or name isn't known yet. */
const writingCall = ({ toolCallId, toolName, arguments: input }: ToolArgumentsEvent): WritingCall[] =>
  toolCallId === undefined || toolName === undefined
    ? []
    : [{ type: `tool-${toolName}`, toolCallId, state: "input-streaming", input }];

/** Returns the reply in progress as a message. Its calls have no input. */
const replyOf = (content: readonly ContentPart[], writing: readonly WritingCall[]): RichMessage => ({
  role: "assistant",
  content,
  tool_calls: writing.map(({ toolCallId: id }) => ({
    ...{ id, type: "function", function: { name: "", arguments: "" } },
  })),
});

/** Joins the events of a group if they are pieces of one text, reasoning or call. Otherwise returns `undefined`. */
function onePiece(events: readonly NumberedEvent[]): GrowingPiece | undefined {
  let piece: GrowingPiece | undefined;
  for (const { event } of events) {
    if (!isGrowing(event)) return undefined;
    piece = piece === undefined ? event : joinedPiece(piece, event);
    if (piece === undefined) return undefined;
  }
  return piece;
}

function endChunks({ status, error }: TurnEnd): UIMessageChunk[] {
  switch (status) {
    case "completed":
      return [{ type: "finish", finishReason: "stop" }];
    case "interrupted":
      return [{ type: "finish", finishReason: "tool-calls" }];
    case "stopped":
      return [{ type: "abort" }];
    case "error":
      return [{ type: "error", errorText: error?.message ?? "The turn failed." }];
  }
}
