import { createRunState, createTool, type RunConfig, run, runStream } from "@jaf/core";
import { createInMemoryProvider, createMemoryProvider, type Message } from "@jaf/memory";
import { messageHash, tombstoneKey } from "@jaf/memory/adapter";
import { messageWindow, sanitizeConversation, validateContinuation } from "@jaf/memory/history";
import { createOpenAIProvider } from "@jaf/openai";
import * as z from "zod";

/** The program's results as JSON. They are the same in every runtime. */
export interface Account {
  readonly outputs: readonly unknown[];
  readonly deltas: string;
  readonly cacheKeys: readonly unknown[];
  readonly stored: readonly unknown[];
  readonly isContinued: boolean;
  readonly windowed: number;
  readonly hashes: readonly string[];
}

const weather = createTool({
  name: "get_weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  needsApproval: ({ city }) => city === "Paris",
  execute: ({ city }) => `Sunny in ${city}.`,
});

const call = (id: string, city: string) => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: JSON.stringify({ city }) },
});

const whole = (message: object): Response =>
  Response.json({
    choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "stop" }],
  });

function streamed(texts: readonly string[]): Response {
  const chunks = texts.map((content) => ({
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  }));
  const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const lines = [...chunks, last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return new Response(`${lines.join("")}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

/** A conversation of three stored turns: a tool, an approval and a stream. It needs no network. */
export async function converse(): Promise<Account> {
  const replies = [
    () => whole({ tool_calls: [call("call_1", "Pune")] }),
    () => whole({ content: "It is sunny in Pünē 🌞." }),
    () => whole({ tool_calls: [call("call_2", "Paris")] }),
    () => whole({ content: "In Paris, too." }),
    () => streamed(["Good", "bye", "."]),
  ];
  const cacheKeys: unknown[] = [];
  const provider = createInMemoryProvider();
  const config: RunConfig<object> = {
    agentRegistry: new Map([
      [
        "guide",
        {
          name: "guide",
          instructions: "You tell the weather.",
          tools: [weather],
          cacheable: { instructions: true },
        },
      ],
    ]),
    modelProvider: createOpenAIProvider({
      model: "gpt-test",
      apiKey: "none",
      baseURL: "https://api.openai.com/v1",
      fetch: async (_, init) => {
        cacheKeys.push(JSON.parse(String(init?.body)).prompt_cache_key);
        const reply = replies.shift();
        return reply === undefined ? new Response("no reply is left", { status: 400 }) : reply();
      },
    }),
    conversationId: "edge",
    memory: { provider, autoStore: true, userId: "ada", durability: "step" },
  };
  const says = (...contents: readonly string[]) =>
    createRunState({
      agentName: "guide",
      context: {},
      messages: contents.map((content): Message => ({ role: "user", content })),
    });
  const first = await run(says("How is the weather in Pune?"), config);
  const asked = await run(says("And in Paris?"), config);
  const pending = asked.outcome.status === "interrupted" ? asked.outcome.interruptions : [];
  const approvals = pending.flatMap((interruption) =>
    interruption.type === "approval"
      ? [{ toolCallId: interruption.toolCallId, approvalId: interruption.approvalId, approved: true }]
      : [],
  );
  const second = await run(says(), { ...config, resume: { approvals } });
  const stream = runStream(says("Bye!"), config);
  let deltas = "";
  for await (const event of stream) if (event.type === "llm_delta") deltas += event.data.text;
  const third = await stream.result;

  const read = await provider.getConversation("edge");
  const messages = read.success && read.data !== null ? read.data.messages : [];
  return {
    outputs: [first, asked, second, third].map(({ outcome }) =>
      outcome.status === "completed"
        ? outcome.output
        : outcome.status === "error"
          ? outcome.error
          : outcome.status,
    ),
    deltas,
    cacheKeys,
    stored: messages.map(({ role, content }) => [role, content]),
    isContinued: validateContinuation(messages, [...messages, { role: "user", content: "Wait." }]).ok,
    windowed: messageWindow(sanitizeConversation(messages), { maxMessages: 4 }).length,
    hashes: [messageHash("ü"), tombstoneKey("user", "ada")],
  };
}

/** The error for a backend's name in a runtime that can't resolve packages; `undefined` if it was found. */
export const refusalOfName = (type: string): Promise<string | undefined> =>
  // The configuration type of a custom backend's package isn't known here.
  createMemoryProvider({ type } as unknown as Parameters<typeof createMemoryProvider>[0]).then(
    () => undefined,
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  );
