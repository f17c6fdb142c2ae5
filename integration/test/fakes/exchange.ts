import { createOpaqueValues } from "../../../test/fakes/opaque-values.ts";
import { inTurn, type ScriptedReply } from "../../../test/fakes/scripted-reply.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";

/** For a test of a fake: its options, and what it says. */
export const saying = (...replies: readonly ScriptedReply[]) => ({
  next: inTurn(replies),
  opaque: createOpaqueValues(),
});

export interface Answered {
  readonly status: number;
  readonly body: JsonObject;
  /** Of an answer that is no JSON. */
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

/** A refusal's own words; fails where there is none. */
export function refusalIn({ status, body }: Answered): string {
  const error = body["error"];
  const message =
    typeof error === "object" && error !== null && "message" in error ? error["message"] : undefined;
  if (status < 400 || status === 501 || typeof message !== "string")
    throw new Error(`expected a refusal, got ${status}: ${JSON.stringify(body)}`);
  return message;
}
