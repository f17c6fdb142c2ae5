import { type JAFError, type TraceEvent, UserFacingError } from "@jaf/core";
import { type Masking, maskingOf, thrownOf } from "@jaf/core/internal";
import { FAULT, LOST, messageOf } from "../turns/turn-ends.ts";
import type { TurnEnd } from "../turns/turn-event.ts";
import type { JobOptions, JobParts } from "./job.ts";
import { errorFrom, loggedError, TurnFailedError } from "./turn-failed-error.ts";

/**
 * Converts a run's error into the report that `onError` receives. Returns `undefined` for a `ContinuationRejected`, and
 * for a tool's error that was already reported.
 */
export function reportOf<Ctx>({ options }: JobParts<Ctx>, error: JAFError): TurnFailedError | undefined {
  const { _tag: code } = error;
  const thrown = thrownOf(error);
  // A rejected continuation is the client's fault. `toolReportOf` has already reported the error of a tool.
  if (code === "ContinuationRejected" || (code === "ToolCallError" && isReported(thrown))) return undefined;
  const mask = maskOf(options);
  const cause = thrown === undefined ? causeIn(error, mask) : loggedError(thrown, mask);
  const what = code === "InternalError" ? mask(error.detail) : messageOf(error);
  return new TurnFailedError(`A turn failed: ${what}`, { ...failureOf(options), code }, cause);
}

/**
 * Returns the report of an error that a tool threw, also a tool of an agent that runs as a tool. Returns `undefined` for a `UserFacingError`, and for an event
 * without an error.
 */
export function toolReportOf<Ctx>(
  { options }: JobParts<Ctx>,
  traced: TraceEvent,
): TurnFailedError | undefined {
  const event = traced.type === "inner_event" ? traced.data.event : traced;
  if (event.type !== "tool_call_end") return undefined;
  const thrown = thrownOf(event.data);
  if (!isReported(thrown)) return undefined;
  const failure = { ...failureOf(options), code: "ToolCallError" };
  const cause = loggedError(thrown, maskOf(options));
  return new TurnFailedError(`The tool "${event.data.toolName}" failed.`, failure, cause);
}

/** Returns the report of a model call that the ledger couldn't record. Returns `undefined` for any other event. */
export function ledgerReportOf<Ctx>(
  { options }: JobParts<Ctx>,
  given: TraceEvent,
): TurnFailedError | undefined {
  const event = given.type === "inner_event" ? given.data.event : given;
  if (event.type !== "ledger_failed") return undefined;
  const message = `The ledger couldn't record a model call: ${event.data.reason}`;
  return new TurnFailedError(message, { ...failureOf(options), code: "LedgerFailed" });
}

/** Returns the report of a turn that failed because the agent client threw an error. */
export const faultReport = <Ctx>({ options }: JobParts<Ctx>, thrown: unknown): TurnFailedError =>
  new TurnFailedError(
    "A turn failed.",
    { ...failureOf(options), code: FAULT.code },
    loggedError(thrown, maskOf(options)),
  );

/** Returns the report of a turn that ended with the error `LOST`, and `undefined` for any other turn. */
export const lostReport = <Ctx>(
  { options }: JobParts<Ctx>,
  { error }: TurnEnd,
): TurnFailedError | undefined =>
  error?.code === LOST.code
    ? new TurnFailedError(`A turn failed: ${error.message}`, { ...failureOf(options), code: error.code })
    : undefined;

/** Checks whether a tool threw an error that is reported to `onError`. A `UserFacingError` isn't reported. */
const isReported = (thrown: unknown): boolean => thrown !== undefined && !(thrown instanceof UserFacingError);

const failureOf = <Ctx>({ conversationId, turnId, request: { agentName } }: JobOptions<Ctx>) => ({
  ...{ conversationId, turnId, agentName },
});

const maskOf = <Ctx>({ scope }: JobOptions<Ctx>): Masking => maskingOf(scope.settings.config);

function causeIn(error: JAFError, mask: Masking): Error | undefined {
  if (error._tag === "MemoryError") return error.error.cause && errorFrom(error.error.cause, mask);
  if (error._tag === "ModelCallError" || error._tag === "InternalError")
    return error.cause && errorFrom(error.cause, mask);
  return undefined;
}
