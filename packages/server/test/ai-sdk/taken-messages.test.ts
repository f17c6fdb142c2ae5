import { createTool, type ModelProvider, runInbox } from "@jaf/core";
import { toEntryContent } from "@jaf/core/internal";
import { createInMemoryInbox, createInMemoryProvider } from "@jaf/memory";
import { DefaultChatTransport, type UIMessage } from "ai";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createServerApp } from "../../src/index.ts";
import { HeadlessChat } from "../support/headless-chat.ts";
import { clerk, createPausingModel, createScriptedModel } from "../support/turn-fixtures.ts";

const API = "http://localhost/ai-sdk/chat";

/** A chat whose turn takes a message from the inbox, and then waits in the middle of its reply. */
async function steeredChat() {
  const inbox = createInMemoryInbox();
  const work = createTool({
    name: "work",
    description: "Works",
    parameters: z.object({}),
    execute: async (_args, _context, call) => {
      const content = toEntryContent({ content: "Make it short." });
      const conversationId = call?.turn.conversationId ?? "";
      await inbox.put({ conversationId, userId: "ada", key: "m-1", content });
      return "worked";
    },
  });
  const calling = createScriptedModel([{ toolCalls: [{ name: "work" }] }]);
  const { model: pausing, go } = createPausingModel(["Sh"], ["ort."]);
  const modelProvider: ModelProvider<unknown> = {
    ...pausing,
    getCompletionStream: (...request) => {
      const { getCompletionStream: next = calling.getCompletionStream } = pausing;
      return request[0].messages.length === 1 ? calling.getCompletionStream(...request) : next(...request);
    },
  };
  const app = await createServerApp<unknown>(
    [{ ...clerk, tools: [work] }],
    { modelProvider, memory: { inbox: runInbox(inbox) } },
    {
      defaultMemoryProvider: createInMemoryProvider(),
      authenticate: () => ({ userId: "ada" }),
      context: () => ({}),
    },
  );
  onTestFinished(async () => void (await app.close()));
  const fetchApp = async (input: Parameters<typeof fetch>[0], init?: RequestInit) =>
    app.fetch(new Request(input, init));
  const transport = new DefaultChatTransport({ api: API, fetch: fetchApp });
  const load = async (): Promise<UIMessage[]> => {
    const response = await fetchApp(`${API}/c/messages`);
    const schema = z.object({ data: z.object({ messages: z.array(z.custom<UIMessage>()) }) });
    return schema.parse(await response.json()).data.messages;
  };
  const chatOf = (messages: UIMessage[] = []) => new HeadlessChat({ id: "c", transport, messages });
  return { chatOf, load, go };
}

const shown = (messages: readonly UIMessage[]) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.flatMap((part) =>
      part.type === "text" ? [part.text] : part.type === "step-start" ? [] : [part.type],
    ),
  ]);

test("a page shows once what a running turn took, whether it sent the message or is opened meanwhile", async () => {
  const { chatOf, load, go } = await steeredChat();
  const chat = chatOf();
  const sending = chat.sendMessage({ text: "Hi" });
  const taken = ["assistant", "tool-work", "data-jafInput"];
  await expect
    .poll(() => shown(chat.messages))
    .toEqual([
      ["user", "Hi"],
      [...taken, "Sh"],
    ]);
  const later = chatOf(await load());
  const resuming = later.resumeStream();
  await expect
    .poll(() => shown(later.messages))
    .toEqual([
      ["user", "Hi"],
      [...taken, "Sh"],
    ]);
  go();
  await Promise.all([sending, resuming]);
  for (const { messages } of [chat, later])
    expect(shown(messages)).toEqual([
      ["user", "Hi"],
      [...taken, "Short."],
    ]);
  expect(shown(await load())).toEqual([
    ["user", "Hi"],
    ["assistant", "tool-work"],
    ["user", "Make it short."],
    ["assistant", "Short."],
  ]);
});
