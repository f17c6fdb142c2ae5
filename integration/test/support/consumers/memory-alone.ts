import { loadUIMessages, storeUIMessages } from "@jaf/ai-sdk/memory";
import { userMemoryMiddleware, userMemoryTools } from "@jaf/ai-sdk/user-memory";
import { createInMemoryProvider } from "@jaf/memory";
import { MemoryUserMemory, type UserMemory } from "@jaf/user-memory";
import { generateText, type LanguageModelMiddleware, type UIMessage, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";

/** An application of the AI SDK that remembers by JAF's packages, and has no engine of JAF. Prints what it has seen. */

const model = new MockLanguageModelV3({
  doGenerate: async () => ({
    content: [{ type: "text", text: "Noted." }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }),
});
const memory = new MemoryUserMemory();
const facts: UserMemory = memory;
await facts.remember("ada", "Lives in Oslo");
const middleware: LanguageModelMiddleware = userMemoryMiddleware({ memory, user: "ada", learn: "verbatim" });
const tools = userMemoryTools({ memory, user: "ada" });
const remembering = wrapLanguageModel({ model, middleware });
await generateText({ model: remembering, tools, prompt: "My favourite fruit is the quince." });
await memory.drain();
await generateText({
  model: remembering,
  tools,
  prompt: "Where do I live, and which fruit is my favourite?",
});

const chat = { provider: createInMemoryProvider(), conversationId: "alone", userId: "ada" };
const said: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: "Hello 🌞" }] };
await storeUIMessages(chat, [said]);
console.log(
  JSON.stringify({
    recalled: (await facts.recall("ada", "Where does the user live?")).map(({ fact }) => fact).slice(0, 1),
    instructions: ["Oslo", "quince"].filter((word) =>
      JSON.stringify(model.doGenerateCalls[1]?.prompt[0]).includes(word),
    ),
    tools: Object.keys(tools),
    messages: await loadUIMessages<UIMessage>(chat),
  }),
);
