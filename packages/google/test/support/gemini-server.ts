import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeAnswer } from "../../../../test/fakes/chat-answer.ts";
import { type GeminiCache, geminiError, openGeminiCache } from "../../../../test/fakes/gemini-cache.ts";
import { signedContent } from "../../../../test/fakes/gemini-reply.ts";
import { checkContents, wholeTexts } from "../../../../test/fakes/gemini-rules.ts";
import { type JsonObject, Refusal } from "../../../../test/fakes/service.ts";

/** A model's reply: its parts and additional fields. */
export interface Said {
  readonly parts?: readonly JsonObject[];
  /** Default `"STOP"`. */
  readonly finishReason?: string;
  /** Additional fields, e.g. `groundingMetadata`. */
  readonly candidate?: JsonObject;
  readonly usageMetadata?: JsonObject;
}

export type Raw = Extract<Parameters<typeof writeAnswer>[1], { kind: "raw" | "hang" }>;

/** A text, a reply, or a raw response. */
export type Step = string | Said | Raw | ((body: JsonObject) => string | Said | Raw);

export interface GeminiServer {
  readonly baseURL: string;
  /** Requests for a reply, accepted or not. */
  readonly bodies: readonly JsonObject[];
  readonly headers: readonly IncomingMessage["headers"][];
  /** The requested paths, e.g. `models/m:generateContent`. */
  readonly paths: readonly string[];
  readonly refusals: readonly string[];
  readonly cache: GeminiCache;
  /** The number of requests that are neither complete nor cancelled. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

interface ServerOptions {
  readonly minCacheTokens?: number;
  /** Replaces the creation of a cached prompt. */
  readonly onCreate?: () => void;
}

const isRaw = (answer: Said | Raw): answer is Raw => "kind" in answer;

const USAGE = { promptTokenCount: 20, candidatesTokenCount: 6, thoughtsTokenCount: 4, totalTokenCount: 30 };

export const responseOf = (said: Said, kept?: { readonly tokens: number }): JsonObject => ({
  candidates: [
    {
      ...(said.parts === undefined ? {} : { content: { role: "model", parts: said.parts } }),
      finishReason: said.finishReason ?? "STOP",
      index: 0,
      ...said.candidate,
    },
  ],
  usageMetadata: {
    ...(said.usageMetadata ?? USAGE),
    ...(kept === undefined ? {} : { cachedContentTokenCount: kept.tokens }),
  },
  modelVersion: "v",
});

/** One part per event, texts in pieces of seven characters, with the signature in the last piece. */
export function eventsOf(said: Said, kept?: { readonly tokens: number }): readonly JsonObject[] {
  const pieces = (said.parts ?? []).flatMap((part): readonly JsonObject[] => {
    const { text, thoughtSignature, ...further } = part;
    if (typeof text !== "string" || text === "") return [part];
    const texts = text.match(/[\s\S]{1,7}/gu) ?? [];
    const signature = thoughtSignature === undefined ? {} : { thoughtSignature };
    return texts.map((piece, at) => ({
      text: piece,
      ...further,
      ...(at === texts.length - 1 ? signature : {}),
    }));
  });
  const events = pieces.map((piece) => ({
    candidates: [{ content: { role: "model", parts: [piece] }, index: 0 }],
    modelVersion: "v",
  }));
  return [...events, responseOf({ ...said, parts: [{ text: "" }] }, kept)];
}

/** A strict Gemini server with the test's own answers. The last one answers all further requests. */
export async function startGeminiServer(
  steps: readonly Step[],
  { minCacheTokens, onCreate }: ServerOptions = {},
): Promise<GeminiServer> {
  const bodies: JsonObject[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const paths: string[] = [];
  const refusals: string[] = [];
  const cache = openGeminiCache(minCacheTokens);
  const issued = new Map<string, string>();
  let answered = 0;
  let open = 0;

  function issue(owner: string, parts: readonly JsonObject[]): void {
    for (const part of wholeTexts(parts))
      if (typeof part["thoughtSignature"] === "string")
        issued.set(JSON.stringify([owner, part["thoughtSignature"]]), signedContent(part));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: JsonObject = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (request.headers["x-goog-api-key"] !== "AIza-test") throw new Refusal("API key not valid.", 403);
    if (request.url === "/v1beta/cachedContents") {
      onCreate?.();
      return end(response, cache.create(body));
    }
    const [, path = "", model = "", streamed] =
      /^\/v1beta\/(models\/([^/:]+):(?:generateContent|(streamGenerateContent)\?alt=sse))$/.exec(
        request.url ?? "",
      ) ?? [];
    if (path === "") throw new Refusal("Requested entity was not found.", 404);
    paths.push(path);
    headers.push(request.headers);
    bodies.push(body);
    const kept = cache.named(body, model);
    const isGenuine = (owner: string, content: string, value: string) =>
      issued.get(JSON.stringify([owner, value])) === content;
    const signatures = { owner: model, opaque: { isGenuine }, areRequired: !model.startsWith("gemini-2") };
    const contents = checkContents(body, signatures, kept?.body);
    if (contents[0]?.role !== "user") throw new Refusal("the first of the contents is not the user's");
    const step = steps[Math.min(answered++, steps.length - 1)] ?? "";
    const given = typeof step === "function" ? step(body) : step;
    const said = typeof given === "string" ? { parts: [{ text: given }] } : given;
    if (isRaw(said)) return writeAnswer(response, said, body);
    issue(model, said.parts ?? []);
    if (streamed === undefined) return end(response, responseOf(said, kept));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(said, kept)) response.write(`data: ${JSON.stringify(event)}\r\n\r\n`);
    response.end();
  }

  const server = createServer((request, response) => {
    open += 1;
    response.on("close", () => {
      open -= 1;
    });
    handle(request, response).catch((thrown: unknown) => {
      const refusal = thrown instanceof Refusal ? thrown : new Refusal(`fault of the fake: ${thrown}`, 501);
      refusals.push(refusal.message);
      response.writeHead(refusal.status, { "content-type": "application/json" });
      response.end(JSON.stringify(geminiError(refusal)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1beta`,
    bodies,
    headers,
    paths,
    refusals,
    cache,
    open: () => open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function end(response: ServerResponse, body: JsonObject): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
