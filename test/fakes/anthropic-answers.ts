import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkBetas } from "./anthropic-betas.ts";
import { checkCache } from "./anthropic-cache.ts";
import { messageOf, streamOf } from "./anthropic-reply.ts";
import { checkMessages } from "./anthropic-rules.ts";
import { type ChatAnswer, writeAnswer } from "./chat-answer.ts";
import { type JsonObject, Refusal } from "./service.ts";

/** Blocks of a reply, and other fields of the message, e.g. its `stop_reason`. */
export interface MessagesReply {
  readonly kind: "message";
  readonly content: readonly JsonObject[];
  readonly fields?: JsonObject;
}

export type MessagesAnswer = MessagesReply | Exclude<ChatAnswer, { readonly kind: "reply" }>;

export interface MessagesSeen {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: JsonObject;
}

/** An answer, a reply of this text, or a function of the request. */
export type MessagesStep = string | MessagesAnswer | ((request: MessagesSeen) => string | MessagesAnswer);

export interface FakeMessages {
  readonly baseURL: string;
  readonly requests: readonly MessagesSeen[];
  /** The reasons of refused requests, in order. */
  readonly refusals: readonly string[];
  /** The number of requests that are neither complete nor cancelled by the client. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

/** The events of a reply, as they are sent. */
export const eventsOf = (reply: MessagesReply, model: string): readonly string[] =>
  streamOf(whole(reply, model), reply.content).map(
    ({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
  );

function whole({ content, fields }: MessagesReply, model: string): JsonObject {
  const isCalling = content.some(({ type }) => type === "tool_use");
  return { ...messageOf(model, {}), stop_reason: isCalling ? "tool_use" : "end_turn", ...fields };
}

/**
 * Anthropic's Messages API with its rules for messages and caching, as a server with a test's answers: one step for each
 * request, the last step for all further ones. The server of `startAnthropic` also recognises its own thinking.
 */
export async function startFakeMessages({
  steps,
  apiKey,
}: {
  readonly steps: readonly MessagesStep[];
  /** Requests with another key get a 401. */
  readonly apiKey?: string;
}): Promise<FakeMessages> {
  const requests: MessagesSeen[] = [];
  const refusals: string[] = [];
  let open = 0;
  let answered = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: JsonObject = JSON.parse(await textOf(request));
    const { headers } = request;
    if (apiKey !== undefined && headers["x-api-key"] !== apiKey)
      return refuse(response, new Refusal("invalid x-api-key", 401, "authentication_error"));
    requests.push({ headers, body });
    try {
      if (request.method !== "POST" || request.url !== "/v1/messages")
        throw new Refusal("Not found", 404, "not_found_error");
      if (headers["anthropic-version"] !== "2023-06-01") throw new Refusal("anthropic-version: is required");
      if (typeof body["max_tokens"] !== "number") throw new Refusal("max_tokens: Field required");
      const messages = checkMessages(body);
      checkCache(body, messages);
      checkBetas(body, messages, String(headers["anthropic-beta"] ?? ""));
    } catch (thrown) {
      return refuse(
        response,
        thrown instanceof Refusal ? thrown : new Refusal(`fault of the fake: ${thrown}`, 501),
      );
    }
    const step = steps[Math.min(answered++, steps.length - 1)] ?? "";
    const given = typeof step === "function" ? step({ headers, body }) : step;
    const answer: MessagesAnswer =
      typeof given === "string" ? { kind: "message", content: [{ type: "text", text: given }] } : given;
    if (answer.kind !== "message") return writeAnswer(response, answer, body);
    const model = String(body["model"]);
    if (body["stream"] === true) {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.end(eventsOf(answer, model).join(""));
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...whole(answer, model), content: answer.content }));
    }
  }

  function refuse(response: ServerResponse, { message, status, code }: Refusal): void {
    refusals.push(message);
    response.writeHead(status, { "content-type": "application/json", "request-id": "req_1" });
    const error = { type: code ?? "invalid_request_error", message };
    response.end(JSON.stringify({ type: "error", error, request_id: "req_1" }));
  }

  const server = createServer((request, response) => {
    open += 1;
    response.on("close", () => {
      open -= 1;
    });
    handle(request, response).catch((thrown: unknown) => {
      refusals.push(`The fake failed: ${thrown}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}`,
    requests,
    refusals,
    open: () => open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
