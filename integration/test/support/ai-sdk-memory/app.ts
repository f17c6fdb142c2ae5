/** A process of an application of the AI SDK with a scripted model. Prints what it has to tell as lines of JSON. */
import { once } from "node:events";
import { keepStreams, loadUIMessages, storeUIMessages, takeMessage } from "@jaf/ai-sdk/memory";
import { MemoryCallError } from "@jaf/memory";
import { convertToModelMessages, streamText, type UIMessage } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { openStores, taskSchema } from "./task.ts";

const task = taskSchema.parse(JSON.parse(process.argv[2] ?? ""));
const { provider, log, close } = await openStores(task);
const { conversationId, userId, text } = task;
const chatOf = () => ({ provider, conversationId, userId });
const streams = keepStreams({ log });
const tell = (line: unknown) => console.log(JSON.stringify(line));
const said = (id: string): UIMessage => ({ id, role: "user", parts: [{ type: "text", text: id }] });
const reply = (id: string, words: string): UIMessage => ({
  id,
  role: "assistant",
  parts: [{ type: "text", text: words }],
});

/** Returns why a save failed, or `"stored"`. */
const outcomeOf = (save: Promise<unknown>): Promise<string> =>
  save.then(
    () => "stored",
    (error: unknown) => {
      if (!(error instanceof MemoryCallError)) throw error;
      return "reason" in error.memoryError ? error.memoryError.reason : error.memoryError._tag;
    },
  );

/** Says how many messages the model got. Doesn't end if the user's text is `"slow"`, until it is aborted. */
const model = new MockLanguageModelV3({
  doStream: async ({ prompt, abortSignal }) => ({
    stream: new ReadableStream({
      start: (controller) => {
        const chunks = [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: `Read ${prompt.length}` },
        ] as const;
        for (const chunk of chunks) controller.enqueue({ ...chunk } as never);
        if (task.kind === "slow") {
          abortSignal?.addEventListener("abort", () => controller.error(abortSignal.reason));
          return;
        }
        const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
        controller.enqueue({ type: "text-end", id: "t" });
        controller.enqueue({ type: "finish", finishReason: { unified: "stop" }, usage } as never);
        controller.close();
      },
    }),
  }),
});

let kept: Promise<void> | undefined;

function answer(message: UIMessage): Promise<Response> {
  const chat = chatOf();
  return streams.begin(chat, async ({ signal, keep }) => {
    const messages = await takeMessage(chat, message);
    const prompt = await convertToModelMessages(messages, { ignoreIncompleteToolCalls: true });
    const result = streamText({ model, messages: prompt, abortSignal: signal });
    return result.toUIMessageStreamResponse({
      originalMessages: messages,
      generateMessageId: () => crypto.randomUUID(),
      consumeSseStream: (given) => {
        kept = keep(given);
      },
      onFinish: async (end) => void (await storeUIMessages(chat, end.messages)),
    });
  });
}

switch (task.kind) {
  case "turn":
  case "slow": {
    const response = await answer(said(text));
    tell("answering");
    tell(await response.text());
    break;
  }
  case "stop": {
    const resumed = await streams.resume(chatOf());
    const reader = resumed.body?.getReader();
    tell(new TextDecoder().decode((await reader?.read())?.value));
    tell(await streams.stop(chatOf()));
    while ((await reader?.read())?.done === false);
    break;
  }
  case "late": {
    const chat = chatOf();
    const messages = await takeMessage(chat, said(text));
    tell("waiting");
    await once(process.stdin, "data");
    tell(await outcomeOf(storeUIMessages(chat, [...messages, reply("late", "late")])));
    tell((await loadUIMessages(chatOf())).length);
    process.stdin.destroy();
    break;
  }
  case "append":
  case "replace": {
    const saves = Array.from({ length: 20 }, (_, index) =>
      task.kind === "append"
        ? outcomeOf(storeUIMessages(chatOf(), [said(`${text}-${index}`)]))
        : outcomeOf(storeUIMessages(chatOf(), [reply("shared", `${text}-${index}`)])),
    );
    tell(await Promise.all(saves));
  }
}
await kept;
await close();
