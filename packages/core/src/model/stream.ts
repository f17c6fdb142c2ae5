import type { ContentPart } from "@jaf/memory";
import { onAbort } from "@jaf/memory/engine";
import { abortable } from "../timing/abort.ts";
import type { ModelCompletion, ModelStreamChunk } from "./completion.ts";
import { collectCalls } from "./partial-calls.ts";
import { isObject } from "./reply-content.ts";
import { collectContent } from "./streamed-content.ts";

interface StreamOptions {
  readonly signal: AbortSignal | undefined;
  readonly onText: (text: string) => void;
  readonly onReasoning?: (text: string) => void;
  readonly onPart?: (part: ContentPart) => void;
  /** Told of each piece, whatever it is. */
  readonly onChunk?: () => void;
}

/** A stream that stopped before its `done`: what came so far is not the whole reply. */
export class TruncatedStream extends Error {
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
