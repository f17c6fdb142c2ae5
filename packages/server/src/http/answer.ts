import type { Context } from "hono";
import type { ServerEnvironment } from "./environment.ts";
import type { HttpFailure } from "./failure.ts";

/** `{ success: true, data }`. */
export const answer = (context: Context<ServerEnvironment>, data: unknown): Response =>
  context.json({ success: true, data });

/** `{ success: false, error }`. */
export function answerFailure(context: Context<ServerEnvironment>, failure: HttpFailure): Response {
  const { status, code, message, retryable, retryAfterSeconds, conversationId, turnId } = failure;
  if (retryAfterSeconds !== undefined) context.header("retry-after", String(Math.ceil(retryAfterSeconds)));
  if (failure.closesConnection) context.header("connection", "close");
  const requestId = context.get("requestId");
  // What is undefined isn't part of the JSON.
  const error = { code, message, requestId, retryable, conversationId, turnId };
  return context.json({ success: false, error }, status);
}
