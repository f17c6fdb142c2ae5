import type { ToolCall } from "@jaf/memory";
import { abortable } from "../engine/abort.ts";
import type { RunScope } from "../engine/scope.ts";
import type { ParsedArguments } from "../tools/arguments.ts";
import type { CallBatch, RunnableCall } from "../tools/execute-call.ts";
import { findTool, parseCall } from "../tools/execute-call.ts";
import { ToolErrorCodes, ToolResponse, type ToolResult } from "../tools/result.ts";
import { isClientTool, type Tool } from "../tools/tool.ts";
import { approvalIdOf } from "./approval-id.ts";
import type { Decisions } from "./decisions.ts";
import type { Interruption } from "./interruption.ts";
import type { Waiting } from "./waiting.ts";

/** What becomes of the calls of a reply. */
export interface SortedCalls {
  readonly run: readonly RunnableCall[];
  /** Answered without a tool of ours: by the client, or by somebody's refusal. */
  readonly answered: readonly AnsweredCall[];
  readonly waiting: readonly Interruption[];
}

export interface AnsweredCall {
  readonly call: ToolCall;
  readonly result: string | ToolResult;
  /** The message of what the tool's own `needsApproval` threw. */
  readonly thrown?: string;
}

export interface SortOptions {
  readonly decisions: Decisions;
  readonly waiting: Waiting;
}

type Sorted =
  | { readonly to: "run"; readonly parsed: ParsedArguments }
  | { readonly to: "answered"; readonly answer: AnsweredCall }
  | { readonly to: "waiting"; readonly interruption: Interruption };

/** In call order. Rejects when the run is aborted meanwhile. */
export async function sortCalls<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  options: SortOptions,
): Promise<SortedCalls> {
  const sorted = { run: [] as RunnableCall[], answered: [] as AnsweredCall[], waiting: [] as Interruption[] };
  for (const call of batch.calls) {
    const tool = findTool(batch, call.function.name);
    if (tool === undefined || !mayWait(tool)) {
      sorted.run.push({ call });
      continue;
    }
    const where = await abortable(sortCall(batch, { call, tool }, options), scope.config.signal);
    if (where.to === "run") sorted.run.push({ call, parsed: where.parsed });
    else if (where.to === "answered") sorted.answered.push(where.answer);
    else sorted.waiting.push(where.interruption);
  }
  return sorted;
}

// biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

const mayWait = <Ctx>(tool: AnyTool<Ctx>): boolean =>
  isClientTool(tool) || (tool.needsApproval !== undefined && tool.needsApproval !== false);

async function sortCall<Ctx>(
  batch: CallBatch<Ctx>,
  { call, tool }: { readonly call: ToolCall; readonly tool: AnyTool<Ctx> },
  { decisions, waiting }: SortOptions,
): Promise<Sorted> {
  const parsed = await parseCall(tool, call);
  if (!parsed.ok) return { to: "run", parsed }; // Which answers it with what is wrong.
  const asked = {
    toolCallId: call.id,
    toolName: call.function.name,
    args: parsed.args,
    arguments: call.function.arguments,
    agentName: batch.agentName,
  };
  if (isClientTool(tool)) {
    const result = decisions.results.get(call.id);
    return result === undefined
      ? { to: "waiting", interruption: { type: "client_tool", ...asked } }
      : { to: "answered", answer: { call, result } };
  }
  if (decisions.approved.has(call.id)) return { to: "run", parsed };
  if (decisions.rejected.has(call.id)) {
    return { to: "answered", answer: { call, result: rejection(decisions.rejected.get(call.id)) } };
  }
  const needed = await needsApproval(tool, parsed.args, batch.context);
  if (needed === false) return { to: "run", parsed };
  if (needed !== true) return { to: "answered", answer: { call, ...needed } };
  const { expiresAt } = waiting.note;
  return {
    to: "waiting",
    interruption: {
      type: "approval",
      ...asked,
      approvalId: approvalIdOf({ ...waiting.place, round: waiting.note.round }, call),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
    },
  };
}

/** Whatever isn't plainly no is yes; what throws is neither, and the call isn't made. */
async function needsApproval<Ctx>(
  { needsApproval }: AnyTool<Ctx>,
  args: unknown,
  context: Readonly<Ctx>,
): Promise<boolean | { readonly result: ToolResult; readonly thrown: string }> {
  if (typeof needsApproval !== "function") return needsApproval !== undefined && needsApproval !== false;
  try {
    return (await needsApproval(args, context)) !== false;
  } catch (failure) {
    const thrown = failure instanceof Error ? failure.message : "it threw something that is no Error";
    return { result: ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, thrown), thrown };
  }
}

const rejection = (reason: string | undefined): ToolResult =>
  ToolResponse.permissionDenied(
    reason === undefined ? "The call was not approved." : `The call was not approved: ${reason}`,
  );
