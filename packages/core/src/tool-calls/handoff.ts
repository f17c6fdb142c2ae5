import { present } from "@jaf/memory/internal";
import * as z from "zod";
import type { JAFError } from "../errors.ts";
import { abortable } from "../limits/abort.ts";
import type { RunScope } from "../run-scope.ts";
import { ToolErrorCodes, ToolResponse, type ToolResult } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";
import { type ToolContent, toAnswer, traceToolCall } from "./answer.ts";
import { parseCall } from "./arguments.ts";
import type { CallBatch, RunnableCall } from "./execute-call.ts";
import { isRunByProvider } from "./provider-tool.ts";

/** Marks a tool as the handoff tool, which the engine executes itself. Copies of the tool keep the mark. */
const HANDOFF = Symbol.for("@jaf/core/handoff");

const handoffArguments = z.object({
  agentName: z.string().min(1).describe("The name of the agent to hand the conversation to"),
  message: z.string().optional().describe("What the next agent should know or do"),
});

/** The arguments of {@link handoffTool}: the registry key of the next agent, and an optional message for that agent. */
export type HandoffArguments = z.output<typeof handoffArguments>;

const schema: Tool<HandoffArguments, unknown>["schema"] = {
  name: "handoff",
  description: "Hand the conversation to another agent that is better suited to go on with it.",
  parameters: handoffArguments,
};

const execute: Tool<HandoffArguments, unknown>["execute"] = async () =>
  ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, "A handoff is only possible inside a run.");

/**
 * The tool with which an agent hands the conversation over to one of the agents in its `handoffs`. The run continues
 * with the chosen agent.
 *
 * To change the tool's name or description, copy the tool: `{ ...handoffTool, schema: { ...handoffTool.schema, name:
 * "transfer" } }`.
 *
 * @example
 * ```ts
 * import { type Agent, handoffTool } from "@jaf/core";
 *
 * const front: Agent<object, string> = {
 *   name: "front",
 *   instructions: "Hand over questions about bills to billing.",
 *   tools: [handoffTool],
 *   handoffs: ["billing"],
 * };
 * const billing: Agent<object, string> = { name: "billing", instructions: "Answer questions about bills." };
 * export const agentRegistry = new Map([front, billing].map((agent) => [agent.name, agent]));
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: fits agents of every context
export const handoffTool: Tool<HandoffArguments, any> = Object.freeze({ schema, execute, [HANDOFF]: true });

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
const isHandoffTool = <Ctx>(tool: Tool<any, Ctx>): boolean => HANDOFF in tool;

export interface HandoffAnswer {
  readonly content: ToolContent;
  /** Whether the arguments of the handoff were valid. If not, a later handoff of the same reply can be made. */
  readonly understood: boolean;
  /** The registry key of the agent that gets the conversation. Absent: the handoff was refused. */
  readonly to?: string;
  readonly error?: JAFError;
}

type Denial = "not_allowed" | "not_registered" | "already_handed_off" | "awaits_provider";

interface Decision {
  readonly result: ToolResult;
  readonly to?: string;
  readonly denied?: Denial;
  readonly error?: JAFError;
}

export const isHandoff = <Ctx>({ tool }: RunnableCall<Ctx>): boolean =>
  tool !== undefined && isHandoffTool(tool);

/**
 * Answers one call of the handoff tool. Rejects if the run is aborted. `taken`: whether an earlier handoff of the same
 * reply had valid arguments.
 */
export async function answerHandoff<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  { runnable: { call, tool }, taken }: { readonly runnable: RunnableCall<Ctx>; readonly taken: boolean },
): Promise<HandoffAnswer> {
  const trace = traceToolCall(scope, call);
  const parsing = parseCall(tool, call);
  const parsed = await abortable(parsing, scope.config.signal);
  trace?.start(parsed.args);
  if (!parsed.ok) {
    const answer = toAnswer(parsed.problem);
    trace?.end(answer);
    return { content: answer.content, understood: false };
  }
  const { agentName: to } = parsed.args as HandoffArguments;
  const from = batch.agentName;
  const decision = decide(scope, batch, { to, taken });
  if (decision.denied !== undefined) {
    scope.emit?.({ type: "handoff_denied", data: { from, to, reason: decision.denied } });
  }
  const answer = toAnswer(decision.result);
  trace?.end(answer);
  if (decision.to !== undefined) scope.emit?.({ type: "handoff", data: { from, to } });
  return {
    content: answer.content,
    understood: true,
    ...present({ to: decision.to, error: decision.error }),
  };
}

function decide<Ctx>(
  { config }: RunScope<Ctx>,
  { agentName, agent, replyCalls }: CallBatch<Ctx>,
  { to, taken }: { readonly to: string; readonly taken: boolean },
): Decision {
  if (replyCalls.some(isRunByProvider)) {
    // The next agent's model provider may be another one, which can't run the approved call.
    const message =
      "The model provider answers your other call first. Hand the conversation over after that.";
    return { denied: "awaits_provider", result: ToolResponse.error(ToolErrorCodes.INVALID_INPUT, message) };
  }
  if (taken) {
    const message = "The conversation is handed off already: only the first handoff of a reply counts.";
    return {
      denied: "already_handed_off",
      result: ToolResponse.error(ToolErrorCodes.INVALID_INPUT, message),
    };
  }
  if (agent.handoffs?.includes(to) !== true) {
    return {
      denied: "not_allowed",
      result: ToolResponse.permissionDenied("A handoff to this agent is not allowed."),
      error: { _tag: "HandoffError", detail: `agent "${agentName}" can't hand off to "${to}"` },
    };
  }
  if (!config.agentRegistry.has(to)) {
    return {
      denied: "not_registered",
      result: ToolResponse.notFound("Agent", to),
      error: { _tag: "AgentNotFound", agentName: to },
    };
  }
  return { to, result: ToolResponse.success({ agentName: to }) };
}
