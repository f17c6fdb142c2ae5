import type { RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/internal";
import type { ToolParts } from "../content-parts.ts";
import type { JAFError } from "../errors.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { agentToolIn, type BegunRun, type InnerCall } from "../inner-runs.ts";
import { type GivenDecisions, type Interruption, isUndecided, nothingGiven } from "../interruption.ts";
import { abortable } from "../limits/abort.ts";
import { modelNameOf } from "../model-calls/trace-model-call.ts";
import type { RunScope } from "../run-scope.ts";
import type { ToolFailure } from "../tool-calls/answer.ts";
import type { ParsedArguments } from "../tool-calls/arguments.ts";
import { type CallBatch, findTool, type RunnableCall } from "../tool-calls/execute-call.ts";
import { rejectedResult, type ToolResult } from "../tools/result.ts";
import { isClientTool, type Tool } from "../tools/tool.ts";
import {
  type ApprovalArguments,
  noBindingReason,
  parseForApproval,
  type ResolvedCall,
} from "./canonical-arguments.ts";
import { askedAbout, type NewlyAsked, newlyAsked, outdated, settleChanged } from "./changed-calls.ts";
import type { Decisions } from "./decisions.ts";
import { failed, needsApproval, unapprovable } from "./needs-approval.ts";
import { approvalIdPrefix, bindingOf, type PendingApprovals } from "./pending-approvals.ts";

// biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** The tool calls of a reply in three groups: calls to run, calls with an answer, and calls that wait for a decision. */
export interface ClassifiedCalls<Ctx> {
  readonly run: readonly RunnableCall<Ctx>[];
  /** The calls that are answered without running, by the client's result, by a rejection or by an error. */
  readonly answered: readonly AnsweredCall[];
  readonly waiting: readonly Interruption[];
  /** The parsed arguments of all calls that can wait for an approval or the client. */
  readonly argumentsByCall: ApprovalArgumentsByCall;
  /** The inner runs of agent tools that have begun, by call. */
  readonly begun: BegunRuns;
  /** The calls that wait for an approval which was never requested before, as they are stored. */
  readonly asked: readonly NewlyAsked[];
  /**
   * Why the turn ends: the store can't tell which inner runs have begun, or a call can't run as it was approved. Absent:
   * the turn can go on.
   */
  readonly failure?: JAFError;
}

export type BegunRuns = ReadonlyMap<RichToolCall, BegunRun>;

export type ApprovalArgumentsByCall = ReadonlyMap<RichToolCall, ApprovalArguments>;

export interface AnsweredCall {
  readonly call: RichToolCall;
  readonly result: string | ToolResult | ToolParts;
  /**
   * Why the call can't run (e.g. the tool's `needsApproval` threw an error). Absent: the answer is a client's result or
   * a rejection.
   */
  readonly failure?: ToolFailure;
}

export interface ClassifyOptions {
  readonly decisions: Decisions;
  readonly waiting: PendingApprovals;
  /** The arguments that were parsed for the approvals, by call. Absent: the arguments are parsed now. */
  readonly argumentsByCall?: ApprovalArgumentsByCall;
  /** The inner runs that have begun. Absent: the store is asked for them now. */
  readonly begun?: BegunRuns;
}

/** Returns whether calls of the tool can wait for an approval or for the client. */
const mayWait = <Ctx>(tool: AnyTool<Ctx>): boolean =>
  isClientTool(tool) ||
  (tool.needsApproval !== undefined && tool.needsApproval !== false) ||
  agentToolIn(tool) !== undefined;

/**
 * Decides for each call of a reply whether it runs, is answered without running, or waits. Rejects if the run is
 * aborted.
 */
export async function classifyCalls<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  options: ClassifyOptions,
): Promise<ClassifiedCalls<Ctx>> {
  const run = batch.calls.map((call) => ({ call, tool: findTool(batch, call) }));
  return options.waiting.asked !== undefined || run.some(({ tool }) => tool !== undefined && mayWait(tool))
    ? await applyDecisions(scope, { batch, run }, options)
    : { run, answered: [], waiting: [], argumentsByCall: noArguments, begun: nothingBegun, asked: [] };
}

const noArguments: ApprovalArgumentsByCall = new Map();

/** The inner runs of a new reply's calls: none has begun. */
export const nothingBegun: BegunRuns = new Map();

type CallClass =
  | { readonly to: "run"; readonly parsed: ParsedArguments }
  | { readonly to: "answered"; readonly answer: AnsweredCall }
  | { readonly to: "waiting"; readonly interruption: Interruption; readonly asked?: NewlyAsked };

/**
 * Decides for each call that can wait whether it runs, is answered without running, or still waits. Rejects if the run
 * is aborted.
 */
async function applyDecisions<Ctx>(
  scope: RunScope<Ctx>,
  { batch, run }: { readonly batch: CallBatch<Ctx>; readonly run: readonly RunnableCall<Ctx>[] },
  options: ClassifyOptions,
): Promise<ClassifiedCalls<Ctx>> {
  const classified = {
    run: [] as RunnableCall<Ctx>[],
    answered: [] as AnsweredCall[],
    waiting: [] as Interruption[],
    argumentsByCall: new Map<RichToolCall, ApprovalArguments>(),
    begun: new Map<RichToolCall, BegunRun>(),
    asked: [] as NewlyAsked[],
  };
  const { signal, onToolChange } = scope.config;
  const { agentName } = batch;
  const heldThreads = new Set<string>();
  for (const runnable of run) {
    const { call, tool } = runnable;
    const asked = askedAbout(options.waiting, runnable);
    if (tool === undefined && asked !== undefined)
      return { ...classified, failure: outdated("gone", { agentName, call }) };
    if (tool === undefined || (asked === undefined && !mayWait(tool))) {
      classified.run.push(runnable);
      continue;
    }
    const settled =
      options.argumentsByCall?.get(call) ??
      (await abortable(
        asked === undefined
          ? parseForApproval({ tool, call })
          : settleChanged({ tool, call }, { asked, agentName, policy: onToolChange }),
        signal,
      ));
    if ("outdated" in settled) return { ...classified, failure: settled.outdated };
    classified.argumentsByCall.set(call, settled);
    const where = await abortable(
      classifyCall(scope, batch, { call, tool, approvalArguments: settled }, options),
      signal,
    );
    if (where.to === "run") {
      const inner = await classifyInner(scope, { call, tool, parsed: where.parsed, batch }, options);
      if (inner === undefined) classified.run.push({ ...runnable, parsed: where.parsed });
      else if (inner.to === "answered") classified.answered.push(inner.answer);
      else if (inner.to === "failure") return { ...classified, failure: inner.failure };
      else {
        const { call: innerCall, begun, given } = inner;
        const { thread } = innerCall;
        if (begun !== undefined) classified.begun.set(call, begun);
        if (begun?.onlyWaits === true && isUndecided(given)) {
          classified.waiting.push(...begun.waiting);
          if (thread !== undefined) heldThreads.add(thread);
        } else if (thread === undefined || !heldThreads.has(thread)) {
          const resume = { given, hasBegun: begun !== undefined };
          classified.run.push({ ...runnable, parsed: where.parsed, inner: { call: innerCall, resume } });
        }
      }
    } else if (where.to === "answered") classified.answered.push(where.answer);
    else {
      classified.waiting.push(where.interruption);
      if (where.asked !== undefined) classified.asked.push(where.asked);
    }
  }
  return classified;
}

type InnerClass<Ctx> =
  | { readonly to: "answered"; readonly answer: AnsweredCall }
  | { readonly to: "failure"; readonly failure: JAFError }
  | {
      readonly to: "agent";
      readonly call: InnerCall<Ctx>;
      readonly begun: BegunRun | undefined;
      readonly given: GivenDecisions;
    };

/** Resolves with how the agent of an agent tool runs; with `undefined` for any other call. */
async function classifyInner<Ctx>(
  scope: RunScope<Ctx>,
  {
    call,
    tool,
    parsed,
    batch,
  }: ResolvedCall<Ctx> & { readonly parsed: ParsedArguments; readonly batch: CallBatch<Ctx> },
  { decisions, begun: known }: ClassifyOptions,
): Promise<InnerClass<Ctx> | undefined> {
  const agentTool = agentToolIn(tool);
  if (agentTool === undefined || !parsed.ok) return undefined;
  const { context, agentName, callScope, messages } = batch;
  const given = decisions.inner.get(call.id) ?? nothingGiven;
  try {
    const thread = agentTool.thread(parsed.args, context);
    const inner = {
      call,
      tool: agentTool,
      args: parsed.args,
      context,
      agentName,
      callScope,
      messages,
      thread,
    };
    if (known !== undefined) return { to: "agent", call: inner, begun: known.get(call), given };
    const begun = await agentTool.begun(scope, inner);
    if (!begun.success) return { to: "failure", failure: { _tag: "MemoryError", error: begun.error } };
    if (begun.data?.outdated !== undefined) return { to: "failure", failure: begun.data.outdated };
    return { to: "agent", call: inner, begun: begun.data, given };
  } catch (thrown) {
    if (scope.config.signal?.aborted === true) throw thrown;
    const text =
      thrown instanceof Error ? scope.mask(thrown.message) : "it threw something other than an Error";
    return { to: "answered", answer: { call, ...failed({ text, thrown }) } };
  }
}

interface ClassifiableCall<Ctx> extends ResolvedCall<Ctx> {
  readonly approvalArguments: ApprovalArguments;
}

async function classifyCall<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  { call, tool, approvalArguments }: ClassifiableCall<Ctx>,
  { decisions, waiting }: ClassifyOptions,
): Promise<CallClass> {
  const { parsed, text, wasAsked = false, change } = approvalArguments;
  if (!parsed.ok) return { to: "run", parsed }; // Running it answers with the error.
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
  const { location } = waiting;
  const binding = bindingOf(location, call, approvalArguments);
  if (binding !== undefined && decisions.approved.has(binding)) return { to: "run", parsed };
  if (decisions.rejected.has(call.id)) {
    return { to: "answered", answer: { call, result: rejectedResult(decisions.rejected.get(call.id)) } };
  }
  const needed = wasAsked || (await needsApproval(scope, batch, { tool, parsed }));
  if (needed === false) return { to: "run", parsed };
  if (needed !== true) return { to: "answered", answer: { call, ...needed } };
  // Arguments that are still as they were shown can be bound, even if they come from the store.
  const isAsShown = wasAsked && change === undefined;
  const noBinding = isAsShown ? undefined : await noBindingReason({ tool, call }, approvalArguments);
  if (noBinding !== undefined) return { to: "answered", answer: { call, ...unapprovable(noBinding) } };
  const { expiresAt, round } = waiting.record;
  return {
    to: "waiting",
    interruption: Object.freeze({
      type: "approval",
      ...asked,
      approvalId: `${approvalIdPrefix(location, call, round)}${binding}`,
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
      ...(change && { changed: change.shown }),
    }),
    ...(location.isStored &&
      !wasAsked && { asked: newlyAsked({ call, tool }, { text, batch, model: modelNameOf(scope, batch) }) }),
  };
}
