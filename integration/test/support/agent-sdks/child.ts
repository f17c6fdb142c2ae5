import { foldSessionSummary } from "@anthropic-ai/claude-agent-sdk";
import { createSessionStore } from "@jaf/claude-agent";
import { createSession } from "@jaf/openai-agents";
import { Agent, type AgentInputItem, run, setTracingDisabled, tool } from "@openai/agents-core";
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from "@openai/agents-core/testing";
import * as z from "zod";
import { openPlace, placeSchema, type TaskName, taskSchema } from "./place.ts";

/** A forked process of an application with both SDKs. It does what its parent asks, one task after another. */

const provider = await openPlace(placeSchema.parse(JSON.parse(process.argv[2] ?? "")));
setTracingDisabled(true);

const openSession = (conversationId: string) => createSession({ provider, conversationId, userId: "ada" });
const sessionStore = createSessionStore({ provider, userId: "ada", foldSessionSummary });
const key = { projectKey: "app", sessionId: "session-1" };

const pay = tool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({}),
  needsApproval: true,
  execute: async () => "paid",
});

/** An agent whose model pays once, and otherwise says how many items it was given. */
const agent = new Agent({
  name: "Helper",
  tools: [pay],
  model: new ScriptedModel(
    Array.from({ length: 20 }, () =>
      modelResponder(({ request: { input } }) => {
        const last = typeof input === "string" ? undefined : input.at(-1);
        return last !== undefined && "role" in last && last.role === "user" && last.content === "Pay"
          ? [functionCall("pay", {}, { callId: `call-${process.pid}` })]
          : [assistantMessage(`${input.length} items`)];
      }),
    ),
  ),
});

const twenty = (text: string) => Array.from({ length: 20 }, (_, index) => `${text}-${index}`);
const call = (callId: string): AgentInputItem[] => [
  { type: "message", role: "user", content: callId },
  { type: "function_call", callId, name: "pay", arguments: "{}" },
  { type: "function_call_result", callId, name: "pay", status: "completed", output: "paid" },
];

const tasks: Readonly<Record<TaskName, (text: string) => Promise<unknown>>> = {
  ask: async (text) => (await run(agent, text, { session: openSession("conv-1") })).finalOutput,
  interrupt: async (text) => {
    const session = openSession("conv-1");
    const { state, interruptions } = await run(agent, text, { session });
    await session.storeRunState(state);
    return interruptions.length;
  },
  resume: async () => {
    const session = openSession("conv-1");
    const state = await session.takeRunState(agent);
    if (state === undefined) return "taken";
    for (const interruption of state.getInterruptions()) state.approve(interruption);
    return (await run(agent, state, { session })).finalOutput;
  },
  // The user is erased while the model answers.
  lateAsk: async (text) => {
    const slow = agent.clone({
      model: new ScriptedModel([
        modelResponder(async () => {
          await provider.clearUserConversations("ada");
          return [assistantMessage("late")];
        }),
      ]),
    });
    return run(slow, text, { session: openSession("conv-1") }).then(
      ({ finalOutput }) => finalOutput,
      (error: Error) => error.name,
    );
  },
  addItems: (text) => Promise.all(twenty(text).map((id) => openSession("conv-2").addItems(call(id)))),
  appendEntries: (text) =>
    Promise.all(
      twenty(text).map((uuid) =>
        sessionStore.append(key, [
          { type: "user", uuid, message: { role: "user", content: uuid } },
          { type: "custom-title", customTitle: uuid },
        ]),
      ),
    ),
  loadEntries: async () => (await sessionStore.load(key))?.length ?? 0,
};

process.on("message", async (message) => {
  const { id, name, text } = taskSchema.parse(message);
  const answer = await tasks[name](text).catch((error: unknown) => `failed: ${error}`);
  process.send?.({ id, answer: String(answer) });
});
process.send?.({ id: 0, answer: "ready" });
