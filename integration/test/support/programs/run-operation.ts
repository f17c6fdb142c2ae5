import {
  type Agent,
  createRunId,
  createRunState,
  createTool,
  createTraceId,
  type JAFError,
  type Message,
  type ModelProvider,
  type RunConfig,
  run,
} from "@jaf/core";
import * as z from "zod";
import type { Mortal } from "../crash/saboteur.ts";
import { now } from "./history.ts";
import type { Attempt } from "./operations.ts";
import type { OperationOf } from "./program.ts";
import { defined } from "./readings.ts";
import type { Tell } from "./recorder.ts";
import { questionOf, tokenOf } from "./texts.ts";

export interface RunAttempt extends Attempt {
  readonly mortal: Mortal;
  readonly tell: Tell;
  readonly tick: () => Promise<void>;
  readonly leaseMs: number;
}

const AGENT = "payer";
const QUEUE_TIMEOUT_MS = 400;

/** Returns texts that are unique across processes. */
function counterOf({ program, place }: Attempt) {
  let count = 0;
  const name = tokenOf(program.seed, place);
  return (what: "reply" | "result") => `${name} ${what} ${place.attempt}.${++count}`;
}

/** A payment. Only its idempotency key prevents a second one. */
const payingTool = ({ place, mortal, tell }: RunAttempt, conversationId: string, text: () => string) =>
  createTool({
    name: "pay",
    description: "",
    parameters: z.object({}),
    execute: (_args, _context, call) => {
      const paid = mortal.call({ label: "pay", on: "tool" }, async () => {
        const { idempotencyKey = "" } = call ?? {};
        tell({ type: "use", use: { place, conversationId, idempotencyKey, at: now() } });
        return text();
      });
      return paid.catch((thrown: unknown) => {
        // A failure that the model receives is a normal result.
        if (mortal.signal.aborted) throw thrown;
        return text();
      });
    },
  });

/** The replies with a tool call since the last user message. */
/** Longer than the longest turn of a run. */
const WINDOW = { maxMessages: 6 };

const toolTurnsIn = (messages: readonly Message[]): number =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "user") + 1)
    .filter(({ tool_calls: calls }) => (calls?.length ?? 0) > 0).length;

function modelOf(
  { mortal, tick }: RunAttempt,
  { toolTurns, modelTicks }: OperationOf<"run">,
  text: () => string,
): ModelProvider<unknown> {
  return {
    getCompletion: ({ messages }) =>
      mortal.call({ label: "model", on: "model" }, async () => {
        for (let count = 0; count < modelTicks; count++) await tick();
        const content = text();
        if (toolTurnsIn(messages) >= toolTurns) return { message: { content } };
        const call = { id: content.replaceAll(/\W/g, "-"), type: "function" as const };
        return {
          message: { content, tool_calls: [{ ...call, function: { name: "pay", arguments: "{}" } }] },
        };
      }),
  };
}

/** Runs the same state repeatedly, like an application that doesn't know the outcome. */
export async function performRun(attempt: RunAttempt, operation: OperationOf<"run">): Promise<void> {
  const { program, place, store, mortal, tell, leaseMs } = attempt;
  const { durability, concurrency } = operation;
  const conversationId = program.conversationIds[operation.conversation] ?? "";
  const userId = operation.user === undefined ? undefined : program.userIds[operation.user];
  const name = tokenOf(program.seed, place);
  const text = counterOf(attempt);
  const tools = [payingTool(attempt, conversationId, () => text("result"))];
  const agent: Agent<unknown, string> = { name: AGENT, instructions: () => "", tools };
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([[AGENT, agent]]),
    modelProvider: modelOf(attempt, operation, () => text("reply")),
    modelRetry: { baseDelayMs: 0 },
    signal: mortal.signal,
    conversationId,
    memory: {
      ...{ provider: store, autoStore: true, durability, concurrency, leaseMs },
      queueTimeoutMs: QUEUE_TIMEOUT_MS,
      ...defined({ userId }),
      // So half of the programs read only the end of a conversation.
      ...(program.seed % 2 === 0 ? { window: WINDOW } : {}),
    },
  };
  const state = createRunState<unknown>({
    agentName: AGENT,
    context: {},
    messages: [{ role: "user", content: questionOf(name) }],
    runId: createRunId(`run ${name}`),
    traceId: createTraceId(`trace ${name}`),
  });
  const begin = now();
  const { outcome } = await run(state, config);
  if (mortal.signal.aborted) return; // A dead process reports nothing.
  const ended = { place, conversationId, ...defined({ userId }), begin, end: now() };
  const told =
    outcome.status === "completed"
      ? { outcome: outcome.status, output: String(outcome.output) }
      : { outcome: describe(outcome.error) };
  tell({ type: "run", run: { ...ended, ...told } });
}

function describe(error: JAFError): string {
  if (error._tag !== "MemoryError")
    return error._tag === "InternalError" ? JSON.stringify(error) : error._tag;
  const { error: cause } = error;
  return cause._tag === "MemoryConflictError" ? `${cause._tag} ${cause.reason}` : cause._tag;
}
