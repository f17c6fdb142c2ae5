import type { RichToolCall } from "@jaf/memory";
import { calledTool, present } from "@jaf/memory/internal";
import type { CallOutdated } from "../errors.ts";
import type { CallChanges, TextChange } from "../interruption.ts";
import type { OnToolChange } from "../run-config.ts";
import type { AskedCall, AskedCalls, AskedTool } from "../stored/asked-calls.ts";
import type { CallBatch, RunnableCall } from "../tool-calls/execute-call.ts";
import { isClientTool } from "../tools/tool.ts";
import {
  type ApprovalArguments,
  parseForApproval,
  parseTextForApproval,
  type ResolvedCall,
} from "./canonical-arguments.ts";
import type { PendingApprovals } from "./pending-approvals.ts";
import { definitionOf, shownText, textOrHash } from "./tool-definition.ts";

/** What a call was when its approval was requested, with its tool. */
export interface Asked {
  /** `"unreadable"`: a newer release stored it. */
  readonly call: AskedCall | "unreadable";
  readonly tool: AskedTool | undefined;
}

/** A call that waits for an approval which was never requested before, as it is stored. */
export interface NewlyAsked {
  readonly call: AskedCall;
  readonly tool: AskedTool;
}

export function newlyAsked<Ctx>(
  { call, tool }: ResolvedCall<Ctx>,
  {
    batch,
    text,
    model,
  }: { readonly batch: CallBatch<Ctx>; readonly text: string | undefined; readonly model: string },
): NewlyAsked {
  const asked = definitionOf(tool);
  const { definition } = asked;
  const { name } = calledTool(call);
  const stored = { id: call.id, agent: batch.agentName, tool: name, arguments: textOrHash(text ?? "") };
  return { call: { ...stored, definition, model }, tool: asked };
}

/**
 * Returns the record of the calls of a reply, with those that are asked about for the first time. `undefined`: nothing
 * is to be stored.
 */
export function askedWith(
  { asked, location: { position } }: PendingApprovals,
  newly: readonly NewlyAsked[],
): AskedCalls | undefined {
  // What a newer release stored stays as it is.
  if (newly.length === 0 || asked === "unreadable") return undefined;
  const tools = [...(asked?.tools ?? []), ...newly.map(({ tool }) => tool)];
  return {
    position,
    calls: [...(asked?.calls ?? []), ...newly.map(({ call }) => call)],
    tools: [...new Map(tools.map((tool) => [tool.definition, tool])).values()],
  };
}

/** Returns what is stored about a call whose approval was requested; `undefined` if nothing is stored. */
export function askedAbout<Ctx>(
  { asked }: PendingApprovals,
  { call, tool }: RunnableCall<Ctx>,
): Asked | undefined {
  // Nothing tells which calls waited for an approval, except that the client's never do.
  if (asked === "unreadable")
    return tool !== undefined && isClientTool(tool) ? undefined : { call: asked, tool: undefined };
  const found = asked?.calls.find(({ id }) => id === call.id);
  return (
    found && { call: found, tool: asked?.tools.find(({ definition }) => definition === found.definition) }
  );
}

/** A call that neither runs as it was approved nor is asked about again, so the turn ends. */
export interface Outdated {
  readonly outdated: CallOutdated;
}

export const outdated = (
  reason: CallOutdated["reason"],
  { agentName, call }: { readonly agentName: string; readonly call: RichToolCall },
): CallOutdated => ({ _tag: "CallOutdated", tool: calledTool(call).name, agentName, reason });

interface Settling {
  readonly asked: Asked;
  /** The registry key of the agent that has the conversation. */
  readonly agentName: string;
  /** `RunConfig.onToolChange`. */
  readonly policy: OnToolChange | undefined;
}

/**
 * Resolves with the arguments with which a call whose approval was requested runs, or is asked about again. If its tool
 * or agent has changed since, `policy` decides.
 */
export async function settleChanged<Ctx>(
  { call, tool }: ResolvedCall<Ctx>,
  { asked, agentName, policy = "ask" }: Settling,
): Promise<ApprovalArguments | Outdated> {
  const toolName = calledTool(call).name;
  if (isClientTool(tool)) return { outdated: outdated("gone", { agentName, call }) };
  const now = await parseForApproval({ tool, call });
  const definition = definitionOf(tool);
  const shown = changesOf(asked, { agentName, definition, text: now.text });
  if (shown === undefined) return { ...now, wasAsked: true };
  const known = asked.call === "unreadable" ? undefined : asked.call;
  const changed = Object.freeze({
    ...{ toolCallId: call.id, toolName, agentName, changed: shown },
    ...present({ model: known?.model }),
  });
  const action = typeof policy === "function" ? await policy(changed) : policy;
  if (action === "end") return { outdated: outdated("changed", { agentName, call }) };
  const approved =
    action === "run" && known?.agent === agentName ? await asApproved({ call, tool }, known, now) : undefined;
  return approved === undefined
    ? { ...now, wasAsked: true, change: { shown, binding: [agentName, definition.definition] } }
    : { ...approved, wasAsked: true };
}

/**
 * Resolves with the arguments that were approved; `undefined` if the tool's schema doesn't accept them unchanged, or if
 * only their hash is stored.
 */
async function asApproved<Ctx>(
  { tool }: ResolvedCall<Ctx>,
  { arguments: approved }: AskedCall,
  now: ApprovalArguments,
): Promise<ApprovalArguments | undefined> {
  const isApproved = ({ text }: ApprovalArguments) => text !== undefined && textOrHash(text) === approved;
  if (isApproved(now)) return now;
  const text = shownText(approved);
  const parsed = text === undefined ? undefined : await parseTextForApproval(tool, text);
  return parsed && isApproved(parsed) ? parsed : undefined;
}

interface Current {
  readonly agentName: string;
  readonly definition: AskedTool;
  /** The parsed arguments as canonical JSON. `undefined`: they are invalid, or have none. */
  readonly text: string | undefined;
}

/** Returns what has changed about a call since its approval was requested; `undefined` if nothing has. */
function changesOf(
  { call, tool }: Asked,
  { agentName, definition: now, text }: Current,
): CallChanges | undefined {
  if (call === "unreadable") return Object.freeze({ isUnknown: true });
  const args = text === undefined ? undefined : textOrHash(text);
  const isOther = call.definition !== now.definition;
  if (call.agent === agentName && !isOther && call.arguments === args) return undefined;
  return Object.freeze(
    present({
      agent: changeOf(call.agent, agentName),
      description: isOther ? changeOf(tool?.description, now.description) : undefined,
      parameters: isOther ? changeOf(tool?.parameters, now.parameters) : undefined,
      arguments: changeOf(call.arguments, args),
    }),
  );
}

const changeOf = (before: string | undefined, after: string | undefined): TextChange | undefined =>
  before === after
    ? undefined
    : Object.freeze(present({ before: shownText(before), after: shownText(after) }));
