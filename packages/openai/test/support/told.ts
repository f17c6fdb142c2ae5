import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { startService } from "../../../../test/fakes/service.ts";
import { configOf, says } from "../../../../test/models/run.ts";
import type { RecordedReply, Recording } from "../../../../test/recordings/recording.ts";
import type { RecordedApi } from "../../../../test/recordings/replay.ts";

/** Asks for a recorded reply, in one piece and as a stream. */
async function asked(
  api: RecordedApi,
  { agent, options, model }: Recording,
  { whole, events }: RecordedReply,
) {
  const service = await startService({
    answer: ({ path, body }) =>
      api.isStreamed(path, body)
        ? {
            kind: "stream",
            events: [],
            end: events
              .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
              .join(""),
          }
        : { kind: "json", body: whole as never },
    errorBody: ({ message }) => ({ error: { message } }),
  });
  onTestFinished(service.close);
  const provider = api.provider(service.url, { ...options, model });
  const { config } = configOf(provider, { tools: [], ...agent });
  const [helper] = config.agentRegistry.values();
  const request = [says("Hi"), helper as never, config] as const;
  const completion = await provider.getCompletion(...request);
  const chunks: ModelStreamChunk[] = [];
  for await (const chunk of provider.getCompletionStream?.(...request) ?? []) chunks.push(chunk);
  return { completion, chunks };
}

type Calls = Map<unknown, { id?: string; name?: string; text: string }>;

/** What the chunks of a stream tell before its end. */
function toldBy(chunks: readonly ModelStreamChunk[]) {
  let text = "";
  const parts: ContentPart[] = [];
  const calls: Calls = new Map();
  for (const chunk of chunks) {
    if (chunk.type === "text_delta") text += chunk.text;
    if (chunk.type === "part") parts.push(chunk.part);
    if (chunk.type !== "tool_call_delta") continue;
    const { index, id, name, arguments: piece = "" } = chunk;
    const call = calls.get(index ?? id) ?? { text: "" };
    calls.set(index ?? id, {
      ...{ ...call, text: call.text + piece },
      ...(id === undefined ? {} : { id }),
      ...(name === undefined ? {} : { name }),
    });
  }
  return { text, parts: parts.map(shown).toSorted(), calls: [...calls.values()] };
}

/** What a stream has to tell of a reply. */
function toTell({ message }: ModelCompletion) {
  const content = message?.content ?? [];
  const parts = typeof content === "string" ? [] : content;
  return {
    text: messageText({ role: "assistant", content: content as never }).replaceAll("\n", ""),
    parts: parts
      .filter(({ type }) => !IN_PIECES.has(type))
      .map(shown)
      .toSorted(),
    calls: (message?.tool_calls ?? []).map(({ id, function: called, custom }) => ({
      ...(id === "" ? {} : { id }),
      ...{ name: called?.name ?? custom?.name, text: called?.arguments ?? custom?.input },
    })),
  };
}

const IN_PIECES: ReadonlySet<string> = new Set(["text", "reasoning", "tool-call", "thinking"]);

const shown = (part: ContentPart): string => {
  const { providerMetadata: _, ...rest } = part;
  return JSON.stringify(Object.entries(rest).toSorted());
};

/** The fields that say something. Services leave out the others in their streams. */
const filled = (message: object): object =>
  Object.fromEntries(
    Object.entries(message).filter(([, value]) => ![null, ""].includes(value) && String(value) !== ""),
  );

/** Compares each recorded stream with the same reply in one piece. */
export function describeToldStreams(api: RecordedApi, recordings: readonly Recording[]): void {
  describe("a recorded stream", () => {
    it.each(
      recordings
        .filter(({ outcome }) => outcome.status !== "error")
        .map((each) => [`${each.feature}: ${each.name}`, each] as const),
    )("tells each piece of its reply once: %s", async (_, recording) => {
      for (const reply of recording.replies) {
        const { completion, chunks } = await asked(api, recording, reply);
        expect(toldBy(chunks)).toEqual(toTell(completion));
        expect(chunks.at(-1)).toMatchObject({ type: "done", message: filled(completion.message ?? {}) });
      }
    });
  });
}
