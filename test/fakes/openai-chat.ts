import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ChatAnswer, messageOf, writeAnswer } from "./chat-answer.ts";
import { brokenMessageRule } from "./chat-message-rules.ts";
import { brokenModeRule, type ChatMode, type Fields, openIssued } from "./chat-modes.ts";
import { fieldsOf, type Refusal, type WireMessage } from "./chat-request.ts";
import { brokenToolRule } from "./chat-tool-rules.ts";

export type { ChatAnswer } from "./chat-answer.ts";
export { eventStream } from "./chat-answer.ts";
export type { ChatMode, Fields } from "./chat-modes.ts";

/** A received request, refused or not. */
export interface ChatRequestSeen {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Fields;
  readonly messages: readonly WireMessage[];
}

/** An answer, a reply of this text, or a function of the request. */
export type ChatStep = string | ChatAnswer | ((request: ChatRequestSeen) => string | ChatAnswer);

export interface FakeChat {
  readonly baseURL: string;
  readonly requests: readonly ChatRequestSeen[];
  /** The reasons of refused requests, in order. */
  readonly refusals: readonly Refusal[];
  /** The number of requests that are neither complete nor cancelled by the client. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

export interface FakeChatOptions {
  /** One step for each request. The last step answers all further requests. */
  readonly steps: readonly ChatStep[];
  /** Default `"openai"`. */
  readonly mode?: ChatMode;
  /** Requests with another key get a 401. */
  readonly apiKey?: string;
}

/**
 * Chat Completions as a real server on a free port, written from the services' documentation and not from a client: it
 * refuses the same requests with the same errors, and streams like the services.
 */
export async function startFakeChat({ steps, mode = "openai", apiKey }: FakeChatOptions): Promise<FakeChat> {
  const requests: ChatRequestSeen[] = [];
  const refusals: Refusal[] = [];
  const issued = openIssued();
  let answered = 0;
  let open = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = fieldsOf(JSON.parse(await textOf(request)));
    const messages = Array.isArray(body["messages"]) ? (body["messages"] as readonly WireMessage[]) : [];
    const seen = { headers: request.headers, body, messages };
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
      return refuse(response, { message: `Incorrect API key provided.`, code: "invalid_api_key" }, 401);
    if (request.method !== "POST" || request.url !== "/v1/chat/completions")
      return refuse(response, { message: `Unknown request URL: ${request.method} ${request.url}.` }, 404);
    requests.push(seen);
    const broken =
      typeof body["model"] !== "string"
        ? { message: "you must provide a model parameter" }
        : (brokenMessageRule(body["messages"]) ??
          brokenToolRule(body) ??
          brokenModeRule(mode, messages, issued, body));
    if (broken !== undefined) return refuse(response, broken, 400);
    const step = steps[Math.min(answered, steps.length - 1)] ?? "";
    answered += 1;
    const given = typeof step === "function" ? step(seen) : step;
    const answer: ChatAnswer =
      typeof given === "string" ? { kind: "reply", message: { content: given } } : given;
    if (answer.kind === "reply") issued.add(messageOf(answer));
    await writeAnswer(response, answer, body);
  }

  function refuse(response: ServerResponse, refusal: Refusal, status: number): void {
    refusals.push(refusal);
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "req_1" });
    response.end(JSON.stringify(errorBody(mode, refusal, status)));
  }

  const server = createServer((request, response) => {
    open += 1;
    response.on("close", () => {
      open -= 1;
    });
    handle(request, response).catch((thrown: unknown) => {
      refusals.push({ message: `The fake failed: ${thrown}` });
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
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

function errorBody(mode: ChatMode, { message, param, code }: Refusal, status: number): unknown {
  if (mode === "gemini") return [{ error: { code: status, message, status: "INVALID_ARGUMENT" } }];
  return { error: { message, type: "invalid_request_error", param: param ?? null, code: code ?? null } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
