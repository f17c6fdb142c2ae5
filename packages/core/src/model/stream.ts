import { abortable } from "../engine/abort.ts";
import type { ModelCompletion, ModelStreamChunk, ModelToolCall, ModelUsage } from "./completion.ts";
import { collectCalls } from "./partial-calls.ts";

interface StreamOptions {
  readonly signal: AbortSignal | undefined;
  readonly onText: (text: string) => void;
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

/** Reads a stream to its end. Throws what it throws, {@link TruncatedStream}, or that the signal was aborted. */
export async function collectStream(
  stream: AsyncIterable<ModelStreamChunk>,
  { signal, onText, onChunk }: StreamOptions,
): Promise<ModelCompletion> {
  let content = "";
  const calls = collectCalls();
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await abortable(chunks.next(), signal);
      onChunk?.();
      if (next.done === true) throw new TruncatedStream();
      const chunk = next.value;
      const text = textOf(chunk);
      if (text !== "") {
        content += text;
        onText(text);
      } else if (chunk?.type === "tool_call_delta") {
        calls.add(chunk);
      } else if (chunk?.type === "done") {
        return toCompletion(content, calls.toCalls(), chunk);
      }
    }
  } finally {
    // Not awaited: a generator that hangs in its own `await` would hold up an abort.
    void close(chunks);
  }
}

async function close(chunks: AsyncIterator<ModelStreamChunk>): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The reply is there, or the failure that matters is: that of the stream.
  }
}

// Untrusted, hence lenient: providers invent chunk types, and some send a delta without text.
const textOf = (chunk: ModelStreamChunk | null | undefined): string =>
  chunk?.type === "text_delta" && typeof chunk.text === "string" ? chunk.text : "";

function toCompletion(
  content: string,
  toolCalls: readonly ModelToolCall[],
  { usage, finishReason }: { readonly usage?: ModelUsage; readonly finishReason?: string },
): ModelCompletion {
  return {
    message: { content, tool_calls: toolCalls },
    ...(usage === undefined ? {} : { usage }),
    ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
  };
}
