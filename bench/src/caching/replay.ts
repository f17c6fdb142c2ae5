import { createAnthropicProvider } from "@jaf/anthropic";
import { type Agent, createRunState, createTool, type RemembersSpec, type RunConfig, run } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { estimateTokens } from "@jaf/memory/history";
import { MemoryUserMemory } from "@jaf/user-memory";
import * as z from "zod";
import { type Coverage, type PromptBody, watchCoverage } from "./coverage.ts";
import { LAST, type RecordedConversation, type Step } from "./recorded.ts";

export interface Setup {
  readonly placement: NonNullable<RemembersSpec["injectPlacement"]>;
  readonly window: NonNullable<RunConfig<unknown>["memory"]>["window"];
}

export interface Replayed {
  /** Of each call after the conversation's first. */
  readonly calls: readonly Coverage[];
  /** Of each turn, the facts that its prompts had. */
  readonly facts: readonly string[];
}

/** The tokens of instructions and tools together. */
const FRONT = 3_000;
const INSTRUCTIONS = 1_000;

/** Facts are what users of as many other conversations said. */
const OTHERS = 3;

/** Replays a conversation through the engine, turn by turn, with the recorded replies and results. */
export async function replay(
  all: readonly RecordedConversation[],
  index: number,
  { placement, window }: Setup,
): Promise<Replayed> {
  const conversation = all[index] as RecordedConversation;
  const userMemory = await memoryOf(all, index);
  const observe = watchCoverage();
  const calls: Coverage[] = [];
  const shown: string[] = [];
  let steps: Step[] = [];
  const modelProvider = createAnthropicProvider({
    apiKey: "none",
    model: "claude-sonnet-4-5",
    fetch: async (_, init) => {
      const body = JSON.parse(String(init?.body)) as PromptBody;
      const step = steps.shift();
      if (step === undefined) throw new Error("More calls than were recorded");
      const coverage = observe(body);
      if (step !== LAST) calls.push(coverage);
      shown.push(/<user-memory>.*<\/user-memory>/s.exec(JSON.stringify(body))?.[0] ?? "");
      return Response.json(replyOf(step));
    },
  });
  const agent = agentFor(all, conversation);
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([["support", agent]]),
    modelProvider,
    modelRetry: { maxAttempts: 1 },
    userMemory,
    remembers: { user: "user", injectPlacement: placement },
    conversationId: conversation.id,
    memory: {
      provider: createInMemoryProvider(),
      autoStore: true,
      userId: "user",
      ...(window === undefined ? {} : { window }),
    },
  };
  const blocks: string[] = [];
  for (const turn of conversation.turns) {
    steps = [...turn.steps];
    const messages = [{ role: "user", content: turn.said }] as const;
    const state = createRunState({ agentName: "support", context: {}, messages });
    const { outcome } = await run(state, config);
    if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
    blocks.push(shown.at(-1) ?? "");
  }
  return { calls: calls.slice(1), facts: blocks };
}

async function memoryOf(all: readonly RecordedConversation[], index: number): Promise<MemoryUserMemory> {
  const memory = new MemoryUserMemory();
  for (let next = 1; next <= OTHERS; next++) {
    const other = all[(index + next) % all.length] as RecordedConversation;
    for (const { said } of other.turns) {
      if (said.length > 20 && !said.startsWith("###")) await memory.remember("user", said.slice(0, 300));
    }
  }
  return memory;
}

/** An agent with the tools of all recordings, that answer as recorded. */
function agentFor(
  all: readonly RecordedConversation[],
  { results }: RecordedConversation,
): Agent<unknown, string> {
  const names = new Set(
    all
      .flatMap(({ turns }) => turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls)))
      .map(({ name }) => name),
  );
  const each = (FRONT - INSTRUCTIONS) / names.size - 40;
  const resultOf = (id = ""): string => {
    const result = results.get(id);
    if (result === undefined) throw new Error(`No result is recorded for ${id}`);
    return result;
  };
  return {
    name: "support",
    instructions: filler("You are a support agent of an airline.", INSTRUCTIONS),
    tools: [...names].map((name) =>
      createTool({
        name,
        description: filler(`${name.replaceAll("_", " ")}.`, each),
        parameters: z.looseObject({}),
        execute: async (_args, _context, call) => resultOf(call?.toolCallId),
      }),
    ),
    cacheable: { instructions: true, tools: true, messages: "all" },
  };
}

function filler(text: string, tokens: number): string {
  let filled = text;
  while (estimateTokens(filled) < tokens) filled += " Follow the policy of the airline.";
  return filled;
}

function replyOf({ text, calls }: Step) {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}
