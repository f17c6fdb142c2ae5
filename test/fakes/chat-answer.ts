import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fields } from "./chat-modes.ts";
import { fieldsOf, listOf } from "./chat-request.ts";

/** The fake's answer to a valid request. */
export type ChatAnswer =
  /** A complete reply, streamed if the request asks for it. */
  | {
      readonly kind: "reply";
      /** Without `role`. An absent `content` is `null`. */
      readonly message: Fields;
      readonly finishReason?: string;
      readonly usage?: Fields;
      /** The time between the pieces of a stream, in milliseconds. Default 0. */
      readonly pieceDelayMs?: number;
    }
  /** The given bytes. `cutAt`: the connection breaks after this many bytes. */
  | {
      readonly kind: "raw";
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
      readonly cutAt?: number;
    }
  /** Never answers. */
  | { readonly kind: "hang" };

const DEFAULT_USAGE: Fields = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 4 },
};

/** `choices[0].message` as the service sends it. */
export const messageOf = (answer: Extract<ChatAnswer, { kind: "reply" }>): Fields => ({
  role: "assistant",
  content: null,
  ...answer.message,
});

const finishOf = ({ message, finishReason }: Extract<ChatAnswer, { kind: "reply" }>): string =>
  finishReason ?? (message["tool_calls"] === undefined ? "stop" : "tool_calls");

const HEAD = { id: "chatcmpl-1", created: 1_790_000_000 };

/** The whole reply as one body. */
export function completionBody(answer: Extract<ChatAnswer, { kind: "reply" }>, model: unknown): string {
  const choice = { index: 0, message: messageOf(answer), logprobs: null, finish_reason: finishOf(answer) };
  const usage = answer.usage ?? DEFAULT_USAGE;
  return JSON.stringify({ ...HEAD, object: "chat.completion", model, choices: [choice], usage });
}

const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,7}/g) ?? [];

/** The reply in pieces: thinking, then text, then calls. Other fields come in one piece. */
function* deltas(message: Fields): Generator<Fields> {
  const { content, tool_calls: calls, role: _, ...further } = message;
  yield { role: "assistant", content: null };
  for (const [field, value] of Object.entries(further)) {
    if (typeof value !== "string") yield { [field]: value };
    else for (const piece of pieces(value)) yield { [field]: piece };
  }
  if (typeof content === "string") for (const piece of pieces(content)) yield { content: piece };
  if (Array.isArray(content)) for (const part of content) yield { content: [part] };
  for (const [index, call] of listOf(calls).map(fieldsOf).entries()) {
    const kind = call["type"] === "custom" ? "custom" : "function";
    const { arguments: text, input, ...named } = fieldsOf(call[kind]);
    const field = kind === "custom" ? "input" : "arguments";
    yield { tool_calls: [{ index, ...call, [kind]: { ...named, [field]: "" } }] };
    for (const piece of pieces(String(text ?? input ?? "")))
      yield { tool_calls: [{ index, [kind]: { [field]: piece } }] };
  }
}

/** The reply as server-sent events. */
export function* eventStream(
  answer: Extract<ChatAnswer, { kind: "reply" }>,
  { model, withUsage }: { readonly model: unknown; readonly withUsage: boolean },
): Generator<string> {
  const head = { ...HEAD, object: "chat.completion.chunk", model };
  const event = (choices: readonly unknown[], further: Fields = {}) =>
    `data: ${JSON.stringify({ ...head, choices, ...further })}\n\n`;
  for (const delta of deltas(messageOf(answer))) yield event([{ index: 0, delta, finish_reason: null }]);
  yield event([{ index: 0, delta: {}, finish_reason: finishOf(answer) }]);
  if (withUsage) yield event([], { usage: answer.usage ?? DEFAULT_USAGE });
  yield "data: [DONE]\n\n";
}

/** Writes the answer. Resolves when it is written or the client has disconnected. */
export async function writeAnswer(response: ServerResponse, answer: ChatAnswer, body: Fields): Promise<void> {
  switch (answer.kind) {
    case "hang":
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return;
    case "raw": {
      const bytes = Buffer.from(answer.body);
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      if (answer.cutAt === undefined) response.end(bytes);
      else response.write(bytes.subarray(0, answer.cutAt), () => response.destroy());
      return;
    }
    case "reply":
      if (body["stream"] !== true) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(completionBody(answer, body["model"]));
        return;
      }
      await writeStream(response, answer, body);
  }
}

async function writeStream(
  response: ServerResponse,
  answer: Extract<ChatAnswer, { kind: "reply" }>,
  body: Fields,
): Promise<void> {
  const withUsage = fieldsOf(body["stream_options"])["include_usage"] === true;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const event of eventStream(answer, { model: body["model"], withUsage })) {
    if (response.destroyed) return;
    response.write(event);
    if (answer.pieceDelayMs !== undefined) await sleep(answer.pieceDelayMs);
  }
  response.end();
}
