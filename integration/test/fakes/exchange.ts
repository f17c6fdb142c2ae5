import { createOpaqueValues } from "../../../test/fakes/opaque-values.ts";
import { inTurn, type ScriptedReply } from "../../../test/fakes/scripted-reply.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";

/** Options of a fake under test, and its replies. */
export const saying = (...replies: readonly ScriptedReply[]) => ({
  next: inTurn(replies),
  opaque: createOpaqueValues(),
});

export interface Answered {
  readonly status: number;
  readonly body: JsonObject;
  /** The text of an answer that isn't JSON. */
  readonly text: string;
}

export async function post(
  url: string,
  body: JsonObject,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : {}, text };
}

/** Returns a refusal's message. Throws if the request wasn't refused. */
export function refusalIn({ status, body }: Answered): string {
  const error = body["error"];
  const message =
    typeof error === "object" && error !== null && "message" in error ? error["message"] : undefined;
  if (status < 400 || status === 501 || typeof message !== "string")
    throw new Error(`expected a refusal, got ${status}: ${JSON.stringify(body)}`);
  return message;
}
