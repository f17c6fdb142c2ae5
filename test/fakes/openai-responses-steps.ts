import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ChatAnswer, writeAnswer } from "./chat-answer.ts";
import { checkBody } from "./openai-responses-body-rules.ts";
import { freshId, responseOf } from "./openai-responses-reply.ts";
import { checkItems } from "./openai-responses-rules.ts";
import { streamOf } from "./openai-responses-stream.ts";
import { type JsonObject, Refusal, textOf } from "./service.ts";

/** The fake's answer to a valid request. */
export type ResponsesAnswer =
  | {
      readonly kind: "reply";
      /** Items without an id get one. */
      readonly output: readonly JsonObject[];
      /** Further fields of the response, e.g. `status`, `error`, `incomplete_details`. */
      readonly response?: JsonObject;
    }
  | Exclude<ChatAnswer, { readonly kind: "reply" }>;

/** An answer, or a reply of this text. */
export type ResponsesStep = string | ResponsesAnswer;

export interface FakeResponses {
  readonly baseURL: string;
  readonly requests: readonly JsonObject[];
  /** The reasons of refused requests, in order. */
  readonly refusals: readonly string[];
  /** The number of requests that are neither complete nor cancelled by the client. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

export interface FakeResponsesOptions {
  /** One step for each request. The last step answers all further requests. */
  readonly steps: readonly ResponsesStep[];
  /** Whether it stores items, so they are found by their ids. */
  readonly isStoring?: boolean;
}

/** OpenAI's Responses API as a real server on a free port, with the documented rules and a test's answers. */
export async function startFakeResponses(options: FakeResponsesOptions): Promise<FakeResponses> {
  const requests: JsonObject[] = [];
  const refusals: string[] = [];
  const service = openItems();
  let answered = 0;
  let open = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await bodyOf(request)) as JsonObject;
    try {
      if (request.method !== "POST" || request.url !== "/v1/responses")
        throw new Refusal(`Unknown request URL: ${request.method} ${request.url}.`, 404);
      requests.push(body);
      service.check(body, options.isStoring === true);
    } catch (thrown) {
      const refusal = thrown instanceof Refusal ? thrown : new Refusal(`The fake failed: ${thrown}`, 501);
      refusals.push(refusal.message);
      const error = { message: refusal.message, type: "invalid_request_error", code: refusal.code ?? null };
      response.writeHead(refusal.status, { "content-type": "application/json", "x-request-id": "req_1" });
      response.end(JSON.stringify({ error: { ...error, param: null } }));
      return;
    }
    const step = options.steps[Math.min(answered, options.steps.length - 1)] ?? "";
    answered += 1;
    const answer = typeof step === "string" ? said(step) : step;
    if (answer.kind !== "reply") return writeAnswer(response, answer, body);
    const output = answer.output.map((item) => ({ id: freshId(prefixOf(item)), ...item }));
    service.gave(body, output);
    const reply = { ...responseOf(String(body["model"])), ...answer.response };
    if (body["stream"] !== true) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...reply, output }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.end(eventText(reply, output));
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

/** A reply as server-sent events. */
export const eventText = (response: JsonObject, output: readonly JsonObject[]): string =>
  streamOf(response, output)
    .map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    .join("");

const said = (text: string): ResponsesAnswer => ({
  kind: "reply",
  output: [
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
    },
  ],
});

const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};

const prefixOf = ({ type }: JsonObject): string => PREFIXES[String(type)] ?? "item";

/** The items of the service's replies, by model. */
export function openItems() {
  const known = new Map<string, Set<string>>();
  const encrypted = new Map<string, string>();
  const reasonedFor = new Map<string, string>();
  return {
    check: (body: JsonObject, isStoring: boolean): void => {
      const owner = textOf(body["model"], "model");
      if (!isStoring && body["store"] !== false)
        throw new Refusal("This fake stores nothing: `store` must be false");
      checkBody(body);
      const opaque = {
        isGenuine: (model: string, _: string, value: string) => encrypted.get(value) === model,
      };
      checkItems(body, { owner, opaque, reasonedFor, known: known.get(owner) ?? new Set(), isStoring });
    },
    gave: (body: JsonObject, output: readonly JsonObject[]): void => {
      const owner = String(body["model"]);
      const ids = known.get(owner) ?? new Set();
      known.set(owner, ids);
      for (const [index, item] of output.entries()) {
        const value = item["encrypted_content"];
        ids.add(String(item["id"]));
        if (typeof value === "string") encrypted.set(value, owner);
        const before = output[index - 1];
        if (before?.["type"] === "reasoning") reasonedFor.set(String(item["id"]), String(before["id"]));
      }
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
