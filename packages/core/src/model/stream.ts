import type { ContentPart, ReasoningPart } from "@jaf/memory";
import { onAbort } from "@jaf/memory/internal";
import { abortable } from "../limits/abort.ts";
import type { ModelCompletion, ModelStreamChunk, ModelToolCall } from "./completion.ts";
import { isObject } from "./reply-tool-calls.ts";

interface StreamOptions {
  readonly signal: AbortSignal | undefined;
  readonly onText: (text: string) => void;
  readonly onReasoning?: (text: string) => void;
  readonly onPart?: (part: ContentPart) => void;
  /** Told of each piece, whatever it is. */
  readonly onChunk?: () => void;
}

/** A stream that stopped before its `done`: what came so far is not the whole reply. */
class TruncatedStream extends Error {
  override readonly name = "TruncatedStream";
  readonly code = "ECONNRESET";
  constructor() {
    super("The model's stream ended before it was done");
  }
}

/**
 * Reads a stream to its end. Where it ends with a whole message, that is the reply, and the pieces were for those who watch.
 * Throws what the stream throws, {@link TruncatedStream}, or that the signal was aborted.
 */
export async function collectStream(
  stream: AsyncIterable<ModelStreamChunk>,
  { signal, onChunk, ...watchers }: StreamOptions,
): Promise<ModelCompletion> {
  const reply = collectReply(watchers);
  const chunks = stream[Symbol.asyncIterator]();
  // Keeps the one listener of all that waits for the signal: to add and remove it costs more than a piece itself.
  const stopListening = signal && onAbort(signal, () => {});
  try {
    for (;;) {
      const next = await abortable(chunks.next(), signal);
      onChunk?.();
      if (next.done === true) throw new TruncatedStream();
      const completion = reply.add(next.value);
      if (completion !== undefined) return completion;
    }
  } finally {
    stopListening?.();
    // Not awaited: a generator that hangs in its own `await` would hold up an abort.
    void close(chunks);
  }
}

/** Untrusted, hence lenient: providers invent types of chunks, and some send a delta without text. */
function collectReply({ onText, onReasoning, onPart }: Omit<StreamOptions, "signal" | "onChunk">) {
  const content = collectContent();
  const calls = collectCalls();
  /** The reply, once it is done. */
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
        const begun = calls.add(chunk);
        if (begun !== undefined) content.addCall(begun);
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
    // The reply is there, or the failure that matters is: that of the stream.
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

/** The content of a streamed reply, put together in the order in which its pieces come. */
interface StreamedContent {
  readonly addText: (text: string) => void;
  /** Pieces in a row are one part, unless their `id` changes. */
  readonly addReasoning: (text: string, id: string | undefined) => void;
  readonly addPart: (part: ContentPart) => void;
  /** A call begins here. */
  readonly addCall: (index: number) => void;
  /** The text, if that is all there is; else the parts, with the places of the calls that stand between them. */
  readonly toContent: (idOfCall: (index: number) => string) => string | readonly ContentPart[];
}

type Piece =
  // Joined at the end: a text that grows piece by piece is a chain of strings, which weighs more than its pieces.
  | { readonly kind: "text"; readonly texts: string[] }
  | { readonly kind: "reasoning"; readonly texts: string[]; readonly id: string | undefined }
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
      if (last?.kind === "text") last.texts.push(text);
      else add({ kind: "text", texts: [text] });
    },
    addReasoning: (text, id) => {
      if (last?.kind === "reasoning" && last.id === id) last.texts.push(text);
      else add({ kind: "reasoning", texts: [text], id });
    },
    addPart: (part) => add({ kind: "part", part }),
    addCall: (index) => add({ kind: "call", index }),
    toContent: (idOfCall) => {
      if (!hasParts)
        return pieces.map((piece) => (piece.kind === "text" ? piece.texts.join("") : "")).join("");
      // Calls after the last part need no placeholder.
      const end = pieces.findLastIndex(({ kind }) => kind !== "call") + 1;
      return pieces.slice(0, end).map((piece) => partOf(piece, idOfCall));
    },
  };
}

function partOf(piece: Piece, idOfCall: (index: number) => string): ContentPart {
  switch (piece.kind) {
    case "text":
      return { type: "text", text: piece.texts.join("") };
    case "reasoning":
      return reasoningPart(piece.texts.join(""), piece.id);
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
}

/** The tool calls of a streamed reply, put together from their pieces. */
interface PartialCalls {
  /** The index of the call, if this is its first piece. */
  readonly add: (delta: CallDelta) => number | undefined;
  /** `""` where no piece has named it. */
  readonly idOf: (index: number) => string;
  /** In the order of their indices. */
  readonly toCalls: () => readonly ModelToolCall[];
}

function collectCalls(): PartialCalls {
  const calls = new Map<number, PartialCall>();
  const indexById = new Map<string, number>();
  let last = 0;
  let next = 0;

  const indexOf = ({ index, id }: CallDelta): number => {
    if (typeof index === "number") return index;
    if (typeof id !== "string" || id === "") return last;
    return indexById.get(id) ?? next;
  };

  return {
    add: (delta) => {
      const index = indexOf(delta);
      const known = calls.get(index);
      const call = known ?? { id: "", name: "", arguments: "" };
      // Providers repeat an empty id and name in later pieces, so those never overwrite.
      call.id ||= delta.id ?? "";
      call.name ||= delta.name ?? "";
      call.arguments += textOf(delta.arguments);
      calls.set(index, call);
      if (call.id !== "" && !indexById.has(call.id)) indexById.set(call.id, index);
      last = index;
      next = Math.max(next, index + 1);
      return known === undefined ? index : undefined;
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

/** Adapters of local models hand over the decoded object. */
function textOf(piece: unknown): string {
  if (typeof piece === "string") return piece;
  return piece === undefined || piece === null ? "" : (JSON.stringify(piece) ?? "");
}
