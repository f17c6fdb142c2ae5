import type { RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/engine";
import type { RunScope } from "../engine/run-scope.ts";
import { frozenCopy, plainCopy } from "../immutable/copy.ts";
import type { Masking } from "../secrets/masking.ts";
import { abortable } from "../timing/abort.ts";
import type { ParsedArguments } from "../tools/arguments.ts";
import type { CallBatch, RunnableCall } from "../tools/execute-call.ts";
import { ToolErrorCodes, ToolResponse, type ToolResult } from "../tools/result.ts";
import { rejectedResult } from "../tools/result-text.ts";
import { isClientTool } from "../tools/tool.ts";
import { approvalIdPrefix, bindingOf } from "./approval-id.ts";
import { type JudgedArguments, type JudgedCall, judgeArguments, unboundReason } from "./bound-arguments.ts";
import {
  type AnsweredCall,
  type ClassifiedCalls,
  type ClassifyOptions,
  mayWait,
} from "./classified-calls.ts";
import type { Interruption } from "./interruption.ts";

type CallClass =
  | { readonly to: "run"; readonly parsed: ParsedArguments }
  | { readonly to: "answered"; readonly answer: AnsweredCall }
  | { readonly to: "waiting"; readonly interruption: Interruption };

/**
 * Applies the decisions to the calls that may wait: which of them run, which are answered without running, and which go on
 * waiting. The results are in call order. Rejects when the run is aborted meanwhile.
 */
export async function applyDecisions<Ctx>(
  scope: RunScope<Ctx>,
  { batch, run }: { readonly batch: CallBatch<Ctx>; readonly run: readonly RunnableCall<Ctx>[] },
  options: ClassifyOptions,
): Promise<ClassifiedCalls<Ctx>> {
  const classified = {
    run: [] as RunnableCall<Ctx>[],
    answered: [] as AnsweredCall[],
    waiting: [] as Interruption[],
    judged: new Map<RichToolCall, JudgedArguments>(),
  };
  const { signal } = scope.config;
  for (const runnable of run) {
    const { call, tool } = runnable;
    if (tool === undefined || !mayWait(tool)) {
      classified.run.push(runnable);
      continue;
    }
    const judged = options.judged?.get(call) ?? (await abortable(judgeArguments({ tool, call }), signal));
    classified.judged.set(call, judged);
    const where = await abortable(
      classifyCall(batch, { call, tool, judged, mask: scope.mask }, options),
      signal,
    );
    if (where.to === "run") classified.run.push({ ...runnable, parsed: where.parsed });
    else if (where.to === "answered") classified.answered.push(where.answer);
    else classified.waiting.push(where.interruption);
  }
  return classified;
}

interface Judged<Ctx> extends JudgedCall<Ctx> {
  readonly judged: JudgedArguments;
  readonly mask: Masking;
}

async function classifyCall<Ctx>(
  batch: CallBatch<Ctx>,
  { call, tool, judged, mask }: Judged<Ctx>,
  { decisions, waiting }: ClassifyOptions,
): Promise<CallClass> {
  const { parsed, text } = judged;
  if (!parsed.ok) return { to: "run", parsed }; // Which answers it with what is wrong.
  const { name: toolName, input } = calledTool(call);
  const asked = {
    toolCallId: call.id,
    toolName,
    args: frozenCopy(parsed.args),
    arguments: input,
    agentName: batch.agentName,
  };
  if (isClientTool(tool)) {
    const result = decisions.results.get(call.id);
    return result === undefined
      ? { to: "waiting", interruption: Object.freeze({ type: "client_tool", ...asked }) }
      : { to: "answered", answer: { call, result } };
  }
  const binding = text === undefined ? undefined : bindingOf(waiting.location, call, text);
  if (binding !== undefined && decisions.approved.has(binding)) return { to: "run", parsed };
  if (decisions.rejected.has(call.id)) {
    return { to: "answered", answer: { call, result: rejectedResult(decisions.rejected.get(call.id)) } };
  }
  const needed = await needsApproval({ tool, judged, mask }, batch.context);
  if (needed === false) return { to: "run", parsed };
  if (needed !== true) return { to: "answered", answer: { call, ...needed } };
  const unbound = await unboundReason({ tool, call }, judged);
  if (unbound !== undefined) return { to: "answered", answer: { call, ...unapprovable(unbound) } };
  const { expiresAt, round } = waiting.record;
  return {
    to: "waiting",
    interruption: Object.freeze({
      type: "approval",
      ...asked,
      approvalId: `${approvalIdPrefix(waiting.location, call, round)}${binding}`,
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
    }),
  };
}

/** How a call ends that isn't made, through no fault of the model's. */
interface Failed {
  readonly result: ToolResult;
  readonly thrown: string;
}

const failed = (thrown: string): Failed => ({
  result: ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, thrown),
  thrown,
});

/** Whatever isn't plainly no is yes; what throws is neither, and the call isn't made. */
async function needsApproval<Ctx>(
  { tool, judged: { parsed }, mask }: Omit<Judged<Ctx>, "call">,
  context: Readonly<Ctx>,
): Promise<boolean | Failed> {
  if (typeof tool.needsApproval !== "function") {
    return tool.needsApproval !== undefined && tool.needsApproval !== false;
  }
  try {
    return (await tool.needsApproval(plainCopy(parsed.args), context)) !== false;
  } catch (failure) {
    return failed(failure instanceof Error ? mask(failure.message) : "it threw something that is no Error");
  }
}

const unapprovable = (reason: string): Failed =>
  failed(
    `The call was not made: it needs an approval, and none can be bound to its parsed arguments: ${reason}.`,
  );
