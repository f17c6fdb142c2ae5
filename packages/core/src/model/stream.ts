import type { ContentPart, ReasoningPart } from "@jaf/memory";
import { createPieces, type Pieces } from "@jaf/memory/internal";
import { abortable } from "../limits/abort.ts";
import type { ModelCompletion, ModelStreamChunk, ModelToolCall } from "./completion.ts";
import { isObject, uniqueIds } from "./reply-tool-calls.ts";

/** A piece of a tool call that the model is writing. */
export interface CallPiece {
  /** The number of the call in the reply. */
  readonly index: number;
  /** The call's id. Absent: the model hasn't given one, or it has given one that the engine will change. */
  readonly toolCallId?: string;
  /** The name of the called tool. Absent: not known yet. */
  readonly toolName?: string;
  /** A piece of the arguments' text. `""`: the piece has only an id or a name. */
  readonly arguments: string;
}

interface StreamOptions {
  readonly signal: AbortSignal | undefined;
  readonly onText: (text: string) => void;
  readonly onReasoning?: (text: string) => void;
  readonly onPart?: (part: ContentPart) => void;
  readonly onCall?: (piece: CallPiece) => void;
  /** Called for each chunk of the stream, whatever its type is. */
  readonly onChunk?: () => void;
}

/** The error of a stream that ended before its `done` chunk, so the reply is incomplete. */
class TruncatedStream extends Error {
  override readonly name = "TruncatedStream";
  readonly code = "ECONNRESET";
  constructor() {
    super("The model's stream ended before it was done");
  }
}

/**
 * Reads a stream to its end and resolves with the reply. Rejects with one of three errors:
 *
 * - the error that the stream threw
 * - {@link TruncatedStream}, if the stream has no `done` chunk
 * - the reason of the abort, if the signal is aborted
 */
export async function collectStream(
  stream: AsyncIterable<ModelStreamChunk>,
  { signal, onChunk, ...watchers }: StreamOptions,
): Promise<ModelCompletion> {
  const reply = collectReply(watchers);
  const chunks = stream[Symbol.asyncIterator]();
  const read = async (): Promise<ModelCompletion> => {
    for (;;) {
      const next = await chunks.next();
      // After an abort, the stream may still send chunks.
      if (signal?.aborted === true) throw signal.reason;
      onChunk?.();
      if (next.done === true) throw new TruncatedStream();
      const completion = reply.add(next.value);
      if (completion !== undefined) return completion;
    }
  };
  try {
    // One race for the whole stream. A race for each chunk costs more than the chunk itself.
    return await abortable(read(), signal);
  } finally {
    // Not awaited: a generator that hangs in an `await` would delay an abort.
    void close(chunks);
  }
}

/** Joins the chunks of a stream to a reply. Unknown chunks are ignored. */
function collectReply({ onText, onReasoning, onPart, onCall }: Omit<StreamOptions, "signal" | "onChunk">) {
  const content = collectContent();
  const calls = collectCalls();
  /** Adds a chunk. Returns the whole reply after the `done` chunk, and `undefined` after any other chunk. */
  const add = (chunk: ModelStreamChunk | null | undefined): ModelCompletion | undefined => {
    switch (chunk?.type) {
      case "text_delta":
        if (!isFilled(chunk.text)) return undefined;
        content.addText(chunk.text);
        onText(chunk.text);
        return undefined;
      case "reasoning_delta":
        if (!isFilled(chunk.text)) return undefined;
        content.addReasoning(chunk.text, isFilled(chunk.id) ? chunk.id : undefined);
        onReasoning?.(chunk.text);
        return undefined;
      case "part":
        if (!isObject(chunk.part)) return undefined;
        content.addPart(chunk.part);
        onPart?.(chunk.part);
        return undefined;
      case "tool_call_delta": {
        const { index, begins, piece } = calls.add(chunk);
        if (begins) content.addCall(index);
        if (piece !== undefined) onCall?.(piece);
        return undefined;
      }
      case "done":
        return toCompletion(chunk, {
          content: content.toContent(calls.idOf),
          tool_calls: calls.toCalls(),
        });
      default:
        return undefined;
    }
  };
  return { add };
}

const isFilled = (text: unknown): text is string => typeof text === "string" && text !== "";

async function close(chunks: AsyncIterator<ModelStreamChunk>): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The error is ignored: either the reply is complete, or the stream's own failure is reported.
  }
}

type Done = Extract<ModelStreamChunk, { readonly type: "done" }>;

const toCompletion = (
  { usage, finishReason, message, origin }: Done,
  collected: NonNullable<ModelCompletion["message"]>,
): ModelCompletion => ({
  message: message ?? collected,
  ...(origin === undefined ? {} : { origin }),
  ...(usage === undefined ? {} : { usage }),
  ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
});

/** The content of a streamed reply, joined in the order of its pieces. */
interface StreamedContent {
  readonly addText: (text: string) => void;
  /** Adds a piece of reasoning. Consecutive pieces form one content part, unless their `id` changes. */
  readonly addReasoning: (text: string, id: string | undefined) => void;
  readonly addPart: (part: ContentPart) => void;
  /** Marks the place in the content where a tool call begins. */
  readonly addCall: (index: number) => void;
  /**
   * Returns the text if the content is only text; otherwise the content parts, with placeholders for the tool calls.
   * `idOfCall`: returns the id of the call with this index.
   */
  readonly toContent: (idOfCall: (index: number) => string) => string | readonly ContentPart[];
}

type Piece =
  | { readonly kind: "text"; readonly pieces: Pieces }
  | { readonly kind: "reasoning"; readonly pieces: Pieces; readonly id: string | undefined }
  | { readonly kind: "part"; readonly part: ContentPart }
  | { readonly kind: "call"; readonly index: number };

function collectContent(): StreamedContent {
  const pieces: Piece[] = [];
  let last: Piece | undefined;
  let hasParts = false;
  const add = (piece: Piece): void => {
    last = piece;
    hasParts ||= piece.kind === "reasoning" || piece.kind === "part";
    pieces.push(piece);
  };
  return {
    addText: (text) => {
      if (last?.kind === "text") last.pieces.add(text);
      else add({ kind: "text", pieces: createPieces(text) });
    },
    addReasoning: (text, id) => {
      if (last?.kind === "reasoning" && last.id === id) last.pieces.add(text);
      else add({ kind: "reasoning", pieces: createPieces(text), id });
    },
    addPart: (part) => add({ kind: "part", part }),
    addCall: (index) => add({ kind: "call", index }),
    toContent: (idOfCall) => {
      if (!hasParts)
        return pieces.map((piece) => (piece.kind === "text" ? piece.pieces.text() : "")).join("");
      // Calls after the last content part need no placeholder.
      const end = pieces.findLastIndex(({ kind }) => kind !== "call") + 1;
      return pieces.slice(0, end).map((piece) => partOf(piece, idOfCall));
    },
  };
}

function partOf(piece: Piece, idOfCall: (index: number) => string): ContentPart {
  switch (piece.kind) {
    case "text":
      return { type: "text", text: piece.pieces.text() };
    case "reasoning":
      return reasoningPart(piece.pieces.text(), piece.id);
    case "part":
      return piece.part;
    case "call":
      return { type: "tool-call", id: idOfCall(piece.index) };
  }
}

const reasoningPart = (text: string, id: string | undefined): ReasoningPart =>
  id === undefined ? { type: "reasoning", text } : { type: "reasoning", text, id };

type CallDelta = Extract<ModelStreamChunk, { readonly type: "tool_call_delta" }>;

interface PartialCall {
  id: string;
  name: string;
  arguments: string;
  /** What observers are told of the call: its index, and its id and name once they are known. */
  told: Omit<CallPiece, "arguments">;
}

interface AddedPiece {
  readonly index: number;
  /** Whether it is the first piece of the call. */
  readonly begins: boolean;
  /** The piece for observers. Absent: it says nothing new. */
  readonly piece: CallPiece | undefined;
}

/** The tool calls of a streamed reply, joined from their pieces. */
interface PartialCalls {
  readonly add: (delta: CallDelta) => AddedPiece;
  /** Returns the id of the call with this index; `""` if no piece of the call had an id. */
  readonly idOf: (index: number) => string;
  /** Returns the tool calls in the order of their indexes. */
  readonly toCalls: () => readonly ModelToolCall[];
}

function collectCalls(): PartialCalls {
  const calls = new Map<number, PartialCall>();
  const indexById = new Map<string, number>();
  // The engine gives the calls of the whole reply their ids in the same way.
  const toUniqueId = uniqueIds();
  let last = 0;
  let next = 0;

  const indexOf = ({ index, id }: CallDelta): number => {
    if (typeof index === "number") return index;
    if (typeof id !== "string" || id === "") return last;
    return indexById.get(id) ?? next;
  };

  /** Sets the call's id and name if the piece brings them. Returns whether it does. */
  const identify = (call: PartialCall, { id, name }: CallDelta): boolean => {
    // Model providers repeat an empty id and name in later pieces, so later pieces never overwrite them.
    const bringsId = call.id === "" && isFilled(id);
    const bringsName = call.name === "" && isFilled(name);
    if (bringsId) {
      call.id = id;
      if (toUniqueId(id) === id) call.told = { ...call.told, toolCallId: id };
    }
    if (bringsName) {
      call.name = name;
      call.told = { ...call.told, toolName: name };
    }
    return bringsId || bringsName;
  };

  return {
    add: (delta) => {
      const index = indexOf(delta);
      const known = calls.get(index);
      const call = known ?? { id: "", name: "", arguments: "", told: { index } };
      const begins = known === undefined;
      if (begins) calls.set(index, call);
      const isIdentified = identify(call, delta);
      const text = textOf(delta.arguments);
      call.arguments += text;
      if (call.id !== "" && !indexById.has(call.id)) indexById.set(call.id, index);
      last = index;
      next = Math.max(next, index + 1);
      const isNews = begins || isIdentified || text !== "";
      return { index, begins, piece: isNews ? { ...call.told, arguments: text } : undefined };
    },
    idOf: (index) => calls.get(index)?.id ?? "",
    toCalls: () =>
      [...calls]
        .sort(([a], [b]) => a - b)
        .map(([, { id, name, arguments: text }]) => ({
          id,
          type: "function",
          function: { name, arguments: text },
        })),
  };
}

/** Returns a streamed piece of a tool call's arguments as text. An object is returned as JSON. */
function textOf(piece: unknown): string {
  // Some providers of local models pass a decoded object.
  if (typeof piece === "string") return piece;
  return piece === undefined || piece === null ? "" : (JSON.stringify(piece) ?? "");
}
