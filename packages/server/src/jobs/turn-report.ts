import { type JAFError, type TraceEvent, UserFacingError } from "@jaf/core";
import { thrownOf } from "@jaf/core/internal";
import type { TurnEnd } from "../turns/turn-event.ts";
import { FAULT, LOST, messageOf } from "./end-turn.ts";
import type { JobOptions, JobParts } from "./job.ts";
import { errorFrom, loggedError, TurnFailedError } from "./turn-failed-error.ts";

/**
 * Returns the report of a run's error for the application. `undefined` if it isn't a failure of the server: the request doesn't
 * match the conversation, or the failed tool is reported already.
 */
export function reportOf<Ctx>({ options }: JobParts<Ctx>, error: JAFError): TurnFailedError | undefined {
  const { _tag: code } = error;
  const thrown = thrownOf(error);
  if (code === "ContinuationRejected" || (code === "ToolCallError" && isReported(thrown))) return undefined;
  const cause = thrown === undefined ? causeIn(error) : loggedError(thrown);
  const what = code === "InternalError" ? error.detail : messageOf(error);
  return new TurnFailedError(`A turn failed: ${what}`, { ...failureOf(options), code }, cause);
}

/** Returns the report of what a tool threw. `undefined` for other events, and for an error that is only for the user. */
export function toolReportOf<Ctx>(
  { options }: JobParts<Ctx>,
  event: TraceEvent,
): TurnFailedError | undefined {
  if (event.type !== "tool_call_end") return undefined;
  const thrown = thrownOf(event.data);
  if (!isReported(thrown)) return undefined;
  const failure = { ...failureOf(options), code: "ToolCallError" };
  return new TurnFailedError(`The tool "${event.data.toolName}" failed.`, failure, loggedError(thrown));
}

/** Returns the report of an error that ended a turn outside of its run. */
export const faultReport = <Ctx>({ options }: JobParts<Ctx>, thrown: unknown): TurnFailedError =>
  new TurnFailedError("A turn failed.", { ...failureOf(options), code: FAULT.code }, loggedError(thrown));

/** Returns the report of a turn that no process could continue. `undefined` for other ends, e.g. of an erased conversation. */
export const lostReport = <Ctx>(
  { options }: JobParts<Ctx>,
  { error }: TurnEnd,
): TurnFailedError | undefined =>
  error?.code === LOST.code
    ? new TurnFailedError(`A turn failed: ${error.message}`, { ...failureOf(options), code: error.code })
    : undefined;

const isReported = (thrown: unknown): boolean => thrown !== undefined && !(thrown instanceof UserFacingError);

const failureOf = <Ctx>({ conversationId, turnId, request: { agentName } }: JobOptions<Ctx>) => ({
  ...{ conversationId, turnId, agentName },
});

function causeIn(error: JAFError): Error | undefined {
  if (error._tag === "MemoryError") return error.error.cause && errorFrom(error.error.cause);
  if (error._tag === "ModelCallError" || error._tag === "InternalError")
    return error.cause && errorFrom(error.cause);
  return undefined;
}
